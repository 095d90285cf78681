"""A verdict says why as data: a code and its parameters, from which the text follows."""

from __future__ import annotations

import string

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from tests.judge.building import TEXT, call, calls, judge, session, tool
from toolgauge.analysis.reasons import forms
from toolgauge.benchmarks.registry import find_benchmark
from toolgauge.chat import Reply
from toolgauge.episode import drive
from toolgauge.judge.reasons import MAX_TEXT, TEXTS, Code, Reason, reason
from toolgauge.judge.verdict import Verdict
from toolgauge.models.builtin.models import noisy
from toolgauge.runs.scoring import score_all

BOOK = tool("book", day={"type": "string", "needed": True}, seats={"type": "integer"})
TASK = session([("book", {"day": "Monday", "seats": 2}, [])], BOOK)


def test_every_code_has_a_text_of_its_own_and_its_chinese() -> None:
    assert TEXTS.keys() == set(Code)
    assert len(set(TEXTS.values())) == len(Code)
    assert set(TEXTS.values()) <= forms().sentences.keys() | forms().codes.keys()


@pytest.mark.parametrize(
    ("reply", "code", "parameters", "detail"),
    [
        (Reply(None), "no_output", UNSET, "neither text nor calls"),
        (TEXT, "text_for_calls", {"names": ("book",)}, "text where calls are due: book"),
        (calls(call("cook")), "not_offered", {"names": ("cook",)}, "not offered: cook"),
        (
            calls(call("book", seats=2)),
            "schema_required",
            {"tool": "book", "path": "day"},
            "book(day): error_schema: required args missing",
        ),
        (
            calls(call("book", day="Monday")),
            "keys_missing",
            {"tool": "book", "path": "seats", "missing": ("seats",)},
            "book(seats): error_match: args keys mismatch (missing: ['seats'])",
        ),
        (
            calls(call("book", day="Monday", seats=3)),
            "value_differs",
            {"tool": "book", "path": "seats", "at": "seats"},
            "book(seats): error_match: value mismatch at 'seats'",
        ),
    ],
)
def test_codes_and_parameters(reply: Reply, code: str, parameters: object, detail: str) -> None:
    verdict = judge(TASK, reply)["exact"]
    assert (verdict.code, verdict.parameters, verdict.detail) == (code, parameters, detail)


def test_a_right_task_has_no_code_and_its_line_says_nothing_of_it() -> None:
    verdict = judge(TASK, calls(call("book", day="Monday", seats=2)), TEXT)["exact"]
    assert verdict.correct
    assert b"code" not in msgspec.json.encode(verdict)


@pytest.mark.parametrize("name", ["mini", "mmtb"])
def test_every_wrong_verdict_of_dialogues_has_the_code_that_its_text_is_made_of(name: str) -> None:
    benchmark = find_benchmark(name)
    mini = find_benchmark("mini")
    assert mini.embedded is not None
    data = mini.load(mini.embedded, "en")
    for seed in range(4):
        played = [drive(mini.episode(data, sample), noisy(seed, 1.0)) for sample in mini.samples(data)]
        for score in score_all(benchmark, data, played):
            for verdict in score.readings.values():
                again = msgspec.json.decode(msgspec.json.encode(verdict), type=Verdict)
                assert again == verdict
                if not verdict.correct:
                    assert isinstance(verdict.code, str)
                    assert verdict.detail == text_of(again)


def text_of(verdict: Verdict) -> str:
    """The detail, from the data alone."""
    assert isinstance(verdict.code, str)
    parameters = {} if verdict.parameters is UNSET else dict(verdict.parameters)
    name, path = parameters.pop("tool", ""), parameters.pop("path", "")
    place = f"{name}({path}): " if path else f"{name}: " if name else ""
    return place + Reason(Code(verdict.code), parameters).text


@given(st.text(alphabet=string.printable + "\ud800é", max_size=2 * MAX_TEXT))
def test_parameters_can_be_written_whatever_a_model_says(name: str) -> None:
    written = reason(Code.NOT_OFFERED, names=(name,), at=name).written()
    msgspec.json.encode(written)
    assert all(len(value[0] if isinstance(value, tuple) else str(value)) <= 6 * MAX_TEXT for value in written.values())


def test_what_looks_like_a_slot_in_a_parameter_is_text() -> None:
    assert reason(Code.NOT_OFFERED, names=("{names}", "{at}")).text == "not offered: {names}, {at}"
