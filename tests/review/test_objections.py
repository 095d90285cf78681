"""What filters find is told to reviewers in words of theirs, at the place that it concerns."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from toolgauge.benchmarks.dialogues.benchmark import MINI_FILE
from toolgauge.chat import Json
from toolgauge.data.sessions import session_from
from toolgauge.generation.prompts import texts
from toolgauge.review.events import Part, Place
from toolgauge.review.warnings import Warned, warnings

Spoil = Callable[[Json], Any]


def spoiled(spoil: Spoil, number: int = 0) -> list[Warned]:
    """The warnings of a session of the embedded benchmark that is spoiled."""
    record = json.loads(MINI_FILE.read_text("utf-8").splitlines()[number])
    spoil(record)
    return list(warnings(session_from(record, "en"), record, "en"))


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
