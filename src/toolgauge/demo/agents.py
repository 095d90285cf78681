"""The scripted agents: for every request of a generation the structured reply that a faultless agent would give.

They are functions of the dialogue alone: what the user means stands with the task (`PlannedTask.intent`), and
everything that is drawn is seeded with the dialogue's key. So any process can go on with any dialogue.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from toolgauge.chat import GoldHint, Json, Reply
from toolgauge.data.leaves import leaves
from toolgauge.data.session import ASK, FINAL
from toolgauge.demo.plans import Scene, carried, fill, observe
from toolgauge.generation.dialogue import Action, actions_of
from toolgauge.generation.episode import ABLATION
from toolgauge.generation.judge import open_case
from toolgauge.generation.pseudo import MISSING, asked_for
from toolgauge.generation.replies import UserReply
from toolgauge.generation.state import AgentRequest, DialogueState, StepRecord
from toolgauge.tools.toollist import ToolList

MOST_SHOWN = 12
"""Values of a result that the closing reply repeats."""


class ScriptedAgents(Struct, frozen=True):
    """A `HintProvider`. Raises UsageError for tools without any values that could be made up."""

    language: str

    def require_values(self, pool: Iterable[ToolList]) -> None:
        """Raise UsageError for a list over which nothing can be said: no tool has values that could be made up."""
        for one in pool:
            record = StepRecord(one.id)
            Scene(DialogueState(record, self.language, one.tools, one.id, random.Random(0), ""))

    def __call__(self, state: DialogueState, ask: AgentRequest) -> GoldHint:
        """The reply to a request."""
        if not isinstance(state.scripted, Scene):
            state.scripted = Scene(state)
        scene = state.scripted
        return GoldHint("", Reply(content=msgspec.json.encode(_reply(scene, ask)).decode()))


def _reply(scene: Scene, ask: AgentRequest) -> Json:
    if ask.reply is UserReply:
        return _proposals(scene)
    match ask.agent:
        case "planner":
            return _plan(scene)
        case agent if agent == ABLATION:
            return _decision(scene, "final", [_final("chat")], scene.words["talk"])
        case "tool":
            return _results(scene)
        case "checker_planner":
            return {"tool_call_analysis": scene.words["apart"], "correct": "yes"}
        case "judge":
            return _verdict(scene)
        case "user_answer_ask":
            return {"message": _answer(scene)}
        case "user_vague_answer_ask":
            return {"message": scene.words[f"vague_{scene.state.vague_answers % 3 + 1}"]}
        case "agent_ask":
            return {"message": _question(scene)}
        case _:
            return {"message": _closing(scene)}


def _proposals(scene: Scene) -> Json:
    """What the user might say next, with what is meant."""
    state, leans = scene.state, None
    if state.task:
        kind = state.tasks[-1].reference.value
        leans = {"task": scene.base_of(state.task) + 1, "kind": kind, "words": scene.words["leans"]}
    proposals = []
    for said in scene.proposals(state.wanted):
        calls = [{"name": call.name, "arguments": call.arguments} for call in said.calls]
        proposals.append({"message": said.text, "calls": calls, "withheld": list(said.withheld), "refers_to": leans})
    return {"candidates": proposals}


def _plan(scene: Scene) -> Json:
    """The next step of the task: a question, calls, or the answer."""
    intent = scene.state.tasks[-1].intent
    is_answered = any(entry.agent == "user_answer_ask" for entry in scene.state.standing)
    if intent is not None and intent.withheld and not is_answered:
        asked = [{"tool_name": intent.calls[0].name, MISSING: list(intent.withheld)}]
        return _decision(scene, "ask", [{"name": ASK, "arguments": {"tool_list": asked}}], _question(scene))
    made, steps = _made(scene), scene.steps()
    if due := next((step for step in steps if step[-1] >= len(made)), None):
        return _decision(scene, "calls", [_call(scene, number, made) for number in due])
    return _decision(scene, "final", [_final("tool" if made else "chat")], _closing(scene))


def _final(kind: str) -> Json:
    return {"name": FINAL, "arguments": {"answer_type": kind}}


def _call(scene: Scene, number: int, made: list[tuple[Action, object]]) -> Json:
    """A call with its arguments: those that were meant, answered, or passed on from a result."""
    intent = scene.state.tasks[-1].intent
    assert intent is not None, "steps come from what the user means"
    meant = intent.calls[number]
    tool, arguments, needs = scene.tools[meant.name], {**meant.arguments}, []
    if number == 0:
        arguments |= scene.answers()
    if (link := scene.links().get(number)) is not None:
        needs = [{"id": f"a{link.source + 1}", "why": "value" if link.parameter else "order"}]
        if link.parameter:
            arguments[link.parameter] = carried(made[link.source][1], tool, link.parameter)
    ordered = {name: arguments[name] for name in [*tool.properties, *arguments] if name in arguments}
    call: Json = {"id": f"a{number + 1}", "name": tool.name, "arguments": ordered, "needs": needs}
    return call | {"tool_call_purpose": fill(scene.words["purpose"], tool=tool.name)}


def _decision(scene: Scene, sort: str, actions: list[Json], answer: str = "") -> Json:
    words, intent = scene.words, scene.state.tasks[-1].intent
    tools = words["and"].join(dict.fromkeys(str(one["name"]) for one in actions))
    names = scene.names(intent.calls[0].name, intent.withheld) if intent and intent.withheld else ""
    if sort == "ask" and intent:
        tools = intent.calls[0].name
    step = {"ask": "plan_ask", "final": "plan_final"}.get(sort, "plan_parallel" if len(actions) > 1 else "plan_one")
    return {
        "Task_Finish": "yes" if sort == "final" else "no",
        "Thought": fill(words[f"thought_{sort}"], tools=tools, names=names),
        "Plan": fill(words[step], tools=tools, names=names),
        "Action_List": actions,
        "Answer": answer,
    }


def _made(scene: Scene) -> list[tuple[Action, object]]:
    """The calls of the task under way with their results."""
    calls: list[Action] = []
    results: list[object] = []
    for entry in scene.state.standing:
        calls += [action for action in actions_of(entry) if action.is_tool]
        results += [one.response for one in entry.observations]
    return list(zip(calls, results, strict=False))


def _results(scene: Scene) -> Json:
    decision = next(entry.decision for entry in reversed(scene.state.entries) if entry.decision is not None)
    observed = [observe(scene, action.name, action.arguments) for action in decision.actions]
    return {"Observation_List": [{"status_code": 200, "response": response} for response in observed]}


def _verdict(scene: Scene) -> Json:
    """The judge finds everything in order: every value was said."""
    state, words = scene.state, scene.words
    task = state.tasks[-1]
    stated = [
        {"number": one.number, "verdict": "stated", "reason": words["stated"]} for one in open_case(state).unproven
    ]
    earlier: Json = {"needed": False, "kind": "none", "task": 0, "reason": ""}
    if state.task:
        base = scene.base_of(state.task) + 1
        earlier = {"needed": True, "kind": task.reference.value, "task": base, "reason": words["leans"]}
    return {"answer": {"agrees": True, "reason": words["agrees"]}, "arguments": stated, "edges": {}, "earlier": earlier}


def _question(scene: Scene) -> str:
    """Which values are missing; in other words where that was asked before."""
    state = scene.state
    asked = [
        (tool, tuple(names))
        for entry in state.standing
        for action in actions_of(entry)
        if action.name == ASK
        for tool, names in asked_for(action.arguments)
    ]
    intent = state.tasks[-1].intent
    tool, names = asked[-1] if asked else (intent.calls[0].name, intent.withheld) if intent else ("", ())
    again = any(entry.agent.endswith("answer_ask") for entry in state.standing)
    return fill(scene.words["question_again" if again else "question"], names=scene.names(tool, names))


def _answer(scene: Scene) -> str:
    intent = scene.state.tasks[-1].intent
    given: Mapping[str, Any] = scene.answers()
    tool = scene.tools[intent.calls[0].name] if intent and intent.calls else None
    return fill(scene.words["answer"], facts=scene.facts(tool, given) if tool else "")


def _closing(scene: Scene) -> str:
    """What the results say, value by value; without results some general words."""
    made = _made(scene)
    if not made:
        return scene.words["talk"]
    lines = [
        fill(scene.words["entry"], path=path or "result", value=scene.say(value))
        for _call, result in made
        for path, value in list(leaves(result))[:MOST_SHOWN]
    ]
    return "\n".join([scene.words["done"], "", *lines])
