"""Charts: their numbers, their colours, what hostile names can do, and that they can be drawn."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import vl_convert
from msgspec.structs import replace

from tests.analysis import synthetic
from tests.benchmarks.acebench import ace_synthetic
from toolgauge.analysis.effort import Amount, Effort, Latencies, Latency
from toolgauge.analysis.numbers import Metrics, Rate, RouteNumbers
from toolgauge.benchmarks.acebench.numbers.metrics import ace_metrics
from toolgauge.benchmarks.dialogues.numbers.metrics import metrics
from toolgauge.benchmarks.dialogues.view.routes import route_triangle
from toolgauge.report.figures import figures_of, main_figures
from toolgauge.report.figures.channels import say_in
from toolgauge.report.figures.rows import LONGEST_NAME, rate_row, rate_rows
from toolgauge.report.figures.theme import COLOURS, Theme, _oklab, heat_scale, themed

CSS = Path(__file__).parents[2] / "src/toolgauge/report/assets/base.css"
COLOUR = re.compile(r"#[0-9a-f]{6}", re.IGNORECASE)
HOSTILE = "<script>alert(1)</script>{{7*7}}\u202edatum.x'\"]); \n</svg>"
EFFORT = Effort(
    amounts={name: Amount(per_task=value) for name, value in (("dollars", 0.02), ("seconds", 3.5))},
    latency=Latencies(task=Latency(p50=2.5, p95=9.0)),
)
RATE = Rate(value=0.5, correct=2, total=4, ci95=(0.25, 0.75))


def full() -> Metrics:
    data = synthetic.dataset(64)
    return metrics("wildtoolbench", data, synthetic.scores(data))


def partial() -> Metrics:
    data = synthetic.dataset(4)
    return metrics("mmtb", data, synthetic.scores(data)[:3])


def empty() -> Metrics:
    content = full()
    for tables in content.scorings.values():
        for rows in tables.values():
            for name, row in rows.items():
                rows[name] = replace(row, value=None, ci95=None, correct=0, total=0)
    figures = {
        scoring: replace(numbers, routes=[[None] * len(row) for row in numbers.routes])
        for scoring, numbers in (content.figures or {}).items()
    }
    return replace(content, figures=figures)


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


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_colours_are_those_of_the_pages(theme: Theme) -> None:
    css = CSS.read_text(encoding="utf-8")
    pairs = re.findall(r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);", css)
    variables = {name: light if theme == "light" else dark for name, light, dark in pairs}
    assert COLOURS[theme] == {name: variables[name] for name in COLOURS[theme]}


def test_oklab_agrees_with_its_author() -> None:
    """Red and white (bottosson.github.io/posts/oklab, and the values of CSS Color 4 for red)."""
    assert _oklab("#ff0000") == pytest.approx([0.62796, 0.22486, 0.12585], abs=1e-4)
    assert _oklab("#ffffff") == pytest.approx([1, 0, 0], abs=1e-4)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_heat_scale_runs_between_the_colours_of_cells(theme: Theme) -> None:
    scale = heat_scale(theme)
    assert (scale[0], scale[-1]) == (COLOURS[theme]["heat-low"], COLOURS[theme]["heat-high"])
    assert len(set(scale)) == len(scale)


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


def test_nothing_scored_has_no_figures() -> None:
    assert main_figures(empty(), "exact", "en") == {}
    assert main_figures(full(), "no such scoring", "en") == {}


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


def test_a_row_in_words() -> None:
    assert rate_row("a  b\n", replace(RATE, correct=1234.5, total=2469)) == {
        "name": "a b", "value": 0.5, "shown": "50.0%", "low": 0.25, "high": 0.75, "interval": "25.0 – 75.0",
        "counts": "1,234.5 / 2,469",
    }  # fmt: skip
    assert rate_row("x", None) is None
    assert rate_row("x", replace(RATE, value=None)) is None


def test_two_rows_of_one_name_have_two_places() -> None:
    assert [row["name"] for row in rate_rows([("a", RATE), ("a", RATE), ("b", RATE), ("a", RATE)])] == [
        "a", "a (2)", "b", "a (3)",
    ]  # fmt: skip


def test_routes_stand_below_what_they_begin_with() -> None:
    """single, then chat: the fourth quarter of the first quarter."""
    first: list[float | None] = [1.0, None, None, 0.5]
    second: list[float | None] = [None] * 16
    second[3] = 0.25
    counts = [[(4, 4), (0, 0), (0, 0), (4, 8)], [(1, 4) if place == 3 else (0, 0) for place in range(16)]]
    spec = route_triangle(RouteNumbers([first, second], counts), say_in("en"), "en")
    assert spec is not None
    cells = {cell["name"]: cell for cell in spec["data"]["values"]}
    assert (cells["single-tool"]["left"], cells["single-tool"]["right"]) == (0, 0.25)
    assert (cells["chat"]["left"], cells["chat"]["right"], cells["chat"]["label"]) == (0.75, 1, "chat 50.0")
    route = cells["single-tool → chat"]
    assert (route["row"], route["left"], route["right"], route["value"]) == ("2", 0.1875, 0.25, 0.25)
    assert (route["route"], route["counts"]) == ("single>chat", "1 / 4")
    assert len(cells) == 3
    older = route_triangle(RouteNumbers([first, second]), say_in("en"), "en")
    assert older is not None
    assert {cell["counts"] for cell in older["data"]["values"]} == {"–"}


def test_published_models_stand_beside_the_profile() -> None:
    published = {"Model X": {"refusal": 0.25, "call_error": 0.5, "no such class": 1.0}}
    charts = {figure.name: figure for figure in figures_of(full(), "tables", "en", published)}
    layer = charts["counted"].spec["layer"][-1]
    assert [(row["name"], row["model"], row["value"]) for row in layer["data"]["values"]] == [
        ("refusal", "Model X", 0.25), ("call error", "Model X", 0.5),
    ]  # fmt: skip
    assert "strokes" in charts["counted"].caption


def test_hostile_names_are_data_and_nothing_else() -> None:
    charts = [figure.spec for figure in figures_of(full(), "tables", "en", {HOSTILE: {"refusal": 0.5}})]
    found = [(path, text) for chart in charts for path, text in texts(chart) if "alert" in text]
    assert found
    assert all(re.search(r"\.data\.values\[\]\.(name|model)$", path) for path, _ in found)
    assert all(len(text) <= LONGEST_NAME for chart in charts for _, text in texts(chart))
    for chart in charts:
        drawn = vl_convert.vegalite_to_svg(themed(chart), vl_version="6.4")
        assert "<script" not in drawn


@pytest.mark.parametrize("make", [full, ace])
def test_specifications_have_no_links_and_no_colours_of_their_own(make: Any) -> None:
    content = make()
    for scoring in content.scorings:
        for figure in figures_of(content, scoring, "en", {"m": {"refusal": 0.1}}):
            strings = list(texts(figure.spec))
            assert not {"href", "url"} & {text for _, text in strings}
            assert not [text for _, text in strings if COLOUR.fullmatch(text)]


def test_hovering_says_what_the_tables_say() -> None:
    """Half of a tenth is rounded to even as in Python; a browser would say 56.3%."""
    row = rate_row("x", replace(RATE, value=0.5625))
    assert row is not None
    assert row["shown"] == "56.2%"
    for figure in figures_of(full(), "exact", "en"):
        for _, text in texts(figure.spec.get("layer", [])):
            assert text != ".1%"
