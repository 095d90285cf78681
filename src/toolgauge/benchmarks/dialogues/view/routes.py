"""MMTB's triangle: accuracy of a task by the kinds of all tasks up to it, 4, 16, 64 and 256 routes.

Each row splits every cell of the row above in four: what stands below a cell are the routes that begin like it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toolgauge.analysis.numbers import RouteNumbers
from toolgauge.analysis.titles import title
from toolgauge.benchmarks.dialogues.numbers.routes import routes_of
from toolgauge.data.session import KINDS
from toolgauge.locale import _
from toolgauge.report.figures.channels import Say, chart, told
from toolgauge.report.figures.rows import in_percent
from toolgauge.report.vega import Spec

WIDTH, HEIGHT = 900, 220
LABELLED = 2
"""Rows whose cells are wide enough for a text."""


def route_triangle(numbers: RouteNumbers | None, say: Say, language: str) -> Spec | None:
    """None where no route was scored.

    A cell's `route` is what the list of tasks filters by: kinds with ">" between them.
    """
    routes, counts = (numbers.routes, numbers.route_counts) if numbers else ([], [])
    values = list(_cells(routes, counts, language))
    if not values:
        return None
    tooltip = [told("name", say(_("task types"))), told("shown", say(_("value"))), told("counts", say(_("counts")))]
    rows = [str(number) for number in range(1, len(routes) + 1)]
    y = {
        "field": "row",
        "type": "ordinal",
        "scale": {"domain": rows, "padding": 0.04},
        "title": say(_("turn")),
    }
    return chart(
        values,
        responsive=620,
        width=WIDTH,
        height=HEIGHT,
        encoding={
            "y": {**y, "axis": {"domain": False, "ticks": False}},
            "x": {"field": "left", "type": "quantitative", "axis": None, "scale": {"domain": [0, 1], "nice": False}},
        },
        layer=[
            {
                "mark": {"type": "rect", "style": "fine-cell", "cursor": "pointer"},
                "encoding": {"x2": {"field": "right"}, "color": _colour(say), "tooltip": tooltip},
            },
            *(_labels(field, size) for field, size in (("label", "value"), ("figure", "small-value"))),
        ],
    )


def _cells(
    routes: Sequence[Sequence[float | None]], counts: Sequence[Sequence[tuple[int, int]]], language: str
) -> Iterator[Spec]:
    """A value per scored route: left and right are its cell's edges, from 0 to 1."""
    names = {kind: title(kind, language) for kind in KINDS}
    for length, means in enumerate(routes, 1):
        for place, (route, mean) in enumerate(zip(routes_of(length), means, strict=True)):
            if mean is None:
                continue
            cell: Spec = {"row": str(length), "left": place / len(means), "right": (place + 1) / len(means)}
            cell |= {"middle": (cell["left"] + cell["right"]) / 2, "value": mean}
            cell |= {"name": " → ".join(names[kind] for kind in route), "route": ">".join(route)}
            right, scored = counts[length - 1][place] if counts else (0, 0)
            cell |= {"shown": in_percent(mean), "counts": f"{right:,} / {scored:,}" if scored else "–"}
            if length <= LABELLED:
                cell["label" if length == 1 else "figure"] = _label(names[route[-1]], mean, length)
            yield cell


def _label(kind: str, mean: float, length: int) -> str:
    return f"{kind} {100 * mean:.1f}" if length == 1 else f"{100 * mean:.0f}"


def _labels(field: str, style: str) -> Spec:
    """Texts in the cells that have the field."""
    return {
        "transform": [{"filter": f"isValid(datum.{field})"}],
        "mark": {"type": "text", "style": style, "tooltip": None},
        "encoding": {"x": {"field": "middle", "type": "quantitative"}, "text": {"field": field, "type": "nominal"}},
    }


def _colour(say: Say) -> Spec:
    legend = {
        "title": say(_("accuracy")),
        "format": ".0%",
        "orient": "top",
        "gradientLength": 160,
        "gradientThickness": 9,
    }
    return {"field": "value", "type": "quantitative", "scale": {"domain": [0, 1]}, "legend": legend}
