"""Does a run hold what was asked of it? Three answers: it holds, it does not, the tasks are too few to tell.

A floor ("task accuracy at least 60%") is decided by the 95% interval of the rate, a drop ("at most 2 points below the
baseline") by that of the paired difference over the same tasks: it holds where the whole interval lies on the good side
of the limit, fails where the whole interval lies on the bad side. So a model that is exactly at the limit is let
through, or stopped, by mistake in 2.5 of 100 runs each (tests/analysis/test_gate.py counts them). A rate that is known
and not estimated, such as the share of replies that were cut off in this very run, is compared as it is (`at_most`).

The number of tasks that a decision would take follows from the width of the interval, which shrinks with the square
root of their number: for a drop, those with which a model that is as good as the baseline passes in 80 of 100 runs (the
sample size of a non-inferiority trial; Julious, Statistics in Medicine 23, 2004).
"""

from __future__ import annotations

import math
from enum import StrEnum
from statistics import NormalDist

from msgspec import Struct

Interval = tuple[float, float]

POWER = 0.8
_Z_LEVEL, _Z_POWER = NormalDist().inv_cdf(0.975), NormalDist().inv_cdf(POWER)


class Outcome(StrEnum):
    """What became of a criterion."""

    HOLDS = "holds"
    FAILS = "fails"
    UNDECIDED = "undecided"


class Decision(Struct, frozen=True):
    """One criterion. measured: the rate, or the difference to the baseline, from -1 to 1; interval: its 95% interval,
    None where it is known exactly.

    limit: as asked for, on the same scale. needed: about how many tasks it would take where it is undecided, None where
    no number would do because what was measured is the limit itself.
    """

    name: str
    outcome: Outcome
    measured: float
    limit: float
    tasks: int
    interval: Interval | None = None
    needed: int | None = None


def at_least(name: str, measured: float, interval: Interval, floor: float, tasks: int) -> Decision:
    """Is a rate, estimated with this interval from so many tasks, at least `floor`?"""
    outcome = _side(interval, floor)
    needed = None
    if outcome is Outcome.UNDECIDED and measured != floor:
        reach = measured - interval[0] if measured > floor else interval[1] - measured
        needed = _scaled(tasks, reach / abs(measured - floor))
    return Decision(name, outcome, measured, floor, tasks, interval, needed)


def no_drop(name: str, difference: float, interval: Interval, most: float, tasks: int) -> Decision:
    """Is a run at most `most` (from 0 to 1) below its baseline? difference: run minus baseline, over the same tasks."""
    outcome = _side(interval, -most)
    needed = None
    if outcome is Outcome.UNDECIDED and most > 0:
        error = (interval[1] - interval[0]) / (2 * _Z_LEVEL)
        needed = max(tasks + 1, _scaled(tasks, (_Z_LEVEL + _Z_POWER) * error / most))
    return Decision(name, outcome, difference, -most, tasks, interval, needed)


def at_most(name: str, measured: float, ceiling: float, tasks: int) -> Decision:
    """Is a share that was counted, not estimated, at most `ceiling`?"""
    return Decision(name, Outcome.HOLDS if measured <= ceiling else Outcome.FAILS, measured, ceiling, tasks)


def _side(interval: Interval, limit: float) -> Outcome:
    low, high = interval
    if low >= limit:
        return Outcome.HOLDS
    return Outcome.FAILS if high < limit else Outcome.UNDECIDED


def _scaled(tasks: int, factor: float) -> int:
    """So many tasks as make an interval narrower by the factor."""
    return math.ceil(tasks * factor * factor)
