"""Inspection rounds: who looks at what, how many errors a round found, when the rounds are over.

As in the papers: other people look at a share of the sessions, drawn at random, and mark errors; what they find is
mended; rounds go on until one finds none and every session was looked at once. Nobody inspects what they had a hand in.

A session counts as looked at while it stands as its last inspector left it. One that was clean does so until it is
edited; one with errors once it was mended and approved again, unless tasks were edited in which no error was marked.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct

from toolgauge.analysis.binomial import binomial_interval
from toolgauge.review.events import Inspected
from toolgauge.review.state import ReviewState, Round, SessionState, SessionStatus

FAULT_KINDS = (
    "utterance",
    "task_type",
    "tool",
    "argument",
    "result",
    "dependency",
    "redundant_call",
    "reply",
    "reference",
)
"""Classes of errors that inspectors may mark, beside any of their own."""


class Next(StrEnum):
    """What the rounds wait for: sessions to be approved, inspectors, mending, a new round, people who had no part in
    what is left to inspect; or nothing."""

    APPROVE = "approve"
    INSPECT = "inspect"
    MEND = "mend"
    DRAW = "draw"
    PEOPLE = "people"
    OVER = "over"


class RoundResult(Struct, frozen=True):
    """What a round came to. drawn: sessions in it; left: of those, what is to be looked at. faulty: sessions with an
    error, of those inspected; rate with its 95% interval; kinds: of the errors; to_mend: sessions with an error that
    nobody decided about since."""

    round: int
    drawn: int
    inspected: int
    left: int
    faulty: int
    rate: float | None
    low: float | None
    high: float | None
    kinds: dict[str, int]
    to_mend: list[str]


class RoundsReport(Struct, frozen=True):
    """All rounds so far. total: approved sessions; seen: of those, how many count as looked at. is_over: the last round
    is done, found nothing, everything was seen and nothing is left to mend."""

    rounds: list[RoundResult]
    seen: int
    total: int
    is_over: bool


def next_step(state: ReviewState, report: RoundsReport, people: Sequence[str]) -> Next:
    """What comes next. people: who may inspect."""
    if report.rounds and report.rounds[-1].left:
        return Next.INSPECT
    if to_mend(state):
        return Next.MEND
    if report.is_over:
        return Next.OVER
    if not report.total:
        return Next.APPROVE
    seen, there = inspected(state), state.sessions
    waiting = [
        session for name, session in there.items() if session.status is SessionStatus.APPROVED and name not in seen
    ] or [session for session in there.values() if session.status is SessionStatus.APPROVED]
    return Next.DRAW if any(may_inspect(session, name) for session in waiting for name in people) else Next.PEOPLE


def draw(state: ReviewState, share: float, seed: int, inspectors: Sequence[str]) -> dict[str, str]:
    """Who inspects which approved session in the next round. Sessions that nobody looked at come first; the draw
    depends on the seed and the round alone. A session in which every inspector had a hand is left out."""
    approved = sorted(name for name, session in state.sessions.items() if session.status is SessionStatus.APPROVED)
    seen = inspected(state)
    rng = random.Random(f"{seed}/{len(state.rounds) + 1}")
    rng.shuffle(approved)
    approved.sort(key=lambda name: name in seen)
    return shared_out(state, approved, inspectors, math.ceil(share * len(approved)))


def shared_out(state: ReviewState, names: Sequence[str], inspectors: Sequence[str], most: int) -> dict[str, str]:
    """Inspectors for the first so many of these sessions that one of them may look at, evenly."""
    load = Counter(dict.fromkeys(inspectors, 0))
    chosen: dict[str, str] = {}
    for name in names:
        free = [one for one in inspectors if may_inspect(state.sessions[name], one)]
        if free and len(chosen) < most:
            chosen[name] = min(free, key=lambda one: (load[one], inspectors.index(one)))
            load[chosen[name]] += 1
    return chosen


def may_inspect(session: SessionState, who: str) -> bool:
    """Has somebody no part in a session?"""
    return who not in session.hands and who not in session.reviewers


def left(state: ReviewState, round_: Round) -> list[str]:
    """Sessions of a round that are to be looked at: what lost its approval meanwhile is drawn again once it has it."""
    there = state.sessions
    return [
        name
        for name in round_.inspectors
        if name not in round_.inspected and there[name].status is SessionStatus.APPROVED
    ]


def inspected(state: ReviewState) -> set[str]:
    """Sessions that count as looked at."""
    last = {name: mark for round_ in state.rounds for name, mark in round_.inspected.items()}
    return {name for name, mark in last.items() if _holds(state.sessions[name], mark)}


def _holds(session: SessionState, mark: Inspected) -> bool:
    """Does a session stand as its inspector left it, or mended where it had errors?"""
    edits = session.common.edits_since(mark.number)
    if not mark.faults or not edits:
        return not mark.faults and not edits
    marked = {fault.place.task for fault in mark.faults}
    edited = {task for one in edits for task in one.asked or one.touched}
    return _is_mended(session, mark) and (None in marked or edited <= marked)


def _is_mended(session: SessionState, mark: Inspected) -> bool:
    """Did somebody decide about a session after it was marked?"""
    decision = session.common.decision
    return session.common.outcome is not None and decision is not None and decision.number > mark.number


def to_mend(state: ReviewState, *some: Round) -> list[str]:
    """Sessions of some rounds, or of all, with an error that nobody decided about since."""
    marks = [mark for round_ in some or state.rounds for mark in round_.inspected.items() if mark[1].faults]
    return list(dict.fromkeys(name for name, mark in marks if not _is_mended(state.sessions[name], mark)))


def fault_kinds(state: ReviewState) -> list[str]:
    """Classes of errors that may be marked: those of the program, and those that inspectors added."""
    marked = [fault.kind for round_ in state.rounds for mark in round_.inspected.values() for fault in mark.faults]
    return list(dict.fromkeys([*FAULT_KINDS, *marked]))


def rounds_report(state: ReviewState) -> RoundsReport:
    """What the rounds came to."""
    results = [_result(state, one) for one in state.rounds]
    approved = {name for name, one in state.sessions.items() if one.status is SessionStatus.APPROVED}
    seen = inspected(state) & approved
    is_over = bool(results) and not results[-1].left and not results[-1].faulty and seen >= approved
    return RoundsReport(results, len(seen), len(approved), is_over and not to_mend(state))


def _result(state: ReviewState, round_: Round) -> RoundResult:
    count, faulty = len(round_.inspected), round_.faulty
    low, high = binomial_interval(faulty, count) if count else (None, None)
    kinds = Counter(fault.kind for mark in round_.inspected.values() for fault in mark.faults)
    return RoundResult(
        round_.drawn.round,
        len(round_.inspectors),
        count,
        len(left(state, round_)),
        faulty,
        faulty / count if count else None,
        low,
        high,
        dict(kinds.most_common()),
        to_mend(state, round_),
    )
