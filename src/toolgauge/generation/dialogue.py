"""A dialogue while it is made and after: who said what, what they meant by it, and how it was judged.

The papers tell speakers apart by prefixes in the text; here the speaker is a field, and prefixes are put in front where
the papers' files are written (formats/records.py).
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal

from msgspec import Struct, field
from msgspec.structs import replace

from toolgauge.chat import Tool
from toolgauge.data.session import ASK, FINAL, Reference


class Speaker(StrEnum):
    """Whose turn an entry is. PLANNER_CHECKER and TOOL_CHECKER object to a try of the planner or the tools."""

    USER = "user"
    PLANNER = "planner"
    TOOL = "tool"
    AGENT = "agent"
    PLANNER_CHECKER = "planner_checker"
    TOOL_CHECKER = "tool_checker"


CHECKERS = (Speaker.PLANNER_CHECKER, Speaker.TOOL_CHECKER)
NeedKind = Literal["value", "order", "write"]
"""Why a call needs an earlier one: it uses a value of its result, must come after it, or uses what it has written."""


class Need(Struct, frozen=True):
    """What the planner says an action depends on. id: of an earlier action of the same task."""

    id: str
    why: NeedKind = "value"


class Action(Struct, frozen=True, omit_defaults=True):
    """A call the planner wants now: the name of a tool or of a pseudo-action, why, and what it needs.

    id: unique in the task, as the planner chose it.
    """

    name: str
    arguments: dict[str, Any]
    purpose: str = ""
    id: str = ""
    needs: tuple[Need, ...] = ()

    @property
    def is_tool(self) -> bool:
        return self.name not in (ASK, FINAL)


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


class Finding(Struct, frozen=True):
    """An objection to a try. rule: a short name for counting; field: one of the four analyses of the papers' verdicts;
    text: in the dialogue's language, for the agent who tries again."""

    rule: str
    field: str
    text: str


class Entry(Struct, frozen=True, omit_defaults=True):
    """One turn. text: what was said, without a prefix; task: which task of the dialogue it belongs to, from 0.

    accepted: False of a try that was objected to. Of a planner's turn `decision`, of the tools' `observations`, of a
    checker's `findings` (none: it agrees) hold what the text says. agent: who of the family spoke ("user_ask").
    """

    speaker: Speaker
    text: str
    task: int
    agent: str = ""
    accepted: bool = True
    decision: Decision | None = None
    observations: tuple[Observation, ...] = ()
    findings: tuple[Finding, ...] = ()


class IntendedCall(Struct, frozen=True):
    """A call that the user has in mind."""

    name: str
    arguments: dict[str, Any] = {}


class Referral(Struct, frozen=True, omit_defaults=True):
    """What a message leans on. task: which earlier one, from 0; words: the words or the result that it points at."""

    kind: Reference
    task: int
    words: str = ""


class Proposal(Struct, frozen=True, omit_defaults=True):
    """What a user might say, and what is meant by it.

    calls: the intended ones, in order; withheld: required parameters that are not said (clarify); refers_to: None of a
    message that leans on nothing.
    """

    text: str
    calls: tuple[IntendedCall, ...] = ()
    withheld: tuple[str, ...] = ()
    refers_to: Referral | None = None


class Ruling(StrEnum):
    """Of a value that does not stand literally in what was said: why it is right, or that it is not."""

    STATED = "stated"
    IMPLIED = "implied"
    COMPUTED = "computed"
    UNASKED = "unasked"
    WRONG = "wrong"


class ArgumentVerdict(Struct, frozen=True, omit_defaults=True):
    """The judge's word on one value. call: the node of the task, from 0; path: of the argument (`guest.name`).

    value: as it was judged; accept: other values that are right there; compare: "text" where the wording is free, "any"
    where the content is.
    """

    call: int
    path: str
    value: Any
    ruling: Ruling
    reason: str = ""
    accept: tuple[Any, ...] = ()
    compare: Literal["", "text", "any"] = ""


class EdgeVerdict(Struct, frozen=True):
    """The judge's word on an edge of the graph: `call` needs `before` (or does not)."""

    before: int
    call: int
    reason: str = ""


class Verdict(Struct, frozen=True, omit_defaults=True):
    """The judge's verdict on a finished task.

    needs_earlier: is the message understood only with what came before? reference: how it leans on that, by the
    judge's word; earlier_task: on which task, from 0. Of recorded conversations, unmet: what the user asked for and did
    not get; repeated: the nodes that ask for what an earlier result says.
    """

    answer_agrees: bool
    answer_reason: str = ""
    arguments: tuple[ArgumentVerdict, ...] = ()
    missing: tuple[EdgeVerdict, ...] = ()
    false: tuple[EdgeVerdict, ...] = ()
    needs_earlier: bool = True
    reference: Reference | None = None
    earlier_task: int | None = None
    reason: str = ""
    unmet: str = ""
    repeated: tuple[int, ...] = ()


class PlannedTask(Struct, frozen=True, omit_defaults=True):
    """What was dictated about a task: its kind (single, multi, clarify, chat), how it leans on what was said before.

    shape: how its calls are to depend on each other, dictated: by the path, else it is only what the user is asked for.
    pattern, example: which of the worked examples guided a later task. chosen: the tool that a first task was made for;
    missing: of its parameters, what a question was to be about. candidates: what was proposed; intent: the one that was
    said; verdict: the judge's, None where nobody judged. flagged: what speaks against the task, where it was kept
    nevertheless (`--accept-flagged`).
    """

    kind: str
    reference: Reference = Reference.FIRST_TURN
    shape: str | None = None
    dictated: bool = False
    pattern: str | None = None
    example: str | None = None
    chosen: str | None = None
    missing: tuple[str, ...] = ()
    candidates: tuple[Proposal, ...] = ()
    intent: Proposal | None = None
    verdict: Verdict | None = None
    flagged: tuple[str, ...] = ()


class Dialogue(Struct, frozen=True, omit_defaults=True):
    """A whole dialogue.

    clock: date, time and weekday it is set in (`moment` in files). tool_list: the id of its tools' list. earlier: how
    many tasks at its beginning were given (reviewed before), not made here.
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

    def first(self, tasks: int) -> Dialogue:
        """So many of its tasks from the beginning."""
        entries = tuple(entry for entry in self.entries if entry.task < tasks)
        return replace(self, tasks=self.tasks[:tasks], entries=entries)

    @property
    def kept(self) -> tuple[Entry, ...]:
        """The accepted entries, without checkers."""
        return tuple(entry for entry in self.entries if entry.accepted and entry.speaker not in CHECKERS)


def kind_of(entries: tuple[Entry, ...], task: int) -> str:
    """What the entries of a task have made of it: clarify if something was asked, else by the number of calls."""
    actions = [action for entry in entries if entry.task == task and entry.accepted for action in actions_of(entry)]
    if any(action.name == ASK for action in actions):
        return "clarify"
    return ("chat", "single", "multi")[min(sum(action.is_tool for action in actions), 2)]


def actions_of(entry: Entry) -> tuple[Action, ...]:
    return entry.decision.actions if entry.decision else ()
