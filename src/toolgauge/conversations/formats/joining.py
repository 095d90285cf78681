"""Requests of one conversation as that conversation: every request repeats what was said before, once is enough.

What does not continue what is known is a conversation of its own: an answer that was tried again, an agent that another
one called. Leading system messages do not count in this: many change with the time of day.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from toolgauge.chat import Message, Tool
from toolgauge.conversations.conversation import Conversation
from toolgauge.conversations.formats.definitions import decoded
from toolgauge.conversations.formats.messages import linked
from toolgauge.data.lines import as_json

RECENT = 8
"""Conversations that a part is tried on whose beginning none of them has."""


class _Thread:
    """What is known of one conversation: its leading system messages apart. chain: a digest of every beginning."""

    def __init__(self, conversation: Conversation) -> None:
        self.first = conversation
        self.lead, self.body = _parted(conversation.messages)
        self.keys = [_key(message) for message in self.body]
        self.chain = _chained(b"", self.keys)
        self.tools: dict[str, Tool] = {}
        self.take_tools(conversation)

    def take_tools(self, conversation: Conversation) -> None:
        for tool in conversation.tools:
            self.tools.setdefault(tool.name, tool)

    def go_on(self, other: _Thread, known: int) -> None:
        """Take over what the other one says after so many of its messages."""
        self.body += other.body[known:]
        self.keys += other.keys[known:]
        self.chain += _chained(self.chain[-1] if self.chain else b"", other.keys[known:])
        self.lead = self.lead or other.lead
        self.take_tools(other.first)

    def known_of(self, other: _Thread, apart: bool) -> int | None:
        """How many messages the other one repeats of the end of this one; None where it does not go on here."""
        for known in range(min(len(self.keys), len(other.keys)), 1, -1):
            if self.keys[-known] == other.keys[0] and self.keys[-known:] == other.keys[:known]:
                return known
        same_lead = [one.content for one in self.lead] == [one.content for one in other.lead or self.lead]
        return 0 if apart and same_lead else None

    def conversation(self, number: int) -> Conversation:
        messages = linked([(message, None) for message in (*self.lead, *self.body)])
        name = self.first.id if number == 1 else f"{self.first.id}-{number}"
        return replace(self.first, id=name, messages=messages, tools=tuple(self.tools.values()))


class _Threads:
    """Conversations that begin alike or not, found by what they begin with."""

    def __init__(self, apart: bool) -> None:
        self.all: list[_Thread] = []
        self._apart = apart
        self._ends: dict[bytes, _Thread] = {}
        self._seen: set[bytes] = set()

    def add(self, other: _Thread) -> None:
        if other.chain and other.chain[-1] in self._seen:
            return  # all of it was said before
        thread, known = self._before(other)
        if thread is None:
            self.all.append(other)
        else:
            thread.go_on(other, known)
        changed = thread or other
        self._seen.update(changed.chain[-len(other.chain) :])  # what it had before was seen
        self._ends[changed.chain[-1] if changed.chain else b""] = changed

    def _before(self, other: _Thread) -> tuple[_Thread | None, int]:
        """The conversation that a part goes on with, and how much of the part it has already."""
        for known in range(len(other.chain), 0, -1):
            thread = self._ends.pop(other.chain[known - 1], None)
            if thread is not None:
                return thread, known
        if not other.chain or other.chain[0] not in self._seen:
            for thread in reversed(self.all[-RECENT:]):
                repeated = thread.known_of(other, self._apart)
                if repeated is not None:
                    self._ends.pop(thread.chain[-1] if thread.chain else b"", None)
                    return thread, repeated
        return None, 0


def joined(parts: Sequence[Conversation], apart: bool) -> list[Conversation]:
    """The conversations that parts, in the order in which they were said, turn out to be.

    apart: a part may also hold only what is new. A single part is left as it is.
    """
    if len(parts) == 1:
        return list(parts)
    threads = _Threads(apart)
    for part in parts:
        threads.add(_Thread(part))
    return [thread.conversation(number) for number, thread in enumerate(threads.all, 1)]


def opening(messages: Sequence[Message]) -> str:
    """What the requests of one conversation have in common where nothing names it: how it begins, up to the first
    answer, as a digest."""
    body = _parted(messages)[1]
    answered = next((n for n, message in enumerate(body, 1) if message.role == "assistant"), len(body))
    return _chained(b"", map(_key, body[:answered]))[-1].hex() if body else ""


def _chained(digest: bytes, keys: Iterable[tuple[object, ...]]) -> list[bytes]:
    """A digest of every beginning of messages, here their keys, that follow others with a digest."""
    made = []
    for key in keys:
        said = repr(key).encode("utf-8", "replace")
        digest = hashlib.blake2b(digest + said, digest_size=12).digest()
        made.append(digest)
    return made


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
