"""Every rule of both checkers: one decision that breaks it, and one beside it that does not."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from toolgauge.annotation.dialogue import Action, Decision, Entry, Observation
from toolgauge.chat import Reply, Tool, ToolFacts
from toolgauge.data.session import ASK, FINAL
from toolgauge.generation.state import AgentView
from toolgauge.generation.validators.planner import (
    check_decision,
)
from toolgauge.generation.validators.tool import check_shapes, check_tool_reply

WEATHER = Tool(
    "get_weather",
    "Weather of a city.",
    {
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "days": {"type": "integer", "minimum": 1},
            "unit": {"type": "string", "enum": ["C", "F"]},
        },
        "required": ["city"],
    },
)
BOOK = Tool(
    "book_table",
    "Book a table.",
    {"type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"]},
)
CALL = Action("get_weather", {"city": "Oslo"})
DONE = Action(FINAL, {"answer_type": "chat"})


def question(tool: str = "get_weather", *names: str) -> Action:
    return Action(ASK, {"tool_list": [{"tool_name": tool, "missing_required_parameters": list(names or ("city",))}]})


def scene(*entries: Entry, language: str = "en") -> AgentView:
    return AgentView(language, (WEATHER, BOOK), "2024-05-03 09:12:44 Friday", entries, 0, "single")


def decided(*actions: Action, thought: str = "One call is enough.", plan: str = "Look up the weather.") -> Decision:
    return Decision(False, thought, plan, actions)


def call(**arguments: Any) -> Action:
    return Action("get_weather", arguments)


CASES: dict[str, tuple[Decision, Decision]] = {
    "thought_simulates": (
        decided(CALL, thought="I simulate the call."),
        decided(CALL, thought="Rain or similar weather?"),
    ),
    "plan_simulates": (decided(CALL, plan="先模拟执行这个工具"), decided(CALL, plan="先执行这个工具")),
    "thought_names_checker": (decided(CALL, thought="The checker said no."), decided(CALL, thought="Check the city.")),
    "plan_names_checker": (decided(CALL, plan="按照检查员的意见修改"), decided(CALL, plan="检查天气")),
    "thought_names_ask": (decided(CALL, thought=f"I use {ASK}."), decided(CALL, thought="I ask for the city.")),
    "plan_names_ask": (decided(CALL, plan=f"Use {ASK}."), decided(CALL, plan="Ask for the city.")),
    "thought_names_final": (decided(DONE, thought=f"Then {FINAL}."), decided(DONE, thought="Then answer.")),
    "plan_names_final": (decided(DONE, plan=f"Then {FINAL}."), decided(DONE, plan="Then prepare an answer.")),
    "no_actions": (decided(), decided(CALL)),
    "unknown_action": (decided(Action("get_wether", {"city": "Oslo"})), decided(CALL, question())),
    "unknown_argument": (decided(call(city="Oslo", colour="red")), decided(call(city="Oslo", unit="C"))),
    "empty_required": (decided(call(city="  ")), decided(call(city="Oslo", unit=""))),
    "missing_required": (decided(call(days=2)), decided(call(city="Oslo"))),
    "ask_not_alone": (decided(question(), CALL), decided(question())),
    "ask_unknown_tool": (decided(question("get_wether")), decided(question())),
    "ask_not_required": (decided(question("get_weather", "days")), decided(question())),
    "final_not_alone": (decided(DONE, DONE), decided(DONE)),
    "answer_type": (decided(Action(FINAL, {"answer_type": "both"})), decided(Action(FINAL, {"answer_type": "tool"}))),
    "serial_same_tool": (
        decided(CALL, call(city="Rome"), plan="Call get_weather two times, one after another."),
        decided(CALL, plan="Call get_weather two times, one after another."),
    ),
    "schema": (decided(call(city="Oslo", days=0)), decided(call(city="Oslo", days=1))),
    "duplicate_action": (decided(CALL, CALL), decided(CALL, call(city="Rome"))),
    "future_result": (
        decided(Action("book_table", {"place": "<result of find_places>"})),
        decided(Action("book_table", {"place": "Result & Sons"})),
    ),
}


def broken(decision: Decision, *entries: Entry, language: str = "en") -> set[str]:
    return {finding.rule for finding in check_decision(scene(*entries, language=language), decision)}


@pytest.mark.parametrize("rule", CASES)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_rule_speaks_up_and_keeps_silent(rule: str, language: str) -> None:
    wrong, right = CASES[rule]
    assert rule in broken(wrong, language=language)
    assert rule not in broken(right, language=language)


def test_a_faultless_decision_has_no_objection() -> None:
    assert broken(decided(CALL)) == broken(decided(question())) == broken(decided(DONE)) == set()


COUNT = Tool("count", "Counts.").noting(
    ToolFacts({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]})
)


@pytest.mark.parametrize(
    ("observation", "words"),
    [
        (Observation(200, {"n": 3, "note": "more"}), []),
        (Observation(404, {"error": "nothing to count"}), []),
        (Observation(200, {"n": "3"}), ["is not what count declares to return (n: '3' does not fit type"]),
        (Observation(201, {}), ["is not what count declares to return (response: {} does not fit required"]),
        (Observation(200, [3]), ["is not what count declares to return (response: "]),
    ],
)
def test_a_result_has_the_shape_that_its_tool_declares(observation: Observation, words: list[str]) -> None:
    decision = decided(CALL, Action("count", {}))
    found = check_shapes(decision, (Observation(200, {"sky": "grey"}), observation), (WEATHER, COUNT), "en")
    assert [finding.rule for finding in found] == ["observation_shape"] * len(words)
    assert all(part in finding.text for part, finding in zip(words, found, strict=True))
    reply = msgspec.json.encode({"Observation_List": [{"status_code": 200, "response": {}}, observation]}).decode()
    view = AgentView("en", (WEATHER, COUNT), "", (), 0, "multi")
    assert check_tool_reply(view, decision, Reply(reply))[2] == found


def test_hostile_arguments_are_objections_not_errors() -> None:
    deep: Any = "x"
    for _ in range(200):
        deep = [deep]
    odd = decided(call(city=deep), Action("get_weather", {"\u202e\n": "a" * 100_000, "city": None}))
    assert "unknown_argument" in broken(odd)
    assert "schema" in broken(odd)
