"""Our messages as Inspect's."""

from __future__ import annotations

import json

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    Content,
    ContentReasoning,
    ContentText,
)
from inspect_ai.tool import ToolCall as InspectCall
from inspect_ai.tool import ToolInfo

from toolgauge.chat import Message, Request, Tool, ToolCall
from toolgauge.integrations.inspect_ai.schemas import tool_info
from toolgauge.models.replies import read_json

ECHO = "inspect"
"""Under this name `Reply.echo` holds the message as Inspect had it: with signed reasoning and what else goes back."""


class InspectConversation:
    """One role's side of an episode. Messages that stay are converted once: Inspect's logs tell them by their ids."""

    def __init__(self) -> None:
        self._ours: tuple[Message, ...] = ()
        self._theirs: list[ChatMessage] = []
        self._tools: tuple[Tool, ...] = ()
        self._infos: list[ToolInfo] = []

    def messages(self, request: Request) -> list[ChatMessage]:
        """All messages of the request, in a list of the caller's own."""
        pairs = zip(self._ours, request.messages, strict=False)
        kept = next((at for at, (old, new) in enumerate(pairs) if old is not new), None)
        kept = min(len(self._ours), len(request.messages)) if kept is None else kept
        names = {call.id: call.name for message in request.messages for call in message.tool_calls}
        fresh = [chat_message(message, names) for message in request.messages[kept:]]
        self._ours, self._theirs = request.messages, [*self._theirs[:kept], *fresh]
        return list(self._theirs)

    def tools(self, request: Request) -> list[ToolInfo]:
        """The tools of the request; Inspect never runs them, it only offers them."""
        if request.tools is not self._tools:
            self._tools, self._infos = request.tools, [tool_info(tool) for tool in request.tools]
        return self._infos


def chat_message(message: Message, names: dict[str | None, str | None]) -> ChatMessage:
    """names: the tool of each call id, which some providers want beside its result."""
    text = message.content or ""
    if message.role == "system":
        return ChatMessageSystem(content=text)
    if message.role == "assistant":
        if message.echo is not None and ECHO in message.echo:
            return ChatMessageAssistant.model_validate(message.echo[ECHO])
        calls = [inspect_call(call) for call in message.tool_calls] or None
        return ChatMessageAssistant(content=message.content or "", tool_calls=calls)
    if message.role == "tool":
        called = message.tool_call_id
        return ChatMessageTool(content=text, tool_call_id=called or "", function=names.get(called))
    return ChatMessageUser(content=text)


def assistant_message(content: str | None, calls: tuple[ToolCall, ...], reasoning: str | None) -> ChatMessageAssistant:
    """What one of our built-in models said, as one of Inspect's providers would hand it over."""
    said: str | list[Content] = content or ""
    if reasoning:
        said = [ContentReasoning(reasoning=reasoning), ContentText(text=content or "")]
    made = [inspect_call(call) for call in calls] or None
    return ChatMessageAssistant(content=said, tool_calls=made, source="generate")


def inspect_call(call: ToolCall) -> InspectCall:
    """Arguments that are no JSON object stand in `parse_error`, as Inspect has it."""
    value = _value(call.arguments)
    known = isinstance(value, dict)
    problem = None if known else call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments)
    return InspectCall(call.id or "", call.name or "", value if known else {}, parse_error=problem)


def _value(arguments: object) -> object:
    if not isinstance(arguments, str):
        return arguments
    try:
        return read_json(arguments.encode("utf-8", "replace"))
    except ValueError:
        return None
