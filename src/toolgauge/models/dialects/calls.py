"""What goes into dialects and comes out of them: earlier calls and results, and what the text of a reply says."""

from __future__ import annotations

import json

from msgspec import Struct

from toolgauge.call_problems import CallProblem
from toolgauge.chat import Json, ToolCall
from toolgauge.models.replies import tame

MAX_TEXT = 2_000_000
"""Characters of a reply that are read for calls; a longer one is text."""
MAX_CALLS = 128
"""Calls read from one reply; what comes after them stays text."""
MAX_DEPTH = 64
"""Levels of nesting in the arguments of a call."""


class Parsed(Struct, frozen=True, omit_defaults=True):
    """What a reply's text says.

    content: what is said to the user, without calls and reasoning; what looked like a call and could not be read stays
    in it. calls: in order, with ids "call_0", "call_1" by their place in the reply. reasoning: the content of thinking
    blocks. problem: why something that looks like a call was not read, or None.
    """

    content: str | None = None
    calls: tuple[ToolCall, ...] = ()
    reasoning: str | None = None
    problem: CallProblem | None = None


class PlainCall(Struct, frozen=True):
    """An earlier call as every dialect writes it: a name and an object of arguments; other arguments (a model's
    mistake) are wrapped into one, as they are for endpoints with native calls. id: the call's; schemas: of its
    arguments, by their names, where its tool is on offer."""

    name: str
    arguments: Json
    id: str = ""
    schemas: Json = {}


class Result(Struct, frozen=True):
    """What came of an earlier call. id: the call's; name: of the tool, "" where the conversation does not say."""

    id: str
    name: str
    content: str


def write_json(value: object) -> str:
    """A value as one line of JSON with blanks after commas and colons, as most templates write it. What JSON cannot
    carry becomes null."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (ValueError, TypeError, RecursionError):
        return json.dumps(tame(value), ensure_ascii=False, default=lambda _other: None)


def new_call(number: int, name: str, arguments: Json) -> ToolCall:
    """A call with its id by its place in the reply, its arguments as JSON text."""
    return ToolCall(f"call_{number}", name, write_json(tame(arguments, MAX_DEPTH + 1)))


def within_depth(value: object) -> bool:
    """Is a JSON value nested at most MAX_DEPTH levels deep? Looked at level by level, without recursion."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [
            part
            for node in level
            if isinstance(node, dict | list)
            for part in (node.values() if isinstance(node, dict) else node)
        ]
        if not level:
            return True
    return False
