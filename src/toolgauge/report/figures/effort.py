"""What runs took: the score against cost, and how long their tasks lasted; all runs of a board, one of them marked."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from toolgauge.analysis.effort import Effort, Latency
from toolgauge.analysis.numbers import Rate
from toolgauge.locale import _
from toolgauge.report.figures.bars import ROW_HEIGHT
from toolgauge.report.figures.channels import Say, chart, percent_axis, told, tooltips
from toolgauge.report.figures.rows import rate_row, shortened
from toolgauge.report.vega import Spec

WIDTH, HEIGHT = 440, 280
MEASURES = {
    "p50": _("median (p50)"),
    "p95": _("95th percentile (p95)"),
}
ROOM_FOR_NAMES = 1.35
"""The axis of costs goes on behind the dearest run, whose name stands there."""
PRICES = {
    "dollars": _("dollars per task"),
    "seconds": _("seconds per task (no price is known)"),
    "output_tokens": _("output tokens per task (no price is known)"),
}
"""What a task may cost, by preference: the first that a run of the board knows."""
CAPTIONS = {
    "dollars": _("Score against dollars per task, the runs of this board"),
    "seconds": _("Score against seconds per task, the runs of this board (no price is known)"),
    "output_tokens": _("Score against output tokens per task, the runs of this board (no price is known)"),
}


class RunEffort(Struct, frozen=True):
    """A run: its name, whether it is the one of the page, its main rate and what it took."""

    label: str
    own: bool
    rate: Rate | None
    effort: Effort

    def per_task(self, amount: str) -> float | None:
        found = self.effort.amounts.get(amount)
        return found.per_task if found else None

    @property
    def latency(self) -> Latency:
        """Of a task."""
        return self.effort.latency.task


def accuracy_against_cost(runs: Sequence[RunEffort], say: Say) -> Spec | None:
    """A point per run that knows its price; None where none does."""
    price = _price(runs)
    values = [] if price is None else [value for run in runs if (value := _point(run, price, say)) is not None]
    if price is None or not values:
        return None
    heading = say(PRICES[price])
    room = {"domain": [0, ROOM_FOR_NAMES * max(value["cost"] for value in values) or 1], "nice": False}
    x = {"field": "cost", "type": "quantitative", "scale": room, "axis": {"title": heading, "tickCount": 5}}
    y = {
        "field": "value",
        "type": "quantitative",
        "scale": {"domain": [0, 1]},
        "axis": percent_axis(say(_("score"))),
    }
    cost = {"field": "cost", "type": "quantitative", "format": ".4~g", "title": heading}
    return chart(
        values,
        responsive=280,
        width=WIDTH,
        height=HEIGHT,
        encoding={"x": x, "color": _color(say)},
        layer=[
            {
                "transform": [{"filter": "isValid(datum.low)"}],
                "mark": {"type": "rule", "strokeWidth": 1.3},
                "encoding": {"y": {**y, "field": "low"}, "y2": {"field": "high"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 80, "opacity": 1},
                "encoding": {"y": y, "tooltip": [*tooltips(say, name=say(_("run"))), cost]},
            },
            {
                "mark": {"type": "text", "style": "note", "align": "left", "dx": 8, "limit": 170, "tooltip": None},
                "encoding": {"y": y, "text": {"field": "name", "type": "nominal"}},
            },
        ],
    )


def _price(runs: Sequence[RunEffort]) -> str | None:
    """What stands for cost on a board: what any of its runs knows."""
    return next((name for name in PRICES if any(run.per_task(name) is not None for run in runs)), None)


def cost_caption(runs: Sequence[RunEffort], say: Say) -> str:
    """What the chart sets accuracy against, and how many runs are not in it because nobody knows that of them."""
    price = _price(runs)
    heading = say(CAPTIONS[price]) if price else ""
    left = sum(price is not None and _point(run, price, say) is None for run in runs)
    return (
        heading
        if not left
        else say(_("{heading}; not known of {count} of {all} runs", heading=heading, count=left, all=len(runs)))
    )


def _point(run: RunEffort, price: str, say: Say) -> Spec | None:
    row, cost = rate_row(run.label, run.rate), run.per_task(price)
    return None if row is None or cost is None else row | {"cost": cost, "whose": _whose(run, say)}


def seconds_per_task(runs: Sequence[RunEffort], say: Say) -> Spec | None:
    """From the median to the 95th percentile, a line per run; None where no run measured it."""
    known = [run for run in runs if run.latency.p50 is not None]
    if not known:
        return None
    values = [
        {"name": shortened(run.label), "p50": run.latency.p50, "p95": run.latency.p95, "whose": _whose(run, say)}
        for run in known
    ]
    y = {"field": "name", "type": "nominal", "sort": None, "title": None, "axis": {"domain": False, "ticks": False}}
    x = {
        "field": "p50",
        "type": "quantitative",
        "scale": {"zero": True},
        "axis": {"title": say(_("seconds per task, from the median to the 95th percentile"))},
    }
    seconds = [
        {"field": name, "type": "quantitative", "format": ".2f", "title": say(text)} for name, text in MEASURES.items()
    ]
    return chart(
        values,
        responsive=300,
        width=WIDTH,
        height=ROW_HEIGHT * len(values),
        encoding={"y": y, "color": _color(say)},
        layer=[
            {"mark": {"type": "rule", "strokeWidth": 3, "opacity": 0.55}, "encoding": {"x": x, "x2": {"field": "p95"}}},
            {
                "mark": {"type": "point", "filled": True, "size": 70, "opacity": 1},
                "encoding": {"x": x, "tooltip": [told("name", say(_("run"))), *seconds]},
            },
        ],
    )


def _whose(run: RunEffort, say: Say) -> str:
    return say(_("this run") if run.own else _("other runs"))


def _color(say: Say) -> Spec:
    """The run of the page in the first colour, all others alike in the second."""
    names = [say(_("this run")), say(_("other runs"))]
    legend = {"title": None, "orient": "top", "symbolType": "circle"}
    return {"field": "whose", "type": "nominal", "scale": {"domain": names}, "legend": legend}
