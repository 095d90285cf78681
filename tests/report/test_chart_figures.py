"""Charts: their numbers, their colours, what hostile names can do, and that they can be drawn."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
import vl_convert

from tests.analysis import synthetic
from tests.benchmarks.acebench import ace_synthetic
from toolgauge.analysis.numbers import Metrics
from toolgauge.benchmarks.acebench.numbers.metrics import ace_metrics
from toolgauge.benchmarks.dialogues.numbers.metrics import metrics
from toolgauge.report.figures import figures_of, main_figures
from toolgauge.report.figures.rows import LONGEST_NAME
from toolgauge.report.figures.theme import themed

HOSTILE = "<script>alert(1)</script>{{7*7}}\u202edatum.x'\"]); \n</svg>"


def full() -> Metrics:
    data = synthetic.dataset(64)
    return metrics("wildtoolbench", data, synthetic.scores(data))


def partial() -> Metrics:
    data = synthetic.dataset(4)
    return metrics("mmtb", data, synthetic.scores(data)[:3])


def ace() -> Metrics:
    data = ace_synthetic.dataset()
    return ace_metrics("acebench", data, ace_synthetic.scores(data), ace_synthetic.ids(data))


def texts(value: Any, inside: str = "") -> Iterator[tuple[str, str]]:
    """Every string of a specification with its path; keys are strings too."""
    if isinstance(value, str):
        yield inside, value
    elif isinstance(value, list):
        for item in value:
            yield from texts(item, f"{inside}[]")
    elif isinstance(value, dict):
        for name, item in value.items():
            yield inside, name
            yield from texts(item, f"{inside}.{name}")


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("make", [full, partial, ace])
def test_every_figure_can_be_drawn(make: Any, language: str) -> None:
    content = make()
    for scoring in list(content.scorings)[:1]:
        figures = main_figures(content, scoring, language, "dark" if language == "zh" else "light")
        assert figures
        for name, spec in figures.items():
            drawn = vl_convert.vegalite_to_svg(spec, vl_version="6.4")
            assert spec["title"]["text"] in re.sub(r"&amp;", "&", drawn), name
            assert "NaN" not in drawn, name


def test_figures_of_a_graph_benchmark_and_of_acebench() -> None:
    names = ["accuracy", "matrix", "mistakes", "orchestration", "transitions", "routes"]
    assert list(main_figures(full(), "exact", "en")) == names
    assert list(main_figures(ace(), "released", "zh")) == ["groups", "categories", "errors"]


def test_numbers_of_charts_are_those_of_the_metrics() -> None:
    content = full()
    tables = content.scorings["tables"]
    charts = {figure.name: figure.spec["data"]["values"] for figure in figures_of(content, "tables", "en")}
    accuracy = {row["name"]: (row["value"], row["low"], row["high"]) for row in charts["accuracy"]}
    expected = tables["overall"]["task_accuracy"]
    assert expected.ci95
    assert accuracy["task accuracy"] == (expected.value, *expected.ci95)
    assert len(charts["accuracy"]) == 9
    cells = {(row["name"], row["position"]): row["value"] for row in charts["matrix"]}
    assert cells["clarify", "3"] == tables["layers"]["clarify@3"].value
    assert len(cells) == 22  # in the first 64 sequences every session begins with a single-tool task
    points = {(row["curve"], row["changes"]): row["value"] for row in charts["transitions"]}
    assert points["four task types", "2"] == tables["transitions"]["2"].value


def test_hostile_names_are_data_and_nothing_else() -> None:
    charts = [figure.spec for figure in figures_of(full(), "tables", "en", {HOSTILE: {"refusal": 0.5}})]
    found = [(path, text) for chart in charts for path, text in texts(chart) if "alert" in text]
    assert found
    assert all(re.search(r"\.data\.values\[\]\.(name|model)$", path) for path, _ in found)
    assert all(len(text) <= LONGEST_NAME for chart in charts for _, text in texts(chart))
    for chart in charts:
        drawn = vl_convert.vegalite_to_svg(themed(chart), vl_version="6.4")
        assert "<script" not in drawn
