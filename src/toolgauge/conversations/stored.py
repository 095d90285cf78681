"""conversations.jsonl: conversations as `data import` leaves them, in OpenAI's layout."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from toolgauge.chat import Json, Message, Tool, ToolCall
from toolgauge.conversations.conversation import Conversation
from toolgauge.data.lines import read_lines
from toolgauge.errors import DataError
from toolgauge.locale import _
from toolgauge.locale.foreign import cause

CONVERSATIONS = "conversations.jsonl"
_RUN = "run.json"


class _Function(Struct):
    name: str | None = None
    arguments: Any = None
    description: str = ""
    parameters: Json = {}


class _WireCall(Struct):
    function: _Function
    id: str | None = None


class _WireMessage(Struct):
    role: str
    content: str | None = None
    tool_calls: list[_WireCall] = []
    tool_call_id: str | None = None


class _WireTool(Struct):
    function: _Function


class _Line(Struct):
    id: str
    messages: list[_WireMessage]
    tools: list[_WireTool] = []
    line: int = 0
    time: str | None = None


def conversations_at(path: Path) -> Path | None:
    """The file of conversations that a path names: itself, or the one in a folder that is no run directory."""
    if path.is_dir():
        return path / CONVERSATIONS if (path / CONVERSATIONS).exists() and not (path / _RUN).exists() else None
    return path if path.name == CONVERSATIONS else None


def read_conversations(path: Path) -> Iterator[Conversation]:
    """One after the other. Raises DataError with the line where it is not one."""
    for number, value in read_lines(path):
        try:
            line = msgspec.convert(value, _Line)
        except msgspec.ValidationError as error:
            raise DataError(_("is not a conversation: {why}", why=cause(error)), path, number) from error
        messages = tuple(_message(one) for one in line.messages)
        tools = tuple(
            Tool(one.function.name or "", one.function.description, one.function.parameters) for one in line.tools
        )
        yield Conversation(line.id, messages, tools, line.line, line.time)


def _message(wire: _WireMessage) -> Message:
    calls = tuple(ToolCall(one.id, one.function.name, one.function.arguments) for one in wire.tool_calls)
    return Message(wire.role, wire.content, calls, wire.tool_call_id)
