"""What a run took: its tables, and its place among the runs of its board, score against cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from toolgauge.analysis.effort import Effort
from toolgauge.analysis.glossary import TERMS
from toolgauge.analysis.layout import layout_of
from toolgauge.locale import Text, _, translated
from toolgauge.report.marks import Kind, Point, Scatter, number_scale, rate_scale, scatter_of
from toolgauge.report.page import RunEntry, Site

Say = Callable[[Text], str]
"""Puts a message into the language of the page."""
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
"""By the names of effort.py."""
LATENCIES = {
    "reply": _("a reply"),
    "task": _("a task"),
}


COSTS = {
    "dollars": _("US dollars per task"),
    "seconds": _("seconds per task (no price is known)"),
    "output_tokens": _("output tokens per task (no price is known)"),
}
"""What a task may cost, by preference: the first that a run of the board knows."""
FEWEST_POINTS = 2


class Line(NamedTuple):
    """term: of the glossary, "" where none explains it."""

    name: str
    heading: str
    term: str
    cells: list[str]


class EffortPart(NamedTuple):
    """amounts: total, per task, per right task; latency: mean, p50, p95; scatter: the runs of the board."""

    amounts: list[Line]
    latency: list[Line]
    scatter: Scatter | None


def effort_of(site: Site, entry: RunEntry, scoring: str, language: str) -> EffortPart:
    effort, say = entry.run.metrics.effort, partial(translated, language=language)
    return EffortPart(
        list(_amounts(effort, scoring, say)), list(_latency(effort, say)), _scatter(site, entry, scoring, say)
    )


def _scatter(site: Site, entry: RunEntry, scoring: str, say: Say) -> Scatter | None:
    """The score against the cost of a task; None where fewer than two runs of the board know both."""
    runs = site.board(entry.board)
    known = (name for name in COSTS if sum(_per_task(run, name) is not None for run in runs) >= FEWEST_POINTS)
    cost = next(known, None)
    points = [point for run in runs if cost and (point := _point(run, run is entry, cost, scoring))]
    if cost is None or len(points) < FEWEST_POINTS:
        return None
    caption = say(_("Score against cost, the runs of this board"))
    if left := len(runs) - len(points):
        caption = say(_("{caption}; not known of {count} of {all} runs", caption=caption, count=left, all=len(runs)))
    scales = number_scale(point.x for point in points), rate_scale((), whole=True)
    return scatter_of(caption, (say(COSTS[cost]), say(_("score (%)"))), scales, points)


def _per_task(entry: RunEntry, amount: str) -> float | None:
    found = entry.run.metrics.effort.amounts.get(amount)
    return found.per_task if found else None


def _point(entry: RunEntry, own: bool, cost: str, scoring: str) -> Point | None:
    metrics = entry.run.metrics
    rate, amount = metrics.rate(scoring, *layout_of(metrics.benchmark).main), _per_task(entry, cost)
    if rate is None or rate.value is None or amount is None:
        return None
    return Point(entry.label, amount, rate.value, rate.ci95, Kind.OWN if own else Kind.PUBLISHED)


def _amounts(effort: Effort, scoring: str, say: Say) -> Iterator[Line]:
    for name, amount in effort.amounts.items():
        if amount.total is None:
            continue
        numbers = (amount.total, amount.per_task, amount.per_correct_task.get(scoring))
        yield Line(
            name, say(AMOUNTS[name]), name if name in TERMS else "", [_number(number, name) for number in numbers]
        )


def _latency(effort: Effort, say: Say) -> Iterator[Line]:
    for name, found in effort.latency.by_name().items():
        if found.p50 is not None:
            cells = [f"{seconds:.2f}" for seconds in (found.mean, found.p50, found.p95)]
            yield Line(name, say(LATENCIES[name]), "", cells)


def _number(number: float | None, name: str) -> str:
    """Four significant digits at least; dollars with as many places as they need to say something."""
    if number is None:
        return "–"
    if number == int(number) and name != "dollars":
        return f"{number:,.0f}"
    return f"{number:,.2f}" if number >= 10 else f"{number:.4g}"
