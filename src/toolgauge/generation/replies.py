"""What agents reply: one JSON object each, of a fixed schema, sent along with the request and validated here.

Endpoints that can are made to keep to the schema (`Request.reply_schema`); where one cannot, the object stands in the
text, untidy JSON is repaired by json-repair, and what still does not fit is asked for again with the reason.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Literal, TypeVar

import json_repair
import msgspec
from msgspec import Struct
from msgspec.structs import replace

from toolgauge.chat import Json, Reply, ReplySchema
from toolgauge.data.lines import within_depth
from toolgauge.generation.dialogue import IntendedCall, Need, Observation
from toolgauge.generation.prompts import text, texts
from toolgauge.models.endings import Ending, ending_of

T = TypeVar("T")
MOST_CHARACTERS = 60_000
"""Of a reply; longer ones are not read."""
MOST_MARKS = 3_000
"""Brackets and quotation marks in a reply that json-repair is asked about."""
_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)|^.*?</think(?:ing)?>", re.DOTALL)
_MARK = re.compile(r"</?think(?:ing)?>")


class Unusable(Exception):
    """A reply that cannot be used. why: the name of a short text that tells the agent (`unusable_...`), with its
    values; or a sentence in the dialogue's language. As a text it is English."""

    def __init__(self, why: str, **values: object) -> None:
        self.why, self.values = why, values
        super().__init__(self.told("en"))

    def told(self, language: str) -> str:
        """What the agent is told."""
        return text(self.why, language, **self.values) if self.why in texts(language) else self.why


class ReferralReply(Struct, frozen=True):
    """task: as people count, from 1."""

    task: int
    kind: Literal["partial_information", "coreference", "long_range"]
    words: str = ""


class ProposalReply(Struct, frozen=True):
    message: str
    calls: tuple[IntendedCall, ...] = ()
    withheld: tuple[str, ...] = ()
    refers_to: ReferralReply | None = None


class UserReply(Struct, frozen=True):
    """What the user might say next."""

    candidates: list[ProposalReply]


class ActionReply(Struct, frozen=True):
    name: str
    arguments: dict[str, Any] = {}
    tool_call_purpose: str = ""
    id: str = ""
    needs: tuple[Need, ...] = ()


class PlannerReply(Struct, frozen=True, rename="pascal"):
    """The planner's decision, under the papers' keys."""

    task_finish: Literal["yes", "no"] = msgspec.field(name="Task_Finish")
    thought: str
    plan: str
    action_list: list[ActionReply] = msgspec.field(name="Action_List")
    answer: str = ""


class ToolReply(Struct, frozen=True):
    """A result for each call."""

    observation_list: tuple[Observation, ...] = msgspec.field(name="Observation_List")


class WordsReply(Struct, frozen=True):
    """What user or assistant say."""

    message: str


class CheckReply(Struct, frozen=True):
    """The planner checker's verdict on which calls go together."""

    tool_call_analysis: str
    correct: Literal["yes", "no"]


class AnswerRuling(Struct, frozen=True):
    agrees: bool
    reason: str = ""


class ArgumentRuling(Struct, frozen=True):
    """number: of the argument in the judge's list."""

    number: int
    verdict: Literal["stated", "implied", "computed", "unasked", "wrong"]
    reason: str = ""
    accept: list[Any] = []
    compare: Literal["", "text", "any"] = ""


class EdgeRuling(Struct, frozen=True, rename={"before": "from", "call": "to"}):
    """Two calls by their ids."""

    before: str
    call: str
    reason: str = ""


class EdgeRulings(Struct, frozen=True):
    missing: list[EdgeRuling] = []
    false: list[EdgeRuling] = []


class EarlierRuling(Struct, frozen=True):
    """task: as people count, from 1; 0 for none."""

    needed: bool
    kind: Literal["none", "partial_information", "coreference", "long_range"] = "none"
    task: int = 0
    reason: str = ""


class JudgeReply(Struct, frozen=True):
    """The judge's verdict on a finished task."""

    answer: AnswerRuling
    earlier: EarlierRuling
    arguments: list[ArgumentRuling] = []
    edges: EdgeRulings = EdgeRulings()


class RecordedReply(JudgeReply, frozen=True):
    """The judge's verdict on a task of a recorded conversation. repeated: ids of calls."""

    unmet: str = ""
    repeated: list[str] = []


class SplitReply(Struct, frozen=True):
    """Which messages of the user begin a task, by their numbers from 1."""

    begins: list[int]


@cache
def schema_of(kind: type[Struct]) -> ReplySchema:
    """The JSON Schema of a reply, for endpoints that can be held to it."""
    return ReplySchema(kind.__name__, msgspec.json.schema(kind))


def without_thought(reply: Reply) -> Reply:
    """The reply with what stands between <think> marks in the field for reasoning."""
    content = reply.content
    if not content or "think" not in content:
        return reply
    thought = "\n".join(_MARK.sub("", part).strip() for part in _THOUGHT.findall(content))
    reasoning = "\n".join(part for part in (reply.reasoning, thought) if part)
    return replace(reply, content=_THOUGHT.sub("", content).strip(), reasoning=reasoning or None)


def parse_reply(reply: Reply, kind: type[T]) -> T:
    """The object in a reply, which may be the arguments of a forced call. Raises Unusable."""
    if ending_of(reply.finish_reason) is Ending.LIMIT:
        raise Unusable("unusable_cut_off")
    value = _object(reply)
    try:
        return msgspec.convert(value, kind, strict=False)
    except msgspec.ValidationError as error:
        raise Unusable(f"{error}.") from error


def _object(reply: Reply) -> Json:
    said = (without_thought(reply).content or "").strip()
    if reply.tool_calls:
        arguments = reply.tool_calls[0].arguments
        said = msgspec.json.encode(arguments).decode() if isinstance(arguments, dict) else str(arguments or "")
    said = said.encode("utf-8", "replace").decode()  # lone surrogates are no text
    if len(said) > MOST_CHARACTERS:
        raise Unusable("unusable_length", count=f"{len(said):,}", most=f"{MOST_CHARACTERS:,}")
    start, end = said.find("{"), said.rfind("}")
    if start < 0:
        raise Unusable("unusable_no_object")
    inside = said[start : end + 1] if end > start else said[start:]
    try:
        value = msgspec.json.decode(inside)
    except (msgspec.DecodeError, RecursionError):
        value = _repaired(inside)
    if not isinstance(value, dict) or not within_depth(value):
        raise Unusable("unusable_shape")
    return value


def _repaired(said: str) -> object:
    """Untidy JSON read by json-repair, as values that JSON has. Its time is quadratic in what is open: bounded here."""
    if said.count("{") + said.count("[") + said.count('"') > MOST_MARKS:
        raise Unusable("unusable_json")
    try:
        return msgspec.json.decode(msgspec.json.encode(json_repair.loads(said)))
    except (ValueError, TypeError, RecursionError, msgspec.MsgspecError) as error:
        raise Unusable("unusable_json") from error
