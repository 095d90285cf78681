"""Pieces of conversations, and how they become conversations: gathered by what they have in common, in bounded memory,
and joined, since every request repeats what was said before it.
"""

from __future__ import annotations

import hashlib
import tempfile
from array import array
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from typing import BinaryIO

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from toolgauge.chat import Tool
from toolgauge.data.lines import as_json
from toolgauge.data.record import DataLine
from toolgauge.limits import MAX_FILE_BYTES
from toolgauge.logs.conversation import (
    Conversation,
    Finds,
    Found,
    LeftOut,
    LogMessage,
    Unreadable,
    merged_tools,
    settle,
)
from toolgauge.logs.text_calls import decoded

RECENT = 8
"""Conversations that a part is tried on whose beginning none of them has."""


class SpanResult(Struct, frozen=True, omit_defaults=True):
    """What a span of a tool says: the call it carried out, and its result. It fills in what no message tells."""

    result: LogMessage
    arguments: str | None = None
    start: float = 0.0


class Piece(Struct, frozen=True, omit_defaults=True):
    """A part of a conversation, or a whole one."""

    file: str
    line: int
    id: str
    """A name for the conversation."""
    messages: tuple[LogMessage, ...] = ()
    tools: tuple[Tool, ...] = ()
    time: str | None = None
    key: str | None = None
    """The conversation that it belongs to, by the log's own name for it."""
    alias: str | None = None
    """What it belongs to besides (a trace); pieces without a key are gathered by it. Without both it is whole."""
    start: float = 0.0
    """Seconds; pieces are joined in this order, those of one moment as they stand in the log."""
    level: int = 0
    """1: an outer span, which is read only where no inner one holds messages."""
    results: tuple[SpanResult, ...] = ()
    fault: str | None = None
    """Why this piece cannot be read: the whole conversation is left out."""
    appended: bool = False
    """It holds only what is new, and nothing of what was said before."""
    span: str | None = None
    """The span that it tells of; of one span there may be several pieces."""
    is_event: bool = False
    """It is told in events, which count only where the span itself holds no messages."""


def piece_of(record: DataLine, name: str, **fields: object) -> Piece:
    """A piece with the place of a record."""
    return msgspec.structs.replace(Piece(str(record.file), record.line, name), **fields)


_ENCODER, _DECODER = msgspec.msgpack.Encoder(), msgspec.msgpack.Decoder(Piece)


class Gatherer:
    """Pieces kept in a temporary file until all of a conversation are there."""

    def __init__(self, format_name: str) -> None:
        self._format = format_name
        self._file: BinaryIO = tempfile.TemporaryFile()  # noqa: SIM115 - closed with this object
        self._places: dict[tuple[bool, str], array[int]] = {}
        self._owners: dict[str, str | None] = {}

    def add(self, piece: Piece) -> Finds:
        """Take a piece; one that is whole becomes its conversation at once."""
        if piece.key is None and piece.alias is None:
            yield from assembled([piece], self._format)
            return
        content = _ENCODER.encode(piece)
        owner = (True, piece.key) if piece.key is not None else (False, piece.alias or "")
        self._places.setdefault(owner, array("q")).extend((self._file.tell(), len(content)))
        self._file.write(content)
        if piece.key is not None and piece.alias is not None:
            owner_key = self._owners.setdefault(piece.alias, piece.key)
            self._owners[piece.alias] = owner_key if owner_key == piece.key else None

    def conversations(self) -> Finds:
        """The conversations that the pieces are, in the order in which they begin."""
        orphans: dict[str, array[int]] = {}
        for (has_key, name), places in self._places.items():
            if not has_key and (owner := self._owners.get(name)) is not None:
                orphans.setdefault(owner, array("q")).extend(places)
        for (has_key, name), places in self._places.items():
            if not has_key and self._owners.get(name) is not None:
                continue
            every = [*places, *(orphans.get(name, ()) if has_key else ())]
            ordered = sorted(zip(every[::2], every[1::2], strict=True))
            if sum(size for _at, size in ordered) > MAX_FILE_BYTES:
                first = self._read(*ordered[0])
                text = f"the conversation that begins here is larger than {MAX_FILE_BYTES >> 20} MB"
                yield LeftOut(first.file, text, first.line or None)
                continue
            yield from assembled([self._read(at, size) for at, size in ordered], self._format)
        self._file.close()

    def _read(self, at: int, size: int) -> Piece:
        self._file.seek(at)
        return _DECODER.decode(self._file.read(size))


def assembled(pieces: Sequence[Piece], format_name: str) -> Iterator[Found]:
    """The conversations of pieces that belong together; what cannot be read rightly is left out with its reason."""
    first = pieces[0]
    faults = [piece for piece in pieces if piece.fault]
    if faults:
        yield LeftOut(faults[0].file, str(faults[0].fault), faults[0].line or None)
        return
    with_messages = _by_span([piece for piece in pieces if piece.messages])
    parts = [piece for piece in with_messages if piece.level == 0] or with_messages
    if not parts:
        text = "no message content in these spans; turn on content recording in the instrumented application"
        yield LeftOut(first.file, text, first.line or None)
        return
    keyed = next((piece for piece in pieces if piece.key), None)
    if keyed is not None and parts[0].key is None:
        parts[0] = replace(parts[0], id=keyed.id)
    results = sorted((result for piece in pieces for result in piece.results), key=lambda result: result.start)
    if all(piece.start for piece in parts):
        parts.sort(key=lambda piece: piece.start)
    for conversation in joined(parts):
        messages = _with_span_results(conversation.messages, results)
        try:
            settled = settle(messages, conversation.tools)
        except Unreadable as error:
            yield LeftOut(first.file, str(error), conversation.line or None)
        else:
            yield replace(conversation, messages=settled, format=format_name)


def _by_span(pieces: Sequence[Piece]) -> list[Piece]:
    """A piece for each span: the span's own messages, else those of all its events."""
    spans: dict[str, list[Piece]] = {}
    for number, piece in enumerate(pieces):
        spans.setdefault(piece.span or f"#{number}", []).append(piece)
    merged = []
    for group in spans.values():
        whole = next((piece for piece in group if not piece.is_event), None)
        if whole is None and len(group) > 1:
            group.sort(key=lambda piece: piece.start)
            answers = [n for n, piece in enumerate(group) if piece.messages[-1].role == "assistant"]
            end = next(
                (n for n in answers if n + 1 == len(group) or set(answers) >= set(range(n, len(group)))), len(group) - 1
            )
            messages = tuple(message for piece in group[: end + 1] for message in piece.messages)
            whole = replace(group[0], messages=messages, tools=merged_tools(piece.tools for piece in group))
        merged.append(whole or group[0])
    return merged


def _with_span_results(messages: Sequence[LogMessage], results: Sequence[SpanResult]) -> list[LogMessage]:
    """The messages with the results that only the spans of the tools tell, behind the call of their id; without an id,
    the first call of the same tool with the same arguments."""
    if not results:
        return list(messages)
    answered = {message.tool_call_id for message in messages if message.role == "tool" and message.tool_call_id}
    spare: dict[object, deque[LogMessage]] = {}
    for one in results:
        arguments = None if one.arguments is None else canonical(one.arguments)
        key: object = one.result.tool_call_id or (one.result.tool, arguments)
        spare.setdefault(key, deque()).append(one.result)
    linked: list[LogMessage] = []
    waiting: list[LogMessage] = []
    for place, message in enumerate(messages):
        if message.role != "tool":
            linked += waiting
            waiting = []
        linked.append(message)
        behind = messages[place + 1 : place + 1 + len(message.tool_calls)]
        unnamed = sum(1 for _one in takewhile(lambda one: one.role == "tool" and one.tool_call_id is None, behind))
        for number, call in enumerate(message.tool_calls):
            keys = (call.id, (call.name, canonical(call.arguments)), (call.name, None))
            queue = next((spare[key] for key in keys if spare.get(key)), None)
            result = queue.popleft() if queue else None  # also of a call that a message answers
            if result is not None and number >= unnamed and call.id not in answered:
                waiting.append(replace(result, tool_call_id=call.id, tool=call.name))
    return linked + waiting


def joined(pieces: Sequence[Piece]) -> list[Conversation]:
    """The conversations that pieces, in the order in which they were said, turn out to be.

    What does not continue what is known is a conversation of its own: an answer that was tried again, an agent that
    another one called. Leading system messages do not count in this: many change with the time of day.
    """
    if len(pieces) == 1:
        only = pieces[0]
        return [Conversation(only.id, only.messages, only.tools, only.line, only.time)]
    threads = _Threads()
    for piece in pieces:
        threads.add(_Thread(piece))
    return [thread.conversation(number) for number, thread in enumerate(threads.all, 1)]


def opening(messages: Sequence[LogMessage]) -> str:
    """What the requests of one conversation have in common where nothing names it: how it begins, up to the first
    answer, as a digest."""
    body = _parted(messages)[1]
    answered = next((n for n, message in enumerate(body, 1) if message.role == "assistant"), len(body))
    return _chained(b"", map(_key, body[:answered]))[-1].hex() if body else ""


class _Thread:
    """What is known of one conversation: its leading system messages apart. chain: a digest of every beginning."""

    def __init__(self, piece: Piece) -> None:
        self.piece = piece
        self.lead, self.body = _parted(piece.messages)
        self.keys = [_key(message) for message in self.body]
        self.chain = _chained(b"", self.keys)
        self.tools = [piece.tools]

    def extend(self, other: _Thread, shared: int) -> None:
        """Take over what the other one says after so many of its messages."""
        self.body += other.body[shared:]
        self.keys += other.keys[shared:]
        self.chain += _chained(self.chain[-1] if self.chain else b"", other.keys[shared:])
        self.lead = self.lead or other.lead
        self.tools.append(other.piece.tools)

    def append(self, other: _Thread) -> None:
        """Take over all that the other one says, behind what is known."""
        self.body += [message for message in other.lead if message not in self.lead]
        self.body += other.body
        self.tools.append(other.piece.tools)

    def overlap(self, other: _Thread) -> int | None:
        """How many messages the other one repeats of the end of this one; None where it does not go on here."""
        for shared in range(min(len(self.keys), len(other.keys)), 1, -1):
            if self.keys[-shared] == other.keys[0] and self.keys[-shared:] == other.keys[:shared]:
                return shared
        same_lead = [message.content for message in self.lead] == [
            message.content for message in other.lead or self.lead
        ]
        return 0 if other.piece.key is not None and same_lead else None  # a named part may hold only what is new

    def conversation(self, number: int) -> Conversation:
        name = self.piece.id if number == 1 else f"{self.piece.id}-{number}"
        messages = (*self.lead, *self.body)
        return Conversation(name, messages, merged_tools(self.tools), self.piece.line, self.piece.time)


class _Threads:
    """Conversations that begin alike or not, found by what they begin with."""

    def __init__(self) -> None:
        self.all: list[_Thread] = []
        self._ends: dict[bytes, _Thread] = {}
        self._seen: set[bytes] = set()

    def add(self, other: _Thread) -> None:
        if other.piece.appended and self.all:
            self.all[-1].append(other)
            return
        if other.chain and other.chain[-1] in self._seen:
            return  # all of it was said before
        thread, shared = self._before(other)
        if thread is None:
            self.all.append(other)
        else:
            thread.extend(other, shared)
        changed = thread or other
        self._seen.update(changed.chain[-len(other.chain) :])  # what it had before was seen
        self._ends[changed.chain[-1] if changed.chain else b""] = changed

    def _before(self, other: _Thread) -> tuple[_Thread | None, int]:
        """The conversation that a part goes on with, and how much of the part it has already."""
        for shared in range(len(other.chain), 0, -1):
            thread = self._ends.pop(other.chain[shared - 1], None)
            if thread is not None:
                return thread, shared
        if not other.chain or other.chain[0] not in self._seen:
            for thread in reversed(self.all[-RECENT:]):
                repeated = thread.overlap(other)
                if repeated is not None:
                    self._ends.pop(thread.chain[-1] if thread.chain else b"", None)
                    return thread, repeated
        return None, 0


def _chained(digest: bytes, keys: Iterable[tuple[object, ...]]) -> list[bytes]:
    """A digest of every beginning of messages, here their keys, that follow others with a digest."""
    chain = []
    for key in keys:
        digest = hashlib.blake2b(digest + repr(key).encode("utf-8", "replace"), digest_size=12).digest()
        chain.append(digest)
    return chain


def _parted(messages: Sequence[LogMessage]) -> tuple[list[LogMessage], list[LogMessage]]:
    count = next((n for n, message in enumerate(messages) if message.role != "system"), len(messages))
    return list(messages[:count]), list(messages[count:])


def _key(message: LogMessage) -> tuple[object, ...]:
    """What makes two messages the same one: ids differ between the parts of some logs, and white space does."""
    calls = tuple((call.name, canonical(call.arguments)) for call in message.tool_calls)
    return message.role, (message.content or "").strip(), calls


def canonical(arguments: object) -> str:
    """Arguments as JSON text that is the same for the same values."""
    value = decoded(arguments) if type(arguments) is str else arguments
    return as_json(_sorted(value)) if value is not None else str(arguments)


def _sorted(value: object) -> object:
    if type(value) is dict:
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(element) for element in value] if type(value) is list else value
