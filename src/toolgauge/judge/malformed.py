"""Replies with a call that was recognised and could not be read, by a dialect or by the provider. Only in the scoring
`exact`; the published evaluators see what else there is of such a reply.

Source: docs/rules.md#calls-that-cannot-be-read.
"""

from __future__ import annotations

from toolgauge.call_problems import CallProblem
from toolgauge.judge.mistakes import Mistake
from toolgauge.judge.verdict import ERROR, Verdict, failure
from toolgauge.reasons import N_, Reason, ReasonCode, reason


class MalformedCode(ReasonCode):
    """What cannot be read of a call."""

    INCOMPLETE = "unreadable_call", N_("a call without id, name or arguments")
    UNREAD = "unread_call", N_("a call that cannot be read")


def why_malformed(problem: CallProblem | None) -> Reason:
    """problem: why a call was not read; None for one that came without its parts."""
    return reason(MalformedCode.UNREAD, kind=problem.value) if problem else Reason(MalformedCode.INCOMPLETE)


def as_malformed(verdict: Verdict, problem: CallProblem | None) -> Verdict:
    """The verdict on a single answer: wrong where a call in it could not be read, whatever else it says."""
    if problem is None:
        return verdict
    progress = (0, verdict.progress[1]) if verdict.correct else verdict.progress
    return failure(ERROR, progress, Mistake.MALFORMED_CALL.value, why_malformed(problem))
