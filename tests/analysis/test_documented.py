"""docs/files.md names every field and every table of metrics.json."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tests.analysis.synthetic import dataset, scores, trajectory
from tests.benchmarks.acebench import ace_synthetic
from toolgauge.analysis.effort import AMOUNTS, Amount, Effort, Latencies, Latency
from toolgauge.analysis.numbers import Metrics, Rate, RouteNumbers
from toolgauge.analysis.replies import EndingCount, Endings
from toolgauge.analysis.reports import report_of
from toolgauge.analysis.sensitivity import Differing, OnlyIn, ScoringPair
from toolgauge.benchmarks.acebench.numbers.report import AceReport
from toolgauge.benchmarks.dialogues.numbers.arguments import PARAMETER_TYPES, SOURCES

PAGE = (Path(__file__).parents[2] / "docs" / "files.md").read_text(encoding="utf-8")


def undocumented(names: Iterable[str]) -> list[str]:
    return [name for name in names if f"`{name}`" not in PAGE]


def graph() -> Metrics:
    data = dataset(12)
    made = scores(data, epochs=2)
    runs = [trajectory(of, index) for of in data.sessions for index in range(4)]
    return report_of("mini").metrics("mini", data, made, [one.task_id for one in made], runs)


def test_fields_and_tables_of_graph_benchmarks() -> None:
    content = graph()
    assert undocumented(content.scorings["exact"]) == []
    kinds = (Metrics, Rate, Effort, Amount, Latencies, Latency, ScoringPair, OnlyIn, Differing, RouteNumbers)
    for kind in (*kinds, Endings, EndingCount):
        assert undocumented(kind.__struct_fields__) == [], kind
    assert undocumented(content.effort.amounts) == []


def test_tables_of_acebench() -> None:
    data = ace_synthetic.dataset()
    made = ace_synthetic.scores(data, epochs=2)
    content = AceReport().metrics("acebench", data, made, [one.task_id for one in made])
    assert undocumented(content.scorings["released"]) == []


def test_rows_with_names() -> None:
    assert undocumented(AMOUNTS) == undocumented(PARAMETER_TYPES) == []
    assert undocumented(name for name in SOURCES if not name.endswith("_earlier")) == []
    assert undocumented(graph().scorings["exact"]["near_misses"]) == []


def test_tables_of_some_data_only() -> None:
    assert undocumented(("by_messages", "by_context_tokens", "by_parameter_types", "by_argument_source")) == []
