"""Conversations in OpenAI's format for fine-tuning: {"messages": [...], "tools": [...]}, one a line.

What a server left out and the format needs is filled in: ids of calls, and arguments as JSON text.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

from toolgauge.chat import Message
from toolgauge.data.lines import as_json
from toolgauge.data.training.conversation import TrainingConversation


def openai_line(conversation: TrainingConversation) -> dict[str, object] | None:
    """The line of a conversation; None without messages."""
    if not conversation.messages:
        return None
    line: dict[str, object] = {"messages": openai_messages(conversation.messages)}
    if conversation.tools:
        line["tools"] = [tool.wire() for tool in conversation.tools]
    return line


def openai_messages(messages: tuple[Message, ...]) -> list[dict[str, object]]:
    """Messages with an id for every call; results without one belong to the calls in their order."""
    made, open_ids, count = [], deque[str](), 0
    for message in messages:
        wire = message.wire()
        if message.tool_calls:
            open_ids.clear()
            for call in wire["tool_calls"]:
                count += 1
                call["id"] = call["id"] or f"call_{count}"
                call["function"] = {"name": call["function"]["name"] or "", "arguments": _text(call["function"])}
                open_ids.append(call["id"])
        elif message.role == "tool":
            wire["tool_call_id"] = _answered(message.tool_call_id, open_ids)
        made.append(wire)
    return made


def _answered(named: str | None, open_ids: deque[str]) -> str:
    """The call that a result belongs to: the one it names, else the next one without a result."""
    if named is not None and named in open_ids:
        open_ids.remove(named)
    return named or (open_ids.popleft() if open_ids else "")


def _text(function: Mapping[str, object]) -> str:
    arguments: object = function["arguments"]
    return arguments if isinstance(arguments, str) else "{}" if arguments is None else as_json(arguments)
