"""Session > Task > Call: the one internal model of a dialogue whose answers are graphs of tool calls.

The papers' public data files and files of one's own (sessions.py) are read into it.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cached_property

from msgspec import Struct

from toolgauge.chat import Json, Message, Tool
from toolgauge.data.meaning import Comparison, Fact
from toolgauge.data.record import parse_pointer
from toolgauge.data.task_ids import with_epoch

ASK = "ask_user_for_required_parameters"
"""Pseudo-action: ask the user back. Never offered as a tool."""
FINAL = "prepare_to_answer"
"""Pseudo-action: the closing reply of a task. Never offered as a tool."""
MAX_ENTRIES = 100
"""Places, values or facts of one annotation at most."""
SET_LIMIT = 50
"""Items of a set at most; longer arrays are compared item by item, in their order."""


class TaskType(StrEnum):
    """What a task wants (the papers' six classes)."""

    SINGLE_TOOL = "single_tool"
    PARALLEL_TOOLS = "parallel_tools"
    SEQUENTIAL_TOOLS = "sequential_tools"
    MIXED_TOOLS = "mixed_tools"
    CLARIFY = "clarify"
    CHAT = "chat"

    @property
    def kind(self) -> str:
        """One of the four kinds single, multi, clarify, chat."""
        return _ALONE.get(self, "multi")


KINDS = ("single", "multi", "clarify", "chat")
_ALONE = {TaskType.SINGLE_TOOL: "single", TaskType.CLARIFY: "clarify", TaskType.CHAT: "chat"}


class Reference(StrEnum):
    """How a task refers to what was said before."""

    FIRST_TURN = "first_turn"
    COREFERENCE = "coreference"
    PARTIAL_INFORMATION = "partial_information"
    LONG_RANGE = "long_range"


class Acceptance(Struct, frozen=True, omit_defaults=True, dict=True):
    """What a call takes besides its annotated arguments; keys are JSON Pointers into these. Only the scoring `exact`
    looks at it (docs/files.md#annotations); public data have none."""

    accept: dict[str, tuple[object, ...]] = {}
    """Further values."""
    compare: dict[str, Comparison] = {}
    """By what values are compared."""
    defaults: dict[str, object] = {}
    """What the tool takes where an argument is not given: giving that value and leaving it out are the same."""

    @cached_property
    def defaults_of(self) -> dict[str, dict[str, object]]:
        """The defaults by the pointer of the object that they are members of."""
        grouped: dict[str, dict[str, object]] = {}
        for pointer, value in self.defaults.items():
            grouped.setdefault(pointer.rpartition("/")[0], {})[parse_pointer(pointer)[-1]] = value
        return grouped


class Call(Struct, frozen=True, omit_defaults=True):
    """One annotated node of a task's graph: a tool call, a question to the user (ASK) or the closing reply (FINAL).

    after: positions of its direct predecessors. observation: the tool's result, or the question's or reply's text.
    sources: argument path -> where its value comes from (only in data that annotates it).
    acceptance: what else is right; optional: the call may be left out. Of the closing reply: facts that it must
    mention; unservable: no tool on offer can do what the user wants (docs/files.md#annotations).
    """

    index: int
    name: str
    arguments: dict[str, object]
    after: tuple[int, ...] = ()
    observation: object = None
    user_input: str | None = None
    sources: dict[str, list[Json]] = {}
    extra: Json = {}
    acceptance: Acceptance | None = None
    optional: bool = False
    facts: tuple[Fact, ...] = ()
    unservable: bool = False

    @property
    def is_tool(self) -> bool:
        return self.name not in (ASK, FINAL)


class Task(Struct, frozen=True, omit_defaults=True, dict=True):
    """What the user wants at one point of a session.

    calls: the annotated graph in topological order, the closing reply last. dialogue: the stored plain messages of this
    task, its utterance at `opening`. true_multi_turn: MMTB's flag, needs the context. clock: overrides the session's.
    """

    index: int
    utterance: str
    type: TaskType
    reference: Reference
    calls: tuple[Call, ...]
    dialogue: tuple[Message, ...] = ()
    opening: int = 0
    true_multi_turn: bool = True
    clock: str | None = None
    extra: dict[str, object] = {}

    @cached_property
    def facts(self) -> tuple[Fact, ...]:
        """What the closing reply must mention."""
        return tuple(fact for call in self.calls for fact in call.facts)

    @property
    def unservable(self) -> bool:
        """Whether no tool on offer can do what the user wants."""
        return any(call.unservable for call in self.calls)

    @cached_property
    def shape(self) -> TaskType | None:
        """Parallel, sequential or mixed by the graph alone, None for fewer than two calls.

        Source: docs/rules.md#the-shape-of-a-graph.

        Tool calls are walked in order; a new group begins where one needs a member of the current group.
        """
        groups: list[set[int]] = [set()]
        for call in self.calls:
            if not call.is_tool:
                continue
            if groups[-1] & set(call.after):
                groups.append(set())
            groups[-1].add(call.index)
        wide = any(len(group) > 1 for group in groups)
        if len(groups) > 1:
            return TaskType.MIXED_TOOLS if wide else TaskType.SEQUENTIAL_TOOLS
        return TaskType.PARALLEL_TOOLS if wide else None


class Session(Struct, frozen=True, omit_defaults=True, dict=True):
    """A whole dialogue over one list of tools.

    clock: date and time as the data file writes them. line: where it stands in its file (from 1).
    tools: as they are sent, that is with JSON Schema's type names; `original_tools`: as the file has them. searched:
    they are not offered but found by a search (`tools/variants.py`).
    """

    id: str
    language: str
    clock: str
    tools: tuple[Tool, ...]
    tasks: tuple[Task, ...]
    original_tools: tuple[Json, ...] = ()
    extra: Json = {}
    line: int = 0
    searched: bool = False

    @cached_property
    def tools_by_name(self) -> dict[str, Tool]:
        return {tool.name: tool for tool in self.tools}

    @cached_property
    def prepared(self) -> dict[int, object]:
        """What whoever judges has made of the tasks, by their index (judge/replies.py): once, for all runs."""
        return {}

    def task_id(self, index: int, epoch: int = 0) -> str:
        return with_epoch(f"{self.id}/{index}", epoch)


class Dataset(Struct, frozen=True, dict=True):
    """The sessions of one file in one language; sha256 of the file identifies it in a run's manifest."""

    name: str
    language: str
    sha256: str
    sessions: tuple[Session, ...]
    file: str = ""

    @cached_property
    def by_id(self) -> dict[str, Session]:
        return {session.id: session for session in self.sessions}
