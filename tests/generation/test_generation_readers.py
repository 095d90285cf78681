"""How replies of agents are read: worked ones, odd ones and hostile ones."""

from __future__ import annotations

import json

import pytest

from toolgauge.annotation.dialogue import Action, CheckerFinding, Observation, Speaker
from toolgauge.chat import Reply
from toolgauge.data.session import ASK
from toolgauge.generation.agents.checker import read_parallelism, worded
from toolgauge.generation.agents.planner import read_decision, text_said
from toolgauge.generation.agents.reading import MOST_CHARACTERS, Unreadable, json_of, text_of
from toolgauge.generation.agents.speech import MOST_SPOKEN, read_words, said_by, unfenced
from toolgauge.generation.agents.tool import read_observations
from toolgauge.generation.agents.user import LATER, MOST_CANDIDATES, read_candidates
from toolgauge.generation.agents.user import MOST_CHARACTERS as LONGEST_TASK

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


@pytest.mark.parametrize("content", [None, "", " \n\t", "User:", "用户：  "])
def test_nothing_said_cannot_be_read(content: str | None) -> None:
    with pytest.raises(Unreadable, match="empty"):
        read_words(Reply(content), Speaker.USER)


def test_far_too_much_is_not_read_and_cut_where_it_is_kept() -> None:
    with pytest.raises(Unreadable, match="1,000,000 characters"):
        text_of(Reply("x" * 1_000_000))
    assert len(text_said(Reply("x" * 1_000_000))) == MOST_CHARACTERS


def test_half_characters_become_writable() -> None:
    assert text_of(Reply("a\ud83dz")) == "a?z"
    assert text_said(Reply("\ud800" * 3)) == "???"
    assert read_words(Reply("ok \udfff"), Speaker.AGENT) == "ok ?"


@pytest.mark.parametrize(
    "text",
    ["", "no", "[1]", '{"a": 1', '{"a": "1}', "{" * 100_000, '{"a":' * 60_000, '{"a": "\ud800"}'],
)
def test_what_is_no_object_cannot_be_read(text: str) -> None:
    with pytest.raises(Unreadable):
        json_of(text)


def test_nesting_has_a_bound() -> None:
    with pytest.raises(Unreadable, match="deeply"):
        json_of('{"a":' + "[" * 70 + "]" * 70 + "}")


@pytest.mark.parametrize("filler", [" ", "\n ", "`", "```\n", "{", "```\n \n", "User:", "\t", "**", "“"])
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


def test_a_fence_around_the_whole_goes_and_fences_inside_stay() -> None:
    assert unfenced("```markdown\n# Title\n```") == "# Title"
    assert unfenced("```markdown\nSee\n```python\nx\n```\n```") == "See\n```python\nx\n```"
    two = "```\na\n```\nand\n```\nb\n```"
    assert unfenced(two) == two
    assert read_words(Reply("```md\nAgent: Hello **you**\n```"), Speaker.AGENT) == "Hello **you**"


def test_a_decision_is_read_with_its_actions() -> None:
    decision = read_decision(fenced(DECISION, "Planner:\n"))
    assert (decision.finished, decision.thought, decision.plan) == (False, "One call.", "Call get_weather.")
    assert decision.actions == (Action("get_weather", {"city": "Oslo"}, "weather"),)
    other = {"Mission_Finish": "YES", "thought": "", "plan": "", "action list": []}
    assert read_decision(fenced(other)).finished is True


def test_the_older_way_to_ask_back_is_read_as_the_newer_one() -> None:
    old = {"name": ASK, "arguments": {"tool_name": "book", "missing_required_parameters": ["day"]}}
    (action,) = read_decision(fenced(DECISION | {"Action_List": [old]})).actions
    assert action.arguments == {"tool_list": [{"tool_name": "book", "missing_required_parameters": ["day"]}]}


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


def test_observations_are_read_with_their_status() -> None:
    listed = {"Observation_List": [{"status_code": "200", "response": {"t": 7}}, {"status_code": True, "response": []}]}
    assert read_observations(fenced(listed, "Tool:")) == (Observation(200, {"t": 7}), Observation(0, []))


@pytest.mark.parametrize("value", [{"Observation_List": {}}, {"Observation_List": [{"status_code": 200}]}, {}])
def test_observations_of_another_form_cannot_be_read(value: object) -> None:
    with pytest.raises(Unreadable):
        read_observations(fenced(value))


def test_the_checkers_view_is_yes_or_a_reason() -> None:
    assert read_parallelism(fenced({"tool_call_analysis": "fine", "correct": "Yes"}, "Checker_Planner：")) == ()
    (finding,) = read_parallelism(fenced({"tool_call_analysis": "B needs A", "correct": "no"}))
    assert (finding.field, finding.text) == ("tool_call_analysis", "B needs A")
    with pytest.raises(Unreadable):
        read_parallelism(fenced({"tool_call_analysis": "", "correct": "maybe"}))


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


def test_candidates_have_bounds() -> None:
    many = json.dumps({f"Task {number}": f"wish {number}" for number in range(300)})
    assert len(candidates(many)) == MOST_CANDIDATES
    with pytest.raises(Unreadable, match="characters"):
        candidates(json.dumps({"Task 1": "x" * (LONGEST_TASK + 1)}))
    with pytest.raises(Unreadable, match="characters"):
        candidates("x" * (LONGEST_TASK + 1), LATER)


@pytest.mark.parametrize("content", ['{"thought": "x"}', "[]", "```json\n{\n```", "User:"])
def test_a_later_task_is_no_json(content: str) -> None:
    with pytest.raises(Unreadable):
        candidates(content, LATER)
