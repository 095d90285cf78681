"""Inspection rounds: who looks at what, how many errors a round found, when the rounds are over.

As in the papers: other people look at a share of the sessions, drawn at random, and mark errors; what they find is
mended; rounds go on until one finds none and every session was looked at once. Nobody inspects what they had a hand in.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from toolgauge.analysis.intervals import clustered_interval
from toolgauge.review.state import ReviewState, Round, SessionStatus

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


class RoundResult(Struct, frozen=True):
    """What a round came to. faulty: sessions with an error, of those looked at; rate with its 95% interval; kinds: of
    the errors; to_mend: sessions that were not approved again since."""

    round: int
    drawn: int
    inspected: int
    faulty: int
    rate: float | None
    low: float | None
    high: float | None
    kinds: dict[str, int]
    to_mend: list[str]


class RoundsReport(Struct, frozen=True):
    """All rounds so far. seen: sessions that were looked at since the rounds began; total: approved sessions. is_over:
    the last round is done, found nothing, and everything was seen."""

    rounds: list[RoundResult]
    seen: int
    total: int
    is_over: bool


def draw(state: ReviewState, share: float, seed: int, inspectors: Sequence[str]) -> dict[str, str]:
    """Who inspects which approved session in the next round. Sessions that nobody looked at come first; the draw
    depends on the seed and the round alone. A session in which every inspector had a hand is left out."""
    approved = sorted(name for name, one in state.sessions.items() if one.status is SessionStatus.APPROVED)
    seen = inspected(state)
    rng = random.Random(f"{seed}/{len(state.rounds) + 1}")
    rng.shuffle(approved)
    approved.sort(key=lambda name: name in seen)
    wanted = math.ceil(share * len(approved))
    load = Counter(dict.fromkeys(inspectors, 0))
    drawn: dict[str, str] = {}
    for name in approved:
        free = [one for one in inspectors if one not in state.sessions[name].hands]
        if free and len(drawn) < wanted:
            drawn[name] = min(free, key=lambda one: (load[one], inspectors.index(one)))
            load[drawn[name]] += 1
    return drawn


def inspected(state: ReviewState) -> set[str]:
    """Sessions that somebody looked at in some round."""
    return {name for one in state.rounds for name in one.inspected}


def rounds_report(state: ReviewState) -> RoundsReport:
    """What the rounds came to."""
    results = [_result(state, one) for one in state.rounds]
    approved = {name for name, one in state.sessions.items() if one.status is SessionStatus.APPROVED}
    seen = inspected(state) & approved
    last = state.rounds[-1] if state.rounds else None
    is_over = last is not None and last.is_done and not last.faulty and seen >= approved
    return RoundsReport(results, len(seen), len(approved), is_over)


def _result(state: ReviewState, one: Round) -> RoundResult:
    count, faulty = len(one.inspected), one.faulty
    found = clustered_interval([float(bool(mark.faults)) for mark in one.inspected.values()], [1.0] * count)
    low, high = found or (None, None)
    kinds = Counter(fault.kind for mark in one.inspected.values() for fault in mark.faults)
    to_mend = [name for name, mark in one.inspected.items() if mark.faults and not _is_mended(state, name, mark.number)]
    rate = faulty / count if count else None
    return RoundResult(one.drawn.round, len(one.drawn.inspectors), count, faulty, rate, low, high, dict(kinds), to_mend)


def _is_mended(state: ReviewState, name: str, marked: int) -> bool:
    """Was a session approved again after it was marked?"""
    session = state.sessions[name]
    decision = session.common.decision
    return session.status is SessionStatus.APPROVED and decision is not None and decision.number > marked
