"""docs/files.md names every field and every table of metrics.json."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.analysis.synthetic import dataset, scores, trajectory
from tests.benchmarks.acebench import ace_synthetic
from toolgauge.analysis.arguments import PARAMETER_TYPES, SOURCES
from toolgauge.analysis.effort import AMOUNTS
from toolgauge.analysis.reports import report_of
from toolgauge.benchmarks.acebench.numbers.metrics import ace_metrics

PAGE = (Path(__file__).parents[2] / "docs" / "files.md").read_text(encoding="utf-8")


def undocumented(names: Iterable[str]) -> list[str]:
    return [name for name in names if f"`{name}`" not in PAGE]


def graph() -> dict[str, Any]:
    data = dataset(12)
    made = scores(data, epochs=2)
    runs = [trajectory(of, index) for of in data.sessions for index in range(4)]
    return report_of("mini").metrics("mini", data, made, [one.task_id for one in made], runs)


def test_fields_and_tables_of_graph_benchmarks() -> None:
    content = graph()
    assert undocumented(content) == []
    assert undocumented(content["readings"]["exact"]) == []
    assert undocumented(next(iter(content["readings"]["exact"]["overall"].values()))) == []
    assert undocumented(content["effort"]) == undocumented(content["sensitivity"][0]) == []
    assert undocumented((*content["effort"]["amounts"], *content["effort"]["amounts"]["steps"])) == []
    assert undocumented((*content["effort"]["latency"], *content["effort"]["latency"]["task"])) == []
    assert undocumented(content["sensitivity"][0]["tasks"][0]) == []


def test_fields_and_tables_of_acebench() -> None:
    data = ace_synthetic.dataset()
    made = ace_synthetic.scores(data, epochs=2)
    content = ace_metrics("acebench", data, made, [one.task_id for one in made])
    assert undocumented(content) == []
    assert undocumented(content["readings"]["released"]) == []


def test_rows_with_names() -> None:
    assert undocumented(AMOUNTS) == undocumented(PARAMETER_TYPES) == []
    assert undocumented(name for name in SOURCES if not name.endswith("_earlier")) == []
    assert undocumented(graph()["readings"]["exact"]["near_misses"]) == []


def test_tables_of_some_data_only() -> None:
    assert undocumented(("by_messages", "by_context_tokens", "by_parameter_types", "by_argument_source")) == []
