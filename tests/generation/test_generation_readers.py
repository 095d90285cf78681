"""How replies of agents are read: worked ones, odd ones and hostile ones."""

from __future__ import annotations

import json

import pytest

from toolgauge.annotation.dialogue import Action, CheckerFinding, Speaker
from toolgauge.chat import Reply
from toolgauge.generation.agents.checker import worded
from toolgauge.generation.agents.planner import read_decision
from toolgauge.generation.agents.reading import MOST_CHARACTERS, Unreadable, json_of
from toolgauge.generation.agents.speech import MOST_SPOKEN, said_by, unfenced
from toolgauge.generation.agents.tool import read_observations
from toolgauge.generation.agents.user import LATER, read_candidates

DECISION = {
    "Task_Finish": "no",
    "Thought": "One call.",
    "Plan": "Call get_weather.",
    "Action_List": [{"name": "get_weather", "arguments": {"city": "Oslo"}, "tool_call_purpose": "weather"}],
}


def fenced(value: object, before: str = "", after: str = "") -> Reply:
    return Reply(f"{before}```json\n{json.dumps(value, ensure_ascii=False)}\n```{after}")


def candidates(content: str, agent: str = "user_single_tool", language: str = "en") -> list[str]:
    return read_candidates(Reply(content), agent, language)


@pytest.mark.parametrize(
    "text",
    ["", "no", "[1]", '{"a": 1', '{"a": "1}', "{" * 20_000, '{"a":' * 12_000, '{"a": "\ud800"}'],
)
def test_what_is_no_object_cannot_be_read(text: str) -> None:
    with pytest.raises(Unreadable):
        json_of(text)


@pytest.mark.parametrize("filler", ["\n ", "```\n", "{", "User:"])
def test_odd_replies_of_full_length_are_read_in_a_moment(filler: str) -> None:
    text = ("```" + filler * MOST_CHARACTERS)[: MOST_CHARACTERS - 1] + "x"
    assert isinstance(unfenced(text), str)
    for speaker in (Speaker.USER, Speaker.AGENT):
        assert isinstance(said_by(text[-MOST_SPOKEN:], speaker), str)
        with pytest.raises(Unreadable, match="characters"):
            said_by(text, speaker)
    with pytest.raises(Unreadable):
        json_of(text)
    with pytest.raises(Unreadable):
        candidates(text, LATER)


def test_a_decision_is_read_with_its_actions() -> None:
    decision = read_decision(fenced(DECISION, "Planner:\n"))
    assert (decision.finished, decision.thought, decision.plan) == (False, "One call.", "Call get_weather.")
    assert decision.actions == (Action("get_weather", {"city": "Oslo"}, "weather"),)
    other = {"Mission_Finish": "YES", "thought": "", "plan": "", "action list": []}
    assert read_decision(fenced(other)).finished is True


@pytest.mark.parametrize(
    "change",
    [
        {"Action_List": ["get_weather"]},
        {"Action_List": [{"name": 3, "arguments": {}}]},
        {"Action_List": "get_weather"},
        {"Action_List": [{"name": "a", "arguments": "{"}]},
        {"Action_List": [{"name": "a", "arguments": {}}] * 51},
        {"Thought": None},
        {"Plan": ["a"]},
    ],
)
def test_a_decision_of_another_form_cannot_be_read(change: dict[str, object]) -> None:
    with pytest.raises(Unreadable):
        read_decision(fenced(DECISION | change))
    for key in change:
        with pytest.raises(Unreadable, match=key):
            read_decision(fenced({name: value for name, value in DECISION.items() if name != key}))


@pytest.mark.parametrize("value", [{"Observation_List": {}}, {"Observation_List": [{"status_code": 200}]}, {}])
def test_observations_of_another_form_cannot_be_read(value: object) -> None:
    with pytest.raises(Unreadable):
        read_observations(fenced(value))


def test_a_verdict_has_the_papers_five_fields() -> None:
    verdict = json_of(
        worded((CheckerFinding("x", "format_analysis", "坏"), CheckerFinding("y", "format_analysis", "了")), "zh")
    )
    assert list(verdict) == [
        *("format_analysis", "thought_and_plan_analysis", "tool_call_analysis", "parameter_input_analysis", "correct"),
    ]
    assert (verdict["format_analysis"], verdict["correct"]) == ("坏了", "no")
    assert json_of(worded((), "en"))["correct"] == "yes"


@pytest.mark.parametrize(
    "content", ["a", '{"Task 1": ""}', '{"Task 1": {"plan": "x"}}', '{"note": "a"}', '["a"]', "{}"]
)
def test_first_tasks_must_be_candidates(content: str) -> None:
    with pytest.raises(Unreadable):
        candidates(content)
