"""A conversation as the checks see it: what the user wanted, which calls were made for it, and what came back."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator, Sequence
from functools import cached_property

from msgspec import Struct

from toolgauge.annotation.dialogue import Observation
from toolgauge.annotation.grounding.values import folded, leaves
from toolgauge.annotation.lookups import is_lookup, is_write
from toolgauge.chat import Message, Tool
from toolgauge.conversations.conversation import Conversation
from toolgauge.conversations.results import has_failed, read_result
from toolgauge.judge.arguments import read_arguments

LONGEST = 5000
"""Characters of a message that are searched for words."""
MOST_AT_ONCE = 20
"""Messages of the user in a row that are searched."""


class MadeCall(Struct, frozen=True, dict=True):
    """A call of a conversation.

    message, index: where it stands (`Place`). request: which of the user's requests it was made for, from -1 (before
    any). raw: the arguments as recorded. tool: its definition, where the log has it. observed: its result, at message
    `result_at`; None where none was recorded.
    """

    message: int
    index: int
    request: int
    name: str
    raw: object
    tool: Tool | None = None
    observed: Observation | None = None
    result_at: int = -1

    @property
    def answered(self) -> bool:
        return self.observed is not None

    @property
    def result(self) -> object:
        """As JSON where it is that, else the text."""
        return self.observed.response if self.observed else None

    @cached_property
    def arguments(self) -> dict[str, object] | None:
        """None of what is not a JSON object; no arguments at all are an empty one."""
        value = {} if self.raw is None or self.raw == "" else read_arguments(self.raw)
        return value if isinstance(value, dict) else None

    @cached_property
    def too_deep(self) -> bool:
        """Are the arguments nested too deeply to be read? Nobody can say then what is wrong with them."""
        if self.arguments is not None or not isinstance(self.raw, str):
            return self.arguments is None and isinstance(self.raw, dict)
        try:
            return isinstance(json.loads(self.raw), dict)
        except RecursionError:
            return True
        except ValueError:
            return False

    @cached_property
    def key(self) -> tuple[object, ...]:
        """Equal for calls that ask for the same, apart from the order of arguments, case and blanks."""
        if self.arguments is None:
            return self.name, str(self.raw)
        given = (
            (path, folded(value) or value if isinstance(value, str) else repr(value)) for path, value in self.given
        )
        return self.name, *sorted(given)

    @cached_property
    def given(self) -> tuple[tuple[str, object], ...]:
        """The scalars among the arguments, with their paths."""
        return tuple(leaves(self.arguments or {}))

    @cached_property
    def failed(self) -> bool:
        return self.observed is not None and has_failed(self.observed)

    @cached_property
    def reads(self) -> bool:
        """Does it surely only look something up?"""
        return is_lookup(self.name, self.tool.read_only if self.tool else None)

    @cached_property
    def writes(self) -> bool:
        """Does it surely change something?"""
        return is_write(self.name) and not (self.tool and self.tool.read_only)


class UserRequest(Struct, frozen=True):
    """What the user said up to the assistant's next reply. at: the messages; said: their text, bounded; end: where the
    next request begins or the conversation ends."""

    at: tuple[int, ...]
    said: str
    end: int


class RecordedDialogue(Struct, frozen=True, dict=True):
    """conversation: what was read. calls: in the order in which they were made."""

    conversation: Conversation
    calls: tuple[MadeCall, ...]
    requests: tuple[UserRequest, ...]

    @property
    def messages(self) -> Sequence[Message]:
        return self.conversation.messages

    @cached_property
    def by_message(self) -> dict[int, list[MadeCall]]:
        found: dict[int, list[MadeCall]] = {}
        for call in self.calls:
            found.setdefault(call.message, []).append(call)
        return found

    @cached_property
    def results(self) -> dict[int, MadeCall]:
        """The calls by the messages of their results."""
        return {call.result_at: call for call in self.calls if call.answered}

    @cached_property
    def _by_request(self) -> dict[int, list[MadeCall]]:
        found: dict[int, list[MadeCall]] = {}
        for call in self.calls:
            found.setdefault(call.request, []).append(call)
        return found

    def calls_of(self, request: int) -> list[MadeCall]:
        return self._by_request.get(request, [])

    def said_in(self, request: int) -> str:
        """The user's words of a request; "" before the first."""
        return self.requests[request].said if 0 <= request < len(self.requests) else ""


def read_dialogue(conversation: Conversation) -> RecordedDialogue:
    """Never raises: a log may hold anything."""
    requests = tuple(_requests(conversation.messages))
    places = {position: number for number, one in enumerate(requests) for position in range(one.at[0], one.end)}
    tools = {tool.name: tool for tool in conversation.tools}
    results = _results(conversation.messages)
    calls = []
    for position, message in enumerate(conversation.messages):
        for index, call in enumerate(message.tool_calls if message.role == "assistant" else ()):
            name = call.name if isinstance(call.name, str) else ""
            at = results.get((position, index), -1)
            observed = read_result(conversation.messages[at].content or "") if at >= 0 else None
            where = places.get(position, -1)
            calls.append(MadeCall(position, index, where, name, call.arguments, tools.get(name), observed, at))
    return RecordedDialogue(conversation, tuple(calls), requests)


def _requests(messages: Sequence[Message]) -> Iterator[UserRequest]:
    """Several messages of the user in a row are one request."""
    found: list[list[int]] = []
    speaking = False
    for position, message in enumerate(messages):
        if message.role == "user":
            if not speaking:
                found.append([])
            found[-1].append(position)
        speaking = message.role == "user"
    ends = [*(one[0] for one in found[1:]), len(messages)]
    for at, end in zip(found, ends, strict=False):
        said = "\n".join((messages[position].content or "")[:LONGEST] for position in at[:MOST_AT_ONCE])
        yield UserRequest(tuple(at), said, end)


def _results(messages: Sequence[Message]) -> dict[tuple[int, int], int]:
    """The messages of the results by their calls, of the last message with calls: readers of logs give all of them ids
    (formats/messages.py)."""
    found: dict[tuple[int, int], int] = {}
    waiting: dict[str, deque[tuple[int, int]]] = {}
    for position, message in enumerate(messages):
        if message.role == "assistant" and message.tool_calls:
            waiting = {}
            for index, call in enumerate(message.tool_calls):
                waiting.setdefault(call.id or "", deque()).append((position, index))
        elif message.role == "tool" and (own := waiting.get(message.tool_call_id or "")):
            found[own.popleft()] = position
    return found
