"""What a run took: its table, and the charts that set it beside the other runs of its board."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolgauge.analysis.effort import Effort
from toolgauge.analysis.layout import layout_of
from toolgauge.chat import Json
from toolgauge.report.figures.channels import say_in
from toolgauge.report.figures.effort import RunEffort, accuracy_against_cost, seconds_per_task
from toolgauge.report.figures.theme import themed
from toolgauge.report.page import RunEntry, Site
from toolgauge.report.wording import words


def effort_of(site: Site, entry: RunEntry, reading: str, language: str) -> dict[str, Any]:
    """amounts: lines of the table (heading, total, per task, per right task); latency: lines (heading, mean, p50, p95);
    charts: name -> specification."""
    effort = entry.run.metrics.effort
    texts = words(("run",), language)
    runs = [_of(other, other is entry, reading) for other in site.board(entry.board)]
    say = say_in(language)
    drawn = {"cost": accuracy_against_cost(runs, say), "latency": seconds_per_task(runs, say)}
    return {
        "amounts": list(_amounts(effort, reading, texts)),
        "latency": list(_latency(effort, texts)),
        "charts": [
            {"id": name, "caption": say(f"caption_{name}"), "spec": themed(spec)}
            for name, spec in drawn.items()
            if spec
        ],
    }


def _of(entry: RunEntry, own: bool, reading: str) -> RunEffort:
    metrics = entry.run.metrics
    rate = metrics.rate(reading, *layout_of(metrics.benchmark).main)
    return RunEffort(entry.label, own, rate, metrics.effort)


def _amounts(effort: Effort, reading: str, texts: dict[str, str]) -> Iterator[Json]:
    for name, amount in effort.amounts.items():
        if amount.total is None:
            continue
        numbers = (amount.total, amount.per_task, amount.per_correct_task.get(reading))
        yield {"name": name, "heading": texts[f"amount_{name}"], "cells": [_number(number, name) for number in numbers]}


def _latency(effort: Effort, texts: dict[str, str]) -> Iterator[Json]:
    for name, found in effort.latency.by_name().items():
        if found.p50 is not None:
            cells = [f"{seconds:.2f}" for seconds in (found.mean, found.p50, found.p95)]
            yield {"name": name, "heading": texts[f"latency_{name}"], "cells": cells}


def _number(number: float | None, name: str) -> str:
    """Four significant digits at least; dollars with as many places as they need to say something."""
    if number is None:
        return "–"
    if number == int(number) and name != "dollars":
        return f"{number:,.0f}"
    return f"{number:,.2f}" if number >= 10 else f"{number:.4g}"
