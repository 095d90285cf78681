"""Numbers of a review: how far it is, who did what, how far people agree with each other and with the judge."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.analysis.agreement import Agreement, cohen, fleiss
from toolgauge.chat import Json
from toolgauge.data.session import Session
from toolgauge.review.desk import Desk
from toolgauge.review.events import Decided, Edited, Inspected, Outcome, Settled
from toolgauge.review.state import Copy, ReviewState, SessionStatus
from toolgauge.review.warnings import objects, verdicts_in

DECISION, TYPE, EDGE = "decision", "type", "edge"
"""What opinions may agree on: approve or reject, the type of a task, whether a call needs another one."""


class Opinions(Struct, frozen=True):
    """How far all agree on one of DECISION, TYPE, EDGE (Fleiss' kappa)."""

    on: str
    all: Agreement


class Work(Struct):
    """What was done: edits (those taken back included), decisions, conflicts settled, sessions inspected."""

    edits: int = 0
    approved: int = 0
    rejected: int = 0
    settled: int = 0
    inspected: int = 0


def counts(state: ReviewState) -> dict[SessionStatus, int]:
    """Sessions by their state."""
    by_status = Counter(session.status for session in state.sessions.values())
    return {status: by_status[status] for status in SessionStatus}


def progress(state: ReviewState) -> Json:
    """How far a review is, and who did what on which day ("2026-11-23", of this machine's clock). edits: for each
    number of edits that a session has, how many sessions."""
    people: dict[str, Work] = defaultdict(Work)
    days: dict[str, Work] = defaultdict(Work)
    for event in state.events:
        field = _work(event)
        if field and event.who:
            for work in (people[event.who], days[datetime.fromtimestamp(event.at).date().isoformat()]):
                setattr(work, field, getattr(work, field) + 1)
    common = [session.common for session in state.sessions.values() if not session.is_blind]
    return {
        "counts": counts(state),
        "tasks": sum(session.common.tasks for session in state.sessions.values()),
        "approved_tasks": sum(copy.approved for copy in common),
        "edits": dict(sorted(Counter(len(copy.edits) for copy in common).items())),
        "people": dict(people),
        "days": dict(days),
    }


def _work(event: object) -> str:
    """Which number of Work an event adds to."""
    match event:
        case Edited():
            return "edits"
        case Decided(outcome=Outcome.APPROVED | Outcome.REJECTED):
            return event.outcome.value
        case Settled():
            return "settled"
        case Inspected():
            return "inspected"
    return ""


def decided(state: ReviewState) -> dict[str, bool]:
    """Sessions that people have decided about; True: they found something wrong, rejected or edited it."""
    return {
        session.id: session.common.outcome is Outcome.REJECTED or bool(session.common.edits)
        for session in state.sessions.values()
        if session.common.outcome is not None
    }


Given = list[tuple[str, tuple[Copy, ...]]]
"""Sessions, and the opinions that several people gave of each; one may be there more than once."""

Said = dict[Hashable, Hashable]
"""What somebody says of each item of a session."""


def given_opinions(state: ReviewState) -> Given:
    """All opinions so far, as they stand: what happens later does not change them."""
    return [
        (session.id, tuple(replace(copy, edits=[*copy.edits]) for copy in copies))
        for session in state.sessions.values()
        for copies in session.all_given
    ]


class Agreements:
    """How far those agree who looked at the same sessions. What a version of a session says, and what the judge said of
    the original, is read once; both measures may run in a thread beside the desk's."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._read: dict[tuple[str, int], tuple[Said, Said]] = {}
        self._judged: dict[str, bool | None] = {}

    def measure(self, opinions: Given) -> list[Opinions]:
        """Of people, each on their own, on DECISION, TYPE and EDGE."""
        read = [[self._version(name, copy) for copy in copies] for name, copies in opinions]
        return [
            _opinions(DECISION, [[{0: copy.outcome} for copy in copies] for _name, copies in opinions]),
            _opinions(TYPE, [[types for types, _edges in version] for version in read]),
            _opinions(EDGE, [[edges for _types, edges in version] for version in read]),
        ]

    def with_judge(self, by_people: Mapping[str, bool]) -> Agreement:
        """Of people and the judge on whether anything is wrong in a session as it came, over those that both looked at.

        found: what people say, by session (`decided`)."""
        for name in by_people.keys() - self._judged.keys():
            self._judged[name] = self._objects(name)
        both = {name: by_judge for name in by_people if (by_judge := self._judged[name]) is not None}
        return cohen([[(by_people[name], by_judge)] for name, by_judge in both.items()])

    def _objects(self, name: str) -> bool | None:
        """Does the judge object to a session? None where it said nothing."""
        verdicts = [*enumerate(verdicts_in(self._desk.originals.record(name).get("origin")))]
        objections = [objects(verdict, is_first=not number) for number, verdict in verdicts if verdict is not None]
        return any(objections) if objections else None

    def _version(self, session: str, copy: Copy) -> tuple[Said, Said]:
        key = session, copy.version
        if key not in self._read:
            read = self._desk.read(session, copy)
            self._read[key] = {task.index: task.type for task in read.tasks}, dict(_edges(read))
        return self._read[key]


def _opinions(on: str, given: list[list[Said]]) -> Opinions:
    """given: of each session what each of its reviewers says."""
    items = []
    for versions in given:
        common = [item for item in versions[0] if all(item in version for version in versions)]
        items.append([tuple(version[item] for version in versions) for item in common])
    return Opinions(on, fleiss(items))


def _edges(session: Session) -> Iterator[tuple[Hashable, Hashable]]:
    """Of every two calls of a task, whether the later one needs the earlier one directly. A call is told by its tool
    and by how many calls of that tool are before it, so that one call more shifts nothing."""
    for task in session.tasks:
        calls: list[Hashable] = []
        for call in task.calls:
            key = (task.index, call.name, sum(earlier.name == call.name for earlier in task.calls[: call.index]))
            yield from (((key, other), at in call.after) for at, other in enumerate(calls))
            calls.append(key)
