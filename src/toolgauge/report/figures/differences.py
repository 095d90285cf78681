"""Differences of two runs in percentage points, with their intervals, around zero."""

from __future__ import annotations

from collections.abc import Sequence

from toolgauge.analysis.compare.rows import Difference
from toolgauge.locale import _
from toolgauge.report.figures.bars import ROW_HEIGHT, WIDTH
from toolgauge.report.figures.channels import Say, chart, told
from toolgauge.report.figures.rows import in_points, shortened
from toolgauge.report.vega import Spec

SIGNED = "datum.value ? format(datum.value, '+d') : '0'"


def difference_bars(rows: Sequence[tuple[str, Difference]], say: Say) -> Spec | None:
    """rows: names and rows of analysis/compare; None where none of them has a difference."""
    values = [_value(name, entry, entry.difference, say) for name, entry in rows if entry.difference is not None]
    if not values:
        return None
    reach = max(abs(number) for value in values for number in (value["points"], value["low"], value["high"]) if number)
    ends = min(100, 10 * (int(reach / 10) + 1))
    y = {"field": "name", "type": "nominal", "sort": None, "title": None, "axis": {"domain": False, "ticks": False}}
    scale = {"domain": [-ends, ends], "nice": False}
    axis = {"labelExpr": SIGNED, "title": say(_("difference in percentage points")), "tickCount": 7}
    x: Spec = {"type": "quantitative", "scale": scale, "axis": axis}
    points: Spec = {**x, "field": "points"}
    tooltip: list[Spec] = [
        told("name", say(_("row"))),
        told("shown", say(_("difference in percentage points"))),
        told("interval", say(_("{level} interval", level="95%"))),
        told("rates", say(_("A → B"))),
    ]
    return chart(
        values,
        responsive=300,
        width=WIDTH,
        height=ROW_HEIGHT * len(values),
        encoding={"y": y},
        layer=[
            {
                "data": {"values": [{"zero": 0}]},
                "mark": {"type": "rule", "style": "other"},
                "encoding": {"x": {**x, "field": "zero"}, "y": {"value": 0}, "y2": {"value": "height"}},
            },
            {
                "transform": [{"filter": "isValid(datum.low)"}],
                "mark": {"type": "rule", "style": "own", "strokeWidth": 3, "opacity": 0.5},
                "encoding": {"x": {**x, "field": "low"}, "x2": {"field": "high"}},
            },
            {
                "mark": {"type": "point", "style": "own", "filled": True, "size": 80, "opacity": 1},
                "encoding": {"x": points, "tooltip": tooltip},
            },
        ],
    )


def _value(name: str, entry: Difference, difference: float, say: Say) -> Spec:
    """Numbers in percentage points; rates are those of the first and the second run."""
    bounds = entry.ci95
    low, high = (100 * bound for bound in bounds) if bounds else (None, None)
    return {
        "name": shortened(name),
        "points": 100 * difference,
        "shown": in_points(difference),
        "low": low,
        "high": high,
        "interval": say(_("{low} to {high}", low=in_points(bounds[0]), high=in_points(bounds[1]))) if bounds else "–",
        "rates": f"{100 * (entry.a or 0):.1f} → {100 * (entry.b or 0):.1f}",
    }
