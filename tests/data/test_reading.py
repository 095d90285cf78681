"""Reading both public formats: fields, codes, languages, and the oddities of the real files."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.rows import rows
from toolgauge.benchmarks.dialogues.data.load import load_dataset
from toolgauge.benchmarks.dialogues.data.mmtb import strip_role
from toolgauge.data.lines import MAX_DEPTH, read_lines, within_depth
from toolgauge.data.sessions import parse_clock
from toolgauge.errors import DataError


def references(path: Path, session: int, language: str = "en") -> list[str]:
    return [task.reference.value for task in load_dataset(path, language=language).sessions[session].tasks]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_small_wildtoolbench(small_wildtoolbench: Path, language: str) -> None:
    dataset = load_dataset(small_wildtoolbench, language=language)
    assert dataset.name == "wildtoolbench_small"
    assert [(session.id, session.line) for session in dataset.sessions] == [("garden_0", 1), ("garden_1", 3)]
    assert len(dataset.sha256) == 64
    first = dataset.by_id["garden_0"]
    assert first.extra == {"author": "us"}
    assert [task.type.value for task in first.tasks] == ["single_tool", "parallel_tools", "sequential_tools", "clarify"]
    assert references(small_wildtoolbench, 0, language) == [
        "first_turn",
        "partial_information",
        "coreference",
        "long_range",
    ]
    assert first.tools_by_name["water_bed"].parameters["properties"]["litres"]["type"] == "number"
    assert first.original_tools[1]["function"]["parameters"]["properties"]["litres"]["type"] == "float"
    # a parameter called "type" and an enum member "float" are no type names
    assert first.tools_by_name["write_diary"].parameters["properties"]["type"]["enum"] == ["float", "plain"]
    assert [len(task.dialogue) for task in first.tasks] == [2, 2, 2, 6]
    clarify = first.tasks[3].calls
    assert clarify[0].user_input in ("bed 5", "5号")
    assert clarify[2].extra == {"weight": 0.5}
    assert first.tasks[1].calls[1].arguments == {"bed": 4, "litres": 2}  # written as JSON text in the file
    assert first.tasks[1].calls[1].observation == ["ok"]
    assert first.tasks[2].calls[1].sources["text"][0]["from"] == "result"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_small_mmtb(small_mmtb: Path, language: str) -> None:
    dataset = load_dataset(small_mmtb, language=language)
    assert [session.id for session in dataset.sessions] == ["garden_a", "garden_b", "garden_c"]
    a, b, c = dataset.sessions
    assert [task.type.value for task in a.tasks] == ["single_tool", "parallel_tools", "sequential_tools", "clarify"]
    # one entry per true task, per true task with a pseudo one between, per task
    expected = [
        ["first_turn", "partial_information", "coreference", "long_range"],
        ["first_turn", "coreference", "first_turn", "long_range"],
        ["first_turn", "partial_information", "coreference", "long_range"],
    ]
    assert [[task.reference.value for task in session.tasks] for session in (a, b, c)] == expected
    assert [task.true_multi_turn for task in b.tasks] == [False, True, False, True]
    assert b.tasks[2].opening == 2
    assert b.tasks[2].utterance in (b.tasks[2].dialogue[2].content or "")
    assert b.extra == {"batch": 7}
    parameters = a.tools_by_name["water_bed"].parameters["properties"]
    assert (parameters["bed"]["type"], parameters["litres"]["type"]) == ("integer", "number")
    kind = a.tools_by_name["write_diary"].parameters["properties"]["type"]
    assert (kind["type"], kind["enum"]) == ("string", ["float", "plain"])


def test_M5_an_entry_without_weekday_drops_no_task(small_mmtb: Path) -> None:
    session = load_dataset(small_mmtb).sessions[1]
    assert len(session.tasks) == 4
    assert [parse_clock(task.clock or session.clock) for task in session.tasks] == [
        datetime(2025, 5, 4, 8),
        datetime(2025, 5, 5, 9, 30),
        datetime(2025, 5, 6, 8),
        datetime(2025, 5, 7, 8),
    ]


@rows(
    ("text", "expected"),
    [
        ("2024-07-10 09:30:00 Wednesday", datetime(2024, 7, 10, 9, 30)),
        ("当前时间：2024-07-10 09:30:00 星期三", datetime(2024, 7, 10, 9, 30)),
        ("环境：2024-07-10 09:30:59星期三", datetime(2024, 7, 10, 9, 30, 59)),
        ("2024-07-10", datetime(2024, 7, 10)),
        ("2024年7月10日", datetime(2024, 7, 10)),
        ("2024-13-10 09:30:00", None),
        ("some day", None),
        ("", None),
    ],
)
def test_clocks(text: str, expected: datetime | None) -> None:
    assert parse_clock(text) == expected


@rows(
    ("text", "language", "expected"),
    [
        ("User: hi", "en", " hi"),
        ("AI Agent Assistant:hi", "en", "hi"),
        ("ai: a:b", "en", " a:b"),
        ("Note: hi", "en", "Note: hi"),
        ("用户：好", "en", "用户：好"),
        ("用户：好", "zh", "好"),
        ("AI Agent助手：好：", "zh", "好："),
        ("ai agent：好", "zh", "ai agent：好"),
        ("no colon", "en", "no colon"),
    ],
)
def test_role_prefixes(text: str, language: str, expected: str) -> None:
    assert strip_role(text, language) == expected


def test_depth_is_bounded_without_recursion() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    assert not within_depth(deep)
    assert within_depth([[]], 2)
    assert not within_depth([[[]]], 2)
    assert within_depth("text", 0)
    assert MAX_DEPTH < 100


def test_a_file_in_the_other_language_says_so(small_wildtoolbench: Path, write_lines: Callable[..., Path]) -> None:
    (session,) = [value for _, value in read_lines(small_wildtoolbench)][:1]
    english = {key: value for key, value in session.items() if key == "id" or key.startswith("english_")}
    with pytest.raises(DataError, match="no session in zh, but one in en; use --language en"):
        load_dataset(write_lines(english), language="zh")
