"""95% intervals of the difference of two runs in a rate: the paired bootstrap over sessions.

The same sessions are drawn for both runs (percentile bootstrap, Efron and Tibshirani, An Introduction to the Bootstrap,
1993, ch. 8.6 and 13). Percentiles are taken a little further out, as far as Student's interval of a mean goes beyond
the bootstrap's, for without that they are too narrow for few sessions ("expanded percentile", Hesterberg, The American
Statistician 69, 2015). Two exceptions, so that no interval has zero width because there is little to see:

- no session differs: the difference is at most the share of sessions that differ, whose bound is exact
  (`exact_bound`);
- fewer than `FEWEST_CLUSTERS` sessions, or all sessions differ by the same: square-and-add of the two rates' own
  intervals as if they were independent (Newcombe, Statistics in Medicine 17, 1998, method 10; Zou and Donner,
  Statistics in Medicine 27, 2008), which is rather too wide for pairs that go together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from msgspec import Struct

from toolgauge.analysis.binomial import LEVEL, exact_bound, student
from toolgauge.analysis.intervals import (
    FEWEST_CLUSTERS,
    REPLICATES,
    SEED,
    Floats,
    intervals,
    percentiles,
    resampled_rates,
)

Interval = tuple[float, float]
Z = NormalDist().inv_cdf(0.5 + LEVEL / 2)
_ROWS_AT_ONCE = 64
"""Their replicates take 1 MB of memory."""


class RowSums(NamedTuple):
    """What a row adds up to over all sessions, for both runs.

    rates: None where nothing was tried; sessions: how many count for either run; alike: both did the same in each.
    """

    hits: tuple[float, float]
    trials: tuple[float, float]
    rates: tuple[float | None, float | None]
    sessions: int
    alike: bool


class PairedRow(Struct, frozen=True, eq=False):
    """One rate of both runs.

    hits, trials: shape (2, sessions), the two runs above each other. fixed, broken: how many tasks (whole sessions,
    trials) only the second, only the first has right; None where the rate does not count right ones. parts: of a
    weighted mean, (weight, rate) of what it is made of; its hits and trials are scaled so that their ratio is the mean.
    """

    table: str
    name: str
    hits: Floats
    trials: Floats
    sums: RowSums
    fixed: int | None = None
    broken: int | None = None
    parts: tuple[tuple[float, PairedRow], ...] = ()

    @property
    def difference(self) -> float | None:
        """Second minus first rate, from -1 to 1."""
        one, other = self.sums.rates
        return None if one is None or other is None else other - one


def paired_row(
    table: str,
    name: str,
    hits: Floats,
    trials: Floats,
    fixed: int | None = None,
    broken: int | None = None,
    parts: tuple[tuple[float, PairedRow], ...] = (),
) -> PairedRow:
    """A row by itself; many over the same sessions are added up faster together (`row_sums`)."""
    return PairedRow(table, name, hits, trials, row_sums(hits[None], trials[None])[0], fixed, broken, parts)


def row_sums(hits: Floats, trials: Floats) -> list[RowSums]:
    """The sums of rates over the same sessions; hits, trials: shape (rows, 2, sessions)."""
    sessions = np.count_nonzero(trials.any(axis=1), axis=1)
    alike = (hits[:, 0] == hits[:, 1]).all(axis=1) & (trials[:, 0] == trials[:, 1]).all(axis=1)
    sums = (numbers.tolist() for numbers in (hits.sum(axis=2), trials.sum(axis=2), sessions, alike))
    return [
        RowSums((right, still), (tried, again), (_rate(right, tried), _rate(still, again)), number, same)
        for (right, still), (tried, again), number, same in zip(*sums, strict=True)
    ]


def _rate(hits: float, trials: float) -> float | None:
    return min(1.0, hits / trials) if trials else None  # published weights may add up to more than 1


def stacked(rows: Sequence[PairedRow]) -> tuple[Floats, Floats]:
    """Hits and trials of rates over the same sessions, each of shape (rows, 2, sessions)."""
    return np.stack([row.hits for row in rows]), np.stack([row.trials for row in rows])


def paired_replicates(hits: Floats, trials: Floats, seed: int = SEED) -> Floats:
    """Differences of each rate over resampled sessions, shape (rows, replicates); NaN where a run drew no trial.

    hits, trials: shape (rows, 2, sessions).
    """
    count, _runs, sessions = hits.shape
    if not sessions:
        return np.full((count, REPLICATES), np.nan)
    flat = (2 * count, sessions)
    rates = resampled_rates(hits.swapaxes(0, 1).reshape(flat), trials.swapaxes(0, 1).reshape(flat), seed=seed)
    differences: Floats = rates[count:] - rates[:count]
    return differences


def resampled_intervals(rows: Sequence[PairedRow], hits: Floats, trials: Floats) -> list[Interval | None]:
    """`paired_intervals` of rates over the same sessions, by replicates that are made of some rows at a time.

    hits, trials: those of the rows, as `stacked` gives them.
    """
    blocks = (slice(start, start + _ROWS_AT_ONCE) for start in range(0, len(rows), _ROWS_AT_ONCE))
    return [
        bounds
        for block in blocks
        for bounds in paired_intervals(rows[block], paired_replicates(hits[block], trials[block]))
    ]


def paired_intervals(rows: Sequence[PairedRow], replicates: Floats) -> list[Interval | None]:
    """The interval of each rate's difference, given its replicates; None where a run has no trials."""
    bounds = percentiles(replicates, np.array([_tail(row.sums.sessions) for row in rows]))
    return [_interval(row, (float(low), float(high))) for row, (low, high) in zip(rows, bounds, strict=True)]


@lru_cache(maxsize=1024)
def _tail(sessions: int) -> float:
    """The share of replicates beyond either end of the interval."""
    number = max(sessions, FEWEST_CLUSTERS)  # with fewer, the percentiles are not used
    return NormalDist().cdf(-math.sqrt(number / (number - 1)) * student(number - 1))


def _interval(row: PairedRow, resampled: Interval) -> Interval | None:
    difference = row.difference
    if difference is None:
        return None
    if row.sums.alike:
        return _unseen(row)
    if row.sums.sessions < FEWEST_CLUSTERS or not resampled[0] < resampled[1]:  # of zero width, or not a number
        return square_and_add(difference, *zip(row.sums.rates, intervals(row.hits, row.trials), strict=True))
    return resampled


def square_and_add(difference: float, *runs: tuple[float | None, Floats], alike: float = 0.0) -> Interval:
    """The interval of a difference from (rate, interval) of the first and the second run. alike: their correlation."""
    (one, (one_low, one_high)), (other, (other_low, other_high)) = ((rate or 0.0, bounds) for rate, bounds in runs)
    low = difference - _added(other - other_low, one_high - one, alike)
    high = difference + _added(other_high - other, one - one_low, alike)
    return max(-1.0, low), min(1.0, high)


def _added(one: float, other: float, alike: float) -> float:
    return math.sqrt(max(0.0, one * one + other * other - 2 * alike * one * other))


def hybrid_interval(row: PairedRow) -> Interval | None:
    """The interval of any difference of rates from those of both, and how they go together over sessions (Zou and
    Donner, Statistics in Medicine 27, 2008, with their term for correlation); None where a run has no trials.

    It decides better than the bootstrap's where a rate is near 1, as `score_interval` does for rates of pairs.
    """
    difference = row.difference
    if difference is None:
        return None
    if row.sums.alike:
        return _unseen(row)
    alike = _correlation(row) if row.sums.sessions >= FEWEST_CLUSTERS else 0.0
    return square_and_add(difference, *zip(row.sums.rates, intervals(row.hits, row.trials), strict=True), alike=alike)


def _correlation(row: PairedRow) -> float:
    """Of what the sessions are above or below the two rates."""
    one, other = (hits - hits.sum() / trials.sum() * trials for hits, trials in zip(row.hits, row.trials, strict=True))
    size = math.sqrt(float(one @ one) * float(other @ other))
    return float(one @ other) / size if size else 0.0


def _unseen(row: PairedRow) -> Interval:
    """What could have differed where no session does."""
    _, reach = exact_bound(row.sums.sessions, all_hit=False)
    return -reach, reach


def score_interval(fixed: int, broken: int, pairs: int, resampled: Interval) -> Interval:
    """The interval of (fixed - broken) / pairs by inverting the score test (Tango, Statistics in Medicine 17, 1998).

    resampled: the interval over sessions: the pairs count for as many independent ones as have its width. It decides
    better than the resampled interval, which is too sure on the side where few pairs differ: a difference that is truly
    at a limit is taken to be above it in 2 to 2.6 of 100 simulated runs with 12 sessions or more, not in 3 to 6.
    """
    difference = (fixed - broken) / pairs
    alone = (fixed + broken - pairs * difference**2) / pairs**2
    if not alone:
        return resampled
    error = (resampled[1] - resampled[0]) / (2 * Z)
    number = pairs / max(1.0, error**2 / alone)
    counts = fixed / pairs * number, broken / pairs * number, number
    return _crossing(counts, -1.0, difference, Z), _crossing(counts, difference, 1.0, -Z)


def _crossing(counts: tuple[float, float, float], low: float, high: float, score: float) -> float:
    """Between the two bounds the difference at which the score test has this value; the score falls."""
    for _step in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if _score(*counts, middle) > score else (low, middle)
    return (low + high) / 2


def _score(fixed: float, broken: float, pairs: float, difference: float) -> float:
    """How many standard errors, estimated as if that were the true difference, the counts are above it."""
    linear = (2 * pairs - fixed + broken) * difference - fixed - broken
    constant = -broken * difference * (1 - difference)
    rate = (math.sqrt(max(0.0, linear**2 - 8 * pairs * constant)) - linear) / (4 * pairs)  # of broken pairs
    variance = pairs * (2 * rate + difference * (1 - difference))
    above = fixed - broken - pairs * difference
    return above / math.sqrt(variance) if variance > 0 else math.copysign(math.inf, above) if above else 0.0


def weighted_interval(weights: Sequence[float], differences: Sequence[float], bounds: Sequence[Interval]) -> Interval:
    """The interval of a weighted sum of independent differences from theirs: their distances add like variances."""
    parts = list(zip(weights, differences, bounds, strict=True))
    middle = math.fsum(weight * difference for weight, difference, _ in parts)
    low = math.hypot(*(weight * (difference - bound[0]) for weight, difference, bound in parts))
    high = math.hypot(*(weight * (bound[1] - difference) for weight, difference, bound in parts))
    return max(-1.0, middle - low), min(1.0, middle + high)
