"""What is weak in a session that was made of a log: a closed set of codes, each with a sentence."""

from __future__ import annotations

from msgspec import Struct

from toolgauge.locale import Text
from toolgauge.reasons import Parameter, ReasonCode


class WeakCode(ReasonCode):
    """A member is its code and its English text, with {slots} for parameters."""

    NO_CLOCK = "no_clock", "nothing says when the conversation took place: relative dates mean nothing"
    TOOLS_INFERRED = "tools_inferred", "the log does not define {names}: known from calls alone, without parameters"
    RESULT_MISSING = "result_missing", "the call of {tool} has no result"
    RESULT_ALONE = "result_alone", "a result without its call was left out"
    CALL_UNREADABLE = "call_unreadable", "a call of {tool} was left out: its arguments are no JSON object"
    CALL_FAILED = "call_failed", "the call of {tool} failed, and was not repeated"
    FAILED_DROPPED = "failed_dropped", "a failed call of {tool} was left out: it was repeated and succeeded"
    REPEATED = "repeated", "the call of {tool} was made before with the same arguments: it may be left out"
    NO_REPLY = "no_reply", "the task has no closing reply"
    NO_ANSWER = "no_answer", "the task was left out: nobody answered"
    QUESTION_OPEN = "question_open", "the task ends with a question that the user does not answer"
    UNGROUNDED = "ungrounded", "nothing that was said tells where {path} of {tool} comes from"
    BEFORE_USER = "before_user", "what was said before the user's first message was left out"


class Weakness(Struct, frozen=True, omit_defaults=True):
    """task: from 0, None: the whole session; call: its node in the task's graph; message: of the conversation, where
    something was left out."""

    code: WeakCode
    task: int | None = None
    call: int | None = None
    message: int | None = None
    parameters: dict[str, Parameter] = {}

    @property
    def text(self) -> Text:
        """The sentence."""
        return Text(
            self.code.text, {name: list(p) if isinstance(p, tuple) else p for name, p in self.parameters.items()}
        )
