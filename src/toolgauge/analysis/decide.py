"""One way to decide whether two runs differ: that of `compare`, `gate`, `verify`, `tools trial` and the site's ranks.

Two runs are paired over the tasks (and epochs) that both have; the tasks of a session form a cluster. The difference of
a rate is a sum of one part per session, and the only question is how much these parts scatter:

- from ten sessions on, a cluster-robust paired t test: the variance of a difference of two ratios over clusters
  (Cochran, Sampling Techniques, 1977, chapter 6), with Student's distribution and a degree of freedom per session but
  one. With one task per session this is the textbook's paired t test;
- below ten sessions, the exact sign-flip test (Fisher, The Design of Experiments, 1935, section 21), and its inversion:
  the interval holds every difference that this test does not reject at 5%. Fewer than six sessions reject nothing;
- where all sessions differ by the same, there is no scatter to go by: at most 1 - 0.025^(1/n) of all sessions go
  otherwise (the exact bound of Clopper and Pearson, Biometrika 26, 1934), each by as much the other way. Where none
  differs at all, so many may differ, each the whole way.

In each case p and the interval come from the same test, so p < 0.05 and "zero is outside the interval" are one
statement. Where several rows are tested, p is corrected within their table (Holm).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import StrEnum
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from toolgauge.analysis.binomial import LEVEL, exact_bound, student_p, student_quantile
from toolgauge.analysis.intervals import FEWEST_CLUSTERS, Floats

Interval = tuple[float, float]
Counted = Floats | NDArray[np.bool_]

SIGNIFICANT = 1 - LEVEL
POWER = 0.8
_Z_LEVEL, _Z_POWER = NormalDist().inv_cdf(0.5 + LEVEL / 2), NormalDist().inv_cdf(POWER)
_DIGITS = 12
"""Parts of differences that agree to so many digits are equal."""


class PairedRow(NamedTuple):
    """One rate of both runs over the same sessions: a column of the paired table, summed up by session.

    hits, trials: shape (2, sessions), the first run above the second. fixed, broken: how many tasks (whole sessions,
    trials) only the second, only the first has right; None where the rate does not count right ones. parts: the rows
    that a weighted mean is made of; its own hits and trials are scaled so that their ratio is the mean.
    """

    table: str
    name: str
    hits: Floats
    trials: Floats
    fixed: int | None = None
    broken: int | None = None
    parts: tuple[PairedRow, ...] = ()


class Crosstab(Struct, frozen=True):
    """What became of tasks, or of whole sessions: right in the second run only, in the first only, in both, in none."""

    fixed: int
    broken: int
    both: int
    neither: int

    @property
    def pairs(self) -> int:
        return self.fixed + self.broken + self.both + self.neither

    @classmethod
    def of(cls, a: Counted, b: Counted, trials: Counted) -> Crosstab:
        """From 0 or 1 per task: right in the first run, right in the second, counted at all."""
        counted = trials > 0
        right, still = a[counted] > 0, b[counted] > 0
        counts = (~right & still, right & ~still, right & still, ~right & ~still)
        return cls(*(int(np.count_nonzero(count)) for count in counts))


class PairedTable(NamedTuple):
    """Two runs in one scoring, as a benchmark pairs them; rows: over the same sessions."""

    tasks: Crosstab
    sessions: Crosstab
    rows: list[PairedRow]


class PairedTest(NamedTuple):
    """The difference of a rate, second minus first run, from -1 to 1; its 95% interval and two-sided p.

    hits, trials: of both runs; rates: None where nothing was tried, and then there is no difference either. sessions:
    how many count for either run; exact: by sign flips, or by the exact bound.
    """

    hits: tuple[float, float]
    trials: tuple[float, float]
    rates: tuple[float | None, float | None]
    sessions: int
    difference: float | None = None
    interval: Interval | None = None
    p: float | None = None
    exact: bool = False


def paired_test(row: PairedRow) -> PairedTest:
    """The test of a single row."""
    return paired_tests([row])[0]


def paired_tests(rows: Sequence[PairedRow]) -> list[PairedTest]:
    """The test of each row; all rows are over the same sessions."""
    if not rows:
        return []
    hits, trials = np.stack([row.hits for row in rows]), np.stack([row.trials for row in rows])
    all_hits, all_trials = hits.sum(axis=2), trials.sum(axis=2)
    parts, weights = _parts(hits, trials, all_hits, all_trials)
    differences = parts.sum(axis=1)
    residuals = parts - differences[:, None] * weights
    sessions = np.count_nonzero(weights > 0, axis=1)
    alike = np.abs(residuals).max(axis=1, initial=0) < 10**-_DIGITS
    spread = ~alike & (sessions >= FEWEST_CLUSTERS)
    errors = np.sqrt((residuals**2).sum(axis=1) * sessions / np.maximum(sessions - 1, 1))
    tests = []
    for place, (hit, trial) in enumerate(zip(all_hits.tolist(), all_trials.tolist(), strict=True)):
        # published weights may add up to more than 1
        first, second = (min(1.0, share / whole) if whole else None for share, whole in zip(hit, trial, strict=True))
        count, difference = int(sessions[place]), float(differences[place])
        counts = (tuple(hit), tuple(trial), (first, second), count)
        if first is None or second is None:
            tests.append(PairedTest(*counts))
            continue
        if alike[place]:
            interval, p = _without_scatter(round(difference, _DIGITS), count)
        elif spread[place]:
            error = float(errors[place])
            reach = student_quantile(count - 1) * error
            interval, p = _within(difference - reach, difference + reach), student_p(difference / error, count - 1)
        else:
            counted = weights[place] > 0
            interval, p = _sign_flips(parts[place, counted], weights[place, counted])
        tests.append(PairedTest(*counts, second - first, interval, p, not bool(spread[place])))
    return tests


def _parts(hits: Floats, trials: Floats, all_hits: Floats, all_trials: Floats) -> tuple[Floats, Floats]:
    """The sessions' parts in each difference, and their weights: were the true difference x, a session's part of what
    is left would be its part less x times its weight. Both of shape (rows, sessions); weights add up to 1.

    A part is what the session's hits are above the rate of both runs together, over each run's own denominator.
    """
    total = all_trials.sum(axis=1)
    common = all_hits.sum(axis=1) / np.maximum(total, 1e-300)
    per_trial = np.divide(1.0, all_trials, out=np.zeros_like(all_trials), where=all_trials > 0)[:, :, None]
    rates, shares = hits * per_trial, trials * per_trial
    parts = rates[:, 1] - rates[:, 0] - common[:, None] * (shares[:, 1] - shares[:, 0])
    of_other = (all_trials[:, ::-1] / np.maximum(total, 1e-300)[:, None])[:, :, None]
    return parts, shares[:, 0] * of_other[:, 0] + shares[:, 1] * of_other[:, 1]


def _sign_flips(parts: Floats, weights: Floats) -> tuple[Interval, float]:
    """The exact test by all choices of signs of few sessions' parts, and the differences that it does not reject.

    Were the true difference x, what is left of a session's part could as well have the other sign. Flipping the signs
    of a set of sessions gives a sum at least as large as the one that happened just if x lies between the difference
    in the set and that in the other sessions. So p of x is the share of all sets of which that is true.
    """
    number = len(parts)
    sets = (np.arange(1, 2 ** (number - 1))[:, None] >> np.arange(number)) & 1  # a set or the others, not both
    own, others = sets @ parts / (sets @ weights), (1 - sets) @ parts / ((1 - sets) @ weights)
    lows = np.sort(np.round(np.minimum(own, others), _DIGITS))
    highs = np.sort(np.round(np.maximum(own, others), _DIGITS))[::-1]
    choices = 2 ** (number - 1)
    enough = math.ceil(SIGNIFICANT * choices - 1e-9) - 1  # with the empty set, which always is as extreme
    interval = (-1.0, 1.0) if enough < 1 else _within(float(lows[enough - 1]), float(highs[enough - 1]))
    as_extreme = int(np.count_nonzero(lows <= 0) - np.count_nonzero(highs < 0))
    return interval, (1 + as_extreme) / choices


def _without_scatter(difference: float, sessions: int) -> tuple[Interval, float]:
    """Where all sessions differ by the same, which may be nothing."""
    _, otherwise = exact_bound(sessions, all_hit=False)
    if not difference:
        return (-otherwise, otherwise), 1.0
    p, reach = min(1.0, 2 / 2**sessions), 2 * abs(difference) * otherwise
    return (-1.0, 1.0) if p >= SIGNIFICANT else _within(difference - reach, difference + reach), p


def _within(low: float, high: float) -> Interval:
    return max(-1.0, low), min(1.0, high)


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """p adjusted for a family of tests, in its order (Holm, Scandinavian Journal of Statistics 6, 1979); None stays."""
    ordered = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (p, place) in enumerate(ordered):
        highest = max(highest, min(1.0, (len(ordered) - rank) * p))
        adjusted[place] = highest
    return adjusted


class Better(StrEnum):
    """Which of two runs is better by a rate of which more is better; UNCLEAR: they cannot be told apart by it."""

    FIRST = "first"
    SECOND = "second"
    UNCLEAR = "unclear"


def better_run(interval: Interval | None) -> Better:
    """What the interval of a difference, second minus first run, decides."""
    if interval is None:
        return Better.UNCLEAR
    return Better.SECOND if interval[0] > 0 else Better.FIRST if interval[1] < 0 else Better.UNCLEAR


class Outcome(StrEnum):
    """What became of a criterion."""

    HOLDS = "holds"
    FAILS = "fails"
    UNDECIDED = "undecided"


class Kind(StrEnum):
    """What a criterion is about: a rate, a difference to the baseline, a share that was counted and not estimated."""

    FLOOR = "floor"
    DROP = "drop"
    SHARE = "share"


class Decision(Struct, frozen=True):
    """One criterion.

    measured: the rate, or the difference to the baseline, from -1 to 1; interval: its 95% interval, None where it is
    known exactly. limit: as asked for, on the same scale. tasks: what the rate counts: tasks, sessions or replies.
    needed: about how many it would take where it is undecided, None where no number would do: what was measured is the
    limit itself, or no drop at all is allowed.
    """

    kind: Kind
    name: str
    outcome: Outcome
    measured: float
    limit: float
    tasks: int
    interval: Interval | None = None
    needed: int | None = None


def at_least(name: str, measured: float, interval: Interval, floor: float, tasks: int) -> Decision:
    """Is a rate, estimated with this interval from so many tasks, at least `floor`?

    needed: the number with which a model whose true rate is the measured one is decided in 80 of 100 runs; an interval
    shrinks with the square root of the tasks.
    """
    outcome, needed = _side(interval, floor), None
    if outcome is Outcome.UNDECIDED and measured != floor:
        reach = measured - interval[0] if measured > floor else interval[1] - measured
        wider = reach / abs(measured - floor)
        # without spread the bound of an exact interval comes nearer as 1/n, and in every sample
        factor = math.sqrt(wider) if measured in (0, 1) else (1 + _Z_POWER / _Z_LEVEL) * wider
        needed = max(tasks + 1, math.ceil(tasks * factor * factor))
    return Decision(Kind.FLOOR, name, outcome, measured, floor, tasks, interval, needed)


def no_drop(name: str, difference: float, interval: Interval, most: float, tasks: int) -> Decision:
    """Is a run at most `most` (from 0 to 1) below its baseline? difference: run minus baseline, over the same tasks.

    needed: the number with which a run as good as the baseline holds in 80 of 100 runs (the sample size of a
    non-inferiority trial; Julious, Statistics in Medicine 23, 2004).
    """
    outcome, needed = _side(interval, -most), None
    if outcome is Outcome.UNDECIDED and most > 0:
        error = (interval[1] - interval[0]) / (2 * _Z_LEVEL)
        factor = (_Z_LEVEL + _Z_POWER) * error / most
        needed = max(tasks + 1, math.ceil(tasks * factor * factor))
    return Decision(Kind.DROP, name, outcome, difference, -most, tasks, interval, needed)


def at_most(name: str, measured: float, ceiling: float, tasks: int) -> Decision:
    """Is a share that was counted, not estimated, at most `ceiling`?"""
    return Decision(Kind.SHARE, name, Outcome.HOLDS if measured <= ceiling else Outcome.FAILS, measured, ceiling, tasks)


def _side(interval: Interval, limit: float) -> Outcome:
    low, high = interval
    if low >= limit:
        return Outcome.HOLDS
    return Outcome.FAILS if high < limit else Outcome.UNDECIDED


def together(outcomes: Sequence[Outcome]) -> Outcome:
    """Of several criteria: one that fails decides, else one that is undecided."""
    return next((outcome for outcome in (Outcome.FAILS, Outcome.UNDECIDED) if outcome in outcomes), Outcome.HOLDS)
