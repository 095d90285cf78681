"""Accuracy by how often the kind of task changed so far in the session: the paper's Figure 7."""

from __future__ import annotations

from collections.abc import Iterator

from toolgauge.analysis.numbers import Tables
from toolgauge.locale import _
from toolgauge.report.figures.channels import Say, chart, percent_axis, told, tooltips
from toolgauge.report.figures.rows import rate_row
from toolgauge.report.vega import Spec

WIDTH, HEIGHT = 440, 260
CURVES = {
    "transitions": _("four task types"),
    "transitions_two_groups": _("two groups: needs a tool or not"),
}


def transition_curve(tables: Tables, say: Say) -> Spec | None:
    """tables: of one scoring; a curve for four kinds and one for two groups of kinds. None where nothing was scored."""
    values = list(_points(tables, say))
    if not values:
        return None
    names = list(dict.fromkeys(value["curve"] for value in values))
    legend = {"title": None, "orient": "top", "direction": "vertical", "symbolType": "circle"}
    changes = {
        "field": "changes",
        "type": "ordinal",
        "title": say(_("changes of task type so far")),
        "axis": {"labelAngle": 0},
    }
    y = {"field": "value", "type": "quantitative", "scale": {"domain": [0, 1]}}
    curve = told("curve", say(_("kinds")))
    return chart(
        values,
        responsive=280,
        width=WIDTH,
        height=HEIGHT,
        encoding={
            "x": {**changes, "scale": {"padding": 0.3}},
            "xOffset": {"field": "curve", "type": "nominal", "sort": names, "scale": {"paddingOuter": 0.75}},
            "color": {"field": "curve", "type": "nominal", "scale": {"domain": names}, "legend": legend},
        },
        layer=[
            {
                "mark": {"type": "line", "opacity": 0.55, "strokeWidth": 1.5},
                "encoding": {"y": {**y, "axis": percent_axis(say(_("accuracy")))}},
            },
            {
                "transform": [{"filter": "isValid(datum.low)"}],
                "mark": {"type": "rule", "strokeWidth": 1.5},
                "encoding": {"y": {**y, "field": "low"}, "y2": {"field": "high"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 70, "opacity": 1},
                "encoding": {"y": y, "tooltip": tooltips(say, curve, name=say(_("changes of task type so far")))},
            },
        ],
    )


def _points(tables: Tables, say: Say) -> Iterator[Spec]:
    for table, curve in CURVES.items():
        for changes, entry in tables.get(table, {}).items():
            row = rate_row(changes, entry)
            if row is not None:
                yield row | {"changes": row["name"], "curve": say(curve)}
