"""Calls in the text of replies: a model that speaks text only, and calls that a server left where it should not.

A server that was to parse calls leaves them in the text, in the reasoning, in another choice or in the old field
`function_call`, or leaves its marks in the name of the tool: its fault, never the model's. A reply is told so when it
arrives (`Reply.problem`), and `score --dialect` reads it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.call_problems import CallProblem
from toolgauge.chat import Message, Reply, Request, Tool
from toolgauge.languages import has_han
from toolgauge.models.endings import announces_calls
from toolgauge.models.model import Model

if TYPE_CHECKING:
    from toolgauge.models.dialects.dialect import Dialect

MOST_READ = 20_000
"""Characters in which a call is looked for, from the end: reasoning may come before it."""
_NAME_MARKS = re.compile(r"<\|[^|>]*\|?>?.*|(?:</?[\w:]+>)+", re.DOTALL)
"""Of Harmony's channels and of tags, in the name of a tool."""
_PREFIX = re.compile(r"(?:functions?|tools?|default_api)[.:]")
_NUMBER = re.compile(r":\d+$")
_OTHER_NOTATIONS = re.compile(r"<steptml:invoke\b|<\|START_ACTION\|>|<longcat_tool_call>|<\|tools_prefix\|>")
"""Marks of calls in notations for which there is no dialect: Step 3, Command, LongCat, Apertus."""


class TextToolModel:
    """A `Model` around one that knows no tool calls, or whose server passes them through as text.

    Requests reach the inner model as messages of text without tools. Calls that its server reads by itself all the
    same are taken as they are.
    """

    def __init__(self, inner: Model, dialect: Dialect) -> None:
        self.name = inner.name
        self.inner, self.dialect = inner, dialect

    async def ask(self, request: Request) -> Reply:
        """See `Model.ask`. A request in which tools play no part is passed on untouched."""
        earlier = _calls_in(request)
        reply = await self.inner.ask(self.render_request(request))
        return parse_reply(reply, self.dialect, request.tools, earlier) if request.tools or earlier else reply

    def render_request(self, request: Request) -> Request:
        """What the inner model is asked: messages of text, without tools."""
        if not request.tools and not _calls_in(request):
            return request
        messages = self.dialect.render(request.messages, request.tools, language_of(request.messages))
        return replace(request, messages=messages, tools=())

    async def close(self) -> None:
        await self.inner.close()

    def describe(self) -> dict[str, Any]:
        return self.inner.describe() | {"dialect": self.dialect.name}


def _calls_in(request: Request) -> int:
    return sum(len(message.tool_calls) for message in request.messages)


def parse_reply(reply: Reply, dialect: Dialect, tools: tuple[Tool, ...] = (), earlier: int = 0) -> Reply:
    """The reply with the calls that its text makes.

    tools: those on offer; earlier: how many calls were made before: ids go on from there.
    """
    if reply.tool_calls or not reply.content:
        return reply
    parsed = dialect.parse(reply.content, tools)
    thoughts = "\n".join(part for part in (reply.reasoning, parsed.reasoning) if part)
    return replace(
        reply,
        content=parsed.content,
        tool_calls=tuple(replace(call, id=f"call_{earlier + number}") for number, call in enumerate(parsed.calls)),
        reasoning=thoughts or None,
        problem=parsed.problem,
        raw=None if parsed.content == reply.content else reply.content,
    )


def language_of(messages: tuple[Message, ...]) -> str:
    """The language of our words in a conversation: that of its first user message, so that it never changes."""
    utterance = next((message.content or "" for message in messages if message.role == "user"), "")
    return "zh" if has_han(utterance) else "en"


class Interface(Struct, frozen=True):
    """Replies to requests with tools. written: with a call, as far as it can be told; parsed: those that arrived with
    calls; executed: calls whose results were sent to the model. left: where the server left calls that it was to parse
    (names of `CallProblem`). dialect: the one that reads most of them. loops: of the replies that were cut off, those
    that repeat themselves."""

    replies: int = 0
    written: int = 0
    parsed: int = 0
    executed: int = 0
    left: dict[str, int] = {}
    dialect: str = ""
    loops: int = 0


def find_unparsed(reply: Reply, tools: Sequence[Tool]) -> CallProblem | None:
    """What a server did with a call instead of handing it on; None where nothing speaks for that.

    tools: on offer in a request whose calls the server was to parse.
    """
    if reply.problem or not tools:
        return reply.problem
    if reply.tool_calls:
        marked = any(clean_name(call.name or "", tools) for call in reply.tool_calls)
        return CallProblem.MARKED_NAME if marked else None
    if dialects_of(reply.content or "", tools) or _OTHER_NOTATIONS.search(reply.content or ""):
        return CallProblem.LEFT_IN_TEXT
    if not (reply.content or "").strip() and dialects_of(reply.reasoning or "", tools):
        return CallProblem.LEFT_IN_REASONING
    return CallProblem.ANNOUNCED if announces_calls(reply.finish_reason) else None


def clean_name(name: str, tools: Sequence[Tool]) -> str | None:
    """The tool on offer that a name with a server's marks means; None for a name that is on offer, or means none."""
    offered = {tool.name for tool in tools}
    if name in offered:
        return None
    bare = _NUMBER.sub("", _PREFIX.sub("", _NAME_MARKS.sub("", name).strip(), count=1))
    return bare if bare in offered else None


def dialects_of(text: str, tools: Sequence[Tool]) -> tuple[str, ...]:
    """The dialects that read a call of a tool on offer in a text; first those that would begin to write it so
    themselves (the longer, the surer), then the one for any model."""
    text = text[-MOST_READ:]
    if not any(tool.name in text for tool in tools):
        return ()
    from toolgauge.models.dialects.table import DIALECTS, GENERIC

    offered, plain = {tool.name for tool in tools}, "".join(text.split())
    ranks: dict[str, tuple[int, bool]] = {}
    for name, dialect in DIALECTS.items():
        calls = tuple(call for call in dialect.parse(text, tuple(tools)).calls if call.name in offered)
        if calls:
            rendered = "".join(dialect.render_calls(calls, tuple(tools)).split())
            ranks[name] = (-_alike(rendered, plain), dialect is not GENERIC)
    return tuple(sorted(ranks, key=ranks.__getitem__))


def _alike(rendered: str, text: str) -> int:
    """How many characters of a dialect's own writing stand in a text as they begin it; 0 for less than half of them."""
    return next((most for most in range(len(rendered), len(rendered) // 2, -1) if rendered[:most] in text), 0)


def recovered(reply: Reply, dialect: Dialect, tools: tuple[Tool, ...], earlier: int) -> Reply | None:
    """A recorded reply read by a dialect: its text, and what its server left elsewhere; None without anything to read.

    earlier: how many calls were made before: ids go on from there.
    """
    from toolgauge.models.dialects.table import GENERIC

    if reply.problem is CallProblem.MARKED_NAME:
        calls = (replace(call, name=clean_name(call.name or "", tools) or call.name) for call in reply.tool_calls)
        return replace(reply, tool_calls=tuple(calls), problem=None)
    structured = reply.problem in (CallProblem.LEFT_IN_CHOICE, CallProblem.LEFT_IN_FIELD)
    text = reply.raw or (None if reply.tool_calls else reply.content)
    if reply.problem is CallProblem.LEFT_IN_REASONING:
        text = reply.reasoning
    if not text:
        return None
    read = parse_reply(Reply(text), GENERIC if structured else dialect, tools, earlier)
    reasoning = read.reasoning if reply.problem is CallProblem.LEFT_IN_REASONING else read.reasoning or reply.reasoning
    return replace(
        reply, content=read.content, tool_calls=read.tool_calls, reasoning=reasoning, problem=read.problem, raw=read.raw
    )
