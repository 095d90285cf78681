"""What runs took: the tables of a run, the columns of a board, and the runs of a board by score and cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from msgspec import UNSET

from toolgauge.analysis.effort import Effort
from toolgauge.analysis.glossary import TERMS
from toolgauge.analysis.layout import layout_of
from toolgauge.locale import Text, _, pgettext, translated
from toolgauge.report.leaderboard import LeaderboardRow, View
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
PREFIX = "task_pass^"
"""Of pass^k among the rows; k follows."""
FEWEST = 2
"""Points that make a picture."""


class Line(NamedTuple):
    """term: of the glossary, "" where none explains it."""

    name: str
    heading: str
    term: str
    cells: list[str]


class ScoredCost(NamedTuple):
    """A run as a point of score against cost. score, interval: from 0 to 1; kind: how it is drawn."""

    name: str
    entry: RunEntry
    score: float
    interval: tuple[float, float] | None
    kind: Kind


class EffortPart(NamedTuple):
    """amounts: total, per task, per right task; latency: mean, p50, p95; scatter: the runs of the board."""

    amounts: list[Line]
    latency: list[Line]
    scatter: Scatter | None


def effort_of(site: Site, entry: RunEntry, scoring: str, language: str) -> EffortPart:
    effort, say = entry.run.metrics.effort, partial(translated, language=language)
    amounts = [*_amounts(effort, scoring, say), *_roles(effort, say)]
    return EffortPart(amounts, list(_latency(effort, say)), _scatter(site, entry, scoring, language))


def _scatter(site: Site, entry: RunEntry, scoring: str, language: str) -> Scatter | None:
    place = layout_of(entry.run.metrics.benchmark).main
    runs = [
        ScoredCost(run.label, run, rate.value, rate.ci95, Kind.OWN if run is entry else Kind.PUBLISHED)
        for run in site.board(entry.board)
        if (rate := run.run.metrics.rate(scoring, *place)) is not None and rate.value is not None
    ]
    return score_against_cost(runs, translated(_("score (%)"), language), language)


def board_scatter(view: View, measure: str, language: str) -> Scatter | None:
    """Of the column that ranks a board; built-in models stand in it where there are no others. measure: its heading."""
    if view.place is None:
        return None
    runs = [
        ScoredCost(row.name, row.entry, cell.value, cell.interval, Kind.BUILTIN if row.builtin else Kind.OWN)
        for row in view.rows
        if row.entry and (cell := row.cells[view.place]).value is not None
    ]
    runs = [run for run in runs if run.kind == Kind.OWN] or runs
    return score_against_cost(runs, translated(_("{measure}, percent", measure=measure), language), language)


def score_against_cost(runs: Sequence[ScoredCost], score: str, language: str) -> Scatter | None:
    """The runs whose cost in dollars is known; None for fewer than FEWEST. score: what the scores are, in words."""
    points = [
        Point(run.name, dollars, run.score, run.interval, run.kind)
        for run in runs
        if (dollars := _per_task(run.entry, "dollars")) is not None
    ]
    if len(points) < FEWEST:
        return None
    caption = _("Score against cost, the runs of this board")
    if left := len(runs) - len(points):
        caption = _("{caption}; not known of {count} of {all} runs", caption=caption, count=left, all=len(runs))
    titles = translated(_("US dollars per task"), language), score
    highest = rate_scale([end for point in points for end in (point.y, *(point.interval or ()))])
    return scatter_of(
        translated(caption, language), titles, (number_scale(point.x for point in points), highest), points
    )


def _per_task(entry: RunEntry, amount: str) -> float | None:
    found = entry.run.metrics.effort.amounts.get(amount)
    return found.per_task if found else None


def _amounts(effort: Effort, scoring: str, say: Say) -> Iterator[Line]:
    for name, amount in effort.amounts.items():
        if amount.total is None:
            continue
        numbers = (amount.total, amount.per_task, amount.per_correct_task.get(scoring))
        yield Line(
            name, say(AMOUNTS[name]), name if name in TERMS else "", [_number(number, name) for number in numbers]
        )


def _roles(effort: Effort, say: Say) -> Iterator[Line]:
    """What the roles beside the model took."""
    for role, used in (effort.roles or {}).items():
        for name in ("input_tokens", "output_tokens", "seconds", "dollars"):
            total = getattr(used, name)
            if total is not None:
                per_task = total / effort.tasks if effort.tasks else None
                numbers = [_number(total, name), _number(per_task, name), "–"]
                yield Line(f"{role}.{name}", f"{role}: {say(AMOUNTS[name])}", "", numbers)


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


class EffortCell(NamedTuple):
    """sort: what the column is sorted by, "" where there is nothing."""

    text: str = ""
    sort: str | float = ""


class EffortColumn(NamedTuple):
    """shown: without being chosen; cells: one for each row of the board."""

    key: str
    heading: str
    term: str
    shown: bool
    cells: list[EffortCell]


Value = Callable[[RunEntry], EffortCell]


def effort_columns(rows: Sequence[LeaderboardRow], language: str) -> list[EffortColumn]:
    """The columns of which any row knows something."""
    found = []
    for key, (heading, term, shown, value) in COLUMNS.items():
        cells = [value(row.entry) if row.entry else EffortCell() for row in rows]
        if any(cell.text for cell in cells):
            found.append(EffortColumn(key, translated(heading, language), term, shown, cells))
    return found


def _dollars(run: RunEntry) -> EffortCell:
    dollars = _per_task(run, "dollars")
    return EffortCell() if dollars is None else EffortCell(f"{dollars:.4f}", dollars)


def _seconds(run: RunEntry) -> EffortCell:
    seconds = run.run.metrics.effort.latency.task.p50
    return EffortCell() if seconds is None else EffortCell(f"{seconds:.2f}", seconds)


def _tokens(kind: str) -> Value:
    def value(run: RunEntry) -> EffortCell:
        tokens = _per_task(run, kind)
        return EffortCell() if tokens is None else EffortCell(f"{tokens:,.0f}", tokens)

    return value


def _passes(run: RunEntry) -> EffortCell:
    """Of tasks, for the most passes."""
    metrics = run.run.metrics
    rates = metrics.rows(str(metrics.headline), "passes")
    found = [(int(name.removeprefix(PREFIX)), rate) for name, rate in rates.items() if name.startswith(PREFIX)]
    if not found:
        return EffortCell()
    k, rate = max(found, key=lambda one: one[0])
    return EffortCell() if rate.value is None else EffortCell(f"{100 * rate.value:.1f} (k={k})", rate.value)


def _truncated(run: RunEntry) -> EffortCell:
    endings = run.run.metrics.endings
    if endings is UNSET or not endings.known:
        return EffortCell()
    return EffortCell(f"{100 * endings.truncated.rate:.1f}%", endings.truncated.rate)


def _date(run: RunEntry) -> EffortCell:
    """When the run began: the day in UTC."""
    started = run.run.manifest.started or ""
    return EffortCell(started[:10], started)


COLUMNS: dict[str, tuple[Text, str, bool, Value]] = {
    "cost": (_("Cost, $"), "cost", True, _dollars),
    "latency": (_("Latency, s"), "latency", True, _seconds),
    "input": (_("Input tokens"), "input_tokens", False, _tokens("input_tokens")),
    "output": (_("Output tokens"), "output_tokens", False, _tokens("output_tokens")),
    "passes": (pgettext("measure", "pass^k"), "pass_hat_k", True, _passes),
    "truncated": (_("Cut off"), "truncated", False, _truncated),
    "date": (_("Date"), "", False, _date),
}
"""All are per task. Key in addresses -> heading, its term ("" for none), is it shown without being chosen, of a run."""
