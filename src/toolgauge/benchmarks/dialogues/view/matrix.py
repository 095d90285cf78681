"""Kind x position as a heat map."""

from __future__ import annotations

from collections.abc import Iterator

from toolgauge.analysis.numbers import Rows
from toolgauge.analysis.titles import title
from toolgauge.data.session import KINDS
from toolgauge.locale import _
from toolgauge.report.figures.channels import Say, chart, told, tooltips
from toolgauge.report.figures.rows import rate_row
from toolgauge.report.vega import Spec

CELL = {"width": 78, "height": 38}


def kind_position(layers: Rows, say: Say, language: str) -> Spec | None:
    """layers: the table of metrics.json, rows "kind@position"; None where nothing was scored."""
    values = list(_cells(layers, language))
    if not values:
        return None
    place = {"type": "ordinal", "sort": None, "axis": {"domain": False, "ticks": False, "labelAngle": 0}}
    return chart(
        values,
        width={"step": CELL["width"]},
        height={"step": CELL["height"]},
        encoding={
            "x": {"field": "position", **place, "title": say(_("turn"))},
            "y": {"field": "name", **place, "title": None},
        },
        layer=[
            {
                "mark": {"type": "rect", "style": "cell"},
                "encoding": {
                    "color": {"field": "value", "type": "quantitative", "scale": {"domain": [0, 1]}, "legend": None},
                    "tooltip": tooltips(say, told("position", say(_("turn"))), name=say(_("task type"))),
                },
            },
            {
                "mark": {"type": "text", "style": "value", "tooltip": None},
                "encoding": {"text": {"field": "label", "type": "nominal"}},
            },
        ],
    )


def _cells(layers: Rows, language: str) -> Iterator[Spec]:
    positions = list(dict.fromkeys(row.partition("@")[2] for row in layers))
    for kind in (*KINDS, "all"):
        for position in positions:
            row = rate_row(title(kind, language), layers.get(f"{kind}@{position}"))
            if row is not None:
                shown = title("all", language) if position == "all" else position
                yield row | {"position": shown, "label": f"{100 * row['value']:.1f}"}
