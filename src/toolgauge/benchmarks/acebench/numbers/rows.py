"""ACEBench's rates as rows of hits and trials per session: what two runs are compared by."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from toolgauge.analysis.rates import RateRow
from toolgauge.benchmarks.acebench.data import CATEGORIES, AceDataset
from toolgauge.benchmarks.acebench.numbers.tables import GROUP_MEMBERS, WEIGHTS, by_category, measures_of
from toolgauge.benchmarks.acebench.numbers.trials import Measure, Trial, collect_trials, sessions_of
from toolgauge.judge.verdict import Score


def ace_rows(
    dataset: AceDataset, scores: Sequence[Score], requested: Sequence[str] | None, scoring: str
) -> list[RateRow]:
    """The tables `overall`, `groups` and `categories` of a scoring, a number per session of the data set.

    Hits may be fractions (process scores). A weighted mean counts each trial with its category's weight over the
    category's number of trials, so sum of hits over sum of trials is the mean; where a part has no score, its row is
    left out. A scoring that the scores do not have has no rows.
    """
    trials = collect_trials(dataset, scores, requested or ())
    if not any(scoring in score.scorings for score in scores):
        return []
    numbers = {session_id: number for number, session_id in enumerate(sessions_of(dataset))}
    categories = {
        f"{name}{suffix}": _row(f"{name}{suffix}", own, scoring, measure, numbers, requested is not None)
        for name, own in by_category(trials).items()
        for suffix, measure in measures_of(CATEGORIES[name]).items()
    }
    means = {
        group: _mean("groups", group, [(1 / len(members), categories[name]) for name in members])
        for group, members in GROUP_MEMBERS.items()
    }
    groups = {group: row for group, row in means.items() if row is not None}
    parts = [(weight, groups[group]) for group, weight in WEIGHTS.items() if group in groups]
    overall = _mean("overall", "overall", parts) if len(parts) == len(WEIGHTS) else None
    return [*([overall] if overall else []), *groups.values(), *categories.values()]


def _row(
    name: str, trials: Iterable[Trial], scoring: str, measure: Measure, numbers: dict[str, int], asked: bool
) -> RateRow:
    hits, counts = np.zeros(len(numbers)), np.zeros(len(numbers))
    requested = missing = 0
    for trial in trials:
        verdicts = trial.verdicts(scoring)
        requested += trial.requested
        if verdicts is None:
            missing += trial.requested
            continue
        hits[numbers[trial.session_id]] += measure(verdicts)
        counts[numbers[trial.session_id]] += 1
    scored = int(counts.sum())
    return RateRow("categories", name, hits, counts, requested if asked else None, scored, missing if asked else None)


def _mean(table: str, name: str, parts: Sequence[tuple[float, RateRow]]) -> RateRow | None:
    """The weighted mean of rows; None where one of them has no trials."""
    if not all(row.trials.any() for _, row in parts):
        return None
    shares = [(weight / float(row.trials.sum()), row) for weight, row in parts]
    hits = np.sum([share * row.hits for share, row in shares], axis=0)
    trials = np.sum([share * row.trials for share, row in shares], axis=0)
    rows = [row for _, row in parts]
    counts = [
        None if None in column else sum(filter(None, column))
        for column in zip(*(row[4:7] for row in rows), strict=True)
    ]
    return RateRow(table, name, hits, trials, counts[0], counts[1] or 0, counts[2])
