"""Tables and chart of a comparison: the rows of a run's page, each with what became of it."""

from __future__ import annotations

from toolgauge.analysis.compare.content import Comparison
from toolgauge.analysis.compare.rows import Difference
from toolgauge.analysis.layout import layout_of
from toolgauge.analysis.sections import every_section, sections
from toolgauge.analysis.titles import title
from toolgauge.chat import Json
from toolgauge.report.figures.channels import say_in
from toolgauge.report.figures.differences import difference_bars
from toolgauge.report.figures.theme import themed
from toolgauge.report.page import RunEntry

LEVEL = 0.05
_NEUTRAL = frozenset(
    {
        "mistakes", "mistakes_paper", "mistakes_mmtb", "parameter_errors", "error_types", "near_misses",
        "near_miss_mistakes", "sessions_by_correct",
    }
)  # fmt: skip
"""Tables in which more is not better."""


def sections_of(a: RunEntry, content: Comparison, reading: str, language: str, every: bool) -> list[Json]:
    """The tables that a run's page has (all, or the terminal's), as far as they are compared."""
    tables = content.readings[reading].tables
    found = []
    for section in (every_section if every else sections)(a.run.metrics, reading, language):
        rows = [
            difference(heading, table, row, tables[table][row])
            for table, row, heading in section.rows
            if row in tables.get(table, {}) and tables[table][row].difference is not None
        ]
        if rows:
            found.append({"heading": section.heading, "rows": rows})
    return found


def difference(heading: str, table: str, row: str, entry: Difference) -> Json:
    """A line. sense: "better", "worse" or "other" where the difference is significant, else none."""
    significant = entry.p_holm is not None and entry.p_holm < LEVEL and entry.difference
    better = "better" if (entry.difference or 0) > 0 else "worse"
    sense = ("other" if table in _NEUTRAL else better) if significant else None
    return {"heading": heading, "table": table, "row": row, "entry": entry, "sense": sense}


def charted(content: Comparison, reading: str, language: str) -> Json | None:
    """The main differences as a chart; None where there is none."""
    tables, say = content.readings[reading].tables, say_in(language)
    rows = [
        (title(row, language).removeprefix("· "), tables[table][row])
        for table, row in layout_of(content.benchmark).charted
        if row in tables.get(table, {})
    ]
    spec = difference_bars(rows, say)
    if spec is None:
        return None
    return {"id": f"differences-{reading}", "caption": say("caption_differences"), "spec": themed(spec)}
