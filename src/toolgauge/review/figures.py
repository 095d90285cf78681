"""Numbers of a review: how far it is, who did what, how far the second opinions agree."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping
from datetime import datetime
from functools import lru_cache
from itertools import combinations

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.analysis.agreement import Agreement, cohen, fleiss
from toolgauge.data.session import Session
from toolgauge.review.desk import Desk
from toolgauge.review.events import Decided, Edited, Inspected, Outcome, Settled
from toolgauge.review.objections import objects, verdicts_in
from toolgauge.review.rounds import RoundsReport, rounds_report
from toolgauge.review.state import Copy, ReviewState, SessionState, SessionStatus

DECISION, TYPE, EDGE = "decision", "type", "edge"
"""What opinions may agree on: approve or reject, the type of a task, whether a call needs another one."""

_QUARTER = 15 * 60

Said = dict[Hashable, Hashable]
"""What somebody says of each item of a session."""


class PairAgreement(Struct, frozen=True):
    """Cohen's kappa of two people on one thing."""

    people: tuple[str, str]
    agreement: Agreement


class Opinions(Struct, frozen=True):
    """On one of DECISION, TYPE, EDGE: Fleiss' kappa of all, and Cohen's of every two."""

    on: str
    all: Agreement
    pairs: list[PairAgreement]


class Work(Struct):
    """What was done: edits (those taken back included), decisions, conflicts settled, sessions inspected."""

    edits: int = 0
    approved: int = 0
    rejected: int = 0
    settled: int = 0
    inspected: int = 0


class ReviewProgress(Struct, frozen=True):
    """What is done and left. counts: sessions by their state; approved_tasks of tasks. edits: for each number of edits
    that a session has, how many sessions; people: by name; days: by the day ("2026-11-23", of this machine's clock)."""

    counts: dict[SessionStatus, int]
    tasks: int
    approved_tasks: int
    edits: dict[int, int]
    people: dict[str, Work]
    days: dict[str, Work]


class Figures(Struct, frozen=True):
    """edited: sessions that people changed; edits: how often, those taken back included; twice: how often several
    people gave their opinion of a session; judge: how far people and the judge agree (`judge_agreement`)."""

    counts: dict[SessionStatus, int]
    edited: int
    edits: int
    twice: int
    opinions: list[Opinions]
    judge: Agreement
    rounds: RoundsReport


def figures(desk: Desk) -> Figures:
    """The numbers of a review as it stands."""
    sessions = list(desk.state.sessions.values())
    edited = [one.common for one in sessions if one.common.edits]
    return Figures(
        _counts(sessions),
        len(edited),
        sum(len(copy.edits) for copy in edited),
        sum(len(one.all_given) for one in sessions),
        Agreements(desk).measure(given_opinions(desk.state)),
        judge_agreement(desk, decided(desk.state)),
        rounds_report(desk.state),
    )


def _counts(sessions: list[SessionState]) -> dict[SessionStatus, int]:
    counts = Counter(one.status for one in sessions)
    return {status: counts[status] for status in SessionStatus}


def progress(state: ReviewState) -> ReviewProgress:
    """How far a review is, and who did what on which day."""
    sessions = list(state.sessions.values())
    people: dict[str, Work] = defaultdict(Work)
    days: dict[str, Work] = defaultdict(Work)
    for event in state.events:
        field = _work(event)
        if field and event.who:
            for work in (people[event.who], days[_day(int(event.at // _QUARTER))]):
                setattr(work, field, getattr(work, field) + 1)
    common = [one.common for one in sessions if not one.is_blind]
    return ReviewProgress(
        _counts(sessions),
        sum(one.common.tasks for one in sessions),
        sum(copy.approved for copy in common),
        dict(sorted(Counter(len(copy.edits) for copy in common).items())),
        dict(people),
        dict(days),
    )


@lru_cache(4096)
def _day(quarter: int) -> str:
    """The day of a quarter of an hour since 1970; clocks are set forward and back by quarters."""
    return datetime.fromtimestamp(quarter * _QUARTER).date().isoformat()


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


Given = list[tuple[str, tuple[Copy, ...]]]
"""Sessions, and the opinions that several people gave of each; one may be there more than once."""


def given_opinions(state: ReviewState) -> Given:
    """All opinions so far, as they stand: what happens later does not change them."""
    return [
        (one.id, tuple(replace(copy, edits=[*copy.edits]) for copy in copies))
        for one in state.sessions.values()
        for copies in one.all_given
    ]


def decided(state: ReviewState) -> dict[str, bool]:
    """Sessions that people have decided about; True: they found something wrong, rejected or edited it."""
    return {
        one.id: one.common.outcome is Outcome.REJECTED or bool(one.common.edits)
        for one in state.sessions.values()
        if one.common.outcome is not None
    }


def judge_agreement(desk: Desk, found: Mapping[str, bool]) -> Agreement:
    """Of people and the judge on whether anything is wrong in a session as it came, over those that both looked at.

    found: what people say, by session (`decided`)."""
    pairs = []
    for name, is_wrong in found.items():
        origin = desk.originals.record(name).get("origin")
        verdicts = [(number, one) for number, one in enumerate(verdicts_in(origin)) if one is not None]
        if verdicts:
            pairs.append([(is_wrong, any(objects(one, is_first=not number) for number, one in verdicts))])
    return cohen(pairs)


class Agreements:
    """How far those agree who reviewed the same sessions, each on their own. What a version of a session says is read
    once; `measure` may run in a thread beside the desk's."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._read: dict[tuple[str, int], tuple[Said, Said]] = {}

    def measure(self, given: Given) -> list[Opinions]:
        said = [self._judged(name, copies) for name, copies in given]
        opinions = [copies for _name, copies in given]
        return [_agreement(opinions, [one[on] for one in said], on) for on in (DECISION, TYPE, EDGE)]

    def _judged(self, session: str, copies: tuple[Copy, ...]) -> dict[str, list[Said]]:
        """Of DECISION, TYPE and EDGE what each copy says."""
        read = [self._version(session, copy) for copy in copies]
        decisions: list[Said] = [{0: copy.outcome} for copy in copies]
        return {DECISION: decisions, TYPE: [types for types, _edges in read], EDGE: [edges for _types, edges in read]}

    def _version(self, session: str, copy: Copy) -> tuple[Said, Said]:
        key = session, copy.version
        if key not in self._read:
            read = self._desk.read_version(session, copy)
            self._read[key] = {task.index: task.type for task in read.tasks}, dict(_edges(read))
        return self._read[key]


def _agreement(given: list[tuple[Copy, ...]], said: list[list[Said]], on: str) -> Opinions:
    """said: for each of the given opinions of a session what each reviewer says."""
    everybody: list[list[tuple[Hashable, ...]]] = []
    by_pair: dict[tuple[str, str], list[list[tuple[Hashable, Hashable]]]] = defaultdict(list)
    for copies, judged in zip(given, said, strict=True):
        common = [item for item in judged[0] if all(item in one for one in judged)]
        everybody.append([tuple(one[item] for one in judged) for item in common])
        by_name = {copy.owner: one for copy, one in zip(copies, judged, strict=True)}
        for one, other in combinations(sorted(by_name), 2):
            by_pair[one, other].append([(by_name[one][item], by_name[other][item]) for item in common])
    pairs = [PairAgreement(people, cohen(pairs)) for people, pairs in sorted(by_pair.items()) if any(pairs)]
    return Opinions(on, fleiss(everybody), pairs)


def _edges(session: Session) -> Iterator[tuple[Hashable, Hashable]]:
    """Of every two calls of a task, whether the later one needs the earlier one directly. A call is told by its tool
    and by how many calls of that tool are before it, so that one call more shifts nothing."""
    for task in session.tasks:
        calls: list[Hashable] = []
        for call in task.calls:
            key = (task.index, call.name, sum(one.name == call.name for one in task.calls[: call.index]))
            yield from (((key, other), at in call.after) for at, other in enumerate(calls))
            calls.append(key)
