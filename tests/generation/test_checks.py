"""Literal checks: each objects to what it is about, in both languages, and to nothing else."""

from __future__ import annotations

from typing import Any

from tests.generation.dialogues import calls, results, tool, user
from tests.rows import rows
from toolgauge.chat import ToolFacts
from toolgauge.data.session import ASK, FINAL
from toolgauge.generation.checks import (
    CHECKS,
    check_decision,
    check_observations,
    is_astray,
    is_in_language,
    text_objection,
)
from toolgauge.generation.dialogue import Action, Decision, Entry, Need, Observation

TEXT = {"type": "string"}
TOOLS = (
    tool("weather", "", ["city"], city=TEXT, days={"type": "integer", "maximum": 7}),
    tool("book", "", ["train"], train=TEXT),
)
WEATHER = Action("weather", {"city": "Oslo"}, "", "a1")


def rules(*actions: Action, before: tuple[Entry, ...] = (), language: str = "en") -> set[str]:
    return {one.rule for one in check_decision(Decision(False, "", "", actions), before, TOOLS, language)}


def ask(**arguments: Any) -> Action:
    return Action(ASK, {"tool_list": [{"tool_name": "weather", "missing_required_parameters": ["city"]} | arguments]})


DONE = (user("?"), calls(WEATHER), results("grey"))


@rows("language", ["en", "zh"])
@rows(
    ("actions", "before", "rule"),
    [
        ((), (), "no_actions"),
        ((Action("sky", {}),), (), "unknown_action"),
        ((Action("weather", {"city": "Oslo", "moon": 1}),), (), "unknown_argument"),
        ((Action("weather", {}),), (), "missing_required"),
        ((Action("weather", {"city": ""}),), (), "empty_required"),
        ((Action("weather", {"city": "Oslo", "days": 9}),), (), "schema"),
        ((Action("weather", {"city": 7}),), (), "schema"),
        ((WEATHER, Action("weather", {"city": "Oslo"}, "", "a2")), (), "duplicate_action"),
        ((WEATHER, ask()), (), "ask_not_alone"),
        ((ask(tool_name="sky"),), (), "ask_unknown_tool"),
        ((ask(missing_required_parameters=["days"]),), (), "ask_not_required"),
        ((WEATHER, Action(FINAL, {"answer_type": "tool"})), (), "final_not_alone"),
        ((Action(FINAL, {"answer_type": "both"}),), (), "answer_type"),
        ((Action(FINAL, {"answer_type": "chat"}),), DONE, "chat_after_result"),
        ((Action("book", {"train": "IC"}, "", "a2", (Need("a7", "value"),)),), DONE, "unknown_need"),
        ((Action("book", {"train": "IC"}, "", "a1"),), DONE, "used_id"),
    ],
)
def test_a_decision_that_will_not_do(
    actions: tuple[Action, ...], before: tuple[Entry, ...], rule: str, language: str
) -> None:
    assert rule in rules(*actions, before=before, language=language)


@rows(
    ("observations", "rule"),
    [
        ([], "observation_count"),
        ([Observation(7, {"sky": "grey"})], "observation_status"),
        ([Observation(200, None)], "observation_empty"),
        ([Observation(200, {"sky": 7})], "observation_shape"),
        ([Observation(200, {"sky": "grey", "days": ["Monday", "..."]})], "observation_left_out"),
        ([Observation(200, {"sky": "<sky>"})], "observation_placeholder"),
    ],
)
def test_results_that_will_not_do(observations: list[Observation], rule: str) -> None:
    shape = {"type": "object", "properties": {"sky": TEXT}, "required": ["sky"]}
    shaped = (TOOLS[0].noting(ToolFacts(output_schema=shape)), TOOLS[1])
    decision = Decision(False, "", "", (WEATHER,))
    assert rule in {one.rule for one in check_observations(decision, observations, shaped, "en")}
    good = [Observation(200, {"sky": "grey, wait..."})]
    assert check_observations(decision, good, shaped, "en") == ()
    assert check_observations(decision, [Observation(404, "gone")], shaped, "en") == ()


@rows(
    ("words", "language", "fits"),
    [
        ("What is the weather like?", "en", True),
        ("请查一下明天的天气", "en", False),
        ("What does 出口 mean?", "en", True),
        ("请查一下明天的天气", "zh", True),
        ("Please look up the weather for tomorrow", "zh", False),
        ("OK", "zh", True),
        ("发给 anna 和 ben", "zh", True),
    ],
)
def test_the_language_of_words(words: str, language: str, fits: bool) -> None:
    assert is_in_language(words, language) is fits
    objection = text_objection(words, language, CHECKS)
    assert (objection is None) is fits


def test_the_length_of_words() -> None:
    assert text_objection("", "en", ()) is not None
    assert text_objection("so " * 2000, "en", ("length",)) is not None
    assert text_objection("so " * 2000, "en", ()) is None


def test_when_a_task_cannot_become_what_was_dictated() -> None:
    one, two = calls(WEATHER), calls(WEATHER, Action("book", {"train": "IC"}))
    asked, final = calls(ask()), calls(Action(FINAL, {"answer_type": "tool"}))
    cases = [
        ([], "chat", False), ([one], "chat", True), ([one], "single", False), ([two], "single", True),
        ([asked], "single", True), ([one], "multi", False), ([one, final], "multi", True),
        ([two, final], "multi", False),
        ([one], "clarify", False), ([one, final], "clarify", True), ([asked, one, final], "clarify", False),
        ([final], "single", True), ([final], "chat", False),
    ]  # fmt: skip
    for entries, wanted, astray in cases:
        assert is_astray(entries, 0, wanted) is astray, (entries, wanted)
