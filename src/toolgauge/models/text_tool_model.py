"""A model that is asked and answers in text alone, with the tools and calls of a conversation in its own dialect."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from toolgauge.chat import Message, Reply, Request, Tool
from toolgauge.languages import has_han
from toolgauge.models.dialects.dialect import Dialect
from toolgauge.models.model import Model


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
        return heard(reply, self.dialect, request.tools, earlier) if request.tools or earlier else reply

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


def heard(reply: Reply, dialect: Dialect, tools: tuple[Tool, ...] = (), earlier: int = 0) -> Reply:
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
    said = next((message.content or "" for message in messages if message.role == "user"), "")
    return "zh" if has_han(said) else "en"
