"""What the checks and the judge of the generation find is told to reviewers at the place that it concerns."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from toolgauge.benchmarks.dialogues.benchmark import MINI_FILE
from toolgauge.chat import Json
from toolgauge.data.sessions import session_from
from toolgauge.review.events import Part, Place
from toolgauge.review.warnings import Warned, warnings

Spoil = Callable[[Json], Any]


def spoiled(spoil: Spoil, number: int = 0) -> list[Warned]:
    """The warnings of a session of the embedded benchmark that is spoiled."""
    record = json.loads(MINI_FILE.read_text("utf-8").splitlines()[number])
    spoil(record)
    return list(warnings(session_from(record, "en")))


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
    ("length", lambda one: said(one, "so " * 2000), Place(Part.UTTERANCE, 1)),
]


@pytest.mark.parametrize(("gate", "spoil", "place"), CASES)
def test_a_finding_stands_where_the_words_are(gate: str, spoil: Spoil, place: Place) -> None:
    found = [one for one in spoiled(spoil) if one.source == gate]
    assert [one.place for one in found] == [place]


def test_what_the_judge_objected_to_stands_where_it_is() -> None:
    def judged(record: Json) -> None:
        call = next(n for n, one in enumerate(record["english_answer_list"][0]) if one["action"]["arguments"])
        path, value = next(iter(record["english_answer_list"][0][call]["action"]["arguments"].items()))
        wrong = {"call": call, "path": path, "value": value, "ruling": "wrong", "reason": "nobody said so"}
        gone = {"call": call, "path": path, "value": "as it was before an edit", "ruling": "wrong"}
        first = {"answer_agrees": False, "answer_reason": "no such price", "arguments": [wrong, gone]}
        later = {"answer_agrees": True, "needs_earlier": False, "reason": "it says all"}
        record.setdefault("origin", {})["judged"] = [first, later, {"nonsense": True}, None]

    found = {
        (one.source, one.place.part, one.place.task): str(one.message)
        for one in spoiled(judged)
        if "judge" in str(one.message)
    }
    assert set(found) == {
        ("answer", Part.REPLY, 0), ("values", Part.CALL, 0), ("context", Part.UTTERANCE, 1),
    }  # fmt: skip
    assert "nobody said so" in found["values", Part.CALL, 0]


def test_a_value_without_a_source_is_worth_a_look() -> None:
    def emptied(record: Json) -> None:
        node = next(one for one in record["english_answer_list"][0] if one.get("argument_sources"))
        node["argument_sources"] = {}

    assert [one.source for one in spoiled(emptied) if one.source == "values"]
