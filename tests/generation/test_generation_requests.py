"""What agents are sent: sides alternate, a request begins like the one before it, and everything dictated is in it."""

from __future__ import annotations

import random

import pytest

from toolgauge.annotation.dialogue import Action, Decision, PlannedTask, Speaker
from toolgauge.chat import Message, Tool
from toolgauge.data.session import KINDS, Reference
from toolgauge.generation.agents import assistant, checker, planner, tool, user
from toolgauge.generation.agents.patterns import ExampleTurn, WorkedExample
from toolgauge.generation.prompts import texts
from toolgauge.generation.sampling import draw_task
from toolgauge.generation.setup import GenerationSetup, Scenario
from toolgauge.generation.state import AgentRequest, DialogueState, StepRecord

WEATHER = Tool(
    "get_weather",
    "Weather of a $city in {braces}.",
    {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city"]},
)
PING = Tool("ping", "Is it up?", {"type": "object", "properties": {}})
MOMENT = "2024-05-03 09:12:44 Friday"
DECISION = Decision(False, "One call.", "Look.", (Action("get_weather", {"city": "Oslo"}),))
SCENARIO = Scenario("s", "a night nurse", "just home", "lower case, $hort", ("cab to st mary's", "still\nraining?"))
SAID = [
    (Speaker.USER, "Weather?"),
    (Speaker.PLANNER, "ask"),
    (Speaker.AGENT, "Where?"),
    (Speaker.USER, "Oslo."),
    (Speaker.PLANNER, "call"),
    (Speaker.TOOL, "7 degrees"),
    (Speaker.PLANNER, "final"),
    (Speaker.AGENT, "It is 7 °C in Oslo."),
]


def state(language: str = "en", said: int = 0, kind: str = "single", **fields: str) -> DialogueState:
    made = DialogueState(StepRecord("k"), language, (WEATHER, PING), "list", random.Random(1), MOMENT)
    made.tasks.append(PlannedTask(kind, shape=fields.get("shape"), chosen=fields.get("chosen")))
    for speaker, text in SAID[:said]:
        made.say(speaker, text)
    return made


def asks(language: str, said: int) -> dict[str, AgentRequest]:
    """A request of every agent that sees the dialogue."""
    made = state(language, said)
    scene = made.view()
    return {
        "planner": planner.plan(scene),
        "tool": tool.simulate(scene, DECISION),
        "question": assistant.question(scene),
        "summary": assistant.summary(scene),
        "chat": assistant.chat(scene),
        "checker": checker.parallelism(scene, DECISION),
        "answer": user.answer(scene, vague=False),
        "vague": user.answer(scene, vague=True),
        "later": user.later_task(made, SCENARIO),
    }


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("said", range(1, len(SAID) + 1))
def test_sides_alternate_and_a_user_is_first_and_last(language: str, said: int) -> None:
    for name, ask in asks(language, said).items():
        roles = [message.role for message in ask.messages]
        assert roles == ["system", *(("user", "assistant") * len(roles))[: len(roles) - 1]], name
        assert roles[-1] == "user", name
        assert all(message.content for message in ask.messages), name


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_request_begins_like_the_one_before_it(language: str) -> None:
    for said in range(1, len(SAID)):
        before, after = asks(language, said), asks(language, said + 1)
        for name, ask in before.items():
            earlier, later = ask.messages, after[name].messages
            assert earlier[:-1] == later[: len(earlier) - 1], name
            text = "{}{}".format(texts("speakers", language)[SAID[said - 1][0]], SAID[said - 1][1])
            own = earlier[len(earlier) - 1].content or ""
            shared = own[: own.index(text) + len(text)] if text in own else ""
            assert (later[len(earlier) - 1].content or "").startswith(shared), name


@pytest.mark.parametrize("language", ["en", "zh"])
def test_everybody_hears_who_spoke_and_is_told_the_time(language: str) -> None:
    names = texts("speakers", language)
    for name, ask in asks(language, len(SAID)).items():
        whole = "\n".join(message.content or "" for message in ask.messages)
        assert all(f"{names[speaker]}{text}" in whole for speaker, text in SAID), name
        assert MOMENT in (ask.messages[0].content or ""), name
        assert "Weather of a $city in {braces}." in (ask.messages[0].content or ""), name


def test_only_planners_see_the_pseudo_actions() -> None:
    seen = {name for name, ask in asks("en", 8).items() if "prepare_to_answer" in (ask.messages[0].content or "")}
    assert seen == {"planner"}


def first(kind: str, language: str = "en", scenario: Scenario | None = None, **fields: str) -> AgentRequest:
    return user.first_task(state(language, 0, kind, **fields), scenario)


@pytest.mark.parametrize(
    ("kind", "fields", "agent"),
    [
        ("single", {"chosen": "get_weather"}, "user_single_tool"),
        ("clarify", {"chosen": "get_weather"}, "user_ask"),
        ("chat", {}, "user_chat"),
        ("multi", {"shape": "sequential_tools"}, "user_multi_tool"),
        ("multi", {"shape": "parallel_tools"}, "user_multi_tool_parallel"),
        ("multi", {"shape": "mixed_tools"}, "user_multi_tool_serial_parallel"),
    ],
)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_first_task_is_asked_of_its_agent(kind: str, fields: dict[str, str], agent: str, language: str) -> None:
    ask = first(kind, language, None, **fields)
    assert (ask.role, ask.agent) == ("user", agent)
    assert ask.hint == {"agent": agent, "kind": kind, "chosen": fields.get("chosen"), "shape": fields.get("shape")}
    (message,) = ask.messages
    assert message.role == "user"
    text = message.content or ""
    assert "Weather of a $city in {braces}." in text
    assert MOMENT in text
    assert "\n\n\n" not in text
    for part in ("5", *({"Task 5"} if language == "en" else {"任务5"})):
        assert part in text


def test_required_and_optional_parameters_are_listed_for_the_chosen_tool_or_for_all() -> None:
    one = first("single", chosen="get_weather").messages[0].content or ""
    assert "- get_weather: required: city; optional: days\n" in one
    assert "- ping" not in one
    every = first("multi", "zh", shape="mixed_tools").messages[0].content or ""
    assert "- get_weather：必填参数：city；可选参数：days\n- ping：必填参数：无；可选参数：无" in every


@pytest.mark.parametrize(
    "schema", [{}, {"properties": None}, {"properties": {"a": {}}, "required": 7}, {"required": "a"}]
)
def test_odd_schemas_are_no_obstacle(schema: dict[str, object]) -> None:
    made = state(kind="clarify", chosen="odd")
    made.tools = (Tool("odd", "", schema),)
    assert "- odd: required: none" in (user.first_task(made, None).messages[0].content or "")


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_scenario_is_woven_into_first_and_later_tasks(kind: str, language: str) -> None:
    asked = [first(kind, language, SCENARIO, chosen="get_weather"), user.later_task(state(language, 8, kind), SCENARIO)]
    for ask in asked:
        text = ask.messages[0].content or ""
        for part in ("a night nurse", "just home", "lower case, $hort", "- cab to st mary's", "- still raining?"):
            assert part in text
    plain = first(kind, language, Scenario("s"), chosen="get_weather")
    assert plain == first(kind, language, None, chosen="get_weather"), "a scenario without words says nothing"
    style = first(kind, language, Scenario("s", style="curt"), chosen="get_weather").messages[0].content or ""
    assert texts("user_parts", language)["scenario_persona"].split("{")[0] not in style


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_later_task_is_told_kind_reference_pattern_and_example(kind: str, language: str) -> None:
    made = state(language, 8)
    made.tasks.append(draw_task(made, kind, GenerationSetup(language)))
    task, words = made.tasks[-1], texts("user_parts", language)
    ask = user.later_task(made, None)
    assert ask.hint == {
        "kind": kind,
        "reference": task.reference.value,
        "pattern": task.pattern,
        "example": task.example,
        "shape": task.shape,
    }
    demand = ask.messages[-1].content or ""
    for key in (f"kind_{kind}", f"reference_{task.reference.value}", f"pattern_{task.pattern}"):
        assert words[key] in demand
    assert (words[f"shape_{task.shape}"] in demand) if kind == "multi" else ("shape_" not in demand)
    assert words["meaning"] in demand


def test_a_later_task_shows_an_example_of_ones_own() -> None:
    turns = (ExampleTurn("Sing.", "La {x} $y"),)
    own = WorkedExample("x", "sarcasm", "mood", Reference.COREFERENCE, ("chat",), turns, "lovely", "Stop singing.")
    made = state(said=8)
    made.tasks.append(PlannedTask("chat", Reference.COREFERENCE, pattern="sarcasm", example="x"))
    demand = user.later_task(made, None, (own,)).messages[-1].content or ""
    lines = "User: Sing.\nAgent: La {x} $y\nNew task: lovely\nWhat it means in full: Stop singing.\n"
    assert lines in demand
    assert "sarcasm" in demand


def test_answers_are_of_two_kinds_and_repeat_the_question() -> None:
    scene = state(said=3).view()
    full, vague = user.answer(scene, vague=False), user.answer(scene, vague=True)
    assert (full.agent, full.hint) == ("user_answer_ask", {"vague": False})
    assert (vague.agent, vague.hint) == ("user_vague_answer_ask", {"vague": True})
    for ask in (full, vague):
        assert "<question>\nWhere?\n</question>" in (ask.messages[-1].content or "")
    assert full.messages[0] != vague.messages[0]


def test_tools_are_told_how_many_calls_to_answer_and_agents_what_was_said_last() -> None:
    made = asks("en", 5)
    assert "exactly 1 observation" in (made["tool"].messages[-1].content or "")
    assert '[{"name":"get_weather","arguments":{"city":"Oslo"}}]' in (made["tool"].messages[-1].content or "")
    assert "ping" not in (made["tool"].messages[-1].content or ""), "only what is called is repeated"
    assert "<message>\nOslo.\n</message>" in (made["summary"].messages[-1].content or "")


def test_rejected_tries_are_seen_in_their_turn_only() -> None:
    made = state(said=1)
    made.say(Speaker.PLANNER, "bad try", accepted=False)
    made.say(Speaker.PLANNER_CHECKER, "no!")
    assert Message("assistant", "Planner: bad try") in planner.plan(made.view()).messages
    made.say(Speaker.PLANNER, "good try")
    assert all("bad try" not in (message.content or "") for message in planner.plan(made.view()).messages)
