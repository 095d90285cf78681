"""What the checks find, as codes with evidence. None of it is a judgement of right or wrong: there is no gold."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import msgspec
from msgspec import Struct

from toolgauge.reasons import GAP, N_, Frame, Parameter, ReasonCode, ReasonTexts, printable, reason, texts_of

LONGEST_VALUE = 160
"""Characters of a value that are kept as evidence."""


class Unit(StrEnum):
    """What a finding is counted against."""

    CALL = "call"
    REPLY = "reply"
    ERROR = "error"
    REQUEST = "request"


class FindingCode(ReasonCode):
    """Everything that is looked for."""

    UNREADABLE_CALL = "unreadable_call", N_("the call has no name, or its arguments are not a JSON object")
    UNKNOWN_TOOL = "unknown_tool", N_("no tool of this name was offered")
    MISSING_ARGUMENT = "missing_argument", N_("a required argument is missing: {value}")
    UNKNOWN_ARGUMENT = "unknown_argument", N_("the tool has no such argument")
    WRONG_TYPE = "wrong_type", N_("a value of another type than the tool's definition says: {value}")
    REFUSED_VALUE = "refused_value", N_("a value that the tool's definition does not allow: {value}")
    INVENTED_VALUE = "invented_value", N_("nothing that was said or answered before gives this value: {value}")
    INVENTED_CLAIM = "invented_claim", N_("the text tells what nothing before gives: {value}")
    REPEATED_CALL = "repeated_call", N_("the same call was made before, and nothing had changed since")
    RETRIED_CALL = "retried_call", N_("the same call once more after an error")
    KNOWN_RESULT = "known_result", N_("an earlier result had told all that this call looked up")
    ANSWERED_QUESTION = "answered_question", N_("asks the user for what was known: {value}")
    UNHANDLED_ERROR = "unhandled_error", N_("a call failed; it was not tried again, and the user was not told")
    UNANSWERED = "unanswered", N_("the user got no answer")
    CUT_OFF = "cut_off", N_("the recording ends before the user got an answer")

    @property
    def unit(self) -> Unit:
        return _UNITS.get(self, Unit.CALL)

    @property
    def is_fault(self) -> bool:
        """Whether it speaks against the assistant; the others are told beside."""
        return self not in (FindingCode.RETRIED_CALL, FindingCode.CUT_OFF)


_UNITS = {
    FindingCode.ANSWERED_QUESTION: Unit.REPLY,
    FindingCode.UNHANDLED_ERROR: Unit.ERROR,
    FindingCode.UNANSWERED: Unit.REQUEST,
    FindingCode.CUT_OFF: Unit.REQUEST,
}
SCHEMA = (
    FindingCode.MISSING_ARGUMENT,
    FindingCode.UNKNOWN_ARGUMENT,
    FindingCode.WRONG_TYPE,
    FindingCode.REFUSED_VALUE,
)
"""What a JSON Schema tells."""
INVENTED = (FindingCode.INVENTED_VALUE, FindingCode.INVENTED_CLAIM)
"""What the dialogue tells."""


def brief(value: object) -> str:
    """A value as evidence: a text as it is, anything else as JSON; of bounded length."""
    if not isinstance(value, str):
        try:
            value = msgspec.json.encode(value).decode()
        except (TypeError, ValueError, RecursionError):
            value = type(value).__name__
    return printable(value) if len(value) <= LONGEST_VALUE else f"{printable(value[:LONGEST_VALUE])}{GAP}"


class Place(Struct, frozen=True, omit_defaults=True):
    """Where something stands. message: its position in the conversation, from 0; call: which of the message's calls,
    from 0; path: of an argument, or in a result; value: what stands there, of bounded length."""

    message: int
    call: int | None = None
    path: str | None = None
    value: str | None = None


class CallFinding(Struct, frozen=True, omit_defaults=True):
    """Something found in a conversation; a line of checks.jsonl.

    conversation: its id. at: what it is about. other: the evidence: the earlier call, where the user had said it, or
    the value nearest to an invented one. rule: JSON Schema's keyword that does not hold.
    """

    conversation: str
    code: FindingCode
    at: Place
    tool: str = ""
    other: Place | None = None
    rule: str | None = None

    def text(self, texts: ReasonTexts) -> str:
        """In words, with the tool and the path; texts: `finding_texts` of the reader's language."""
        values: Mapping[str, Parameter] = {"value": self.at.value} if self.at.value is not None else {}
        path = self.at.path or ""
        place = f"{self.tool}({path})" if self.tool and path else self.tool or path
        return reason(self.code, **values).explained(place).in_words(texts)


def finding_texts(language: str) -> ReasonTexts:
    """The texts of all codes in a language, and how they are put together."""
    return texts_of((*FindingCode, *Frame), language)
