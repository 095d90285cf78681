"""Faulty replies: the perfect one with one thing wrong. fault_table.py says what each fault is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec
from msgspec.structs import replace

from toolgauge.annotation.dialogue import Action, Decision, Speaker
from toolgauge.chat import Reply
from toolgauge.data.session import ASK, FINAL
from toolgauge.demo.speech import ask_action, final_action
from toolgauge.demo.turns import ScriptedTurn
from toolgauge.generation.agents.planner import read_decision
from toolgauge.generation.agents.tool import read_observations

Named = Iterator[tuple[str, Reply]]
_ENDLESS = 2400
"""Characters: more than the length filter allows, less than what cannot be read as a task."""


def faulty(turn: ScriptedTurn, reply: Reply) -> Named:
    """Every fault that is possible at a turn, with its name. reply: the perfect one."""
    if not turn.is_ablated:
        yield from _FAMILIES[turn.ask.role](turn, reply)


def _user(turn: ScriptedTurn, _reply: Reply) -> Named:
    if turn.ask.agent in ("user_answer_ask", "user_vague_answer_ask"):
        return
    plan = turn.plan
    yield "empty_task", Reply(content="")
    yield "endless_task", _wants(turn, f"{plan.utterance}\n" * (_ENDLESS // len(plan.utterance)))
    if turn.task and plan.kind in ("single", "multi") and plan.complete != plan.utterance:
        yield "self_contained", _wants(turn, plan.complete)
    if plan.kind == "clarify" and plan.complete and _is_literal(turn):
        yield "complete_request", _wants(turn, plan.complete)
    if plan.kind == "chat" and turn.fixture.tools:
        tool = next(iter(turn.fixture.tools.values()))
        request = turn.words.joined([plan.utterance, f"{tool.name.replace('_', ' ')}: {tool.description}"])
        yield "tool_request_in_chat", _wants(turn, request)


def _wants(turn: ScriptedTurn, text: str) -> Reply:
    return turn.speech.said("user", text) if turn.task else turn.speech.candidates([text])


def _is_literal(turn: ScriptedTurn) -> bool:
    """Is something that is to be asked for said as it is, so that anybody finds it in the request?"""
    given = [turn.plan.calls[0].given[name] for name in turn.plan.missing]
    return any(isinstance(one.value, str) and len(one.value) > 2 and one.value in turn.plan.complete for one in given)


def _agent(turn: ScriptedTurn, _reply: Reply) -> Named:
    yield "empty_words", Reply(content="")
    yield "wrong_language", Reply(content=turn.words("foreign"))


def _tool(turn: ScriptedTurn, reply: Reply) -> Named:
    found: list[dict[str, object]] = msgspec.to_builtins(list(read_observations(reply)))
    yield "unreadable_result", Reply(content=turn.words("no_result"))
    yield "too_few_results", turn.speech.observations(found[:-1])
    yield "no_status", turn.speech.observations([{**found[0], "status_code": 0}, *found[1:]])
    yield "empty_result", turn.speech.observations([{**found[0], "response": ""}, *found[1:]])


def _checker(turn: ScriptedTurn, _reply: Reply) -> Named:
    yield "unreadable_verdict", turn.speech.said("planner_checker", turn.words("together_right"))
    yield "groundless_objection", turn.speech.verdict(turn.words("groundless"), correct=False)


def _planner(turn: ScriptedTurn, reply: Reply) -> Named:
    good = read_decision(reply)
    yield "empty_decision", Reply(content="")
    yield "no_json", Reply(content=good.plan)
    yield "timestamp_talk", Reply(content=turn.words("timestamp"))
    for part in ("thought", "plan"):
        yield f"{part}_simulates", _adding(turn, good, part, turn.words("simulates"))
        yield f"{part}_names_checker", _adding(turn, good, part, turn.words("checker"))
        yield f"{part}_names_ask", _adding(turn, good, part, ASK)
        yield f"{part}_names_final", _adding(turn, good, part, FINAL)
    yield "no_actions", _acting(turn, good, [])
    yield "ask_for_unknown_tool", _acting(turn, good, [ask_action("read_minds", ["mind"])])
    yield "ask_for_optional", _acting(turn, good, [ask_action(next(iter(turn.fixture.tools)), ["planted_option"])])
    yield "wrong_answer_type", _acting(turn, good, [final_action("poem")])
    first = good.actions[0].name
    if good.answer is not None:
        for name, spoken in _agent(turn, reply):
            yield name, turn.speech.decision(good.thought, good.plan, good.actions, spoken.content or "")
    if first == FINAL:
        yield from _instead_of_answer(turn, good)
    elif first != ASK:
        yield from _in_calls(turn, good)
        yield from _order(turn, good)


def _adding(turn: ScriptedTurn, good: Decision, part: str, words: str) -> Reply:
    said = {"thought": good.thought, "plan": good.plan}
    said[part] = turn.words.joined([said[part], words])
    return turn.speech.decision(said["thought"], said["plan"], good.actions)


def _acting(turn: ScriptedTurn, good: Decision, actions: Sequence[Action]) -> Reply:
    return turn.speech.decision(good.thought, good.plan, actions)


def _instead_of_answer(turn: ScriptedTurn, good: Decision) -> Named:
    done = turn.done
    standing = turn.state.standing
    if standing and standing[-1].speaker is Speaker.TOOL:
        yield "chat_after_result", _acting(turn, good, [final_action("chat")])
    calls = [call for call in done if call.tool in turn.fixture.tools]
    if calls and turn.plan.kind in ("multi", "clarify"):
        again = Action(calls[-1].tool, calls[-1].arguments)
        if sum((one.tool, one.arguments) == (again.name, again.arguments) for one in calls) == 1:
            yield "redundant_call", _acting(turn, good, [again])
    if turn.plan.kind == "chat" and not done:
        for tool in turn.fixture.tools:
            given = {name: turn.fixture.values(tool, name)[0].value for name in turn.fixture.required(tool)}
            yield "tool_in_chat", _acting(turn, good, [Action(tool, given)])


def _in_calls(turn: ScriptedTurn, good: Decision) -> Named:
    call, rest = good.actions[0], good.actions[1:]

    def instead(**changes: object) -> Reply:
        return _acting(turn, good, [replace(call, **changes), *rest])

    yield "unknown_tool", instead(name=f"{call.name}_pro")
    yield "unknown_parameter", instead(arguments={**call.arguments, "planted_option": "yes"})
    yield "ask_and_call", _acting(turn, good, [ask_action(call.name, turn.fixture.required(call.name)[:1]), call])
    yield "answer_and_call", _acting(turn, good, [call, final_action("tool")])
    yield "same_call_twice", _acting(turn, good, [*good.actions, call])
    if not turn.done and turn.plan.kind != "clarify":
        yield "gives_up", turn.speech.finishing("chat")
    for name in turn.fixture.required(call.name):
        yield "missing_value", instead(arguments={k: v for k, v in call.arguments.items() if k != name})
        schema, value = turn.fixture.schema(call.name, name), call.arguments.get(name)
        wrong = 7 if schema.get("type") == "string" else "several"
        yield "wrong_type", instead(arguments={**call.arguments, name: wrong})
        if isinstance(value, dict):
            yield "nested_parameter", instead(arguments={**call.arguments, name: {**value, "planted_option": "yes"}})
        if type(value) in (int, float) and "enum" not in schema and not turn.task and len(turn.plan.calls) == 1:
            numbers = (number for number in (29, 23, 19) if turn.fixture.fits(call.name, name, number))
            yield from (("invented_number", instead(arguments={**call.arguments, name: one})) for one in [*numbers][:1])
        if turn.fixture.nature(call.name, name) == "time":
            yield "invented_time", instead(arguments={**call.arguments, name: "03:35"})
        if isinstance(value, str) and turn.fixture.fits(call.name, name, "") and "enum" not in schema:
            yield "empty_value", instead(arguments={**call.arguments, name: ""})
            yield "placeholder", instead(arguments={**call.arguments, name: "{{result}}"})
            if turn.fixture.nature(call.name, name) == "one":
                yield "invented_value", instead(arguments={**call.arguments, name: f"QX-{turn.task}731905"})


def _order(turn: ScriptedTurn, good: Decision) -> Named:
    """Calls together that belong apart, or apart that belong together."""
    step = turn.due_step()
    names = [action.name for action in good.actions]
    if len(names) > 1:
        plan = turn.words("row_plan", tool=names[0])
        yield "one_by_one", turn.speech.decision(good.thought, plan, good.actions[:1])
        if names.count(names[0]) > 1:
            yield (
                "announced_in_a_row",
                turn.speech.decision(good.thought, turn.words("in_a_row", tool=names[0]), good.actions),
            )
    if step is not None and step + 1 < len(turn.plan.steps):
        early = []
        for number in turn.plan.steps[step + 1]:
            call = turn.plan.calls[number]
            guessed = {name: turn.fixture.values(call.tool, name)[0].value for name in call.links}
            early.append(Action(call.tool, guessed | call.arguments))
        yield "together_too_soon", _acting(turn, good, [*good.actions, *early])


_FAMILIES: dict[str, Callable[[ScriptedTurn, Reply], Named]] = {
    "user": _user,
    "planner": _planner,
    "tool": _tool,
    "checker": _checker,
    "agent": _agent,
}
