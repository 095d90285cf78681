"""The paired rows of ACEBench: categories, their weighted means, mistakes.

A weighted mean (a group, overall) is tested like any rate: a session's part in it is the weighted one in its category.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from toolgauge.analysis.compare.pairing import Pairs, Side
from toolgauge.analysis.decide import Crosstab, PairedRow, PairedTable
from toolgauge.analysis.intervals import Floats
from toolgauge.benchmarks.acebench.data import CATEGORIES
from toolgauge.benchmarks.acebench.judge.verdict import AceError
from toolgauge.benchmarks.acebench.numbers.tables import (
    GROUP_MEMBERS,
    MISTAKES,
    WEIGHTS,
    by_category,
    measures_of,
    mistake_of,
)
from toolgauge.benchmarks.acebench.numbers.trials import Measure, Trial, collect_trials, right
from toolgauge.judge.verdict import CORRECT

_GRAIN = 1 << 20
"""Scores are cut to this fineness: sums of such numbers are exact in any order, so results do not depend on it."""
Both = tuple[Sequence[Trial], Sequence[Trial]]
"""Trials of the two runs, pair by pair."""
Numbers = dict[str, int]
"""The sessions that occur, by number."""


def compare_acebench(sides: tuple[Side, Side], pairs: Pairs, scorings: Sequence[str]) -> dict[str, PairedTable]:
    """Both runs in each of the scorings."""
    dataset = sides[0].dataset
    both = collect_trials(dataset, pairs.a, ()), collect_trials(dataset, pairs.b, ())
    numbers = {session: place for place, session in enumerate(dict.fromkeys(trial.session_id for trial in both[0]))}
    return {scoring: _compare(both, numbers, pairs, scoring) for scoring in scorings}


def _compare(both: Both, numbers: Numbers, pairs: Pairs, scoring: str) -> PairedTable:
    categories = _categories(both, numbers, scoring)
    means = _means({row.name: row for row in categories})
    errors = [row for table in MISTAKES if pairs.wants(table) for row in _mistakes(both, numbers, scoring, table)]
    tasks = _crosstab([s.scorings[scoring].correct for s in run if scoring in s.scorings] for run in (pairs.a, pairs.b))
    sessions = _crosstab(_scored(run, scoring) for run in both)
    return PairedTable(tasks, sessions, [*means, *categories, *errors])


def _crosstab(runs: Iterable[Sequence[bool | float]]) -> Crosstab:
    one, other = (np.array(run, dtype=float) for run in runs)
    return Crosstab.of(one, other, np.ones(len(one)))


def _scored(trials: Sequence[Trial], scoring: str, measure: Measure = right) -> list[float]:
    """What each trial scores, without those that are not scored whole (the same ones in both runs)."""
    found = (trial.verdicts(scoring) for trial in trials)
    return [measure(verdicts) for verdicts in found if verdicts is not None]


def _categories(both: Both, numbers: Numbers, scoring: str) -> list[PairedRow]:
    """Every row of the table `categories`."""
    one, other = (by_category(run) for run in both)
    rows = []
    for name in CATEGORIES:
        places = [numbers[t.session_id] for t in one[name] if t.verdicts(scoring) is not None]
        for suffix, measure in measures_of(CATEGORIES[name]).items():
            scores = [_scored(run[name], scoring, measure) for run in (one, other)]
            hits, trials = np.zeros((2, len(numbers))), np.zeros((2, len(numbers)))
            for run, values in enumerate(scores):
                np.add.at(hits[run], places, np.rint(np.array(values) * _GRAIN) / _GRAIN)
                np.add.at(trials[run], places, 1.0)
            whole = all(value in (0, 1) for run in scores for value in run)
            changed = _crosstab(scores).changed if whole else (None, None)
            rows.append(PairedRow("categories", f"{name}{suffix}", hits, trials, *changed))
    return rows


def _means(categories: dict[str, PairedRow]) -> list[PairedRow]:
    """The rows of `overall` and `groups`."""
    shares = {group: [(1 / len(names), categories[name]) for name in names] for group, names in GROUP_MEMBERS.items()}
    overall = [(weight * share, row) for group, weight in WEIGHTS.items() for share, row in shares[group]]
    groups = [_mean("groups", group, parts) for group, parts in shares.items()]
    return [_mean("overall", "overall", overall), *groups]


def _mean(table: str, name: str, parts: list[tuple[float, PairedRow]]) -> PairedRow:
    """A weighted mean of rates; without trials where a part has none."""
    shape = parts[0][1].hits.shape
    hits, trials = np.zeros(shape), np.zeros(shape)
    whole = sum(weight for weight, _ in parts)
    if all(row.trials.any() for _, row in parts):
        for weight, row in parts:
            number = float(row.trials[0].sum())
            hits += weight / number * row.hits
            trials += weight / whole / number * row.trials
    return PairedRow(table, name, hits, trials, parts=tuple(row for _, row in parts))


def _mistakes(both: Both, numbers: Numbers, scoring: str, table: str) -> list[PairedRow]:
    """Shares of all entries by class, as far as they occur in either run; turns of sessions count singly."""
    found = [_outcomes(run, numbers, scoring, table) for run in both]
    known = [error.value for error in AceError]
    seen = {name for run in found for name in run} - {CORRECT}
    names = [name for name in known if name in seen] + sorted(seen - set(known))
    none = np.zeros(len(numbers))
    totals = np.stack([sum(run.values(), start=none) for run in found])
    return [PairedRow(table, name, np.stack([run.get(name, none) for run in found]), totals) for name in names]


def _outcomes(trials: Iterable[Trial], numbers: Numbers, scoring: str, table: str) -> dict[str, Floats]:
    """By class (`mistake_of`), or "correct": how many entries each session has."""
    found: dict[str, Floats] = {}
    for trial in trials:
        for score in trial.scores:
            if score and scoring in score.scorings:
                outcome = mistake_of(score, scoring, table) or CORRECT
                counts = found.setdefault(outcome, np.zeros(len(numbers)))
                counts[numbers[trial.session_id]] += 1
    return found
