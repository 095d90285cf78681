"""conversations.jsonl: the conversations of a log as we keep them, one a line, versioned; and the way back.

A line has OpenAI's `messages` and `tools`, so that whatever reads those reads it; beside them `version`, `id`, and
where and when the conversation took place.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import msgspec

from toolgauge.data.lines import read_lines
from toolgauge.data.record import DataLine
from toolgauge.files import replacing, require_new
from toolgauge.logs.conversation import Conversation, LogMessage, Unreadable, settle
from toolgauge.logs.definitions import read_definitions
from toolgauge.logs.messages import parse_messages
from toolgauge.report.exports.catalogue import TRAINING
from toolgauge.report.exports.export_request import Exported
from toolgauge.report.exports.training import TrainingConversation, openai_messages

CONVERSATIONS = "conversations.jsonl"
VERSION = 1
_RUN = "run.json"


def conversations_at(path: Path) -> Path | None:
    """The file of conversations that a path names: itself, or the one in a folder that is no run directory."""
    if path.is_dir():
        return path / CONVERSATIONS if (path / CONVERSATIONS).exists() and not (path / _RUN).exists() else None
    return path if path.name == CONVERSATIONS else None


def conversation_line(conversation: Conversation) -> bytes:
    """The line of a conversation, with its end."""
    messages = openai_messages(conversation.messages)
    for wire, message in zip(messages, conversation.messages, strict=True):
        if message.reasoning:
            wire["reasoning_content"] = message.reasoning
        if message.is_error is not None:
            wire["is_error"] = message.is_error
        if message.injected:
            wire["injected"] = True
    line: dict[str, object] = {"version": VERSION, "id": conversation.id}
    about = {"line": conversation.line, "time": conversation.time, "format": conversation.format}
    line |= {key: value for key, value in about.items() if value}
    line["messages"] = messages
    if conversation.tools:
        line["tools"] = [tool.wire() for tool in conversation.tools]
    return msgspec.json.encode(line) + b"\n"


def read_conversations(path: Path | str) -> Iterator[Conversation]:
    """The conversations of such a file, one at a time. Raises DataError, with the line, for one that is none."""
    for number, value in read_lines(path):
        record = DataLine(path, number, value)
        version = record.take(record.value, "version", int)
        if version > VERSION:
            raise record.error(f"unsupported version {version}; must be <= {VERSION}", "version")
        tools = read_definitions(record.value.get("tools"))
        try:
            messages = settle(parse_messages(record, record.take(record.value, "messages", list), "messages"), tools)
        except Unreadable as error:
            raise record.error(str(error), "messages") from error
        line, time, form = (record.value.get(key) for key in ("line", "time", "format"))
        yield Conversation(
            record.take(record.value, "id", str),
            messages,
            tools,
            line if type(line) is int else 0,
            time if type(time) is str else None,
            form if type(form) is str else "",
        )


def training(conversation: Conversation) -> TrainingConversation:
    """The conversation as training data."""
    messages: tuple[LogMessage, ...] = conversation.messages
    return TrainingConversation(messages, conversation.tools)


def export_conversations(file: Path, to: str, out: Path | None = None, overwrite: bool = False) -> Exported:
    """Write the conversations of a file in a format of training data ("openai", "sharegpt"), by default beside it.

    Raises UsageError, DataError for a line that is no conversation, and StoreError.
    """
    place = out or file.parent / f"{to}.jsonl"
    require_new(place, overwrite, [file])
    with replacing(place) as target:
        return Exported((place,), write_conversations(file, to, target))


def write_conversations(file: Path, to: str, target: BinaryIO) -> tuple[str, ...]:
    """Write them as they are read; what is to be said of it."""
    lost = 0
    for conversation in read_conversations(file):
        line = TRAINING[to](training(conversation))
        lost += line is None
        if line is not None:
            target.write(msgspec.json.encode(line) + b"\n")
    return (f"conversations left out, as the format cannot express them: {lost:,}",) if lost else ()
