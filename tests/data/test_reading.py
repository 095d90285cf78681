"""Reading both public formats: fields, codes, languages, oddities; totals of the public sets; `toolgauge data ...`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner, Result

from tests.rows import rows
from toolgauge.benchmarks.dialogues.benchmark import MINI_FILE
from toolgauge.benchmarks.dialogues.data import check
from toolgauge.benchmarks.dialogues.data.load import load_dataset
from toolgauge.benchmarks.dialogues.data.mmtb import strip_role
from toolgauge.benchmarks.dialogues.data.statistics import measure
from toolgauge.cli.data import app, resolve
from toolgauge.cli.main import app as toolgauge
from toolgauge.data.fetch import FetchError
from toolgauge.data.lines import MAX_DEPTH, read_lines, within_depth
from toolgauge.data.sessions import parse_clock
from toolgauge.errors import DataError, UsageError


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


def test_other_totals_than_the_published_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of what is as large as the public sets, as which the embedded benchmark stands here: its own, then others."""
    sessions = load_dataset(MINI_FILE).sessions
    assert list(check.missed_totals(sessions, "mmtb")) == [], "another size: not the public set"
    found = measure(sessions)
    figures = {"TASK_TYPES": found.task_types, "SHAPES": found.shapes, "REFERENCES": found.references}
    for name, value in {"SESSIONS": 32, **figures, "NODES": found.nodes, "TURNS": found.turns}.items():
        monkeypatch.setattr(check, name, value)
    about = {line.partition(":")[0] for line in check.missed_totals(sessions, "mmtb")}
    assert about <= {f"task types at turn {turn}" for turn in (1, 2, 3, 4)}
    assert list(check.missed_totals(sessions, "wildtoolbench")) == [], "other ids"
    count = found.references["long_range"]
    monkeypatch.setattr(check, "REFERENCES", {**found.references, "long_range": count + 1})
    monkeypatch.setattr(check, "SESSIONS", len(sessions))
    expected = f"references, long_range: {count}; published: {count + 1}"
    assert expected in list(check.missed_totals(sessions, "mmtb"))


def test_statistics_say_what_is_covered_and_are_drawn(tmp_path: Path) -> None:
    """Definitions beside occurrences, sequences of 4^N, tasks that need the context; a picture for each table."""
    result = CliRunner().invoke(toolgauge, ["data", "stats", "mini", "--figures", str(tmp_path / "drawn")])
    assert result.exit_code == 0, result.output
    said = " ".join(result.output.split())
    assert "137 (219 definitions, 140 distinct)" in said
    assert "sequences of 4 types covered 32 of 256" in said
    assert "later tasks that need the context 96 of 96" in said
    drawn = {path.name: ElementTree.parse(path) for path in (tmp_path / "drawn").iterdir()}
    assert {"task-types.svg", "references.svg", "transitions.svg", "tools-per-session.svg"} <= drawn.keys()
    texts = {"".join(element.itertext()) for element in drawn["task-types.svg"].iter()}
    assert {"mixed_tools", "10", "7.8%", "count"} <= texts


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLGAUGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "160")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


def test_check_says_what_is_wrong(small_wildtoolbench: Path, tmp_path: Path) -> None:
    result = run("check", str(small_wildtoolbench))
    assert (result.exit_code, "no problems" in result.output) == (0, True)
    bad = tmp_path / "bad.jsonl"
    bad.write_text("oops\n7\n")
    result = run("check", str(bad))
    assert result.exit_code == 1
    assert f"{bad}:1: invalid JSON" in result.output
    assert "2 problems" in result.output


def test_unusable_input(tmp_path: Path, small_mmtb: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    for arguments, kind in (
        (("check", str(empty)), DataError),
        (("check", "no-such-thing"), UsageError),
        (("check", str(small_mmtb), "--format", "csv"), UsageError),
        (("check", str(small_mmtb), "--language", "fr"), UsageError),
        (("stats", str(small_mmtb), "--language", "fr"), UsageError),
        (("fetch", "no-such-thing"), UsageError),
    ):
        error = run(*arguments).exception
        assert isinstance(error, kind)
        assert error.exit_code == 2


def test_names_of_data_sets() -> None:
    mini = resolve("mini")
    assert mini.parts[-3:] == ("dialogues", "mini", "sessions.jsonl")
    with pytest.raises(FetchError, match="toolgauge data fetch wildtoolbench"):
        resolve("wildtoolbench")
    result = run("fetch", "mini")
    assert Path(result.output.strip()) == mini
    assert isinstance(run("fetch", "mmtb", "--offline").exception, FetchError)
