"""Conversations in OpenAI's format for fine-tuning: {"messages": [...], "tools": [...]}, one a line.

What a server left out and the format needs is filled in: ids of calls, and arguments as JSON text.
"""

from __future__ import annotations

from collections.abc import Mapping

from toolgauge.chat import Message
from toolgauge.data.lines import as_json
from toolgauge.data.open_calls import OpenCalls
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
    made, open_calls, count = [], OpenCalls(), 0
    for message in messages:
        wire = message.wire()
        if message.tool_calls:
            for call in wire["tool_calls"]:
                count += 1
                call["id"] = call["id"] or f"call_{count}"
                call["function"] = {"name": call["function"]["name"] or "", "arguments": _text(call["function"])}
            open_calls = OpenCalls((call["id"], None) for call in wire["tool_calls"])
        elif message.role == "tool":
            wire["tool_call_id"] = open_calls.answered(message.tool_call_id or None) or ""
        made.append(wire)
    return made


def _text(function: Mapping[str, object]) -> str:
    arguments: object = function["arguments"]
    return arguments if isinstance(arguments, str) else "{}" if arguments is None else as_json(arguments)
