"""Inspection rounds as people see them: how they stand, what somebody looks at, what is to be mended."""

from __future__ import annotations

from msgspec import Struct

from toolgauge.review import rounds
from toolgauge.review.desk import Desk
from toolgauge.review.events import Fault
from toolgauge.review.handlers.team import active
from toolgauge.review.state import Person, SessionState, SessionStatus


class ToMend(Struct, frozen=True):
    """A session with errors that nobody decided about since."""

    session: str
    round: int
    inspector: str
    faults: tuple[Fault, ...]
    reviewers: tuple[str, ...]


class RoundsView(Struct, frozen=True):
    """undecided: sessions that are neither approved nor rejected. mine: what the reader has left to look at. kinds: of
    errors that may be marked, those of the program and those that inspectors added."""

    is_lead: bool
    report: rounds.RoundsReport
    next: rounds.Next
    undecided: int
    mine: list[str]
    to_mend: list[ToMend]
    kinds: list[str]


class InspectionView(Struct, frozen=True):
    """Of a session in a round. mine: does the reader inspect it? is_done: was it looked at? faults: what was found
    then, as far as it is not mended."""

    round: int
    mine: bool
    is_done: bool
    faults: tuple[Fault, ...]
    kinds: list[str]


def rounds_view(desk: Desk, person: Person) -> RoundsView:
    state = desk.state
    report = rounds.rounds_report(state)
    under_way = state.rounds[-1] if state.rounds else None
    left = rounds.left(state, under_way) if under_way else []
    mine = [name for name in left if under_way and under_way.inspectors[name] == person.name]
    closed = (SessionStatus.APPROVED, SessionStatus.REJECTED)
    return RoundsView(
        person.is_lead,
        report,
        rounds.next_step(state, report, active(desk)),
        sum(one.status not in closed for one in state.sessions.values()),
        mine,
        [_to_mend(desk, name) for name in rounds.to_mend(state)],
        _kinds(desk),
    )


def inspection_view(desk: Desk, person: Person, session: SessionState) -> InspectionView | None:
    """How the last round that a session was in concerns who reads it; None where it does not."""
    found = [one for one in desk.state.rounds if session.id in one.inspectors]
    if not found or session.is_blind:
        return None
    mark = found[-1].inspected.get(session.id)
    is_last = found[-1] is desk.state.rounds[-1]
    mine = is_last and found[-1].inspectors[session.id] == person.name and rounds.may_inspect(session, person.name)
    faults = mark.faults if mark is not None and session.id in rounds.to_mend(desk.state) else ()
    if not mine and not faults:
        return None
    return InspectionView(found[-1].drawn.round, mine, mark is not None, faults, _kinds(desk))


def _kinds(desk: Desk) -> list[str]:
    marked = [fault.kind for one in desk.state.rounds for mark in one.inspected.values() for fault in mark.faults]
    return list(dict.fromkeys([*rounds.FAULT_KINDS, *marked]))


def _to_mend(desk: Desk, name: str) -> ToMend:
    marks = [(one.drawn.round, one.inspected[name]) for one in desk.state.rounds if name in one.inspected]
    number, mark = next((number, mark) for number, mark in reversed(marks) if mark.faults)
    return ToMend(name, number, mark.who, mark.faults, desk.state.sessions[name].reviewers)
