"""Going on from a dialogue that people reviewed: its record becomes a state as if it had been made here."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

from toolgauge.chat import Json
from toolgauge.data.lines import read_lines
from toolgauge.data.record import shown
from toolgauge.data.session import ASK, FINAL, Call, Task
from toolgauge.data.sessions import session_from
from toolgauge.errors import DataError, UsageError
from toolgauge.generation.agents.planner import render_decision
from toolgauge.generation.agents.replying import render_observations
from toolgauge.generation.dialogue import Action, Decision, Dialogue, Need, Observation, PlannedTask, Speaker
from toolgauge.generation.graph import EVIDENCE, OK, PLAN, PURPOSE, STATED, STATUS, THOUGHT, VALUE
from toolgauge.generation.prompts import text, texts
from toolgauge.generation.state import DialogueState, HintProvider, StepRecord, seeded_random

Opening = tuple[str, tuple[str, ...], Json]
"""A reviewed session that is to be continued: its id, the kinds of its tasks and its record."""


def read_openings(path: Path | str, language: str, layer: int | None = None) -> list[Opening]:
    """The sessions of a file (data/sessions.py). layer: the number (from 1) of the task that is to be added.

    Raises DataError, with file, line and JSON path, for what cannot be read, and for a session of another length than
    the layer needs; UsageError for a layer below two.
    """
    if layer is not None and layer < 2:
        raise UsageError(f"dialogues.layer must be >= 2, not {layer}: it is the number of the task to add")
    openings: dict[str, Opening] = {}
    for line, record in read_lines(path):
        session = session_from(record, language, str(path), line)
        if layer is not None and len(session.tasks) != layer - 1:
            problem = f"number of tasks must be {layer - 1} for dialogues.layer {layer}, not {len(session.tasks)}"
            raise DataError(problem, path, line)
        if session.id in openings:
            raise DataError(f"duplicate id {shown(session.id)}", path, line, "id")
        openings[session.id] = (session.id, tuple(task.type.kind for task in session.tasks), record)
    if not openings:
        raise DataError("no session found", path)
    return list(openings.values())


def dialogue_of(record: Json, language: str) -> Dialogue:
    """A session's record as the dialogue that it is. Raises DataError where it cannot be read."""
    name = str(record.get("id", ""))
    return resumed_state(StepRecord(name), record, language, seeded_random(0, name)).dialogue()


def resumed_state(
    record: StepRecord,
    opening: Json,
    language: str,
    draw: random.Random,
    hints: HintProvider | None = None,
) -> DialogueState:
    """The state after the tasks of a reviewed session: its calls are the planner's decisions, step by step."""
    session = session_from(opening, language, "--resume-from")
    origin = session.extra.get("origin")
    named = origin.get("tool_list") if isinstance(origin, dict) else None
    tool_list = named if isinstance(named, str) and named else session.id
    state = DialogueState(record, language, session.tools, tool_list, draw, session.clock, hints)
    for task in session.tasks:
        add_task(state, task)
    state.earlier = len(session.tasks)
    return state


def add_task(state: DialogueState, task: Task) -> None:
    """A whole task that was annotated elsewhere, as if it had been made here."""
    kind = task.type.kind
    state.tasks.append(PlannedTask(kind, task.reference, task.type.value if kind == "multi" else None))
    state.say(Speaker.USER, task.utterance, agent="user_continue_question" if task.index else "")
    decisions = decisions_of(task)
    for calls, following in zip(decisions, [*decisions[1:], []], strict=True):
        _add_decision(state, calls)
        _add_answers(state, calls, following)


def decisions_of(task: Task) -> list[list[Call]]:
    """The calls of a task as the planner decided on them together.

    In the order of the record a decision begins with what the planner said of it, or with a call that needs one of the
    decision before; questions and the closing reply are alone. Where calls stand before what they need, each is
    made as early as it can be.
    """
    calls = task.calls
    if calls[-1].name != FINAL or any(before > call.index for call in calls for before in call.after):
        return list(_in_layers(calls))
    decisions: list[list[Call]] = []
    for call in calls:
        together = decisions[-1] if decisions else []
        begins = not together or not (call.is_tool and together[0].is_tool)
        begins = begins or bool(_said([call], THOUGHT) or _said([call], PLAN))
        if begins or any(one.index in call.after for one in together):
            decisions.append([call])
        else:
            together.append(call)
    return decisions


def _in_layers(calls: Sequence[Call]) -> Iterator[list[Call]]:
    """Whatever can be called at once together, each question alone, the closing reply last."""
    done: set[int] = set()
    while len(done) < len(calls):
        ready = [call for call in calls if call.index not in done and done.issuperset(call.after)]
        asks = [call for call in ready if call.name == ASK]
        together = [call for call in ready if call.is_tool] or asks[:1] or ready[:1]
        done.update(call.index for call in together)
        yield together


def _add_decision(state: DialogueState, calls: Sequence[Call]) -> None:
    """The planner decides on these calls, in the words of the record, or in ours where it has none."""
    language, name = state.language, calls[0].name
    situation = {ASK: "ask", FINAL: "final"}.get(name, "calls")
    named = texts(language)["given_and"].join(dict.fromkeys(call.name for call in calls))
    thought = _said(calls, THOUGHT) or text(f"given_thought_{situation}", language, tools=named)
    plan = _said(calls, PLAN) or text(f"given_plan_{situation}", language, tools=named)
    actions = tuple(_action(call, language) for call in calls)
    decision = Decision(name == FINAL, thought, plan, actions)
    state.say(Speaker.PLANNER, render_decision(decision), agent="planner", decision=decision)


def _action(call: Call, language: str) -> Action:
    """A call as an action that needs what the record says; a need that a value speaks for is found again."""
    if not call.is_tool:
        return Action(call.name, call.arguments)
    purpose = _said([call], PURPOSE) or text("given_purpose", language, tool=call.name)
    listed = call.extra.get(EVIDENCE)
    evidence = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    stated = {one.get("from") for one in evidence if one.get("why") not in (VALUE, None)}
    proven = {one.get("from") for one in evidence if one.get("why") == VALUE} - stated
    reasons = {one["from"]: one.get("reason") for one in evidence if one.get("why") == STATED and "from" in one}
    needs = tuple(
        Need(f"a{before + 1}", reason if (reason := reasons.get(before)) in ("value", "write") else "order")
        for before in call.after
        if before not in proven
    )
    return Action(call.name, call.arguments, purpose, f"a{call.index + 1}", needs)


def _said(calls: Sequence[Call], field: str) -> str:
    """What the planner said, if one of the calls has it."""
    words = (call.extra.get(field) for call in calls)
    return next((said for said in words if isinstance(said, str) and said.strip()), "")


def _add_answers(state: DialogueState, calls: Sequence[Call], following: Sequence[Call]) -> None:
    """What followed a decision: the closing reply, or a question and its answer, or results. An answer after which the
    assistant asked again did not say what was asked."""
    first = calls[0]
    if first.name == FINAL:
        from_tools = first.arguments.get("answer_type") == "tool"
        agent = "agent_answer" if from_tools else "agent_answer_chat"
        state.say(Speaker.AGENT, str(first.observation or ""), agent=agent)
    elif first.name == ASK:
        state.say(Speaker.AGENT, str(first.observation or ""), agent="agent_ask")
        is_vague = any(call.name == ASK for call in following)
        agent = "user_vague_answer_ask" if is_vague else "user_answer_ask"
        state.say(Speaker.USER, first.user_input or "", agent=agent)
    else:
        observations = tuple(_observation(call) for call in calls)
        state.say(Speaker.TOOL, render_observations(observations), agent="tool", observations=observations)


def _observation(call: Call) -> Observation:
    """The result in a record with its status, wherever that stands."""
    value, status = call.observation, call.extra.get(STATUS)
    if isinstance(value, dict) and value.keys() == {"status_code", "response"} and type(value["status_code"]) is int:
        return Observation(value["status_code"], value["response"])
    return Observation(status if type(status) is int else OK, value)
