"""What filters find is told to reviewers in words of theirs, in both languages, at the place that it concerns."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from toolgauge.benchmarks.dialogues.benchmark import MINI_FILE
from toolgauge.chat import Json
from toolgauge.data.session import ASK
from toolgauge.data.tool_rules import ToolRules
from toolgauge.generation.filters import FILTERS
from toolgauge.generation.prompts import texts
from toolgauge.locale import translated
from toolgauge.review.events import Part, Place
from toolgauge.review.objections import objection_text, reason_text
from toolgauge.review.originals import FORMAT, read_session
from toolgauge.review.warnings import Warned, warnings

RULES = ToolRules(FORMAT)
Spoil = Callable[[Json], Any]


def spoiled(spoil: Spoil, number: int = 0) -> list[Warned]:
    """The warnings of a session of the embedded benchmark that is spoiled."""
    record = json.loads(MINI_FILE.read_text("utf-8").splitlines()[number])
    spoil(record)
    return list(warnings(read_session(record, "en"), record, RULES, "en"))


def last(record: Json) -> Json:
    """The closing reply of the first task."""
    found: Json = record["english_answer_list"][0][-1]
    return found


def said(record: Json, text: str) -> None:
    record["english_tasks"][1] = text


CASES: list[tuple[str, Spoil, Place]] = [
    ("language", lambda one: said(one, "请帮我查一下明天的天气，谢谢你了"), Place(Part.UTTERANCE, 1)),
    (
        "language",
        lambda one: last(one).update(observation="好的，已经为您查到了明天的天气情况"),
        Place(Part.REPLY, 0, 1),
    ),
    ("length", lambda one: said(one, "so " * 1000), Place(Part.UTTERANCE, 1)),
    ("clean_text", lambda one: said(one, "<think>hm</think> and now?"), Place(Part.UTTERANCE, 1)),
]


@pytest.mark.parametrize(("gate", "spoil", "place"), CASES)
def test_a_finding_stands_where_the_words_are(gate: str, spoil: Spoil, place: Place) -> None:
    found = [one for one in spoiled(spoil) if one.source == gate]
    assert [one.place for one in found] == [place]
    told = texts("objections", "en")
    assert found[0].message not in told.values()


def test_a_call_from_nowhere_is_told_as_a_finding_and_not_as_a_demand() -> None:
    def invent(record: Json) -> None:
        call = record["english_answer_list"][0][0]
        call["action"]["arguments"] = {**call["action"]["arguments"], "city": "Ouagadougou-77"}

    found = [one for one in spoiled(invent) if one.source == "provenance"]
    assert found
    assert all("comes from nowhere" in one.message for one in found)
    assert not any(re.search(r"\b(?:Use|Leave|Ask|Say|Write)\b", one.message) for one in found)


EVIDENCE: list[tuple[str, dict[str, object]]] = [
    ("path", {"task": 0, "path": "kind", "value": "chat", "wanted": "single"}),
    ("hallucinated_function", {"task": 0, "call": 0, "path": "name", "value": "fly"}),
    ("hallucinated_parameter", {"task": 0, "call": 0, "path": "get", "value": "wings", "tool": ASK}),
    ("hallucinated_parameter", {"tool": "get", "path": "", "value": "{}", "rule": "additionalProperties"}),
    ("types", {"tool": "get", "path": "city", "value": "7", "rule": "type"}),
    ("schema", {"tool": "get", "path": "", "value": "{}", "rule": "required"}),
    ("schema", {"tool": "get", "path": "city", "value": "'X'", "rule": "enum"}),
    ("redundant_calls", {"tool": "get", "call": 1, "again": {"task": 0, "call": 2}}),
    ("redundant_calls", {"tool": "get", "call": 1, "covered_by": 3}),
    ("provenance", {"tool": "get", "path": "city", "value": "'X'"}),
    ("clarify_lacks", {"tool": ASK, "path": "city", "value": "'X'", "quote": "in X"}),
    ("chat_needs_no_tool", {"path": "kind", "value": "single_tool"}),
    ("chat_needs_no_tool", {"tool": "get", "path": "utterance", "value": 0.7, "quote": "get it"}),
    ("language", {"entry": 0, "path": "user", "value": "你好"}),
    ("language", {"entry": 1, "path": "thought", "value": "你好"}),
    ("length", {"entry": 0, "path": "user", "value": 2500, "most": 2000}),
    ("length", {"entry": 0, "path": "agent", "value": 3, "most": 2000}),
    ("length", {"path": "calls", "value": 30, "most": 25}),
    ("length", {"path": "questions", "value": 5, "most": 4}),
    ("length", {"path": "turns", "value": 21, "most": 20}),
    ("clean_text", {"entry": 2, "path": "response.text", "value": "{x} %s", "why": "placeholder"}),
    ("multi_turn", {"task": 1, "compared": "x"}),
]


@pytest.mark.parametrize(("gate", "evidence"), EVIDENCE)
def test_every_finding_has_its_words_in_both_languages(gate: str, evidence: dict[str, object]) -> None:
    text = objection_text(gate, evidence)
    english, chinese = translated(text, "en"), translated(text, "zh")
    assert english != chinese
    assert re.search(r"[\u4e00-\u9fff]", chinese)
    for words in (english, chinese):
        assert not re.search(r"\{[a-z_]+\}(?! %s)", words), "every value is filled in"
        assert "\n" not in words


def test_every_filter_is_among_them() -> None:
    assert {gate for gate, _evidence in EVIDENCE} == set(FILTERS)
    for name in (*FILTERS, "duplicates", "turn_cap", "planner", "tool", "agent", "user", "checker"):
        assert translated(reason_text(f"gate:{name}"), "en") != translated(reason_text(f"gate:{name}"), "zh")
    assert str(objection_text("of a later version", {"value": 7}))


def test_a_long_text_is_checked_like_a_short_one() -> None:
    long = "so and so, "
    found = spoiled(lambda record: last(record).update(observation=long * 10_000))
    assert {one.source for one in found} >= {"length"}
