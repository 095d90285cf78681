"""Every agent has its prompt in both languages, filled from the same names, with an example that its reader reads."""

from __future__ import annotations

import random
import re

import pytest

from toolgauge.annotation.dialogue import PlannedTask
from toolgauge.chat import Reply, Tool
from toolgauge.generation.agents.checker import can_object, read_parallelism
from toolgauge.generation.agents.planner import planner_rules, read_decision
from toolgauge.generation.agents.tool import read_observations
from toolgauge.generation.agents.user import LATER, first_task, read_candidates
from toolgauge.generation.prompts import filled, prompt
from toolgauge.generation.state import AgentView, DialogueState, StepRecord
from toolgauge.generation.validators.planner import check_decision
from toolgauge.generation.validators.tool import check_observations

LANGUAGES = ("en", "zh")
DOTS = {"en": "…", "zh": "……"}
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
WEATHER = Tool("get_weather", "Weather.", CITY)
FIRST = {
    "user_single_tool": PlannedTask("single", chosen="get_weather"),
    "user_ask": PlannedTask("clarify", chosen="get_weather", missing=("city",)),
    "user_chat": PlannedTask("chat"),
    "user_multi_tool": PlannedTask("multi", shape="sequential_tools"),
    "user_multi_tool_parallel": PlannedTask("multi", shape="parallel_tools"),
    "user_multi_tool_serial_parallel": PlannedTask("multi", shape="mixed_tools"),
}
"""The agents of first tasks, each with a task that it is asked for."""
NAMES: dict[str, set[str]] = {
    "planner": {"form", "ask", "answer", "chat"},
    "switch_planner": {"answer", "again"},
    "user_and_tools": {"first", "later", "answer", "vague", "tool"},
    "tool": set(),
    "switch_tool": {"count", "again"},
    "tool_facts": {"facts"},
    "agent": {"form"},
    "agent_form": set(),
    "agent_ask": set(),
    "agent_answer": set(),
    "agent_answer_chat": set(),
    "switch_agent": {"due", "rules"},
    "checker_planner": set(),
    "switch_checker": {"rules", "decision"},
    "switch_opening": set(),
    "user_first_task": set(),
    "switch_user_first": {"demand", "background", "length", "difficulty", "form", "about", "scenario", "count"},
    **{name: set[str]() for name in FIRST},
    "user_form": {"count"},
    "user_form_one": set(),
    "user_form_several": {"count"},
    "user_form_plan": {"count"},
    "user_continue_question": set(),
    "user_answer_ask": set(),
    "user_vague_answer_ask": set(),
    "switch_user_later": {"kind", "reference", "pattern", "example", "form"},
    "switch_user_answer_ask": {"question"},
    "switch_user_vague_answer_ask": {"question"},
    "pseudo_ask": set(),
    "pseudo_final": set(),
}
"""What each prompt is filled with."""


def request_for(name: str, language: str) -> str:
    """The whole request for a first task of an agent."""
    state = DialogueState(StepRecord("k"), language, (WEATHER,), "list", random.Random(1), "2024-05-03 09:12:44 Friday")
    state.tasks.append(FIRST[name])
    ask = first_task(state, None)
    assert ask.agent == name
    return "\n".join(message.content or "" for message in ask.messages)


def fields(text: str) -> set[str]:
    return set(re.findall(r"\$([a-z_]+)", text))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", NAMES)
def test_a_prompt_takes_the_same_names_in_both_languages_and_fills(name: str, language: str) -> None:
    assert fields(prompt(name, language)) == NAMES[name]
    values = {field: f"<{field} $tools ${{x}}>" for field in NAMES[name]}
    text = filled(name, language, **values)
    assert all(value in text for value in values.values()), "values are not read as templates again"
    if NAMES[name]:
        with pytest.raises(KeyError):
            filled(name, language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_example_in_a_prompt_is_what_its_reader_reads(language: str) -> None:
    decision = read_decision(Reply(planner_rules(language)))
    scene = AgentView(language, (WEATHER,), "2024-05-03 09:12:44 Friday", (), 0, "multi")
    assert len(decision.actions) == 2
    assert check_decision(scene, decision) == (), "and it keeps every rule"
    assert can_object(scene, decision), "nobody has said which cities"
    observations = read_observations(Reply(prompt("tool", language)))
    assert check_observations(decision, observations, language) == ()
    assert read_parallelism(Reply(prompt("checker_planner", language))) == ()
    for name in FIRST:
        assert read_candidates(Reply(request_for(name, language)), name, language) == [DOTS[language]]
    assert read_candidates(Reply(filled("user_form_several", language, count=5)), LATER, language) == [DOTS[language]]


def test_first_users_are_told_the_moment_and_not_of_the_pseudo_actions() -> None:
    for name in FIRST:
        for language in LANGUAGES:
            text = request_for(name, language)
            assert "2024-05-03 09:12:44 Friday" in text
            assert [word for word in ("ask_user_for_required_parameters", "prepare_to_answer") if word in text] == []
