"""Rates with their intervals: the mean of what trials score, and weighted means of such means.

A weighted mean of categories (a group, overall) has the interval that follows from the intervals of its parts, which
are independent of one another: MOVER (Zou, Huang and Zhang, A note on confidence interval estimation for a linear
function of binomial proportions, Computational Statistics and Data Analysis 53, 2009). It keeps their asymmetry, is
never of zero width, and nothing is drawn.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from msgspec import UNSET

from toolgauge.analysis.numbers import Rate
from toolgauge.artefacts import DIGITS
from toolgauge.benchmarks.acebench.numbers.trials import Measure, Trial

_GRAIN = 1 << 20
"""Scores are cut to this fineness: sums of such numbers are exact in any order."""


class MeanRate(NamedTuple):
    """A mean from 0 to 1 over `total` trials that score `correct` in sum; None where nothing was scored.

    requested, scored, missing: trials. incomplete: what a weighted mean lacks, and therefore has no value.
    """

    value: float | None
    interval: tuple[float, float] | None
    correct: float
    total: int
    requested: int
    scored: int
    missing: int
    incomplete: tuple[str, ...] = ()

    def entry(self) -> Rate:
        """The row as metrics.json has it."""
        low, high = self.interval or (0.0, 0.0)
        return Rate(
            value=None if self.value is None else round(self.value, DIGITS),
            correct=int(self.correct) if self.correct == int(self.correct) else round(self.correct, DIGITS),
            total=self.total,
            ci95=None if self.interval is None else (round(low, DIGITS), round(high, DIGITS)),
            requested=self.requested,
            scored=self.scored,
            missing=self.missing,
            incomplete=self.incomplete or UNSET,
        )


def mean_rate(trials: Sequence[Trial], scoring: str, measure: Measure) -> MeanRate:
    """The mean over those trials that are scored whole, and its interval, clustered by session.

    A score between 0 and 1 is treated like so much of a hit, which makes the interval rather too wide than too narrow.
    """
    from toolgauge.analysis.intervals import clustered_interval

    hits: dict[str, float] = {}
    counts: dict[str, int] = {}
    scores = []
    for trial in trials:
        verdicts = trial.verdicts(scoring)
        if verdicts is not None:
            score = measure(verdicts)
            scores.append(score)
            hits[trial.session_id] = hits.get(trial.session_id, 0.0) + round(score * _GRAIN) / _GRAIN
            counts[trial.session_id] = counts.get(trial.session_id, 0) + 1
    requested = sum(trial.requested for trial in trials)
    missing = sum(trial.requested and trial.verdicts(scoring) is None for trial in trials)
    if not scores:
        return MeanRate(None, None, 0.0, 0, requested, 0, missing)
    total = math.fsum(scores)
    interval = clustered_interval(list(hits.values()), list(counts.values()))
    return MeanRate(total / len(scores), interval, total, len(scores), requested, len(scores), missing)


def weighted_mean(parts: Iterable[tuple[str, float, MeanRate]]) -> MeanRate:
    """The sum of weight times rate over (name, weight, rate); counts are the sums of the parts'.

    No value where a part has none (Q33 of docs/acebench.md#scorings). Capped at 1, for the published weights add up to
    1.0001.
    """
    named = list(parts)
    rates = [rate for _, _, rate in named]
    lacking = tuple(dict.fromkeys(lack for name, _, rate in named for lack in _lacking(name, rate)))
    correct = math.fsum(rate.correct for rate in rates)
    total, requested, scored, missing = (sum(counts) for counts in zip(*(rate[3:7] for rate in rates), strict=True))
    if lacking:
        return MeanRate(None, None, correct, total, requested, scored, missing, lacking)
    value = math.fsum(weight * (rate.value or 0.0) for _, weight, rate in named)
    reach = [_reach([(weight, rate) for _, weight, rate in named], side) for side in (0, 1)]
    interval = (max(0.0, value - reach[0]), min(1.0, value + reach[1]))
    return MeanRate(min(1.0, value), interval, correct, total, requested, scored, missing)


def _lacking(name: str, rate: MeanRate) -> tuple[str, ...]:
    return rate.incomplete or ((name,) if rate.value is None else ())


def _reach(parts: Iterable[tuple[float, MeanRate]], side: int) -> float:
    """How far the interval goes to one side: the parts' distances, weighted, added like variances."""
    distances = [
        weight * (rate.interval[side] - rate.value)
        for weight, rate in parts
        if rate.interval and rate.value is not None
    ]
    return math.sqrt(math.fsum(distance * distance for distance in distances))
