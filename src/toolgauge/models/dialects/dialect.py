"""What a dialect is: how a family of models is told of tools and writes its calls, in text alone.

A dialect is data and two pure functions. `render` turns a conversation with tools into messages of plain text, `parse`
turns the text of a reply back into calls. Both take anything, raise nothing, and stay within the bounds given here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from toolgauge.call_problems import CallProblem
from toolgauge.chat import Json, Message, Tool, ToolCall

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


class Dialect(Protocol):
    """A family's way of writing."""

    @property
    def name(self) -> str:
        """As `--dialect` takes it: lower case, digits, dots and hyphens."""
        ...

    @property
    def title(self) -> str:
        """Whose way of writing this is, for tables: names of models, the same in every language."""
        ...

    @property
    def models(self) -> tuple[str, ...]:
        """Regular expressions for the whole lower-case names of models that surely write so (see `dialect_for`)."""
        ...

    @property
    def stop(self) -> tuple[str, ...]:
        """Texts at which generation must be stopped, for servers that do not do so by themselves."""
        ...

    def render(self, messages: tuple[Message, ...], tools: tuple[Tool, ...], language: str) -> tuple[Message, ...]:
        """The conversation as messages of role and text only: tools in the system prompt (or where the family has
        them), earlier calls and results as the family writes them. language: "en" or "zh", of our own words."""
        ...

    def parse(self, text: str, tools: tuple[Tool, ...] = ()) -> Parsed:
        """What the text of a reply says; never raises. tools: those on offer, for families whose way of writing leaves
        the types of values open."""
        ...


class PlainCall(Struct, frozen=True):
    """An earlier call as every dialect writes it: a name and an object of arguments. id: the call's; schemas: of its
    arguments, by their names, where its tool is on offer."""

    name: str
    arguments: Json
    id: str = ""
    schemas: dict[str, object] = {}


class Result(Struct, frozen=True):
    """What came of an earlier call. id: the call's; name: of the tool, "" where the conversation does not say."""

    id: str
    name: str
    content: str


class Speaker(Protocol):
    """How one family writes the three things that are more than text; the hooks of `Family`."""

    def brief(self, said: str, tools: tuple[Tool, ...], language: str) -> str:
        """The text of the message in which the tools stand (see `Family.place`), mostly the system prompt. said: what
        that message says otherwise, may be empty."""
        ...

    def say(self, content: str, calls: Sequence[PlainCall]) -> str:
        """The text of an earlier message of the assistant with calls. content: what it says beside them."""
        ...

    def report(self, results: Sequence[Result]) -> str:
        """The text of the message that brings the results of calls, in the order they came."""
        ...

    def parse(self, text: str) -> Parsed:
        """See `Dialect.parse`."""
        ...
