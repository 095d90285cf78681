"""Does a run hold what was asked of it? Three answers: it holds, it does not, the tasks are too few to tell.

A floor ("task accuracy at least 60%") is decided by the 95% interval of the rate, a drop ("at most 2 points below the
baseline") by that of the paired difference over the same tasks (decide.py): it holds where the whole interval lies on
the good side of the limit, fails where the whole interval lies on the bad side. A share that is known and not
estimated, such as that of replies that were cut off in this very run, is compared as it is.

A run with more than 1% of its tasks unscored does not hold, unless more are allowed: its rates leave them out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TypeVar

from msgspec import Struct

from toolgauge.analysis.compare.content import Comparison
from toolgauge.analysis.compare.sentences import points
from toolgauge.analysis.decide import Decision, Kind, Outcome, at_least, at_most, no_drop, together
from toolgauge.analysis.notes import Note, notes
from toolgauge.analysis.numbers import Metrics
from toolgauge.analysis.replies import Endings
from toolgauge.errors import UsageError

Row = TypeVar("Row")

MAIN_TABLE = "overall"
"""The table whose rows are named by themselves; others are named "table.row"."""
TRUNCATED = "truncated"
"""The name of the share of replies that the limit of tokens cut off."""
UNSCORED = "unscored"
"""The name of the share of requested tasks without a score."""
MAX_UNSCORED = 0.01


class Criteria(Struct, frozen=True):
    """What is asked of a run. minimum: by the name of a rate ("task_accuracy", "by_type.clarify"), the least it may be.

    max_drop: by name, how far below the baseline ("" is the measure that decides); max_truncated: of all replies;
    max_unscored: of all requested tasks. All of them are shares from 0 to 1.
    """

    minimum: Mapping[str, float] = {}
    max_drop: Mapping[str, float] = {}
    max_truncated: float | None = None
    max_unscored: float = MAX_UNSCORED

    def __post_init__(self) -> None:
        """Raise UsageError for what is no share."""
        shares = {
            "minimum": self.minimum,
            "max_drop": self.max_drop,
            "max_truncated": {"": self.max_truncated or 0.0},
            "max_unscored": {"": self.max_unscored},
        }
        for field, values in shares.items():
            for name, value in values.items():
                if not 0 <= value <= 1:
                    what = f"{name}={value:g}" if name else f"{value:g}"
                    raise UsageError(f"{_option(field)}: {what} must be a share from 0 to 1")


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


def decide(
    criteria: Criteria, scoring: str, metrics: Metrics, comparison: Comparison | None, whole: bool = False
) -> Gate:
    """The decisions on a run in one scoring. comparison: with its baseline, the run second; whole: its replies are
    known to be whole unless they say otherwise, as those of agents are.

    Raises UsageError for a rate that the run does not have, or that was not measured.
    """
    decisions = []
    for name, floor in criteria.minimum.items():
        rate = _row(metrics.scorings[scoring], name, "minimum")
        if rate.value is None or rate.ci95 is None:
            raise _unmeasured(name, "minimum")
        decisions.append(at_least(name, rate.value, rate.ci95, floor, rate.scored))
    if comparison is not None:
        for name, most in criteria.max_drop.items():
            row_name = name or _name(*comparison.decides)
            row = _row(comparison.scorings[scoring].tables, row_name, "max_drop")
            if row.difference is None or row.ci95 is None:
                raise _unmeasured(row_name, "max_drop")
            decisions.append(no_drop(row_name, row.difference, row.ci95, most, round(min(row.total))))
    if criteria.max_truncated is not None:
        decisions.append(_truncated(metrics.endings or Endings(), criteria.max_truncated, whole))
    if metrics.missing or criteria.max_unscored != MAX_UNSCORED:
        share = metrics.missing / max(1, metrics.requested)
        decisions.append(at_most(UNSCORED, share, criteria.max_unscored, metrics.requested))
    outcome = together([decision.outcome for decision in decisions])
    return Gate(scoring, outcome, decisions, notes(metrics), metrics.missing, metrics.requested)


def _name(table: str, row: str) -> str:
    return row if table == MAIN_TABLE else f"{table}.{row}"


def _row(tables: Mapping[str, Mapping[str, Row]], name: str, field: str) -> Row:
    """The row of that name, of the main table where no table is named."""
    first, dot, rest = name.partition(".")
    table, row = (first, rest) if dot else (MAIN_TABLE, name)
    if row in tables.get(table, {}):
        return tables[table][row]
    main_first = sorted(tables, key=lambda table: table != MAIN_TABLE)
    names = [_name(table, row) for table in main_first for row in tables[table]]
    listed = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
    raise UsageError(f"{_option(field)}: unknown rate {name}; choose one of {listed}")


def _truncated(endings: Endings, most: float, whole: bool) -> Decision:
    """Undecided where nobody recorded how the replies ended. Raises UsageError where there are none."""
    if not endings.replies:
        raise _unmeasured(TRUNCATED, "max_truncated")
    if not (endings.known or whole):
        return Decision(Kind.SHARE, TRUNCATED, Outcome.UNDECIDED, 0.0, most, endings.replies)
    return at_most(TRUNCATED, endings.truncated.rate, most, endings.replies)


def _unmeasured(name: str, field: str) -> UsageError:
    return UsageError(f"{_option(field)}: no scored tasks for {name}")


def _option(field: str) -> str:
    return f"--{field.replace('_', '-')}"


OUTCOMES = {Outcome.HOLDS: "holds", Outcome.FAILS: "does not hold", Outcome.UNDECIDED: "undecided"}


def gate_lines(gate: Gate) -> Iterator[str]:
    """The answer, then a line for each criterion."""
    count = Counter(decision.outcome for decision in gate.decisions)
    criteria = "1 criterion" if len(gate.decisions) == 1 else f"{len(gate.decisions):,} criteria"
    if gate.outcome is Outcome.HOLDS:
        yield f"The run holds: {criteria} met."
    elif gate.outcome is Outcome.FAILS:
        yield f"The run does not hold: {count[Outcome.FAILS]:,} of {criteria} not met."
    else:
        yield f"Undecided: {count[Outcome.UNDECIDED]:,} of {criteria} cannot be decided."
    yield from map(decision_text, gate.decisions)
    yield from (f"Warning: {note.text}" for note in gate.notes if note.warns)


def decision_text(decision: Decision) -> str:
    """A decision in a sentence: what was asked, what came out, by what it was decided, what it would take."""
    name, count, outcome = decision.name, f"{decision.tasks:,}", OUTCOMES[decision.outcome]
    if decision.kind is Kind.SHARE:
        criterion, unit = f"{name} at most {decision.limit:.1%}", "tasks" if name == UNSCORED else "replies"
        if decision.outcome is Outcome.UNDECIDED:
            return f"{criterion}: {outcome}; the recorded replies ({count}) do not say how they ended"
        return f"{criterion}: {outcome}; {decision.measured:.1%} of {count} {unit}"
    low, high = decision.interval or (0.0, 0.0)
    if decision.kind is Kind.FLOOR:
        criterion = f"{name} at least {decision.limit:.1%}"
        measured = f"the rate is {decision.measured:.1%} of {count}, 95% interval {low:.1%} to {high:.1%}"
    else:
        criterion = f"{name} at most {-100 * decision.limit:.1f} points below the baseline"
        measured = (
            f"the paired difference is {points(decision.measured)} points over {count}, 95% interval {points(low)} to "
            f"{points(high)}"
        )
    more = f"; {_too_few(decision)}" if decision.outcome is Outcome.UNDECIDED else ""
    return f"{criterion}: {outcome}; {measured}{more}"


def _too_few(decision: Decision) -> str:
    drop = decision.kind is Kind.DROP
    if decision.needed is None:
        return (
            "no number of tasks can show that nothing at all was lost"
            if drop
            else "the rate equals the limit, which no number of tasks decides"
        )
    what = "a run as good as the baseline holds" if drop else "such a rate is decided"
    return f"too few to decide: with about {decision.needed:,}, {what} 4 times in 5"
