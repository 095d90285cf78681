"""conversations.jsonl: the conversations of a log as we keep them, one a line, versioned.

A line has OpenAI's `messages` and `tools`, so that whatever reads those reads it; beside them `version`, `id`, and
where and when the conversation took place.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from toolgauge.conversations.conversation import Conversation
from toolgauge.conversations.formats.definitions import read_definitions
from toolgauge.conversations.formats.messages import read_messages
from toolgauge.data.lines import read_lines
from toolgauge.data.record import DataLine
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
    where = {"line": conversation.line} if conversation.line else {}
    when = {"time": conversation.time} if conversation.time else {}
    said = openai_messages(conversation.messages)
    for wire, message in zip(said, conversation.messages, strict=True):
        if message.reasoning:
            wire["reasoning_content"] = message.reasoning
    line = {"version": VERSION, "id": conversation.id, **where, **when, "messages": said}
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
        messages = read_messages(record, record.value.get("messages"), "messages")
        line, time = record.value.get("line"), record.value.get("time")
        yield Conversation(
            record.take(record.value, "id", str),
            messages,
            read_definitions(record.value.get("tools")),
            line if type(line) is int else 0,
            time if type(time) is str else None,
        )


def training(conversation: Conversation) -> TrainingConversation:
    """The conversation as training data: `data/training/` writes it in OpenAI's format, or ShareGPT's."""
    return TrainingConversation(conversation.messages, conversation.tools)
