"""Conversations written by hand, with where tasks begin: what logs have and benchmarks have not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from toolgauge.chat import Message, Tool, ToolCall
from toolgauge.conversations.conversation import Conversation

CASES = Path(__file__).parent / "split_cases.txt"


class SplitCase(Struct, frozen=True):
    """begins: places of the messages that begin tasks."""

    language: str
    part: str
    conversation: Conversation
    begins: frozenset[int]


def split_cases() -> Iterator[SplitCase]:
    for number, block in enumerate(CASES.read_text("utf-8").split("\n== ")[1:]):
        head, *lines = block.strip().split("\n")
        language, part = head.split()
        messages, begins = _messages(lines)
        names = {call.name or "" for message in messages for call in message.tool_calls}
        tools = tuple(Tool(name, name.replace("_", " "), {"type": "object"}) for name in sorted(names))
        yield SplitCase(language, part, Conversation(f"case_{number}", tuple(messages), tools), frozenset(begins))


def _messages(lines: list[str]) -> tuple[list[Message], set[int]]:
    messages: list[Message] = []
    begins: set[int] = set()
    for line in lines:
        mark, _, text = line.partition(" ")
        if mark in ("U+", "U-"):
            begins |= {len(messages)} if mark == "U+" else set()
            messages.append(Message("user", text))
        elif mark == "C":
            name = f"call_{len(messages)}"
            messages.append(Message("assistant", None, (ToolCall(name, text, "{}"),)))
            messages.append(Message("tool", "{}", tool_call_id=name))
        elif mark == "A":
            messages.append(Message("assistant", text))
        else:
            messages[-1] = Message("assistant", f"{messages[-1].content}\n{line}")
    return messages, begins
