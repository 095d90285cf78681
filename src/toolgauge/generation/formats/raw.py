"""The papers' raw format: everything that was said, in one list, with role switches and rejected tries.

A speaker is told by the prefix of a message. Before everybody but the user who opens stands a message that switches the
role; a checker speaks only to reject, and what it rejects stands before its verdict.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from toolgauge.annotation.dialogue import Dialogue, Entry, Speaker
from toolgauge.chat import Json
from toolgauge.generation.prompts import texts
from toolgauge.generation.pseudo import pseudo_tools


class RawMessage(Struct, frozen=True):
    role: str
    content: str


class RawRecord(Struct, frozen=True):
    """A dialogue as one line of raw.jsonl, or of simplified.jsonl. env_info: its clock."""

    id: str
    tools: tuple[Json, ...]
    env_info: str
    messages: tuple[RawMessage, ...]


def raw_record(dialogue: Dialogue) -> RawRecord:
    tools = tuple(tool.wire() for tool in (*dialogue.tools, *pseudo_tools(dialogue.language)))
    return RawRecord(dialogue.id, tools, env_info(dialogue), tuple(_messages(dialogue)))


def env_info(dialogue: Dialogue) -> str:
    """The clock of a dialogue behind its label."""
    return texts("switches", dialogue.language)["moment"] + dialogue.clock


def _messages(dialogue: Dialogue) -> Iterator[RawMessage]:
    names, switches = texts("speakers", dialogue.language), texts("switches", dialogue.language)
    for number, entry in enumerate(dialogue.entries):
        if number:
            yield RawMessage("user", switches[entry.speaker])
        yield RawMessage(_role(number, entry), f"{names[entry.speaker]}{entry.text}")


def _role(number: int, entry: Entry) -> str:
    """Tools are the user's side of the list, and so is the user who opens it; everybody else is the model's."""
    return "user" if number == 0 or entry.speaker is Speaker.TOOL else "assistant"
