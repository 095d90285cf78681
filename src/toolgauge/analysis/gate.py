"""Does a run hold what was asked of it? Three answers: it holds, it does not, the tasks are too few to tell.

A floor ("task accuracy at least 60%") is decided by the 95% interval of the rate, a drop ("at most 2 points below the
baseline") by that of the paired difference over the same tasks (of rates that count right tasks: `score_interval`): it
holds where the whole interval lies on the good side of the limit, fails where the whole interval lies on the bad side.
So a model that is exactly at the limit is let through, or stopped, by mistake in 2.5 of 100 runs each
(tests/analysis/test_gate.py counts them), by each criterion. A rate that is known and not estimated, such as the share
of replies that were cut off in this very run, is compared as it is (`at_most`).

The number of tasks that a decision would take follows from the width of the interval, which shrinks with the square
root of their number: for a floor, those with which a model whose true rate is the one that was measured is decided in
80 of 100 runs; for a drop, those with which a model that is as good as the baseline passes in 80 of 100 runs (the
sample size of a non-inferiority trial; Julious, Statistics in Medicine 23, 2004).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from enum import StrEnum
from statistics import NormalDist
from typing import TypeVar

from msgspec import Struct

from toolgauge.analysis.compare.content import Comparison
from toolgauge.analysis.compare.differences import Interval, score_interval
from toolgauge.analysis.endings import Endings
from toolgauge.analysis.notes import Note, notes
from toolgauge.analysis.numbers import Metrics
from toolgauge.errors import UsageError

Row = TypeVar("Row")

MAIN_TABLE = "overall"
"""The table whose rows are named by themselves; others are named "table.row"."""
TRUNCATED = "truncated"
"""The name of the share of replies that the limit of tokens cut off."""
POWER = 0.8
_Z_LEVEL, _Z_POWER = NormalDist().inv_cdf(0.975), NormalDist().inv_cdf(POWER)


class Outcome(StrEnum):
    """What became of a criterion."""

    HOLDS = "holds"
    FAILS = "fails"
    UNDECIDED = "undecided"


class Criteria(Struct, frozen=True):
    """What is asked of a run. minimum: by the name of a rate ("task_accuracy", "by_type.clarify"), the least it may be.

    max_drop: by name, how far below the baseline; max_truncated: of all replies. All of them are shares from 0 to 1.
    """

    minimum: Mapping[str, float] = {}
    max_drop: Mapping[str, float] = {}
    max_truncated: float | None = None

    def __post_init__(self) -> None:
        """Raise UsageError for what is no share."""
        shares = {"minimum": self.minimum, "max_drop": self.max_drop, "max_truncated": {"": self.max_truncated or 0.0}}
        for field, values in shares.items():
            for name, value in values.items():
                if not 0 <= value <= 1:
                    what = f"{name}={value:g}" if name else f"{value:g}"
                    raise UsageError(f"--{field.replace('_', '-')}: {what} must be a share from 0 to 1")


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


class Gate(Struct, frozen=True):
    """All criteria of a run. outcome: "holds" where every one does, "fails" where one does.

    notes: what stands beside its scores. missing: tasks without a score, of so many requested.
    """

    scoring: str
    outcome: Outcome
    decisions: list[Decision]
    notes: list[Note]
    missing: int = 0
    requested: int = 0


def decide(criteria: Criteria, scoring: str, metrics: Metrics, comparison: Comparison | None) -> Gate:
    """The decisions on a run in one scoring. comparison: with its baseline, the run second.

    Raises UsageError for a rate that the run does not have, or that was not measured.
    """
    made = [_floor(metrics, scoring, name, floor) for name, floor in criteria.minimum.items()]
    if comparison is not None:
        made += [_drop(comparison, scoring, name, most) for name, most in criteria.max_drop.items()]
    if criteria.max_truncated is not None:
        made.append(_truncated(metrics.endings or Endings(), criteria.max_truncated))
    return Gate(
        scoring,
        together([decision.outcome for decision in made]),
        made,
        notes(metrics),
        metrics.missing,
        metrics.requested,
    )


def together(outcomes: Sequence[Outcome]) -> Outcome:
    """Of several criteria: one that fails decides, else one that is undecided."""
    return next((one for one in (Outcome.FAILS, Outcome.UNDECIDED) if one in outcomes), Outcome.HOLDS)


def main_rate(metrics: Metrics, scoring: str) -> str:
    """The rate that a drop is about unless something else is named: the first of the main table."""
    return next(iter(metrics.rows(scoring, MAIN_TABLE)), "")


def _floor(metrics: Metrics, scoring: str, name: str, floor: float) -> Decision:
    rate = _row(metrics.scorings[scoring], name, "minimum")
    if rate.value is None or rate.ci95 is None:
        raise _unmeasured(name, "minimum")
    return at_least(name, rate.value, rate.ci95, floor, rate.scored)


def _drop(comparison: Comparison, scoring: str, name: str, most: float) -> Decision:
    row = _row(comparison.scorings[scoring].tables, name, "max_drop")
    if row.difference is None or row.ci95 is None:
        raise _unmeasured(name, "max_drop")
    pairs, interval = round(min(row.total)), row.ci95
    if row.fixed is not None and row.broken is not None:
        interval = score_interval(row.fixed, row.broken, pairs, interval)
    return no_drop(name, row.difference, interval, most, pairs)


def _row(tables: Mapping[str, Mapping[str, Row]], name: str, field: str) -> Row:
    table, dot, row = name.partition(".")
    if not dot:
        table, row = MAIN_TABLE, name
    found = tables.get(table, {}).get(row)
    if found is None:
        known = [
            *tables.get(MAIN_TABLE, {}),
            *(f"{one}.{row}" for one in tables if one != MAIN_TABLE for row in tables[one]),
        ]
        listed = ", ".join(known[:12]) + (", ..." if len(known) > 12 else "")
        raise UsageError(f"--{field.replace('_', '-')}: unknown rate {name}; choose one of {listed}")
    return found


def _truncated(endings: Endings, most: float) -> Decision:
    """Undecided where nobody recorded how the replies ended. Raises UsageError where there are none."""
    if not endings.replies:
        raise _unmeasured(TRUNCATED, "max_truncated")
    if not endings.known:
        return Decision(Kind.SHARE, TRUNCATED, Outcome.UNDECIDED, 0.0, most, endings.replies)
    return at_most(TRUNCATED, endings.truncated.rate, most, endings.replies)


def _unmeasured(name: str, field: str) -> UsageError:
    return UsageError(f"--{field.replace('_', '-')}: no scored tasks for {name}")


def at_least(name: str, measured: float, interval: Interval, floor: float, tasks: int) -> Decision:
    """Is a rate, estimated with this interval from so many tasks, at least `floor`?"""
    outcome = _side(interval, floor)
    needed = None
    if outcome is Outcome.UNDECIDED and measured != floor:
        reach = measured - interval[0] if measured > floor else interval[1] - measured
        wider = reach / abs(measured - floor)
        # without spread the bound of an exact interval comes nearer as 1/n, and in every sample
        factor = math.sqrt(wider) if measured in (0, 1) else (1 + _Z_POWER / _Z_LEVEL) * wider
        needed = max(tasks + 1, _scaled(tasks, factor))
    return Decision(Kind.FLOOR, name, outcome, measured, floor, tasks, interval, needed)


def no_drop(name: str, difference: float, interval: Interval, most: float, tasks: int) -> Decision:
    """Is a run at most `most` (from 0 to 1) below its baseline? difference: run minus baseline, over the same tasks."""
    outcome = _side(interval, -most)
    needed = None
    if outcome is Outcome.UNDECIDED and most > 0:
        error = (interval[1] - interval[0]) / (2 * _Z_LEVEL)
        needed = max(tasks + 1, _scaled(tasks, (_Z_LEVEL + _Z_POWER) * error / most))
    return Decision(Kind.DROP, name, outcome, difference, -most, tasks, interval, needed)


def at_most(name: str, measured: float, ceiling: float, tasks: int) -> Decision:
    """Is a share that was counted, not estimated, at most `ceiling`?"""
    return Decision(Kind.SHARE, name, Outcome.HOLDS if measured <= ceiling else Outcome.FAILS, measured, ceiling, tasks)


def _side(interval: Interval, limit: float) -> Outcome:
    low, high = interval
    if low >= limit:
        return Outcome.HOLDS
    return Outcome.FAILS if high < limit else Outcome.UNDECIDED


def _scaled(tasks: int, factor: float) -> int:
    """So many tasks as make an interval narrower by the factor."""
    return math.ceil(tasks * factor * factor)
