"""What a run's page shows: every table of metrics.json, with headings in both languages, and nothing twice."""

from __future__ import annotations

import pytest

from tests.analysis.synthetic import dataset, scores, trajectory
from tests.benchmarks.acebench import ace_building
from toolgauge.analysis.layout import TableSection, sections_of
from toolgauge.analysis.numbers import Metrics
from toolgauge.analysis.reports import report_of
from toolgauge.benchmarks.acebench.numbers.report import AceReport

DRAWN = {"layers", "published"}
"""Tables that are no sections: a matrix, and the original's own numbers."""
OTHER_BENCHMARKS = {"mistakes_mmtb", "turn_type", "subtypes"}


@pytest.fixture(scope="module")
def graph() -> Metrics:
    data = dataset(64)
    made = scores(data, epochs=5)
    runs = [trajectory(of, index) for of in data.sessions for index in range(4)]
    return report_of("mini").metrics("wildtoolbench", data, made, [one.task_id for one in made], runs, "openai/gpt-4o")


@pytest.fixture(scope="module")
def ace() -> Metrics:
    data = ace_building.dataset()
    made = ace_building.scores(data, epochs=2)
    return AceReport().metrics(
        "acebench", data, made, [one.task_id for one in made], map(ace_building.trajectory, data.entries)
    )


def shown(found: list[TableSection]) -> list[tuple[str, str]]:
    return [(table, row) for section in found for table, row, _ in section.rows]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("scoring", ["exact", "tables"])
def test_every_table_of_a_graph_benchmark_is_there_once(graph: Metrics, scoring: str, language: str) -> None:
    found = sections_of(graph, scoring, language, brief=False)
    expected = set(graph.scorings[scoring]) - DRAWN - OTHER_BENCHMARKS
    if scoring == "exact":
        expected -= {"mistakes_paper"}
    assert {table for table, _ in shown(found)} == expected
    assert len(shown(found)) == len(set(shown(found)))
    assert len({section.key for section in found}) == len(found)


@pytest.mark.parametrize("scoring", ["exact", "released"])
def test_every_table_of_acebench_is_there_once(ace: Metrics, scoring: str) -> None:
    found = sections_of(ace, scoring, "en", brief=False)
    assert {table for table, _ in shown(found)} == set(ace.scorings[scoring]) - DRAWN - (
        {"error_types"} if scoring == "exact" else set()
    )
    assert len(shown(found)) == len(set(shown(found)))
