"""How well it went, part by part: every table of rates, kind by position, and the paper's models beside the run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace

from toolgauge.analysis.layout import sections_of
from toolgauge.analysis.numbers import Rate
from toolgauge.analysis.titles import title
from toolgauge.data.session import KINDS
from toolgauge.locale import _, translated
from toolgauge.report.display import display_of
from toolgauge.report.figures import count_text, kind_by_turn, rate_row
from toolgauge.report.marks import (
    FEW,
    DotChart,
    DotMark,
    DotRow,
    HeatCell,
    HeatRow,
    HeatTable,
    Kind,
    Scale,
    ends_of,
    rate_scale,
)
from toolgauge.report.page import RunEntry, headline_scoring
from toolgauge.report.pages.tasks import row_link, tasks_link
from toolgauge.report.papers import published

COUNTED = "mistakes_counted"
"""The table of the paper's classes, which a chart takes the place of where there are published numbers."""


class RateLine(NamedTuple):
    """A row of a table of rates. total: what it is a share of, in words; drawing: None in tables that are not drawn."""

    heading: str
    table: str
    row: str
    rate: Rate
    total: str
    link: str | None
    drawing: DotRow | None


class RateSection(NamedTuple):
    """key: for addresses; scale: of its drawings, None where there are none; few: rows that are folded, for they rest
    on fewer than FEW tasks."""

    key: str
    heading: str
    note: str
    scale: Scale | None
    rows: list[RateLine]
    few: list[RateLine]


class BreakdownPart(NamedTuple):
    """What the page says of the parts in one scoring. counted: the classes of the paper beside its models; routes:
    kinds of the tasks up to the one asked."""

    matrix: HeatTable | None
    counted: DotChart | None
    routes: HeatTable | None
    sections: list[RateSection]


def breakdown_of(entry: RunEntry, scoring: str, language: str) -> BreakdownPart:
    layers, counted = entry.run.metrics.rows(scoring, "layers"), _counted(entry, scoring, language)
    return BreakdownPart(
        kind_by_turn(layers, language, lambda row: row_link(entry, scoring, "layers", row) or ""),
        counted,
        _routes(entry, scoring, language),
        [one for one in _sections(entry, scoring, language) if not (counted and one.key == COUNTED)],
    )


def _sections(entry: RunEntry, scoring: str, language: str) -> Iterator[RateSection]:
    """The tables that have a rate; those of the terminal are drawn."""
    metrics = entry.run.metrics
    drawn = {section.key for section in sections_of(metrics, scoring, language, brief=True)}
    for section in sections_of(metrics, scoring, language, brief=False):
        lines = [_line(entry, scoring, row, section.key in drawn) for row in section.rows]
        if any(line.rate.value is not None for line in lines):
            rows = [line for line in lines if line.rate.total >= FEW]
            marks = [mark for line in rows if line.drawing for mark in line.drawing.marks]
            few = [line for line in lines if line.rate.total < FEW]
            scale = rate_scale(ends_of(marks)) if marks else None
            yield RateSection(section.key, section.heading, section.note, scale, rows, few)


def _line(entry: RunEntry, scoring: str, place: tuple[str, str, str], is_drawn: bool) -> RateLine:
    table, row, heading = place
    rate = entry.run.metrics.scorings[scoring][table][row]
    drawing = None
    if is_drawn and rate.total >= FEW and rate.value is not None:
        drawing = DotRow(heading, (DotMark(rate.value, rate.ci95),))
    return RateLine(heading, table, row, rate, count_text(rate.total), row_link(entry, scoring, table, row), drawing)


def _counted(entry: RunEntry, scoring: str, language: str) -> DotChart | None:
    """Shares of mistakes as the paper counts them, beside the paper's models, in the one scoring that has both."""
    metrics = entry.run.metrics
    paper = published().tables.get(f"{entry.benchmark}_mistakes")
    if paper is None or scoring != headline_scoring(metrics):
        return None
    rows = []
    for column in (column for board in display_of(entry.run.benchmark).boards([metrics]) for column in board.columns):
        table, name = column.measured[0] if column.measured else ("", "")
        own = metrics.rate(scoring, table, name)
        if column.published is None or column.published[0] != paper.name or own is None or own.value is None:
            continue
        shares = [share for model in paper.rows if (share := paper.rate(model, column.published[1])) is not None]
        low, high = (f"{100 * share:.1f}" for share in (min(shares, default=0.0), max(shares, default=0.0)))
        note = translated(_("published models: {low} – {high}", low=low, high=high), language) if shares else ""
        row = rate_row(title(name, language, table), own)
        marks = (*(DotMark(share, kind=Kind.PUBLISHED) for share in shares), *row.marks)
        rows.append(replace(row, marks=marks, link=row_link(entry, scoring, table, name) or "", note=note))
    if not rows:
        return None
    scale = rate_scale(ends_of(mark for row in rows for mark in row.marks))
    heading, measure = (translated(text, language) for text in (_("mistake"), _("share (%)")))
    return DotChart(title(COUNTED, language), heading, measure, scale, tuple(rows))


def _routes(entry: RunEntry, scoring: str, language: str) -> HeatTable | None:
    """The kind of a task by the kind of the task before it; a cell opens the tasks of the route. Longer routes rest on
    few tasks."""
    numbers = (entry.run.metrics.figures or {}).get(scoring)
    if numbers is None or len(numbers.routes) < 2 or not any(mean is not None for mean in numbers.routes[1]):
        return None
    means, counts = iter(numbers.routes[1]), iter(numbers.route_counts[1] if len(numbers.route_counts) > 1 else ())
    rows = []
    for before in KINDS:
        cells = []
        for kind in KINDS:
            mean, (right, scored) = next(means), next(counts, (0, 0))
            about = f"{right:,} / {scored:,}" if scored else ""
            link = tasks_link(entry, scoring=scoring, route=f"{before}>{kind}")
            cells.append(HeatCell() if mean is None else HeatCell(f"{100 * mean:.1f}", mean, link, about, scored < FEW))
        rows.append(HeatRow(title(before, language), tuple(cells)))
    return HeatTable(
        translated(_("Accuracy at turn 2, by the task types of turns 1 and 2"), language),
        translated(_("first turn"), language),
        tuple(title(kind, language) for kind in KINDS),
        tuple(rows),
    )
