"""What a run took: its table, and the charts that set it beside the other runs of its board."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from toolgauge.analysis.effort import Effort
from toolgauge.analysis.layout import layout_of
from toolgauge.locale import _
from toolgauge.report.figures.catalogue import CAPTIONS
from toolgauge.report.figures.channels import Say, say_in
from toolgauge.report.figures.effort import RunEffort, accuracy_against_cost, cost_caption, seconds_per_task
from toolgauge.report.figures.theme import themed
from toolgauge.report.page import Drawn, RunEntry, Site

AMOUNTS = {
    "steps": _("steps"),
    "requests": _("requests"),
    "input_tokens": _("input tokens"),
    "output_tokens": _("output tokens"),
    "reasoning_tokens": _("· of them reasoning"),
    "cached_tokens": _("· of the input cached"),
    "seconds": _("seconds"),
    "dollars": _("US dollars"),
}
LATENCIES = {
    "reply": _("a reply"),
    "task": _("a task"),
}


class Line(NamedTuple):
    name: str
    heading: str
    cells: list[str]


class EffortPart(NamedTuple):
    """amounts: total, per task, per right task; latency: mean, p50, p95."""

    amounts: list[Line]
    latency: list[Line]
    charts: list[Drawn]


def effort_of(site: Site, entry: RunEntry, reading: str, language: str) -> EffortPart:
    effort = entry.run.metrics.effort
    runs = [_of(other, other is entry, reading) for other in site.board(entry.board)]
    say = say_in(language)
    drawn = {"cost": accuracy_against_cost(runs, say), "latency": seconds_per_task(runs, say)}
    captions = {"cost": cost_caption(runs, say), "latency": say(CAPTIONS["latency"])}
    charts = [Drawn(name, captions[name], themed(spec)) for name, spec in drawn.items() if spec]
    return EffortPart(list(_amounts(effort, reading, say)), list(_latency(effort, say)), charts)


def _of(entry: RunEntry, own: bool, reading: str) -> RunEffort:
    metrics = entry.run.metrics
    rate = metrics.rate(reading, *layout_of(metrics.benchmark).main)
    return RunEffort(entry.label, own, rate, metrics.effort)


def _amounts(effort: Effort, reading: str, say: Say) -> Iterator[Line]:
    for name, amount in effort.amounts.items():
        if amount.total is None:
            continue
        numbers = (amount.total, amount.per_task, amount.per_correct_task.get(reading))
        yield Line(name, say(AMOUNTS[name]), [_number(number, name) for number in numbers])


def _latency(effort: Effort, say: Say) -> Iterator[Line]:
    for name, found in effort.latency.by_name().items():
        if found.p50 is not None:
            cells = [f"{seconds:.2f}" for seconds in (found.mean, found.p50, found.p95)]
            yield Line(name, say(LATENCIES[name]), cells)


def _number(number: float | None, name: str) -> str:
    """Four significant digits at least; dollars with as many places as they need to say something."""
    if number is None:
        return "–"
    if number == int(number) and name != "dollars":
        return f"{number:,.0f}"
    return f"{number:,.2f}" if number >= 10 else f"{number:.4g}"
