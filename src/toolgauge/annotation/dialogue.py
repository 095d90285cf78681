"""A dialogue while it is made and after: who said what, in one list that all agents see.

The papers tell speakers apart by prefixes in the text; here the speaker is a field, and prefixes are put in front where
the papers' files are written (formats/).
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from toolgauge.chat import Tool
from toolgauge.data.session import Reference


class Speaker(StrEnum):
    """Whose turn an entry is. PLANNER_CHECKER and TOOL_CHECKER judge a try of the planner or the tools."""

    USER = "user"
    PLANNER = "planner"
    TOOL = "tool"
    AGENT = "agent"
    PLANNER_CHECKER = "planner_checker"
    TOOL_CHECKER = "tool_checker"


CHECKERS = (Speaker.PLANNER_CHECKER, Speaker.TOOL_CHECKER)


class Action(Struct, frozen=True):
    """A call the planner wants now: the name of a tool or of a pseudo-action, and why."""

    name: str
    arguments: dict[str, object]
    purpose: str = ""


class Decision(Struct, frozen=True, omit_defaults=True):
    """What the planner says: is the user's task finished, its thought and plan, and the calls to make now, together.

    answer: what the user gets to read, where it asks or answers; the assistant's entry behind it has the words.
    """

    finished: bool
    thought: str
    plan: str
    actions: tuple[Action, ...]
    answer: str | None = None


class Observation(Struct, frozen=True):
    """What a simulated tool answers to one call: an HTTP status and a JSON body."""

    status_code: int
    response: Any


class CheckerFinding(Struct, frozen=True):
    """A checker's objection. rule: the validator's name; field: one of the four analyses of the papers' verdicts."""

    rule: str
    field: str
    text: str


class Entry(Struct, frozen=True, omit_defaults=True):
    """One turn. text: what was said, without a prefix; task: which task of the dialogue it belongs to, from 0.

    accepted: False of a try that a checker rejected. Of a planner's turn `decision`, of the tools' `observations`, of a
    checker's `findings` (none: it agrees) hold what the text says. agent: who of the family spoke ("user_ask").
    """

    speaker: Speaker
    text: str
    task: int
    agent: str = ""
    accepted: bool = True
    decision: Decision | None = None
    observations: tuple[Observation, ...] = ()
    findings: tuple[CheckerFinding, ...] = ()


class PlannedTask(Struct, frozen=True, omit_defaults=True):
    """What was dictated about a task: its kind (single, multi, clarify, chat), how it leans on what was said before.

    pattern and example: which of the few-shot examples guided a later task. candidates: tasks that were proposed.
    chosen: the tool a first task was made for; missing: of its parameters, what a question was to be about.
    """

    kind: str
    reference: Reference = Reference.FIRST_TURN
    shape: str | None = None
    pattern: str | None = None
    example: str | None = None
    candidates: tuple[str, ...] = ()
    chosen: str | None = None
    missing: tuple[str, ...] = ()


class Dialogue(Struct, frozen=True, omit_defaults=True):
    """A whole dialogue.

    clock: date, time and weekday it is set in (`moment` in files). tool_list: the id of its tools' list. earlier: how
    many tasks at its beginning were given (reviewed before), not made here. judged: while it is made, how many of the
    entries that are kept were judged when they came.
    """

    id: str
    language: str
    clock: str = field(name="moment")
    tool_list: str
    tools: tuple[Tool, ...]
    tasks: tuple[PlannedTask, ...]
    entries: tuple[Entry, ...]
    scenario: str | None = None
    earlier: int = 0
    judged: int = 0

    def of_task(self, index: int) -> tuple[Entry, ...]:
        """The entries of one task, rejected tries included."""
        return tuple(entry for entry in self.entries if entry.task == index)

    def first(self, tasks: int) -> Dialogue:
        """So many of its tasks from the beginning."""
        entries = tuple(entry for entry in self.entries if entry.task < tasks)
        return replace(self, tasks=self.tasks[:tasks], entries=entries)

    @property
    def kept(self) -> tuple[Entry, ...]:
        """The accepted entries, without checkers."""
        return tuple(entry for entry in self.entries if entry.accepted and entry.speaker not in CHECKERS)
