"""Tables and chart of a comparison: the rows of a run's page, each with what became of it."""

from __future__ import annotations

from typing import NamedTuple

from toolgauge.analysis.compare.content import Comparison
from toolgauge.analysis.compare.rows import Difference
from toolgauge.analysis.compare.sentences import compared_sections
from toolgauge.analysis.layout import layout_of
from toolgauge.analysis.titles import part_title
from toolgauge.judge.mistakes import PAPER_TABLES
from toolgauge.locale import _
from toolgauge.report.figures.channels import say_in
from toolgauge.report.figures.differences import difference_bars
from toolgauge.report.figures.theme import themed
from toolgauge.report.page import Drawn

LEVEL = 0.05
_NEUTRAL = frozenset(
    {
        "mistakes", *PAPER_TABLES, "parameter_errors", "error_types", "near_misses",
        "near_miss_mistakes", "sessions_by_correct",
    }
)  # fmt: skip
"""Tables in which more is not better."""


class DifferenceLine(NamedTuple):
    """sense: "better", "worse" or "other" where the difference is significant, else none."""

    heading: str
    table: str
    row: str
    entry: Difference
    sense: str | None


class DifferenceSection(NamedTuple):
    heading: str
    rows: list[DifferenceLine]


def sections_of(content: Comparison, reading: str, language: str, every: bool) -> list[DifferenceSection]:
    """The tables that a run's page has (all, or the terminal's), with what either run has in them."""
    tables = content.readings[reading].tables
    found = []
    for section in compared_sections(content, reading, language, every):
        rows = [
            difference(heading, table, row, tables[table][row])
            for table, row, heading in section.rows
            if row in tables.get(table, {}) and tables[table][row].difference is not None
        ]
        if rows:
            found.append(DifferenceSection(section.heading, rows))
    return found


def difference(heading: str, table: str, row: str, entry: Difference) -> DifferenceLine:
    significant = entry.p_holm is not None and entry.p_holm < LEVEL and entry.difference
    better = "better" if (entry.difference or 0) > 0 else "worse"
    sense = ("other" if table in _NEUTRAL else better) if significant else None
    return DifferenceLine(heading, table, row, entry, sense)


def charted(content: Comparison, reading: str, language: str) -> Drawn | None:
    """The main differences as a chart; None if there are no differences."""
    tables, say = content.readings[reading].tables, say_in(language)
    rows = [
        (part_title(row, language), tables[table][row])
        for table, row in layout_of(content.benchmark).charted
        if row in tables.get(table, {})
    ]
    spec = difference_bars(rows, say)
    if spec is None:
        return None
    return Drawn(f"differences-{reading}", say(_("Differences in percentage points, B minus A")), themed(spec))
