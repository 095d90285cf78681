"""Why a task failed, in both languages: every text that the judge makes is of a known form."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from toolgauge.analysis.reasons import LONGEST, forms, in_words, taken_apart
from toolgauge.benchmarks.registry import find_benchmark
from toolgauge.episode import drive
from toolgauge.models.builtin.models import noisy
from toolgauge.runs.scoring import score_all

FIXTURES = Path(__file__).parent.parent / "fixtures"
CHINESE = re.compile("[\u4e00-\u9fff]")
DATA = {
    "mini": None,
    "mmtb": FIXTURES / "mmtb_small.jsonl",
    "wildtoolbench": FIXTURES / "wildtoolbench_small.jsonl",
    "acebench": FIXTURES / "acebench/data_all",
}


def details(name: str, language: str) -> Iterator[str]:
    """What the judge says of the noisy player's mistakes, in all readings."""
    benchmark = find_benchmark(name)
    file = DATA[name] or benchmark.embedded
    assert file is not None
    data = benchmark.load(file, language)
    for seed in range(2 if name == "mini" else 12):
        played = [drive(benchmark.episode(data, sample), noisy(seed, 1.0)) for sample in benchmark.samples(data)]
        for score in score_all(benchmark, data, played):
            yield from (verdict.detail for verdict in score.readings.values() if verdict.detail)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", list(DATA))
def test_every_reason_is_told_in_chinese(name: str, language: str) -> None:
    found = set(details(name, language))
    assert found
    assert [detail for detail in found if taken_apart(detail) is None] == []
    for detail in found:
        reason = taken_apart(detail)
        assert reason is not None
        said = in_words(detail, "zh")
        assert CHINESE.search(said.removeprefix(reason.place))
        assert all(value in said for value in reason.values.values())  # no name and no value is lost
        assert reason.form not in forms().codes or detail.removeprefix(reason.place).removesuffix(reason.ending) in said


@pytest.mark.parametrize(
    ("detail", "english", "chinese"),
    [
        ("not offered: search_pro", "not offered: search_pro", "调用了未提供的工具：search_pro"),
        ("the tools called at step 2 do not fit", "the tools called at step 2 do not fit", "第 2 步调用的工具不对"),
        (
            "book(date): error_schema: args not defined",
            "book(date): the tool has no such parameter (error_schema: args not defined)",
            "book(date)：工具没有这个参数（error_schema: args not defined）",
        ),
        (
            "Api.users.Jack: {'a': 1} given, {'a': 2} expected: blame: model",
            "Api.users.Jack: {'a': 1} given, {'a': 2} expected: blame: model",
            "Api.users.Jack：给出 {'a': 1}，应为 {'a': 2}（责任在模型）",
        ),
        ("2 calls given, 1 expected", "2 calls given, 1 expected", "给出 2 个调用，应为 1 个"),
        ("f(x): 2 elements given, 1 expected", "f(x): 2 elements given, 1 expected", "f(x)：给出 2 个元素，应为 1 个"),
        (
            "no_list: no complete bracket list: the public scorer would have stopped here",
            "no_list: no complete bracket list: the public scorer would have stopped here",
            "输出中没有完整的方括号列表（公开的评测代码在此处会崩溃）",
        ),
        (
            "an odd: name: type error",
            "an odd: name: not of the declared type (type error)",
            "an odd: name：类型与声明不符（type error）",
        ),
        ("something of a later version", "something of a later version", "something of a later version"),
        ("", "", ""),
    ],
)
def test_reasons_in_words(detail: str, english: str, chinese: str) -> None:
    assert in_words(detail, "en") == english
    assert in_words(detail, "zh") == chinese


def test_what_looks_like_a_slot_in_a_value_is_text() -> None:
    assert in_words("t: {expected} given, {given} expected", "zh") == "t：给出 {expected}，应为 {given}"


@pytest.mark.parametrize("hostile", ["x" * 10_000_000, ": " * 900, "at '" * 400, "(" * 1900 + ": x"])
def test_texts_of_no_form_are_left_as_they_are(hostile: str) -> None:
    assert in_words(hostile, "zh") == hostile


def test_long_texts_are_not_looked_at() -> None:
    assert in_words("not offered: " + "x" * LONGEST, "zh").startswith("not offered")


def test_every_form_has_chinese_with_the_same_slots() -> None:
    table = forms()
    for form, chinese in table.sentences.items():
        assert CHINESE.search(chinese), form
        assert sorted(re.findall(r"\{\w+\}", form)) == sorted(re.findall(r"\{\w+\}", chinese)), form
    for form, meanings in table.codes.items():
        assert meanings.keys() == {"en", "zh"}, form
        assert CHINESE.search(meanings["zh"]), form
