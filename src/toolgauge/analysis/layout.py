"""Which rows of metrics.json are shown where: what terminal, pages and exports ask of a benchmark."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.analysis.effort import Amount
from toolgauge.analysis.facet import Facet
from toolgauge.analysis.numbers import Metrics, Rows, Tables
from toolgauge.analysis.titles import note, title
from toolgauge.benchmarks.registry import blamed_on, find_benchmark
from toolgauge.locale import Text, _, pgettext, translated

_PASS = re.compile(r"([a-z]+)_(pass[@^](?P<k>[0-9]{1,9}))")
PASSES = {"task": pgettext("unit", "tasks"), "session": pgettext("unit", "sessions"), "overall": _("overall")}

Place = tuple[str, str]
"""Table and row of metrics.json."""
Headed = Iterator[tuple[str, str, str]]
"""Table, row and its heading, one by one."""


class TableSection(NamedTuple):
    """One table of rates: its heading and (table, row, heading of the row) for each line.

    key: its name in either language; note: a sentence about what is counted, or nothing.
    """

    heading: str
    rows: tuple[tuple[str, str, str], ...]
    key: str = ""
    note: str = ""


class Layout(Struct, frozen=True):
    """kind: the name of this layout, as comparisons and the site's scripts know it.

    sections: (metrics, scoring, language, brief) -> tables in their order; brief: those of the terminal, else all.
    context: rows that tell what earlier tasks are worth, where two runs differ in the history that they were sent.
    facets: further ones, whose tables stand behind these (`sections_of`).
    of_steps: rates for which it must be known which calls were made together; of agents it is not (`without_steps`).
    decides: the one measure by which a run is better than another; public sets have that of their boards.
    main: the rate that costs are set against; tiles: those at the head of a run's page; compared, charted: those of a
    comparison's page. summary: the rates of `summary_line`, row and name; remark: what is to be known of its
    losses.
    """

    kind: str
    sections: Callable[[Metrics, str, str, bool], list[TableSection]]
    main: Place
    tiles: tuple[Place, ...]
    compared: tuple[Place, ...]
    charted: tuple[Place, ...]
    summary: tuple[tuple[str, str], ...] = (
        ("task_accuracy", "task accuracy"),
        ("session_accuracy", "session accuracy"),
    )
    remark: Text | None = None
    of_steps: tuple[Place, ...] = ()
    decides: Place = ("overall", "task_accuracy")
    facets: tuple[Facet, ...] = ()
    context: tuple[Place, ...] = ()


def without_steps(metrics: Metrics, layout: Layout) -> Metrics:
    """The numbers of an agent's run: what would need its steps, of which only the calls were seen, is left out."""
    scorings = {
        scoring: {
            table: {row: rate for row, rate in rows.items() if (table, row) not in layout.of_steps}
            for table, rows in tables.items()
        }
        for scoring, tables in metrics.scorings.items()
    }
    amounts = metrics.effort.amounts | dict.fromkeys(("steps", "requests"), Amount())
    return replace(metrics, scorings=scorings, effort=replace(metrics.effort, amounts=amounts))


def layout_of(benchmark: str) -> Layout:
    """The layout of the benchmark of that name. Raises UsageError for an unknown one."""
    known_benchmark = find_benchmark(benchmark)
    with blamed_on(known_benchmark):
        layout: Layout = known_benchmark.report().layout
    return layout


def sections_of(metrics: Metrics, scoring: str, language: str, brief: bool) -> list[TableSection]:
    """The tables of a scoring in their order, without empty ones; brief: those of the terminal, else all that are
    worth a place on a run's page."""
    layout, tables = layout_of(metrics.benchmark), metrics.scorings[scoring]
    further = [facet_section(facet, tables, language) for facet in layout.facets if facet.terminal or not brief]
    return [section for section in (*layout.sections(metrics, scoring, language, brief), *further) if section.rows]


def section(tables: Tables, language: str, heading: str, *tables_and_rows: tuple[str, Sequence[str]]) -> TableSection:
    """A table of those of the rows that are there."""
    rows = [(table, row, title(row, language, table)) for table, names in tables_and_rows for row in names]
    return named(heading, [row for row in rows if row[1] in tables.get(row[0], {})], language)


def facet_section(facet: Facet, tables: Tables, language: str) -> TableSection:
    """The table of a facet."""
    heading = translated(facet.title, language) or title(facet.name, language)
    about = translated(facet.note, language) or note(facet.name, language)
    return TableSection(heading, facet_rows(facet, tables, language), facet.name, about)


def facet_rows(
    facet: Facet, tables: Tables, language: str, occurring: bool = False
) -> tuple[tuple[str, str, str], ...]:
    """The rows of a facet's table with their headings; occurring: those of which a task is scored."""
    label = facet.label or (lambda row, language: title(row, language, facet.name))
    rows = tables.get(facet.name, {}).items()
    return tuple((facet.name, row, label(row, language)) for row, rate in rows if rate.total or not occurring)


def pass_rows(tables: Tables, language: str, brief: bool = False) -> Headed:
    """The rows of `passes`; pass^1 is pass@1. brief: only for k a power of two, and for all passes."""
    matches = [match for row in tables.get("passes", {}) if (match := _PASS.fullmatch(row))]
    last = max((int(match["k"]) for match in matches), default=0)
    for match in matches:
        k = int(match["k"])
        if match[2] != "pass^1" and (not brief or k & (k - 1) == 0 or k == last):
            yield "passes", match[0], f"{translated(PASSES.get(match[1], match[1]), language)} {match[2]}"


def named(key: str, rows: Iterable[tuple[str, str, str]], language: str) -> TableSection:
    """A section with the heading and the note that its key has in the language."""
    return TableSection(title(key, language), tuple(rows), key, note(key, language))


def frequent(rows: Rows) -> list[str]:
    """The rows that occur, most frequent first."""
    return sorted((row for row in rows if rows[row].correct), key=lambda row: -rows[row].correct)
