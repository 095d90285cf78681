"""A conversation of a log, the one form that every format is read into, and the check that it was read rightly.

`settle` is the gate: each result gets the call that it answers, and whatever proves that something was not understood
(a result without its call, a call left standing in a text) is an error. Such a conversation is left out; it never
becomes a task with the wrong answer.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.chat import Message, Tool, ToolCall
from toolgauge.data.record import Problem
from toolgauge.errors import DataError
from toolgauge.logs.text_calls import looks_like_call, looks_like_result


class LogMessage(Message, frozen=True, omit_defaults=True):
    """A message of a log."""

    tool: str | None = None
    """Of a result: the tool that answered, where the log says it."""
    is_error: bool | None = None
    """Of a result: whether the log marks it as failed; None: it does not say."""
    injected: bool = False
    """Of a user message: written by the application (a reminder, the surroundings), not by a person."""


class Conversation(Struct, frozen=True, omit_defaults=True):
    """One conversation of a log, in the order in which it was said."""

    id: str
    """The log's own name, else the file's name and the line."""
    messages: tuple[LogMessage, ...]
    tools: tuple[Tool, ...] = ()
    """Those on offer, as far as the log or the user tells."""
    line: int = 0
    """Where it begins in its file, from 1; 0: the file has no lines."""
    time: str | None = None
    """When it began, ISO 8601, where the log tells."""
    format: str = ""
    """Which reader read it."""


class LeftOut(Problem, frozen=True):
    """A line, a conversation or a file that is left out. The message never repeats a value of the log."""


Found: TypeAlias = Conversation | LeftOut
Finds: TypeAlias = Iterator[Found]


def left_out(error: DataError) -> LeftOut:
    """An error of reading as a finding."""
    return LeftOut(error.file, error.message, error.line, error.path)


class Unreadable(ValueError):
    """A conversation that cannot be read rightly; the text says why, without a value of the log."""


def settle(messages: Sequence[LogMessage], tools: Sequence[Tool] = ()) -> tuple[LogMessage, ...]:
    """The messages with an id for every call and every result. Raises Unreadable for what was not read rightly."""
    if not messages:
        raise Unreadable("no messages")
    taken = {call.id for message in messages for call in message.tool_calls}
    waiting = _OpenCalls()
    settled: list[LogMessage] = []
    count = 0
    for place, message in enumerate(messages):
        if message.role == "tool":
            answered = waiting.answer(message, place)
            if answered is not None:
                settled.append(answered)
            continue
        _require_understood(message, place, tools)
        calls = []
        for call in message.tool_calls:
            if not call.name:
                raise Unreadable(f"message {place}: a call without a name")
            count += 1
            calls.append(call if call.id else replace(call, id=_free(f"call_{count}", taken)))
        waiting.add(calls, recorded=[bool(call.id) for call in message.tool_calls])
        settled.append(replace(message, tool_calls=tuple(calls)) if calls else message)
    return tuple(settled)


def _require_understood(message: LogMessage, place: int, tools: Sequence[Tool]) -> None:
    """Raise Unreadable for calls or results that stand in a text, and for calls by anybody but the assistant."""
    if message.tool_calls and message.role != "assistant":
        raise Unreadable(f"message {place}: a tool call by the role {message.role}")
    text = message.content or ""
    if message.role == "assistant" and looks_like_call(text, tools):
        raise Unreadable(f"message {place}: the text holds a tool call in a form that cannot be read")
    if message.role == "user" and looks_like_result(text):
        raise Unreadable(f"message {place}: the user's text holds a tool result")


def _free(name: str, taken: set[str | None]) -> str:
    while name in taken:
        name += "_"
    taken.add(name)
    return name


class _Open(Struct):
    """A call that waits for its result. recorded: the log gave its id."""

    id: str
    tool: str
    recorded: bool
    result: str | None = None
    answered: bool = False


class _OpenCalls:
    """The calls that have no result yet. Each is looked at a bounded number of times: a log may hold many."""

    def __init__(self) -> None:
        self._order: deque[_Open] = deque()
        self._by_id: dict[str, deque[_Open]] = {}
        self._by_tool: dict[str, deque[_Open]] = {}
        self._last: dict[str, _Open] = {}

    def add(self, calls: Sequence[ToolCall], recorded: Sequence[bool]) -> None:
        """Calls of one message. An id that an earlier message used is theirs from now on."""
        for call in calls:
            self._by_id.pop(call.id or "", None)
        for call, has_id in zip(calls, recorded, strict=True):
            entry = _Open(call.id or "", call.name or "", has_id)
            self._order.append(entry)
            self._by_id.setdefault(entry.id, deque()).append(entry)
            self._by_tool.setdefault(entry.tool, deque()).append(entry)

    def answer(self, result: LogMessage, place: int) -> LogMessage | None:
        """The result with the id of its call: the first open one with that id, without an id the first of its tool.

        None for the copy of a result that was there already. Raises Unreadable where it answers no call.
        """
        call_id = result.tool_call_id
        entry = _first(self._by_id.get(call_id)) if call_id else None
        if entry is None and call_id and (before := self._last.get(call_id)) is not None:
            if before.result == (result.content or ""):
                return None
            raise Unreadable(f"message {place}: a second result for one call")
        if entry is None:
            by_tool = _first(self._by_tool.get(result.tool)) if result.tool else None
            entry = by_tool or (_first(self._order) if result.tool is None else None)
            if call_id and entry is not None and entry.recorded:
                entry = None  # both have ids, and they differ
        if entry is None:
            raise Unreadable(f"message {place}: a tool result without its call")
        entry.answered, entry.result = True, result.content or ""
        self._last[call_id or entry.id] = entry
        return replace(result, tool_call_id=entry.id, tool=entry.tool)


def _first(queue: deque[_Open] | None) -> _Open | None:
    while queue and queue[0].answered:
        queue.popleft()
    return queue[0] if queue else None


def made_id(file: Path | str, line: int) -> str:
    """The name of a conversation that has none: its file and line."""
    path = Path(file)
    is_log = path.suffix.lower() in (".json", ".jsonl", ".ndjson", ".log", ".txt", ".csv")
    return f"{path.stem if is_log else path.name}-{line}"  # half an address would not be redacted


def merged_tools(lists: Iterable[Sequence[Tool]]) -> tuple[Tool, ...]:
    """All tools, of those with one name the first."""
    tools: dict[str, Tool] = {}
    for listed in lists:
        for tool in listed:
            tools.setdefault(tool.name, tool)
    return tuple(tools.values())


_ODD = re.compile(r"[^\w.@:+-]+")
_LONGEST_NAME = 100


class Names:
    """Makes names of conversations fit to be names of sessions: unique, short, and no paths."""

    def __init__(self) -> None:
        self._given: set[str] = set()

    def name(self, name: str) -> str:
        """The wanted name, with a number at its end where it was given before."""
        plain = base = _ODD.sub("_", name).lstrip(".")[:_LONGEST_NAME] or "conversation"
        number = 1
        while plain in self._given:
            number += 1
            plain = f"{base}-{number}"
        self._given.add(plain)
        return plain
