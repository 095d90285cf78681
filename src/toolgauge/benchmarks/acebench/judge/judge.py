"""All scorings of an entry in one pass (docs/acebench.md#how-an-answer-is-judged)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from toolgauge.benchmarks.acebench.data import CATEGORIES, AceEntry
from toolgauge.benchmarks.acebench.decoder.decode import (
    AceCall,
    Decoded,
    Undecodable,
    decode_exact,
    decode_multi,
    decode_single,
)
from toolgauge.benchmarks.acebench.judge.agent import check_agent
from toolgauge.benchmarks.acebench.judge.exact import exact_fault
from toolgauge.benchmarks.acebench.judge.reasons import AceCode
from toolgauge.benchmarks.acebench.judge.released import released_fault
from toolgauge.benchmarks.acebench.judge.special import check_special
from toolgauge.benchmarks.acebench.judge.verdict import (
    AceError,
    AceVerdict,
    Answer,
    CallFault,
    CandidateFunction,
    ReferenceCrash,
)
from toolgauge.judge.verdict import EXACT, RELEASED
from toolgauge.reasons import Reason

LEGACY = "legacy"
"""Released, but with all whitespace removed before decoding in the single-turn categories too
(docs/acebench.md#scorings, `legacy`)."""

_CHECKS: dict[str, Callable[[Sequence[CandidateFunction], Answer, Sequence[AceCall]], CallFault | None]] = {
    EXACT: exact_fault,
    RELEASED: released_fault,
    LEGACY: released_fault,
}


def check_normal(
    functions: Sequence[CandidateFunction], answers: Sequence[Any], decoded: Decoded, scoring: str
) -> AceVerdict:
    """Decoded calls against the accepted answers: right if they are any of them (4.1).

    answers: alternatives, each from function key to arguments; where none is met, the first one's fault is told.
    """
    if isinstance(decoded, Undecodable):
        return AceVerdict(False, AceError.WRONG_OUTPUT_FORMAT.value, decoded.why)
    first: CallFault | None = None
    for answer in answers:
        try:
            fault = _CHECKS[scoring](functions, answer, decoded)
        except ReferenceCrash as crash:
            return crash.fault.verdict(reference_crash=True)
        if fault is None:
            return AceVerdict(True)
        first = first or fault
    return (first or CallFault(AceError.WRONG_FUNCTIONS_NUMBER, Reason(AceCode.NO_ANSWER))).verdict()


def decode_normal(category: str, text: object, scoring: str) -> Decoded:
    """The calls of an output as a scoring decodes the outputs of a category."""
    if scoring == EXACT:
        return decode_exact(text)
    return decode_multi(text) if scoring == LEGACY or CATEGORIES[category].multi_turn else decode_single(text)


def judge_normal(entry: AceEntry, text: object, scorings: Sequence[str] = (EXACT, RELEASED)) -> dict[str, AceVerdict]:
    """The verdicts on a model's output for an entry of the normal categories; LEGACY on request."""
    return {
        scoring: check_normal(entry.functions, entry.answers, decode_normal(entry.category, text, scoring), scoring)
        for scoring in scorings
    }


def judge_special(entry: AceEntry, text: object) -> dict[str, AceVerdict]:
    """The verdicts on a model's output for an entry of the special categories."""
    return {scoring: check_special(entry.category, entry.answers, text, scoring) for scoring in (EXACT, RELEASED)}


def judge_agent(entry: AceEntry, result: object, process: Sequence[object]) -> dict[str, AceVerdict]:
    """The verdicts on an episode: its saved states and the messages that reached the executor."""
    return {
        scoring: check_agent(entry.final_state, result, entry.milestones, process, scoring)
        for scoring in (EXACT, RELEASED)
    }
