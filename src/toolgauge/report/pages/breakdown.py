"""How well it went, part by part: every table of rates, kind by position, and the paper's models beside the run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from toolgauge.analysis.layout import TableSection, sections_of
from toolgauge.analysis.numbers import Rate, RouteNumbers
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
LONGEST_ROUTE = 2
"""Routes of so many tasks stand on the page; longer ones rest on few tasks."""


class RateLine(NamedTuple):
    """A row of a table of rates. drawing: None in tables that are not drawn; few: it rests on fewer than FEW tasks and
    is folded."""

    heading: str
    table: str
    row: str
    rate: Rate
    total: str
    link: str | None
    drawing: DotRow | None
    few: bool


class RateSection(NamedTuple):
    """key: for addresses; scale: of its drawings, None where there are none; few: the rows that are folded."""

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
    metrics = entry.run.metrics
    counted, layers = _counted(entry, scoring, language), metrics.rows(scoring, "layers")
    return BreakdownPart(
        kind_by_turn(layers, language, lambda row: row_link(entry, scoring, "layers", row) or ""),
        counted,
        _routes(entry, (metrics.figures or {}).get(scoring), scoring, language),
        list(_sections(entry, scoring, language, but=COUNTED if counted else "")),
    )


def _sections(entry: RunEntry, scoring: str, language: str, but: str) -> Iterator[RateSection]:
    """The tables that have a rate; those of the terminal are drawn. but: the key of one that is left out."""
    metrics = entry.run.metrics
    drawn = {section.key for section in sections_of(metrics, scoring, language, brief=True)}
    for section in sections_of(metrics, scoring, language, brief=False):
        rows = list(_lines(entry, scoring, section, section.key in drawn))
        if section.key != but and any(line.rate.value is not None for line in rows):
            well = [line for line in rows if not line.few]
            marks = [mark for line in well if line.drawing for mark in line.drawing.marks]
            scale = rate_scale(ends_of(marks)) if marks else None
            few = [line for line in rows if line.few]
            yield RateSection(section.key, section.heading, section.note, scale, well, few)


def _lines(entry: RunEntry, scoring: str, section: TableSection, drawn: bool) -> Iterator[RateLine]:
    tables = entry.run.metrics.scorings[scoring]
    for table, row, heading in section.rows:
        rate, link = tables[table][row], row_link(entry, scoring, table, row)
        few = rate.total < FEW
        dots = _dots(heading, rate) if drawn and not few else None
        yield RateLine(heading, table, row, rate, count_text(rate.total), link, dots, few)


def _dots(heading: str, rate: Rate) -> DotRow | None:
    return None if rate.value is None else DotRow(heading, (DotMark(rate.value, rate.ci95),))


def _counted(entry: RunEntry, scoring: str, language: str) -> DotChart | None:
    """Shares of mistakes as the paper counts them, beside the paper's models, in the one scoring that has both."""
    metrics = entry.run.metrics
    paper = published().tables.get(f"{entry.benchmark}_mistakes")
    if paper is None or scoring != headline_scoring(metrics):
        return None
    columns = (column for board in display_of(entry.run.benchmark).boards([metrics]) for column in board.columns)
    rows = []
    for column in columns:
        table, name = column.measured[0] if column.measured else ("", "")
        own = metrics.rate(scoring, table, name)
        if column.published is None or column.published[0] != paper.name or own is None or own.value is None:
            continue
        shares = (paper.rate(model, column.published[1]) for model in paper.rows)
        others = [share for share in shares if share is not None]
        row = rate_row(title(name, language, table), own)
        marks = (*(DotMark(share, kind=Kind.PUBLISHED) for share in others), *row.marks)
        link = row_link(entry, scoring, table, name) or ""
        rows.append(replace(row, marks=marks, link=link, note=_range(others, language)))
    if not rows:
        return None
    scale = rate_scale(ends_of(mark for row in rows for mark in row.marks))
    heading, measure = (translated(text, language) for text in (_("mistake"), _("share (%)")))
    return DotChart(title(COUNTED, language), heading, measure, scale, tuple(rows))


def _range(shares: Sequence[float], language: str) -> str:
    if not shares:
        return ""
    low, high = (f"{100 * share:.1f}" for share in (min(shares), max(shares)))
    return translated(_("published models: {low} – {high}", low=low, high=high), language)


def _routes(entry: RunEntry, numbers: RouteNumbers | None, scoring: str, language: str) -> HeatTable | None:
    """The kind of a task by the kind of the task before it; a cell opens the tasks of the route."""
    if numbers is None or len(numbers.routes) < LONGEST_ROUTE:
        return None
    means, counts = numbers.routes[1], numbers.route_counts[1] if len(numbers.route_counts) > 1 else []
    if not any(mean is not None for mean in means):
        return None
    rows = []
    for first, before in enumerate(KINDS):
        cells = []
        for second, kind in enumerate(KINDS):
            place = first * len(KINDS) + second
            right, scored = counts[place] if counts else (0, 0)
            link = tasks_link(entry, scoring=scoring, route=f"{before}>{kind}")
            cells.append(_route_cell(means[place], right, scored, link))
        rows.append(HeatRow(title(before, language), tuple(cells)))
    return HeatTable(
        translated(_("Accuracy at turn 2, by the task types of turns 1 and 2"), language),
        translated(_("first turn"), language),
        tuple(title(kind, language) for kind in KINDS),
        tuple(rows),
    )


def _route_cell(mean: float | None, right: int, scored: int, link: str) -> HeatCell:
    if mean is None:
        return HeatCell()
    about = f"{right:,} / {scored:,}" if scored else ""
    return HeatCell(f"{100 * mean:.1f}", mean, link, about, scored < FEW)
