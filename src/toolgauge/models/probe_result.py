"""What the test question of a probe found, as run.json keeps it."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class Finding(StrEnum):
    """What an endpoint does with one question and one tool; docs/providers.md says what helps."""

    GOOD = "good"  # a valid call, and words when it is sent the result
    NO_ANSWER = "no_answer"
    TOO_SLOW = "too_slow"  # a short reply comes, a whole one does not come in time
    TOOLS_REFUSED = "tools_refused"  # an error where a tool is offered, a reply where none is
    TOOLS_DROPPED = "tools_dropped"  # the prompt that the model sees is the same with and without the tool
    CALLS_AS_TEXT = "calls_as_text"  # a call stands in the text, as a dialect writes it that was not asked for
    UNREADABLE_CALL = "unreadable_call"  # what looks like a call, and can be read by nobody
    WRONG_TOOL = "wrong_tool"
    WRONG_ARGUMENTS = "wrong_arguments"
    NO_ID = "no_id"
    WORDS = "words"  # it answers without the tool
    TEMPLATE_MARKS = "template_marks"  # it goes on behind the end of its turn
    CUT_OFF = "cut_off"  # by a limit of tokens, in words
    CUT_OFF_REASONING = "cut_off_reasoning"  # by a limit of tokens, before any word or call
    ONLY_REASONING = "only_reasoning"
    EMPTY = "empty"
    FILTERED = "filtered"
    RESULT_REFUSED = "result_refused"  # an error where the tool's result is sent
    RESULT_DROPPED = "result_dropped"  # the prompt did not grow by the result
    CALLS_AGAIN = "calls_again"  # it calls instead of answering when it has the result
    SILENT = "silent"  # no words when it has the result

    @property
    def answers(self) -> bool:
        """Was there a reply to a question with a tool? A run is possible then."""
        return self not in _NO_REPLY

    @property
    def calls(self) -> bool:
        """Was the first reply a valid call?"""
        return self in _AFTER_A_CALL


_NO_REPLY = frozenset({Finding.NO_ANSWER, Finding.TOO_SLOW, Finding.TOOLS_REFUSED})
_AFTER_A_CALL = frozenset(
    {Finding.GOOD, Finding.RESULT_REFUSED, Finding.RESULT_DROPPED, Finding.CALLS_AGAIN, Finding.SILENT}
)


class ProbeRecord(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What was found. seconds: for everything together; first_reply: seconds until the first reply was there.

    prompt_tokens: of the question with the tool, prompt_tokens_without: without it, as the endpoint counts them; 0
    where it does not. tokens_per_second: of the longest reply; of the server's own timings where it gives them, else of
    everything from sending the request to the whole reply. said: the beginning of what the model said. readers: the
    dialects that read a call of the tool out of it, those that would write it so themselves first.
    """

    finding: Finding
    seconds: float = 0.0
    first_reply: float = 0.0
    prompt_tokens: int = 0
    prompt_tokens_without: int = 0
    tokens_per_second: float = 0.0
    said: str = ""
    readers: tuple[str, ...] = ()
