"""Statistics of data sets, and the totals that the complete public sets must show."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from toolgauge.benchmarks.dialogues.data.check import check
from toolgauge.benchmarks.dialogues.data.load import load_dataset
from toolgauge.benchmarks.dialogues.data.statistics import statistics
from toolgauge.cli.main import app

Record = dict[str, Any]


def test_the_published_totals_hold(public_like_records: list[Record], write_lines: Callable[..., Path]) -> None:
    path = write_lines(*public_like_records)
    found = statistics(load_dataset(path))
    assert found.turns == {4: 73, 5: 93, 6: 50, 7: 30, 8: 9, 9: 1}
    assert found.shapes == {"parallel_tools": 157, "sequential_tools": 16, "mixed_tools": 84}
    assert check(path) == []


@pytest.mark.parametrize(
    ("field", "index", "value", "expected"),
    [
        ("english_turn_subtypes", 0, "Long-Range Dependency", "references, long_range: 180; published: 179"),
        ("english_task_types", 0, "Clarify", "task types at turn 1"),
    ],
)
def test_other_totals_are_said(
    field: str,
    index: int,
    value: str,
    expected: str,
    public_like_records: list[Record],
    write_lines: Callable[..., Path],
) -> None:
    first = public_like_records[0]
    changed = {**first, field: [*first[field][:index], value, *first[field][index + 1 :]]}
    problems = [str(problem) for problem in check(write_lines(changed, *public_like_records[1:]))]
    assert any(expected in problem for problem in problems), problems


def test_statistics_say_what_is_covered_and_are_drawn(tmp_path: Path) -> None:
    """Definitions beside occurrences, sequences of 4^N, tasks that need the context; a picture for each table."""
    result = CliRunner().invoke(app, ["data", "stats", "mini", "--figures", str(tmp_path / "drawn")])
    assert result.exit_code == 0, result.output
    said = " ".join(result.output.split())
    assert "137 (219 definitions, 140 distinct)" in said
    assert "sequences of 4 types covered 32 of 256" in said
    assert "later tasks that need the context 96 of 96" in said
    drawn = {path.name: ElementTree.parse(path) for path in (tmp_path / "drawn").iterdir()}
    assert {"task-types.svg", "references.svg", "transitions.svg", "tools-per-session.svg"} <= drawn.keys()
    texts = {"".join(element.itertext()) for element in drawn["task-types.svg"].iter()}
    assert {"mixed_tools", "10", "7.8%", "count"} <= texts
