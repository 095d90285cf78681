"""What agents are sent: sides alternate, a request begins like the one before it, and everybody sees what is theirs."""

from __future__ import annotations

import random
from typing import Any

import pytest

from toolgauge.annotation.dialogue import Action, CheckerFinding, Decision, Observation, PlannedTask, Speaker
from toolgauge.chat import Json, Message, Tool
from toolgauge.data.session import ASK, FINAL, KINDS
from toolgauge.generation.agents import assistant, checker, planner, tool, user
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
MISSING: Json = {"tool_list": [{"tool_name": "get_weather", "missing_required_parameters": ["city"]}]}
ASKING = Decision(False, "No city.", "Ask the user.", (Action(ASK, MISSING),))
ENDING = Decision(True, "All there.", "Answer.", (Action(FINAL, {"answer_type": "tool"}),))
SAID: list[tuple[Speaker, str, dict[str, Any]]] = [
    (Speaker.USER, "Weather?", {}),
    (Speaker.PLANNER, "ask", {"decision": ASKING}),
    (Speaker.AGENT, "Where?", {}),
    (Speaker.USER, "In Oslo.", {}),
    (Speaker.PLANNER, "call", {"decision": DECISION}),
    (Speaker.TOOL, "result", {"observations": (Observation(200, {"degrees": 7}),)}),
    (Speaker.PLANNER, "final", {"decision": ENDING}),
    (Speaker.AGENT, "It is cold in Oslo.", {}),
]
WORDS = ("Weather?", "Where?", "In Oslo.", "It is cold in Oslo.")
CALL = '[{"name":"get_weather","arguments":{"city":"Oslo"}}]'
RESULT = '[{"status_code":200,"response":{"degrees":7}}]'
SEES: dict[str, tuple[str, ...]] = {
    "planner": (*WORDS, "Look.", CALL, RESULT),
    "checker": (*WORDS, "Look.", CALL, RESULT),
    "tool": ("Weather?", "In Oslo.", CALL, RESULT),
    "question": (*WORDS, CALL, RESULT),
    "summary": (*WORDS, CALL, RESULT),
    "chat": (*WORDS, CALL, RESULT),
    "answer": WORDS,
    "vague": WORDS,
    "later": WORDS,
}
"""What each agent is shown of the dialogue: nobody the planner's thoughts."""


def state(language: str = "en", said: int = 0, kind: str = "single", **fields: str) -> DialogueState:
    made = DialogueState(StepRecord("k"), language, (WEATHER, PING), "list", random.Random(1), MOMENT)
    made.tasks.append(PlannedTask(kind, shape=fields.get("shape"), chosen=fields.get("chosen")))
    for speaker, text, more in SAID[:said]:
        made.say(speaker, text, **more)
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


def shown(ask: AgentRequest) -> str:
    """The conversation in a request, between rules and tools in front and what is due at the end."""
    text = "\n".join(f"{message.role}: {message.content}" for message in ask.messages[1:])
    return text[: text.rindex(MOMENT)]


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
    """All but the time and what is due stands again in the next request, so that it is served from a cache."""
    label = texts("frame", language)["moment"].partition("{")[0]
    for said in range(1, len(SAID)):
        before, after = asks(language, said), asks(language, said + 1)
        for name, ask in before.items():
            assert ask.messages[0] == after[name].messages[0], name
            assert shown(after[name]).startswith(shown(ask).removesuffix(label).rstrip("user: \n")), name


@pytest.mark.parametrize("language", ["en", "zh"])
def test_everybody_sees_what_is_his_and_is_told_the_time_last(language: str) -> None:
    said = {*WORDS, "No city.", "One call.", "Ask the user.", "Look.", "All there.", CALL, RESULT}
    for name, ask in asks(language, len(SAID)).items():
        conversation = shown(ask)
        seen = {part for part in said if part in conversation}
        assert seen == set(SEES[name]), name
        for speaker, text, _ in SAID:
            name_of = texts("speakers", language)[speaker]
            assert (f"{name_of}{text}" in conversation) == (text in SEES[name]), name
        assert MOMENT not in (ask.messages[0].content or ""), name
        assert MOMENT in (ask.messages[-1].content or ""), name
        assert "Weather of a $city in {braces}." in (ask.messages[0].content or ""), name
        whole = "\n".join(message.content or "" for message in ask.messages)
        assert whole.count("Weather of a $city in {braces}.") == 1, name


def first(kind: str, language: str = "en", scenario: Scenario | None = None, **fields: str) -> AgentRequest:
    return user.first_task(state(language, 0, kind, **fields), scenario)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_scenario_is_woven_into_first_and_later_tasks(kind: str, language: str) -> None:
    asked = [first(kind, language, SCENARIO, chosen="get_weather"), user.later_task(state(language, 8, kind), SCENARIO)]
    for ask in asked:
        text = ask.messages[1].content or ""
        for part in ("a night nurse", "just home", "lower case, $hort", "- cab to st mary's", "- still raining?"):
            assert part in text
    plain = first(kind, language, Scenario("s"), chosen="get_weather")
    assert plain == first(kind, language, None, chosen="get_weather"), "a scenario without words says nothing"
    style = first(kind, language, Scenario("s", style="curt"), chosen="get_weather").messages[-1].content or ""
    assert texts("user_parts", language)["scenario_persona"].split("{")[0] not in style


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_later_task_is_told_kind_reference_pattern_and_example(kind: str, language: str) -> None:
    made = state(language, 8)
    made.tasks.append(draw_task(made, kind, GenerationSetup(language)))
    task, words = made.tasks[-1], texts("user_parts", language)
    ask = user.later_task(made, None)
    assert ask.hint == {
        "count": 1,
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


def test_rejected_tries_are_seen_in_their_turn_only() -> None:
    made = state(said=1)
    made.say(Speaker.PLANNER, "bad try", accepted=False)
    made.say(Speaker.PLANNER_CHECKER, "{}", findings=(CheckerFinding("schema", "x", "No such city."),))
    *_, tried, again = planner.plan(made.view()).messages
    assert tried == Message("assistant", "Planner:\nbad try")
    assert (again.content or "").startswith("Objections: No such city.\n\nCurrent Time: ")
    made.say(Speaker.PLANNER, "good try", decision=DECISION)
    assert all("bad try" not in (message.content or "") for message in planner.plan(made.view()).messages)


READ, WRITE = Tool("get_sky", "", WEATHER.parameters), Tool("book_seat", "", WEATHER.parameters)
