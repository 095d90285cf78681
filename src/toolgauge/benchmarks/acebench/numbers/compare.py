"""The paired rows of ACEBench: categories, their weighted means, mistakes.

Categories are what the benchmark is put together from, with as many entries each as its authors chose. So sessions are
resampled within their category, and a weighted mean (a group, overall) is resampled as the mean of its categories.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from toolgauge.analysis.compare.differences import (
    Interval,
    PairedRow,
    paired_intervals,
    paired_replicates,
    paired_row,
    resampled_intervals,
    stacked,
    weighted_interval,
)
from toolgauge.analysis.compare.pairing import Pairs, Side
from toolgauge.analysis.compare.rows import Crosstab, RunComparison, Tested
from toolgauge.analysis.compare.significance import exchange_tests
from toolgauge.analysis.intervals import FEWEST_CLUSTERS, SEED, Floats
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


class _Layout(NamedTuple):
    """The sessions that occur, by number, and the numbers of each category's."""

    numbers: dict[str, int]
    categories: dict[str, list[int]]


def compare_acebench(sides: tuple[Side, Side], pairs: Pairs, scorings: Sequence[str]) -> dict[str, RunComparison]:
    """The comparison in each of the scorings."""
    dataset = sides[0].dataset
    both = collect_trials(dataset, pairs.a, ()), collect_trials(dataset, pairs.b, ())
    trials = both[0]
    numbers: dict[str, int] = {}
    categories: dict[str, list[int]] = {name: [] for name in CATEGORIES}
    for trial in trials:
        if trial.session_id not in numbers:
            numbers[trial.session_id] = len(numbers)
            categories[trial.category.name].append(numbers[trial.session_id])
    layout = _Layout(numbers, categories)
    return {scoring: _compare(both, layout, pairs, scoring) for scoring in scorings}


def _compare(both: Both, layout: _Layout, pairs: Pairs, scoring: str) -> RunComparison:
    categories = _categories(both, layout, scoring)
    means = _means({row.name: row for row in categories})
    errors = [row for table in MISTAKES if pairs.wants(table) for row in _mistakes(both, layout, scoring, table)]
    replicates = _replicates(categories, layout)
    bounds = dict(zip((row.name for row in categories), paired_intervals(categories, replicates), strict=True))
    places = {row.name: place for place, row in enumerate(categories)}
    intervals: list[Interval | None] = []
    for mean in means:
        chosen = replicates[[places[part.name] for _, part in mean.parts]]
        intervals.append(_mean_interval(mean, chosen, [bounds[part.name] for _, part in mean.parts]))
    intervals += [*bounds.values(), *(resampled_intervals(errors, *stacked(errors)) if errors else ())]
    rows = [*means, *categories, *errors]
    tested = zip(rows, intervals, exchange_tests(*stacked(rows)), strict=True)
    tasks = _crosstab([s.scorings[scoring].correct for s in run if scoring in s.scorings] for run in (pairs.a, pairs.b))
    sessions = _crosstab(_scored(run, scoring) for run in both)
    return RunComparison(tasks, sessions, [Tested(*one) for one in tested])


def _crosstab(runs: Iterable[Sequence[bool | float]]) -> Crosstab:
    one, other = (np.array(run, dtype=float) for run in runs)
    return Crosstab.of(one, other, np.ones(len(one)))


def _scored(trials: Sequence[Trial], scoring: str, measure: Measure = right) -> list[float]:
    """What each trial scores, without those that are not scored whole (the same ones in both runs)."""
    found = (trial.verdicts(scoring) for trial in trials)
    return [measure(verdicts) for verdicts in found if verdicts is not None]


def _categories(both: Both, layout: _Layout, scoring: str) -> list[PairedRow]:
    """Every row of the table `categories`."""
    one, other = (by_category(run) for run in both)
    rows = []
    for name in CATEGORIES:
        places = [layout.numbers[t.session_id] for t in one[name] if t.verdicts(scoring) is not None]
        for suffix, measure in measures_of(CATEGORIES[name]).items():
            scores = [_scored(run[name], scoring, measure) for run in (one, other)]
            hits, trials = np.zeros((2, len(layout.numbers))), np.zeros((2, len(layout.numbers)))
            for run, values in enumerate(scores):
                np.add.at(hits[run], places, np.rint(np.array(values) * _GRAIN) / _GRAIN)
                np.add.at(trials[run], places, 1.0)
            counts = _crosstab(scores)[:2] if all(value in (0, 1) for run in scores for value in run) else (None, None)
            rows.append(paired_row("categories", f"{name}{suffix}", hits, trials, *counts))
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
    return paired_row(table, name, hits, trials, parts=tuple(parts))


def _replicates(rows: Sequence[PairedRow], layout: _Layout) -> Floats:
    """Replicates of the categories' differences: each category's sessions are drawn from its own, with its own seed."""
    found = []
    for number, (name, places) in enumerate(layout.categories.items()):
        names = (name, *(f"{name}{suffix}" for suffix in measures_of(CATEGORIES[name])))
        hits, trials = stacked([row for row in rows if row.name in names])
        found.append(paired_replicates(hits[:, :, places], trials[:, :, places], SEED + number))
    return np.concatenate(found)


def _mean_interval(mean: PairedRow, replicates: Floats, bounds: Sequence[Interval | None]) -> Interval | None:
    """The bootstrap's, or what follows from the parts' intervals where a part has too few sessions to resample."""
    known = [bound for bound in bounds if bound is not None]
    if mean.difference is None or len(known) < len(bounds):
        return None
    weights = [weight for weight, _ in mean.parts]
    enough = all(part.sums.sessions >= FEWEST_CLUSTERS for _, part in mean.parts)
    if enough and not np.array_equal(mean.hits[0], mean.hits[1]):
        total = np.zeros(replicates.shape[1])
        for weight, row in zip(weights, replicates, strict=True):
            total = total + weight * row
        (resampled,) = paired_intervals([mean], total[None])
        return resampled
    differences = [part.difference or 0.0 for _, part in mean.parts]
    return weighted_interval(weights, differences, known)


def _mistakes(both: Both, layout: _Layout, scoring: str, table: str) -> list[PairedRow]:
    """Shares of all entries by class, as far as they occur in either run; turns of sessions count singly."""
    found = [_outcomes(run, layout, scoring, table) for run in both]
    known = [error.value for error in AceError]
    seen = {name for run in found for name in run} - {CORRECT}
    names = [name for name in known if name in seen] + sorted(seen - set(known))
    none = np.zeros(len(layout.numbers))
    totals = np.stack([sum(run.values(), start=none) for run in found])
    return [paired_row(table, name, np.stack([run.get(name, none) for run in found]), totals) for name in names]


def _outcomes(trials: Iterable[Trial], layout: _Layout, scoring: str, table: str) -> dict[str, Floats]:
    """By class (`mistake_of`), or "correct": how many entries each session has."""
    found: dict[str, Floats] = {}
    for trial in trials:
        for score in trial.scores:
            if score and scoring in score.scorings:
                outcome = mistake_of(score, scoring, table) or CORRECT
                counts = found.setdefault(outcome, np.zeros(len(layout.numbers)))
                counts[layout.numbers[trial.session_id]] += 1
    return found
