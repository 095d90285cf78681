"""What a run's page shows: every table of metrics.json, with headings in both languages, and nothing twice."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.analysis.synthetic import dataset, scores, trajectory
from tests.benchmarks.acebench import ace_synthetic
from toolgauge.analysis.effort_line import effort_line
from toolgauge.analysis.numbers import Metrics, Rate, Tables
from toolgauge.analysis.reports import report_of
from toolgauge.analysis.sections import TableSection, every_section, sections
from toolgauge.analysis.show import show
from toolgauge.analysis.titles import TITLES, title
from toolgauge.benchmarks.acebench.numbers.metrics import ace_metrics

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
    data = ace_synthetic.dataset()
    made = ace_synthetic.scores(data, epochs=2)
    return ace_metrics(
        "acebench", data, made, [one.task_id for one in made], map(ace_synthetic.trajectory, data.entries)
    )


def shown(found: list[TableSection]) -> list[tuple[str, str]]:
    return [(table, row) for section in found for table, row, _ in section.rows]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("scoring", ["exact", "tables"])
def test_every_table_of_a_graph_benchmark_is_there_once(graph: Metrics, scoring: str, language: str) -> None:
    found = every_section(graph, scoring, language)
    expected = set(graph.scorings[scoring]) - DRAWN - OTHER_BENCHMARKS
    if scoring == "exact":
        expected -= {"mistakes_paper"}
    assert {table for table, _ in shown(found)} == expected
    assert len(shown(found)) == len(set(shown(found)))
    assert len({section.key for section in found}) == len(found)


@pytest.mark.parametrize("scoring", ["exact", "released"])
def test_every_table_of_acebench_is_there_once(ace: Metrics, scoring: str) -> None:
    found = every_section(ace, scoring, "en")
    assert {table for table, _ in shown(found)} == set(ace.scorings[scoring]) - DRAWN - (
        {"error_types"} if scoring == "exact" else set()
    )
    assert len(shown(found)) == len(set(shown(found)))


def test_mmtb_has_its_classes_and_its_contexts(graph: Metrics) -> None:
    tables = {table for table, _ in shown(every_section(replace(graph, benchmark="mmtb"), "tables", "en"))}
    assert tables >= OTHER_BENCHMARKS
    assert "mistakes_paper" not in tables


@pytest.mark.parametrize("content", ["graph", "ace"])
def test_headings_and_notes_are_in_the_language(content: str, request: pytest.FixtureRequest) -> None:
    metrics = request.getfixturevalue(content)
    for section in every_section(metrics, "exact", "zh"):
        assert section.heading == title(section.key, "zh")
        for table, row, heading in section.rows:
            alike = table in ("parameter_errors", "by_context_tokens")  # types of JSON, "1-2k token"
            assert alike or not heading.isascii(), f"{table}/{row}: {heading}"
    for english, chinese in zip(
        every_section(metrics, "exact", "en"), every_section(metrics, "exact", "zh"), strict=True
    ):
        assert (english.key, bool(english.note)) == (chinese.key, bool(chinese.note))
        assert english.heading == str(TITLES[english.key])
        headings = [heading for _, _, heading in english.rows]
        assert len(set(headings)) == len(headings) or english.key.endswith("_categories")
        assert all("_" not in heading or "(" in heading for heading in headings)


def test_passes_in_the_terminal_are_powers_of_two_and_all(graph: Metrics) -> None:
    brief = [row for table, row in shown(sections(graph, "exact", "en")) if table == "passes"]
    assert [row for row in brief if row.startswith("task")] == [
        "task_pass@1", "task_pass@2", "task_pass^2", "task_pass@4", "task_pass^4", "task_pass@5", "task_pass^5",
    ]  # fmt: skip
    every = [row for table, row in shown(every_section(graph, "exact", "en")) if table == "passes"]
    assert len(every) == 2 * (5 + 4)


def test_no_scoring_is_shown_for_rows_with_odd_names(graph: Metrics) -> None:
    odd: Tables = {"passes": {"task_pass@x": Rate(), "nonsense": Rate()}, "overall": {}}
    assert every_section(replace(graph, scorings={"exact": odd}), "exact", "en") == []


def test_a_run_without_tokens_has_no_line_for_them(graph: Metrics) -> None:
    line = effort_line(graph)
    assert line is not None
    assert str(line) == "Per task: 2 steps, 220 tokens in, 15 tokens out, 0.750 s, $0.0007."
    assert effort_line(Metrics()) is None


def test_the_terminal_names_near_misses_and_effort(graph: Metrics) -> None:
    import io

    from rich.console import Console

    file = io.StringIO()
    show(graph, "exact", Console(file=file, width=200))
    near = graph.scorings["exact"]["near_misses"]
    text = file.getvalue()
    assert f"Near misses: {near['one_task_short'].correct} of 320 complete sessions have one wrong task" in text
    assert "Per task: 2 steps" in text
