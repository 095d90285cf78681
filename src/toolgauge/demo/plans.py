"""What a scripted dialogue does in one task: what the user says, and which calls with which values that means."""

from __future__ import annotations

from msgspec import Struct

from toolgauge.demo.fixture import SpokenValue


class FromResult(Struct, frozen=True):
    """Where a value comes from: a path in the result of another call of the same task, by its number."""

    call: int
    path: str


class PlannedCall(Struct, frozen=True):
    """A call. given: values that are said or known; links: values that results bring; known: names of those among the
    given ones that were said earlier in the dialogue and not in the user's present words."""

    tool: str
    given: dict[str, SpokenValue]
    links: dict[str, FromResult] = {}
    known: frozenset[str] = frozenset()

    @property
    def arguments(self) -> dict[str, object]:
        """The values that need no result."""
        return {name: spoken.value for name, spoken in self.given.items()}


class Seed(Struct, frozen=True):
    """Something the user mentions in passing, which a later task can lean on: a value of a parameter."""

    parameter: str
    spoken: SpokenValue
    tool: str


class TaskPlan(Struct, frozen=True):
    """One task. steps: numbers of the calls that are made together, step by step; missing: parameters of the first call
    that the user leaves out until asked; complete: the same request in a self-contained wording; reply: to a chat task.

    tool_known: does the utterance alone say what is to be done?
    """

    kind: str
    utterance: str
    calls: tuple[PlannedCall, ...] = ()
    steps: tuple[tuple[int, ...], ...] = ()
    missing: tuple[str, ...] = ()
    complete: str = ""
    reply: str = ""
    seed: Seed | None = None
    tool_known: bool = True

    def step_of(self, tool: str) -> int | None:
        """The first step that calls a tool."""
        return next((n for n, step in enumerate(self.steps) if any(self.calls[i].tool == tool for i in step)), None)


class KnownValue(Struct, frozen=True):
    """Something that stands in the dialogue and can be an argument now.

    tool: the only one whose argument it can be ("" any); listed: it is one of several in a result.
    """

    parameter: str
    value: object
    words: str
    task: int
    tool: str = ""
    listed: bool = False
    said: bool = True


class PastCall(Struct, frozen=True):
    """A call of an earlier task, with its result."""

    tool: str
    arguments: dict[str, object]
    response: object
    task: int
