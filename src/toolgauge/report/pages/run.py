"""The page of a run: what was run, how well it went, where it goes wrong; a part per reading, the headline first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from toolgauge.analysis.layout import layout_of
from toolgauge.analysis.numbers import Metrics, Rate
from toolgauge.analysis.sections import every_section
from toolgauge.analysis.titles import title
from toolgauge.data.session import KINDS
from toolgauge.judge.verdict import EXACT
from toolgauge.locale import _, translated
from toolgauge.report.display import display_of
from toolgauge.report.figures import figures_of, headline_reading, themed
from toolgauge.report.figures.rows import count_text
from toolgauge.report.page import Drawn, Page, PageValues, RunEntry, Site, board_heading
from toolgauge.report.pages.effort import effort_of
from toolgauge.report.pages.facts import facts_of
from toolgauge.report.pages.links import row_link
from toolgauge.report.pages.losses import losses_of
from toolgauge.report.pages.tasks import task_link, tasks_link
from toolgauge.report.papers import published

ABOUT = {
    "exact": _("“exact”: what the benchmark means; every legal order and grouping of calls counts."),
    "released": _("“released”: the public evaluator, label for label, quirks included."),
    "tables": _("“tables”: the analysis behind the paper's tables; the one to stand beside published models."),
}
"""How the readings of our benchmarks judge."""


class Tile(NamedTuple):
    heading: str
    table: str
    row: str
    rate: Rate


class RateLine(NamedTuple):
    """A row of a table of rates; beside: the rate in `exact`, where that is another reading."""

    heading: str
    table: str
    row: str
    rate: Rate
    total: str
    beside: Rate | None
    link: str | None


class RateSection(NamedTuple):
    heading: str
    note: str
    rows: list[RateLine]


class MatrixCell(NamedTuple):
    rate: Rate | None
    counts: str
    row: str
    link: str | None


class MatrixRow(NamedTuple):
    heading: str
    cells: list[MatrixCell]


class Matrix(NamedTuple):
    """Kind x position: the columns' headings and a row of cells per kind."""

    headings: list[str]
    rows: list[MatrixRow]


class JudgedTask(NamedTuple):
    id: str
    link: str
    correct: bool


class OtherReading(NamedTuple):
    """The tasks that another reading judges otherwise."""

    reading: str
    tasks: list[JudgedTask]


class ReadingPart(NamedTuple):
    """All that the page says in one reading; figures: charts by name."""

    reading: str
    about: str
    beside: str | None
    figures: dict[str, Drawn]
    matrix: Matrix | None
    sections: list[RateSection]
    differing: list[OtherReading]


class ComparisonLink(NamedTuple):
    label: str
    page: str


def pages(site: Site, language: str) -> Iterator[Page]:
    for entry in site.entries:
        yield Page(entry.page, "run.html", entry.label, _content(site, entry, language))


def _content(site: Site, entry: RunEntry, language: str) -> PageValues:
    metrics = entry.run.metrics
    headline = headline_reading(metrics)
    readings = [headline, *(name for name in metrics.readings if name != headline)]
    return {
        "entry": entry,
        "board": board_heading(entry.board, language),
        "metrics": metrics,
        "by_category": display_of(entry.run.benchmark).by_category,
        "facts": facts_of(entry.run.manifest, language),
        "headline": headline,
        "list": tasks_link(entry),
        "failed": tasks_link(entry, reading=headline, result="failed"),
        "losses": losses_of(entry, headline, language),
        "effort": effort_of(site, entry, headline, language),
        "tiles": list(_tiles(metrics, headline, language)),
        "readings": [_part(entry, reading, language) for reading in readings if reading in metrics.readings],
        "comparisons": list(_comparisons(site, entry)),
    }


def _tiles(metrics: Metrics, reading: str, language: str) -> Iterator[Tile]:
    for table, row in layout_of(metrics.benchmark).tiles:
        found = metrics.rate(reading, table, row)
        if found and found.value is not None:
            yield Tile(title(row, language), table, row, found)


def _part(entry: RunEntry, reading: str, language: str) -> ReadingPart:
    metrics = entry.run.metrics
    figures = figures_of(metrics, reading, language, _published_mistakes(entry, reading))
    return ReadingPart(
        reading,
        translated(ABOUT.get(reading, ""), language),
        EXACT if reading != EXACT and EXACT in metrics.readings else None,
        {
            figure.name: Drawn(f"{figure.name}-{reading}", figure.caption, themed(figure.spec))
            for figure in figures
            if figure.name != "matrix"
        },
        _matrix(entry, reading, language),
        list(_sections(entry, reading, language)),
        list(_differing(entry, reading)),
    )


def _published_mistakes(entry: RunEntry, reading: str) -> dict[str, dict[str, float]]:
    """Shares of mistakes of the paper's models, in the one reading that can stand beside them."""
    table = published().tables.get(f"{entry.benchmark}_mistakes")
    if table is None or reading != headline_reading(entry.run.metrics):
        return {}
    shares = {model: {kind: table.rate(model, kind) for kind in table.columns} for model in table.rows}
    return {model: {kind: share for kind, share in own.items() if share is not None} for model, own in shares.items()}


def _sections(entry: RunEntry, reading: str, language: str) -> Iterator[RateSection]:
    """The tables that have a rate: every row with it, with the rate in `exact` if that is another reading, and its
    tasks."""
    metrics = entry.run.metrics
    tables, exact = metrics.readings[reading], metrics.readings.get(EXACT, {})
    for section in every_section(metrics, reading, language):
        rows = [
            RateLine(
                heading,
                table,
                row,
                tables[table][row],
                count_text(tables[table][row].total),
                exact.get(table, {}).get(row),
                row_link(entry, reading, table, row),
            )
            for table, row, heading in section.rows
        ]
        if any(line.rate.value is not None for line in rows):
            yield RateSection(section.heading, section.note, rows)


def _matrix(entry: RunEntry, reading: str, language: str) -> Matrix | None:
    layers = entry.run.metrics.rows(reading, "layers")
    if not any(rate.value is not None for rate in layers.values()):
        return None
    positions = list(dict.fromkeys(row.partition("@")[2] for row in layers))
    headings = [title("all", language) if position == "all" else position for position in positions]
    rows = [
        MatrixRow(title(kind, language), [_cell(entry, reading, f"{kind}@{at}", language) for at in positions])
        for kind in (*KINDS, "all")
    ]
    return Matrix(headings, rows)


def _cell(entry: RunEntry, reading: str, row: str, language: str) -> MatrixCell:
    rate = entry.run.metrics.rate(reading, "layers", row)
    counts = f"{count_text(rate.correct)} / {count_text(rate.total)}" if rate else ""
    if rate and rate.not_judgeable:
        counts = translated(
            _("{counts}; not judgeable: {number:,}", counts=counts, number=rate.not_judgeable), language
        )
    return MatrixCell(rate, counts, row, row_link(entry, reading, "layers", row))


def _differing(entry: RunEntry, reading: str) -> Iterator[OtherReading]:
    """For each other reading the tasks that it judges otherwise."""
    for other in entry.run.metrics.readings:
        if other == reading:
            continue
        tasks = [
            JudgedTask(score.task_id, task_link(entry, score.task_id, reading), score.readings[reading].correct)
            for score in entry.run.scores
            if reading in score.readings
            and other in score.readings
            and score.readings[reading].correct != score.readings[other].correct
        ]
        yield OtherReading(other, tasks)


def _comparisons(site: Site, entry: RunEntry) -> Iterator[ComparisonLink]:
    """The comparisons of this run with others of its board."""
    names = {other.slug: other.label for other in site.entries}
    for one, other in site.comparisons:
        if entry.slug in (one, other):
            label = names[other if one == entry.slug else one]
            yield ComparisonLink(label, f"compare/{one}--{other}.html")
