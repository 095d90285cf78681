"""What pages draw: where numbers stand on a scale, names that do not cover one another, and what the macros write."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.report.page_reading import read
from toolgauge.report.marks import (
    NAME_HEIGHT,
    PLANE_HEIGHT,
    DotChart,
    DotMark,
    DotRow,
    HeatCell,
    HeatRow,
    HeatTable,
    Kind,
    Point,
    Scale,
    number_scale,
    rate_scale,
    scatter_of,
)
from toolgauge.report.rendering import environment
from toolgauge.visible import tell_unseen

HOSTILE = '"><script>alert(1)</script>\u202e'
rates = st.lists(st.floats(0, 1), min_size=1, max_size=20)


def _holds(scale: Scale, numbers: list[float]) -> None:
    """Every number lies on the scale, in order, and labels say what stands there."""
    assert scale.low <= min(numbers, default=0) + 1e-9
    assert max(numbers, default=0) <= scale.high + 1e-9
    places = [scale.at(number) for number in sorted(numbers)]
    assert places == sorted(places)
    assert all(0 <= place <= 100 for place in places)
    assert (scale.ticks[0].at, scale.ticks[-1].at) == (0, 100)
    assert 2 <= len(scale.ticks) <= 8
    assert len({tick.text for tick in scale.ticks}) == len(scale.ticks)


@given(rates)
def test_rates_stand_on_a_scale_from_zero_that_ends_behind_the_highest(numbers: list[float]) -> None:
    scale = rate_scale(numbers)
    _holds(scale, numbers)
    assert scale.low == 0
    assert scale.high <= 1


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), max_size=40))
def test_names_of_points_do_not_cover_one_another(places: list[tuple[float, float]]) -> None:
    points = [Point(f"run {number}", x, y) for number, (x, y) in enumerate(places)]
    scatter = scatter_of("", ("", ""), (number_scale([1.0]), rate_scale([], whole=True)), points)
    assert len(scatter.points) == len(points)
    for left in (True, False):
        middles = sorted(
            PLANE_HEIGHT * (1 - scatter.y.at(placed.point.y) / 100) + placed.down
            for placed in scatter.points
            if placed.left == left and placed.label
        )
        assert all(below - above >= NAME_HEIGHT - 1.01 for above, below in pairwise(middles))


def _render(call: str, **values: object) -> str:
    return environment().from_string('{% import "marks.html" as marks %}{{ ' + call + " }}").render(values)


def test_a_chart_has_its_numbers_as_text_and_hides_the_drawings_from_screen_readers() -> None:
    rows = (
        DotRow(HOSTILE, (DotMark(0.5, (0.4, 0.6)),), "50.0", "40.0 – 60.0", link="runs/a.html"),
        DotRow("b", (DotMark(0.25, kind=Kind.PUBLISHED),), "25.0"),
    )
    html = _render("marks.dot_chart(chart, '../')", chart=DotChart("c", "m", "v", rate_scale([0.6]), rows))
    page = read(html)
    assert "<script" not in html
    assert page.one("a", href="../runs/a.html").text == tell_unseen(HOSTILE)
    assert [cell.text for cell in page.every("td", kind="number")] == ["50.040.0 – 60.0", "25.0"]
    assert all(svg.attributes.get("aria-hidden") for svg in page.every("svg") if "marks" in svg.attributes["class"])
    (line,) = page.every("line", kind="span-own")
    assert (line.attributes["x1"], line.attributes["x2"]) == ("66.67%", "100.0%")


@pytest.mark.parametrize("kind", list(Kind))
def test_every_kind_of_mark_has_a_shape(kind: Kind) -> None:
    row = DotRow("a", (DotMark(0.5, kind=kind),))
    page = read(_render("draw.shapes() }}{{ draw.dots(row, scale)", row=row, scale=rate_scale([1.0])))
    (use,) = page.every("use")
    (shape,) = [one for tag in ("circle", "path", "rect") for one in page.every(tag, id=f"mark-{kind}")]
    assert use.attributes["href"] == f"#{shape.attributes['id']}"


def test_heat_cells_have_their_value_and_lead_to_their_tasks() -> None:
    cells = (HeatCell("12", 1.0, "x.html", "12 of 40 tasks"), HeatCell())
    page = read(_render("marks.heat_table(table)", table=HeatTable("c", "m", ("a", "b"), (HeatRow(HOSTILE, cells),))))
    assert page.one("a", href="x.html").text == "12"
    assert page.one("td", kind="heat h100")
    assert page.one("td", kind="heat nothing").text == "–"


def test_a_heat_table_of_few_tasks_says_so() -> None:
    few, many = HeatCell("50.0", 0.5, few=True), HeatCell("50.0", 0.5)
    table = HeatTable("c", "m", ("a", "b", "c"), (HeatRow("x", (few, many, HeatCell())),))
    assert not table.few, "half of what stands in it"
    assert HeatTable("c", "m", ("a", "b", "c"), (HeatRow("x", (few, few, many)),)).few
