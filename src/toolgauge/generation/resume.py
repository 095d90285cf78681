"""Going on from a dialogue that people reviewed: its record becomes a state as if it had been made here."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from toolgauge.annotation.dialogue import Action, Decision, Observation, PlannedTask, Speaker
from toolgauge.annotation.graph import PLAN, PURPOSE, THOUGHT
from toolgauge.benchmarks.dialogues.data import wildtoolbench
from toolgauge.benchmarks.dialogues.history import shortest_path
from toolgauge.data.lines import read_lines
from toolgauge.data.record import DataLine as Line
from toolgauge.data.record import shown
from toolgauge.data.session import ASK, FINAL, Call, Session
from toolgauge.errors import DataError, UsageError
from toolgauge.generation.prompts import texts
from toolgauge.generation.state import DialogueState, HintProvider, StepRecord
from toolgauge.judge.graph import CallGraph
from toolgauge.locale import _, named_field

OK = 200
"""The status of results in records, which only have their content."""


def session_of(opening: Mapping[str, object], language: str, file: str = "--resume-from", line: int = 0) -> Session:
    """The session in a record of WildToolBench's layout; raises DataError where it cannot be read."""
    session = wildtoolbench.read_session(Line(file, line, opening), language)
    assert session is not None, "without a list for problems they are raised"
    return session


class SessionOpening(Struct, frozen=True):
    """A reviewed session that is to be continued: its record and the kinds of its tasks."""

    id: str
    record: dict[str, object]
    kinds: tuple[str, ...]


def read_openings(path: Path | str, language: str, layer: int | None = None) -> list[SessionOpening]:
    """The sessions of a file in WildToolBench's layout. layer: the number (from 1) of the task that is to be added.

    Raises DataError, with file, line and JSON path, for what cannot be read, and for a session of another length than
    the layer needs; UsageError for a layer below two.
    """
    if layer is not None and layer < 2:
        raise UsageError(
            _(
                "{layer_field} {layer}: the first task that can be added is the second",
                layer=layer,
                layer_field=named_field("layer"),
            )
        )
    openings: dict[str, SessionOpening] = {}
    for line, record in read_lines(path):
        session = session_of(record, language, str(path), line)
        if layer is not None and len(session.tasks) != layer - 1:
            raise DataError(
                _(
                    "has {count} tasks; {layer_field} {layer} adds to sessions of {layer2}",
                    count=len(session.tasks),
                    layer=layer,
                    layer2=layer - 1,
                    layer_field=named_field("layer"),
                ),
                path,
                line,
            )
        if session.id in openings:
            raise DataError(
                _("{session} is the id of an earlier line already", session=shown(session.id)), path, line, "id"
            )
        openings[session.id] = SessionOpening(session.id, record, tuple(task.type.kind for task in session.tasks))
    if not openings:
        raise DataError(_("holds no session"), path)
    return list(openings.values())


def resumed_state(
    record: StepRecord,
    opening: Mapping[str, object],
    language: str,
    draw: random.Random,
    hints: HintProvider | None = None,
) -> DialogueState:
    """The state after the tasks of a reviewed session: its calls are the planner's decisions, step by step."""
    session = session_of(opening, language)
    origin = session.extra.get("origin")
    named = origin.get("tool_list") if isinstance(origin, dict) else None
    tool_list = named if isinstance(named, str) and named else session.id
    state = DialogueState(record, language, session.tools, tool_list, draw, session.clock, hints)
    for task in session.tasks:
        kind, first = task.type.kind, not state.tasks
        state.tasks.append(PlannedTask(kind, task.reference, task.type.value if kind == "multi" else None))
        state.say(Speaker.USER, task.utterance, agent="" if first else "user_continue_question")
        for step in shortest_path(CallGraph([call.name for call in task.calls], [call.after for call in task.calls])):
            calls = [task.calls[index] for index in step]
            _add_decision(state, calls)
            _add_answers(state, calls)
    return state


def _add_decision(state: DialogueState, calls: Sequence[Call]) -> None:
    """The planner decides on these calls, in the words of the record, or in ours where it has none."""
    words, name = texts("reopened", state.language), calls[0].name
    situation = {ASK: "ask", FINAL: "final"}.get(name, "calls")
    named = words["and"].join(dict.fromkeys(call.name for call in calls))
    thought, plan = (words[f"{part}_{situation}"].format(tools=named) for part in ("thought", "plan"))
    thought, plan = _said(calls, THOUGHT) or thought, _said(calls, PLAN) or plan
    usual = [words["purpose"].format(tool=call.name) if call.is_tool else "" for call in calls]
    purposes = [_said([call], PURPOSE) or text for call, text in zip(calls, usual, strict=True)]
    actions = tuple(Action(call.name, call.arguments, purpose) for call, purpose in zip(calls, purposes, strict=True))
    decision = Decision(name == FINAL, thought, plan, actions)
    written: dict[str, object] = {
        words["finish"]: "yes" if decision.finished else "no",
        "Thought": thought,
        "Plan": plan,
        "Action_List": [
            {"name": one.name, "arguments": one.arguments, "tool_call_purpose": one.purpose} for one in actions
        ],
    }
    state.say(Speaker.PLANNER, _as_block(written), agent="planner", decision=decision)


def _said(calls: Sequence[Call], field: str) -> str:
    """What the planner said, if one of the calls has it."""
    texts = (call.extra.get(field) for call in calls)
    return next((text for text in texts if isinstance(text, str) and text.strip()), "")


def _add_answers(state: DialogueState, calls: Sequence[Call]) -> None:
    """What followed a decision: the closing reply, or a question and its answer, or results."""
    first = calls[0]
    if first.name == FINAL:
        from_tools = first.arguments.get("answer_type") == "tool"
        agent = "agent_answer" if from_tools else "agent_answer_chat"
        state.say(Speaker.AGENT, str(first.observation or ""), agent=agent)
    elif first.name == ASK:
        state.say(Speaker.AGENT, str(first.observation or ""), agent="agent_ask")
        state.say(Speaker.USER, first.user_input or "", agent="user_answer_ask")
    else:
        observations = tuple(_observation(call.observation) for call in calls)
        text = _as_block({"Observation_List": msgspec.to_builtins(observations)})
        state.say(Speaker.TOOL, text, agent="tool", observations=observations)


def _observation(value: object) -> Observation:
    """A result of a record; where that kept the status, with it."""
    if isinstance(value, dict) and value.keys() == {"status_code", "response"} and type(value["status_code"]) is int:
        return Observation(value["status_code"], value["response"])
    return Observation(OK, value)


def _as_block(value: Mapping[str, object]) -> str:
    return f"```json\n{msgspec.json.format(msgspec.json.encode(value), indent=2).decode()}\n```"
