"""Numbers of a review: how far it is, how much was edited, how far the second opinions agree."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator
from itertools import combinations

from msgspec import Struct

from toolgauge.analysis.agreement import Agreement, cohen, fleiss
from toolgauge.data.session import Session
from toolgauge.review.desk import Desk
from toolgauge.review.rounds import RoundsReport, rounds_report
from toolgauge.review.state import SessionState, SessionStatus

DECISION, TYPE, EDGE = "decision", "type", "edge"
"""What two opinions may agree on: approve or reject, the type of a task, whether a call needs another one."""


class PairAgreement(Struct, frozen=True):
    """Cohen's kappa of two people on one thing."""

    people: tuple[str, str]
    agreement: Agreement


class Opinions(Struct, frozen=True):
    """On one of DECISION, TYPE, EDGE: Fleiss' kappa of all, and Cohen's of every two."""

    on: str
    all: Agreement
    pairs: list[PairAgreement]


class Figures(Struct, frozen=True):
    """edited: sessions that people changed; edits: how often, those taken back included; twice: sessions with a second
    opinion that both gave."""

    counts: dict[SessionStatus, int]
    edited: int
    edits: int
    twice: int
    opinions: list[Opinions]
    rounds: RoundsReport


def figures(desk: Desk) -> Figures:
    """The numbers of a review as it stands."""
    sessions = list(desk.state.sessions.values())
    counts = Counter(one.status for one in sessions)
    both = [one for one in sessions if _gave_both(one)]
    edited = [one.common for one in sessions if one.common.edits]
    return Figures(
        {status: counts[status] for status in SessionStatus},
        len(edited),
        sum(len(copy.edits) for copy in edited),
        len(both),
        [_opinions(desk, both, on) for on in (DECISION, TYPE, EDGE)],
        rounds_report(desk.state),
    )


def _gave_both(session: SessionState) -> bool:
    return len(session.reviewers) > 1 and all(session.copies[name].decision for name in session.reviewers)


def _opinions(desk: Desk, sessions: list[SessionState], on: str) -> Opinions:
    said: list[tuple[Hashable, ...]] = []
    by_pair: dict[tuple[str, str], list[tuple[Hashable, Hashable]]] = defaultdict(list)
    for session in sessions:
        for item in zip(*(_judgements(desk, session, name, on) for name in session.reviewers), strict=False):
            said.append(item)
            for one, other in combinations(range(len(session.reviewers)), 2):
                first, second = sorted((one, other), key=lambda place: session.reviewers[place])
                people = session.reviewers[first], session.reviewers[second]
                by_pair[people].append((item[first], item[second]))
    return Opinions(
        on, fleiss(said), [PairAgreement(people, cohen(pairs)) for people, pairs in sorted(by_pair.items())]
    )


def _judgements(desk: Desk, session: SessionState, name: str, on: str) -> Iterator[Hashable]:
    """What somebody's copy of a session says, item by item in an order that both copies have."""
    copy = session.copies[name]
    if on == DECISION:
        assert copy.decision is not None
        yield copy.decision.outcome
        return
    read = desk.read(session.id, copy)
    yield from (task.type for task in read.tasks) if on == TYPE else _edges(read)


def _edges(session: Session) -> Iterator[bool]:
    """Of every two calls of a task, whether the later one needs the earlier one directly."""
    for task in session.tasks:
        for call in task.calls:
            yield from (before in call.after for before in range(call.index))
