"""What runs took: the tables of a run, the columns of a board, and the runs of a board by score and cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from msgspec import UNSET

from toolgauge.analysis.glossary import TERMS
from toolgauge.analysis.layout import layout_of
from toolgauge.locale import Text, _, pgettext, translated
from toolgauge.report.leaderboard import LeaderboardRow, View
from toolgauge.report.marks import Kind, Point, Scatter, number_scale, rate_scale, scatter_of
from toolgauge.report.page import RunEntry, Site

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
OF_ROLES = ("input_tokens", "output_tokens", "seconds", "dollars")
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
    """What the run took, that of the roles beside the model behind it."""
    effort, say = entry.run.metrics.effort, partial(translated, language=language)
    amounts = []
    for name, amount in effort.amounts.items():
        if amount.total is not None:
            numbers = (amount.total, amount.per_task, amount.per_correct_task.get(scoring))
            cells = [_number(number, name) for number in numbers]
            amounts.append(Line(name, say(AMOUNTS[name]), name if name in TERMS else "", cells))
    for role, used in (effort.roles or {}).items():
        for name in OF_ROLES:
            total = getattr(used, name)
            if total is not None:
                cells = [_number(total, name), _number(total / effort.tasks if effort.tasks else None, name), "–"]
                amounts.append(Line(f"{role}.{name}", f"{role}: {say(AMOUNTS[name])}", "", cells))
    latency = [
        Line(name, say(LATENCIES[name]), "", [f"{seconds:.2f}" for seconds in (found.mean, found.p50, found.p95)])
        for name, found in effort.latency.by_name().items()
        if found.p50 is not None
    ]
    main = layout_of(entry.run.metrics.benchmark).main
    runs = [
        ScoredCost(one.label, one, rate.value, rate.ci95, Kind.OWN if one is entry else Kind.PUBLISHED)
        for one in site.board(entry.board)
        if (rate := one.run.metrics.rate(scoring, *main)) is not None and rate.value is not None
    ]
    return EffortPart(amounts, latency, score_against_cost(runs, say(_("score (%)")), language))


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
    scales = number_scale(point.x for point in points), highest
    return scatter_of(translated(caption, language), titles, scales, points)


def _per_task(entry: RunEntry, amount: str) -> float | None:
    found = entry.run.metrics.effort.amounts.get(amount)
    return found.per_task if found else None


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


def effort_columns(rows: Sequence[LeaderboardRow], language: str) -> list[EffortColumn]:
    """The columns of which any row knows something."""
    found = []
    for key, (heading, term, shown, cell_of) in COLUMNS.items():
        cells = [cell_of(row.entry) if row.entry else EffortCell() for row in rows]
        if any(cell.text for cell in cells):
            found.append(EffortColumn(key, translated(heading, language), term, shown, cells))
    return found


def _cell(form: str, number: float | None) -> EffortCell:
    return EffortCell() if number is None else EffortCell(form.format(number), number)


def _passes(entry: RunEntry) -> EffortCell:
    """Of tasks, for the most passes."""
    rates = entry.run.metrics.rows(str(entry.run.metrics.headline), "passes")
    known = {int(name.removeprefix(PREFIX)): rate.value for name, rate in rates.items() if name.startswith(PREFIX)}
    k = max(known, default=0)
    value = known.get(k)
    return EffortCell() if value is None else EffortCell(f"{100 * value:.1f} (k={k})", value)


def _truncated(entry: RunEntry) -> EffortCell:
    endings = entry.run.metrics.endings
    return EffortCell() if endings is UNSET or not endings.known else _cell("{:.1%}", endings.truncated.rate)


def _date(entry: RunEntry) -> EffortCell:
    """When the run began: the day in UTC."""
    started = entry.run.manifest.started or ""
    return EffortCell(started[:10], started)


COLUMNS: dict[str, tuple[Text, str, bool, Callable[[RunEntry], EffortCell]]] = {
    "cost": (_("Cost, $"), "cost", True, lambda entry: _cell("{:.4f}", _per_task(entry, "dollars"))),
    "latency": (
        _("Latency, s"),
        "latency",
        True,
        lambda entry: _cell("{:.2f}", entry.run.metrics.effort.latency.task.p50),
    ),
    "input": (_("Input tokens"), "input_tokens", False, lambda run: _cell("{:,.0f}", _per_task(run, "input_tokens"))),
    "output": (
        _("Output tokens"),
        "output_tokens",
        False,
        lambda entry: _cell("{:,.0f}", _per_task(entry, "output_tokens")),
    ),
    "passes": (pgettext("measure", "pass^k"), "pass_hat_k", True, _passes),
    "truncated": (_("Cut off"), "truncated", False, _truncated),
    "date": (_("Date"), "", False, _date),
}
"""All are per task. Key in addresses -> heading, its term ("" for none), is it shown without being chosen, of a run."""
