"""Figures as SVG files: their numbers, that they stand alone, what hostile names can do, and that texts have room."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.analysis import synthetic
from tests.analysis.synthetic import metrics
from tests.benchmarks.acebench import ace_building
from toolgauge.analysis.numbers import Metrics, Rate
from toolgauge.benchmarks.acebench.numbers.report import AceReport
from toolgauge.locale import plain
from toolgauge.report.display import display_of
from toolgauge.report.figures import figure_files, rate_chart, svg_file, text_width
from toolgauge.report.marks import DotChart, HeatTable, Kind, Scatter

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "<script>alert(1)</script>{{7*7}}\u202e\x1b\uffff\ud800'\"]); \n</svg><image href='http://a.example/'/>"
NAMES = ["accuracy", "matrix", "mistakes", "orchestration", "transitions", "routes"]


def full() -> Metrics:
    data = synthetic.dataset(64)
    return metrics("wildtoolbench", data, synthetic.scores(data))


def partial() -> Metrics:
    data = synthetic.dataset(4)
    return metrics("mmtb", data, synthetic.scores(data)[:3])


def ace() -> Metrics:
    data = ace_building.dataset()
    return AceReport().metrics("acebench", data, ace_building.scores(data), ace_building.ids(data))


def charts(content: Metrics, scoring: str) -> dict[str, Any]:
    found = display_of(content.benchmark).figures(content, scoring, "en")
    return {name: chart for name, chart in found if chart is not None}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("make", [full, partial, ace])
def test_every_figure_is_a_file_that_stands_alone(make: Any, language: str) -> None:
    content = make()
    for scoring in content.scorings:
        files = figure_files(content, scoring, language)
        assert files
        for name, text in files.items():
            root = ElementTree.fromstring(text)
            assert root.tag == f"{SVG}svg"
            assert root.findtext(f"{SVG}title"), name
            assert not {element.tag for element in root.iter()} & {f"{SVG}script", f"{SVG}image", f"{SVG}a"}
            assert not re.search(r"NaN|nan%|inf%|var\(|url\(|light-dark|@import|None", text), name
            links = [element.get("href") for element in root.iter() if element.get("href")]
            ids = {f"#{element.get('id')}" for element in root.iter()}
            assert set(links) <= ids, name


def test_numbers_of_figures_are_those_of_the_metrics() -> None:
    content = full()
    tables, drawn = content.scorings["tables"], charts(content, "tables")
    accuracy: DotChart = drawn["accuracy"]
    expected = tables["overall"]["task_accuracy"]
    assert expected.ci95
    (mark,) = accuracy.rows[0].marks
    assert (accuracy.rows[0].heading, mark.value, mark.interval) == ("task accuracy", expected.value, expected.ci95)
    assert len(accuracy.rows) == 9
    matrix: HeatTable = drawn["matrix"]
    cells = {
        (row.heading, turn): cell
        for row in matrix.rows
        for turn, cell in zip(matrix.columns, row.cells, strict=True)
        if cell.text
    }
    assert cells["clarify", "3"].share == tables["layers"]["clarify@3"].value
    assert len(cells) == 22  # in the first 64 sequences every session begins with a single-tool task
    transitions: Scatter = drawn["transitions"]
    points = {(placed.point.kind, round(placed.point.x)): placed.point.y for placed in transitions.points}
    assert points[Kind.SECOND, 2] == tables["transitions"]["2"].value
    shares = [row.marks[0].value for row in drawn["mistakes"].rows]
    assert shares == sorted(shares, reverse=True)
    assert content.figures
    routes = content.figures["tables"].routes
    assert [len(row.cells) for row in drawn["routes"].rows] == [4, 16, 64, 256]
    assert [cell.share for cell in drawn["routes"].rows[1].cells] == [mean or 0 for mean in routes[1]]


def test_hostile_names_are_text_and_nothing_else() -> None:
    rates = [
        (HOSTILE, Rate(value=0.5, correct=1, total=2, ci95=(0.1, 0.9))),
        ("长" * 200, Rate(value=0.25, correct=1, total=4)),
    ]
    chart = rate_chart(rates, plain(HOSTILE), "en")
    assert chart
    root = ElementTree.fromstring(svg_file(chart, HOSTILE).encode())
    tags = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert tags == {"svg", "title", "style", "defs", "circle", "path", "rect", "text", "line", "use"}
    texts = [element.text or "" for element in root.iter(f"{SVG}text")]
    assert any(text.startswith("<script>alert(1)") for text in texts)
    assert not any(char in text for text in texts for char in "\u202e\x1b")
    assert all(text_width(text) <= 400 for text in texts if "长" in text)


def test_a_rate_without_a_value_is_left_out() -> None:
    assert rate_chart([("a", None), ("b", Rate())], plain("rate"), "en") is None
