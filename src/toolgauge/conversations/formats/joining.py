"""Requests of one conversation as that conversation: every request repeats what was said before, once is enough.

What does not continue what is known is a conversation of its own: an answer that was tried again, an agent that another
one called. Leading system messages do not count in this: many change with the time of day.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from msgspec.structs import replace

from toolgauge.chat import Message, Tool
from toolgauge.conversations.conversation import Conversation
from toolgauge.conversations.formats.definitions import decoded
from toolgauge.conversations.formats.messages import linked
from toolgauge.data.lines import as_json


class _Thread:
    """What is known of one conversation: its leading system messages apart, and how the others compare."""

    def __init__(self, conversation: Conversation) -> None:
        self.first = conversation
        self.lead, self.body = _parted(conversation.messages)
        self.keys = [_key(message) for message in self.body]
        self.tools: dict[str, Tool] = {}
        self.take_tools(conversation)

    def take_tools(self, conversation: Conversation) -> None:
        for tool in conversation.tools:
            self.tools.setdefault(tool.name, tool)

    def take(self, other: _Thread, apart: bool) -> bool:
        """Take over what goes on here; False where it does not. apart: it may hold only what is new."""
        same = _common(self.keys, other.keys)
        if same == len(other.keys) or (same == len(self.keys) and same):
            new = other.body[same:]
        elif same == 0 and (seen := _overlap(self.keys, other.keys)):
            new = other.body[seen:]
        elif same == 0 and apart and [m.content for m in self.lead] == [m.content for m in other.lead or self.lead]:
            new = other.body
        else:
            return False
        self.body += new
        self.keys += [_key(message) for message in new]
        self.lead = self.lead or other.lead
        self.take_tools(other.first)
        return True

    def conversation(self, number: int) -> Conversation:
        messages = linked([(message, None) for message in (*self.lead, *self.body)])
        name = self.first.id if number == 1 else f"{self.first.id}-{number}"
        return replace(self.first, id=name, messages=messages, tools=tuple(self.tools.values()))


def joined(parts: Sequence[Conversation], apart: bool) -> list[Conversation]:
    """The conversations that parts, in the order in which they were said, turn out to be.

    apart: a part may also hold only what is new. A single part is left as it is.
    """
    if len(parts) == 1:
        return list(parts)
    threads: list[_Thread] = []
    for part in parts:
        other = _Thread(part)
        if not any(thread.take(other, apart) for thread in reversed(threads)):
            threads.append(other)
    return [thread.conversation(number) for number, thread in enumerate(threads, 1)]


def opening(messages: Sequence[Message]) -> str:
    """What the requests of one conversation have in common where nothing names it: how it begins, as a digest."""
    first = next((message.content or "" for message in messages if message.role == "user"), "")
    return hashlib.blake2b(first.encode("utf-8", "replace"), digest_size=12).hexdigest()


def _parted(messages: Sequence[Message]) -> tuple[list[Message], list[Message]]:
    count = next((n for n, message in enumerate(messages) if message.role != "system"), len(messages))
    return list(messages[:count]), list(messages[count:])


def _key(message: Message) -> tuple[object, ...]:
    """What makes two messages the same one: ids differ between the parts of some logs, and white space does."""
    calls = tuple((call.name, _canonical(call.arguments)) for call in message.tool_calls)
    return message.role, (message.content or "").strip(), calls


def _canonical(arguments: object) -> str:
    value = decoded(arguments) if type(arguments) is str else arguments
    return as_json(_sorted(value)) if value is not None else str(arguments)


def _sorted(value: object) -> object:
    if type(value) is dict:
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(one) for one in value] if type(value) is list else value


def _common(one: Sequence[object], other: Sequence[object]) -> int:
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _overlap(known: Sequence[object], new: Sequence[object]) -> int:
    """How many messages at the beginning of the new ones are the last known ones: a history that was cut off."""
    for count in range(min(len(known), len(new)), 1, -1):
        if known[-count:] == new[:count]:
            return count
    return 0
