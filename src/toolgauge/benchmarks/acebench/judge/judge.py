"""All scorings of an entry in one pass (docs/acebench.md#how-an-answer-is-judged), and the rules of the special
categories: does the model notice what is missing, malformed or out of reach, and say what?

Source: docs/acebench.md#special-entries; keys such as Q21: docs/acebench.md#scorings.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from toolgauge.benchmarks.acebench.data.entries import CATEGORIES, AceEntry, AceFunction, called_name
from toolgauge.benchmarks.acebench.decoder.decode import (
    AceCall,
    Decoded,
    Undecodable,
    decode_exact,
    decode_multi,
    decode_single,
)
from toolgauge.benchmarks.acebench.decoder.values import RefusalCode
from toolgauge.benchmarks.acebench.judge.agent import check_agent
from toolgauge.benchmarks.acebench.judge.exact import exact_fault
from toolgauge.benchmarks.acebench.judge.released import released_fault
from toolgauge.benchmarks.acebench.judge.verdict import (
    AceCode,
    AceError,
    AceVerdict,
    Answer,
    CallFault,
    ReferenceCrash,
    names,
)
from toolgauge.judge.reasons import DialogueCode
from toolgauge.judge.texts import kind_of_text
from toolgauge.judge.verdict import EXACT, RELEASED
from toolgauge.reasons import Reason, reason

LEGACY = "legacy"
"""Released, but with all whitespace removed before decoding in the single-turn categories too
(docs/acebench.md#scorings, `legacy`)."""

_CHECKS: dict[str, Callable[[Sequence[AceFunction], Answer, Sequence[AceCall]], CallFault | None]] = {
    EXACT: exact_fault,
    RELEASED: released_fault,
    LEGACY: released_fault,
}

MARKERS = {
    "special_incomplete": "Missing necessary parameters",
    "special_error_param": "There is incorrect value",
    "special_irrelevant": "the limitations of the function",
}
"""What the message of each category contains, in both languages."""

_FORMS = {
    "special_incomplete": re.compile(r"Missing necessary parameters \(.*\) for the api \(.*\)", re.DOTALL),
    "special_error_param": re.compile(
        r"There is incorrect value \(.*\) for the parameters \(.*\) in the conversation history\.?", re.DOTALL
    ),
    "special_irrelevant": re.compile(r"Due to the limitations of the function, I cannot solve this problem\.?"),
}
_MAX_MESSAGE = 4000
"""Characters of a message that names other markers in its values; the time to match it grows with their square."""
_AROUND = " \t\r\n[]'\"`"


def check_normal(
    functions: Sequence[AceFunction], answers: Sequence[Any], decoded: Decoded, scoring: str
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
    verdicts = {
        scoring: check_normal(entry.functions, entry.answers, decode_normal(entry.category, text, scoring), scoring)
        for scoring in scorings
    }
    exact = verdicts.get(EXACT)
    if exact is not None and exact.why is not None and exact.why.code is RefusalCode.NO_LIST and isinstance(text, str):
        verdicts[EXACT] = replace(exact, why=_why_words(entry, text))
    return verdicts


def _why_words(entry: AceEntry, text: str) -> Reason:
    """Why an output without a list of calls is wrong: nothing, a call in another notation, a question, a refusal."""
    if not text.strip():
        return Reason(DialogueCode.NO_OUTPUT)
    if "[" in text:
        return Reason(RefusalCode.NO_LIST)
    offered = {function.name for function in entry.functions}
    first: Any = next((answer for answer in entry.answers if isinstance(answer, dict)), {})
    due = tuple(sorted({called_name(key, offered) for key in first}))
    return reason(DialogueCode.TEXT_FOR_CALLS, names=due, kind=kind_of_text(text, offered).value)


def judge_special(entry: AceEntry, text: object) -> dict[str, AceVerdict]:
    """The verdicts on a model's output for an entry of the special categories."""
    return {scoring: check_special(entry.category, entry.answers, text, scoring) for scoring in (EXACT, RELEASED)}


def judge_agent(entry: AceEntry, result: object, process: Sequence[object]) -> dict[str, AceVerdict]:
    """The verdicts on an episode: its saved states and the messages that reached the executor."""
    return {
        scoring: check_agent(entry.final_state, result, entry.milestones, process, scoring)
        for scoring in (EXACT, RELEASED)
    }


def check_special(category: str, answers: Sequence[object], text: object, scoring: str) -> AceVerdict:
    """`released`: the marker and all that is required occur somewhere in the text.

    `exact`: the text is the category's message or has its marker and no other, and what is required stands there as
    whole words, not as parts of others (Q21). What is no text stops the reference (Q34).
    """
    if not isinstance(text, str):
        no_text = CallFault(AceError.DETECTION, reason(AceCode.NO_TEXT, kind=type(text).__name__))
        return no_text.verdict(reference_crash=scoring == "released")
    exact = scoring == "exact"
    fault = _detection_fault(category, text, exact) or _correction_fault(category, answers, text, exact)
    return AceVerdict(True) if fault is None else fault.verdict()


def _detection_fault(category: str, text: str, exact: bool) -> CallFault | None:
    if MARKERS[category] not in text:
        return CallFault(AceError.DETECTION, reason(AceCode.MARKER_MISSING, marker=repr(MARKERS[category])))
    others = [marker for name, marker in MARKERS.items() if name != category and marker in text]
    message = text.strip(_AROUND)
    is_form = len(message) <= _MAX_MESSAGE and _FORMS[category].fullmatch(message) is not None
    if exact and others and not is_form:
        return CallFault(AceError.DETECTION, reason(AceCode.OTHER_MARKERS, names=names(others)))
    return None


def _correction_fault(category: str, answers: Sequence[object], text: str, exact: bool) -> CallFault | None:
    missing = [word for word in _required(category, answers) if not _occurs(word, text, exact)]
    if not missing:
        return None
    return CallFault(AceError.CORRECTION, reason(AceCode.NOT_NAMED, names=names(missing)), missing[0])


def _required(category: str, answers: Sequence[object]) -> Iterator[str]:
    """What must be named: the function and its missing parameters, or the malformed values."""
    for answer in answers:
        if not isinstance(answer, dict):
            continue
        for key, values in answer.items():
            if category == "special_incomplete":
                yield key
            yield from map(str, values)


def _occurs(word: str, text: str, exact: bool) -> bool:
    if not exact:
        return word in text
    before = r"(?<![A-Za-z0-9_])" if re.match(r"[A-Za-z0-9_]", word) else ""
    after = r"(?![A-Za-z0-9_])" if re.search(r"[A-Za-z0-9_]\Z", word) else ""
    return re.search(before + re.escape(word) + after, text) is not None
