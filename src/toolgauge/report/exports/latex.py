r"""Rows of the papers' tables in LaTeX: `Model & 56.64 & ... \\`, under a comment that names the columns.

Percentages with two decimals, or values from 0 to 1 with three, as the paper prints them. A value that is not there is
a dash. AP is the papers' (an argument error counts as complete progress).
"""

from __future__ import annotations

from collections.abc import Iterator

from toolgauge.analysis.glossary import scoring_name
from toolgauge.analysis.notes import notes
from toolgauge.analysis.numbers import Tables
from toolgauge.locale import translated
from toolgauge.report.display import display_of
from toolgauge.report.exports.escaping import latex
from toolgauge.report.exports.export_request import ExportRequest

NOTHING = "--"


def latex_rows(wanted: ExportRequest) -> Iterator[str]:
    """The lines: per board (benchmark and language) its paper's tables, a row per run."""
    boards = dict.fromkeys((entry.benchmark, entry.language) for entry in wanted.entries)
    for benchmark, language in boards:
        entries = [entry for entry in wanted.entries if (entry.benchmark, entry.language) == (benchmark, language)]
        for table in display_of(benchmark).latex:
            names = " & ".join(name for name, _, _ in table.columns)
            board = f"{benchmark} ({latex(language)}), scoring: {scoring_name(wanted.scoring_of(entries[0]))}"
            yield f"% {board}; columns of {table.heading}:"
            yield f"% model & {names}"
            for entry in entries:
                cells = [_value(wanted.tables(entry), column, table.as_printed) for column in table.columns]
                yield " & ".join([latex(entry.label, 80), *cells]) + r" \\"
                for note in notes(entry.run.metrics):
                    yield f"% {latex(entry.label, 80)}: {translated(note.text, wanted.language)}"
            yield ""


def _value(tables: Tables, column: tuple[str, str, str], as_printed: bool) -> str:
    _, table, row = column
    found = tables.get(table, {}).get(row)
    if as_printed:
        found = tables.get("published", {}).get(row) or found
        return NOTHING if not found or found.value is None else f"{found.value:.3f}"
    return NOTHING if not found or found.value is None else f"{100 * found.value:.2f}"
