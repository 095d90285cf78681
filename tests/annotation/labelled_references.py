"""A labelled set of later messages with the dialogue before them, written by hand in both languages: does the message
need that dialogue, and how does it lean on it? `measure` counts what filters/multi_turn.py and annotation/references.py
find of them."""

from __future__ import annotations

import random
from pathlib import Path

import msgspec
from msgspec import Struct, field

from tests.generation.dialogues import asks, calls, closes, dialogue, results, tool, user
from toolgauge.annotation.dialogue import Action, Dialogue, Entry
from toolgauge.annotation.graph import annotate
from toolgauge.annotation.references import found_reference
from toolgauge.chat import Json, Reply, Tool
from toolgauge.data.session import FINAL, Reference, Session
from toolgauge.generation.filters.multi_turn import ablated
from toolgauge.generation.state import DialogueState, StepRecord

LABELS = (Reference.COREFERENCE, Reference.PARTIAL_INFORMATION, Reference.LONG_RANGE)
CASES = Path(__file__).parent / "reference_cases.jsonl"


class Question(Struct, frozen=True):
    tool: str
    missing: list[str]


class EarlierTask(Struct, frozen=True):
    """What the user wanted, what was called for it, and what came back."""

    task: str
    reply: str
    calls: list[tuple[str, Json]] = []


class LaterMessage(Struct, frozen=True):
    """reference: how it leans on the dialogue; None: it can do without. alone: what a planner that sees only the
    message calls (`alone_same`: the same as with the dialogue); nothing: it asks back."""

    task: str
    reference: Reference | None = None
    asks: Question | None = None
    calls: list[tuple[str, Json]] = []
    alone: list[tuple[str, Json]] = []
    alone_same: bool = False


class ReferenceCases(Struct, frozen=True):
    """Messages that could all follow the same dialogue. part: written before or after the rules; held_out: not looked
    at while these were written."""

    language: str
    part: str
    tools: dict[str, str]
    earlier: list[EarlierTask]
    later: list[LaterMessage]


class Found(Struct):
    """Of one label: found and right, found, labelled."""

    right: int = 0
    found: int = 0
    labelled: int = 0

    def add(self, is_found: bool, is_labelled: bool) -> None:
        self.right += is_found and is_labelled
        self.found += is_found
        self.labelled += is_labelled

    @property
    def precision(self) -> float:
        return self.right / self.found if self.found else 1.0

    @property
    def recall(self) -> float:
        return self.right / self.labelled if self.labelled else 1.0


class Measured(Struct):
    """multi_turn: of messages with calls; requests: what judging these took."""

    messages: int = 0
    with_calls: int = 0
    requests: int = 0
    multi_turn: Found = field(default_factory=Found)
    references: dict[Reference, Found] = field(default_factory=dict)


def reference_cases(part: str | None = None) -> list[ReferenceCases]:
    found = [msgspec.json.decode(line, type=ReferenceCases) for line in CASES.read_bytes().splitlines()]
    return [one for one in found if part in (None, one.part)]


def tools_of(cases: ReferenceCases) -> tuple[Tool, ...]:
    """Their tools, with the parameters that calls use: required is what every call has."""
    made: dict[str, list[Json]] = {name: [] for name in cases.tools}
    every = [call for one in cases.earlier for call in one.calls] + [call for one in cases.later for call in one.calls]
    for name, arguments in every:
        made.setdefault(name, []).append(arguments)
    return tuple(_tool(name, cases.tools.get(name, ""), arguments) for name, arguments in made.items())


def _tool(name: str, description: str, calls: list[Json]) -> Tool:
    types = {str: "string", int: "integer", bool: "boolean"}
    properties = {key: {"type": types[type(value)]} for one in calls for key, value in one.items()}
    return tool(name, description, [key for key in properties if all(key in one for one in calls)], **properties)


def dialogue_of(cases: ReferenceCases, later: LaterMessage, drawn: Reference) -> Dialogue:
    before = [[user(one.task), *_called(one.calls), *closes(one.reply)] for one in cases.earlier]
    question = asks("?", "-", later.asks.tool, *later.asks.missing) if later.asks else []
    turns = [user(later.task), *question, *_called(later.calls), *closes(".", "tool" if later.calls else "chat")]
    kinds = [*("chat" for _ in before), "clarify" if question else "single" if later.calls else "chat"]
    tools, references = tools_of(cases), [*(Reference.FIRST_TURN for _ in before), drawn]
    return dialogue(*before, turns, kinds=kinds, references=references, language=cases.language, tools=tools)


def _called(made: list[tuple[str, Json]]) -> list[Entry]:
    return [calls(*(Action(*one) for one in made)), results(*({} for _ in made))] if made else []


def alone_reply(later: LaterMessage) -> Reply:
    """What a planner says who sees only the message."""
    if later.alone_same:
        question = asks("?", "-", later.asks.tool, *later.asks.missing)[0] if later.asks else None
        return Reply((question or calls(*(Action(*one) for one in later.calls))).text)
    if later.alone:
        return Reply(calls(*(Action(*one) for one in later.alone)).text)
    return Reply(calls(Action(FINAL, {"answer_type": "chat"})).text)


def judged(one: Dialogue, session: Session, reply: Reply) -> tuple[object, int]:
    """The evidence against the last task, and the requests that it took."""
    state = DialogueState(StepRecord("slot"), one.language, one.tools, one.tool_list, random.Random(1), one.clock)
    state.tasks, state.entries = list(one.tasks), list(one.entries)
    judging = ablated(session.tasks[-1], session, one, state)
    requests = 0
    try:
        next(judging)
        while True:
            requests += 1
            judging.send(reply)
    except StopIteration as end:
        return end.value, requests


def measured(cases: list[ReferenceCases]) -> Measured:
    """What is found of cases in one language."""
    total = Measured(references={one: Found() for one in LABELS})
    for case, later in [(one, later) for one in cases for later in one.later]:
        made = dialogue_of(case, later, Reference.PARTIAL_INFORMATION)
        session = annotate(made)
        total.messages += 1
        found, _ = found_reference(session.tasks[-1], session.tasks[:-1], case.language)
        for label in LABELS:
            total.references[label].add(found is label, later.reference is label)
        if later.calls:
            evidence, requests = judged(made, session, alone_reply(later))
            total.with_calls += 1
            total.requests += requests
            total.multi_turn.add(evidence is None, later.reference is not None)
    return total
