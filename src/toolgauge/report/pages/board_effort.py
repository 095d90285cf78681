"""What runs took, on their board: columns that can be shown beside the scores, and accuracy against cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from msgspec import UNSET

from toolgauge.analysis.numbers import Metrics
from toolgauge.locale import Text, _, pgettext, translated
from toolgauge.report.leaderboard import LeaderboardRow, View
from toolgauge.report.marks import Kind, Point, Scatter, number_scale, scatter_of


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


Value = Callable[[LeaderboardRow], EffortCell]
COSTS: dict[str, Text] = {
    "dollars": _("US dollars per task"),
    "seconds": _("seconds per task (no price is known)"),
    "output_tokens": _("output tokens per task (no price is known)"),
}
"""What a task may cost, by preference: the first that a run of the board knows."""
PREFIX = "task_pass^"
"""Of pass^k among the rows; k follows."""
FEWEST = 2
"""Points that make a picture."""


def effort_columns(rows: Sequence[LeaderboardRow], language: str) -> list[EffortColumn]:
    """The columns of which any row knows something."""
    found = []
    for key, (heading, term, shown, value) in COLUMNS.items():
        cells = [value(row) if row.entry else EffortCell() for row in rows]
        if any(cell.text for cell in cells):
            found.append(EffortColumn(key, translated(heading, language), term, shown, cells))
    return found


def accuracy_against_cost(view: View, measure: str, language: str) -> Scatter | None:
    """The runs whose cost is known, in the column that ranks; None for fewer than FEWEST. measure: its heading."""
    place = view.place
    runs = [row for row in view.rows if row.entry and place is not None and row.cells[place].value is not None]
    runs = [row for row in runs if not row.builtin] or runs
    cost = next((name for name in COSTS if any(_per_task(row, name) is not None for row in runs)), None)
    if cost is None or place is None:
        return None
    points = [
        Point(row.name, amount, cell.value or 0.0, cell.interval, Kind.BUILTIN if row.builtin else Kind.OWN)
        for row in runs
        if (amount := _per_task(row, cost)) is not None and (cell := row.cells[place])
    ]
    if len(points) < FEWEST:
        return None
    left = len(runs) - len(points)
    caption = _("Accuracy against cost; not known of {count} of {all} runs", count=left, all=len(runs))
    titles = translated(COSTS[cost], language), translated(_("{measure}, percent", measure=measure), language)
    scales = number_scale(point.x for point in points), view.scales[place]
    return scatter_of(translated(caption if left else _("Accuracy against cost"), language), titles, scales, points)


def _per_task(row: LeaderboardRow, amount: str) -> float | None:
    found = _metrics(row).effort.amounts.get(amount)
    return found.per_task if found else None


def _metrics(row: LeaderboardRow) -> Metrics:
    assert row.entry is not None
    return row.entry.run.metrics


def _dollars(row: LeaderboardRow) -> EffortCell:
    dollars = _per_task(row, "dollars")
    return EffortCell() if dollars is None else EffortCell(f"{dollars:.4f}", dollars)


def _seconds(row: LeaderboardRow) -> EffortCell:
    seconds = _metrics(row).effort.latency.task.p50
    return EffortCell() if seconds is None else EffortCell(f"{seconds:.2f}", seconds)


def _tokens(kind: str) -> Value:
    def value(row: LeaderboardRow) -> EffortCell:
        tokens = _per_task(row, kind)
        return EffortCell() if tokens is None else EffortCell(f"{tokens:,.0f}", tokens)

    return value


def _passes(row: LeaderboardRow) -> EffortCell:
    """Of tasks, for the most passes."""
    metrics = _metrics(row)
    rates = metrics.rows(str(metrics.headline), "passes")
    found = [(int(name.removeprefix(PREFIX)), rate) for name, rate in rates.items() if name.startswith(PREFIX)]
    if not found:
        return EffortCell()
    k, rate = max(found, key=lambda one: one[0])
    return EffortCell() if rate.value is None else EffortCell(f"{100 * rate.value:.1f} (k={k})", rate.value)


def _truncated(row: LeaderboardRow) -> EffortCell:
    endings = _metrics(row).endings
    if endings is UNSET or not endings.known:
        return EffortCell()
    return EffortCell(f"{100 * endings.truncated.rate:.1f}%", endings.truncated.rate)


def _date(row: LeaderboardRow) -> EffortCell:
    """When the run began: the day in UTC."""
    assert row.entry is not None
    started = row.entry.run.manifest.started or ""
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
