"""A verdict says why as data: a code and its parameters, from which the text follows."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from tests.judge.building import TEXT, call, calls, judge, session, tool
from tests.rows import rows
from tests.sizes import sized
from toolgauge.benchmarks.registry import find_benchmark, reason_texts
from toolgauge.chat import Reply
from toolgauge.episode import drive
from toolgauge.judge.reasons import DialogueCode
from toolgauge.judge.texts import TextKind
from toolgauge.judge.verdict import Verdict
from toolgauge.models.builtin.models import noisy
from toolgauge.reasons import MAX_TEXT, ReasonText, reason
from toolgauge.runs.scoring import score_all

FIXTURES = Path(__file__).parent.parent / "fixtures"
DATA = {
    "mini": None,
    "mmtb": FIXTURES / "mmtb_small.jsonl",
    "wildtoolbench": FIXTURES / "wildtoolbench_small.jsonl",
    "acebench": FIXTURES / "acebench/data_all",
}
CHINESE = re.compile("[\u4e00-\u9fff：（]")
BOOK = tool("book", day={"type": "string", "needed": True}, seats={"type": "integer"})
TASK = session([("book", {"day": "Monday", "seats": 2}, [])], BOOK)


def wrong_verdicts(name: str, language: str) -> Iterator[Verdict]:
    """What the judge says of the noisy player's mistakes, in all scorings, as it is read back from a file."""
    benchmark = find_benchmark(name)
    file = DATA[name] or benchmark.embedded
    assert file is not None
    data = benchmark.load(file, language)
    for seed in range(2 if name == "mini" else 12):
        played = [drive(benchmark.episode(data, sample), noisy(seed, 1.0)) for sample in benchmark.samples(data)]
        for score in score_all(benchmark, data, played):
            for verdict in score.scorings.values():
                again = msgspec.json.decode(msgspec.json.encode(verdict), type=Verdict)
                assert again == verdict
                if not verdict.correct:
                    yield again


@rows(
    ("reply", "code", "parameters", "detail"),
    [
        (Reply(None), "no_output", UNSET, "neither text nor calls"),
        (
            TEXT,
            "text_for_calls",
            {"names": ("book",), "kind": "other"},
            "text where calls are due: book",
        ),
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


@pytest.mark.parametrize("language", ["en", "zh"][: sized(1, 2)])
@pytest.mark.parametrize("name", list(DATA))
def test_the_recorded_text_follows_from_code_and_parameters(name: str, language: str) -> None:
    benchmark = find_benchmark(name)
    english, chinese = (reason_texts(benchmark, reader) for reader in ("en", "zh"))
    plain = {code: ReasonText(text.text) for code, text in english.items() if code not in TextKind.__members__.values()}
    for verdict in wrong_verdicts(name, language):
        why = verdict.why
        assert why is not None
        assert why.code in english
        assert why.in_words(plain) == verdict.detail
        said = why.in_words(chinese)
        assert CHINESE.search(said.removeprefix(why.place))
        published = bool(english[why.code].meaning)
        shown = (value for name, value in why.values.items() if name != "at" and value != why.kind(chinese))
        assert all(value in said for value in shown)  # no name, no value is lost
        assert not published or (verdict.detail or "").removeprefix(f"{why.place}: ") in said


@given(st.text(alphabet=string.printable + "\ud800é", max_size=2 * MAX_TEXT))
def test_parameters_can_be_written_whatever_a_model_says(name: str) -> None:
    found = reason(DialogueCode.NOT_OFFERED, names=(name,), at=name)
    written = found.written()
    msgspec.json.encode(written)
    msgspec.json.encode(found.explained(name).cut(80))
    for value in written.values():
        assert len(value[0] if isinstance(value, tuple) else str(value)) <= 6 * MAX_TEXT
