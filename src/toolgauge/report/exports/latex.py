r"""Rows of the papers' tables in LaTeX: `Model & 56.64 & ... \\`, under a comment that names the columns.

Percentages with two decimals as WildToolBench and MMTB print them; ACEBench's values from 0 to 1 with three. A value
that is not there is a dash. AP is the papers' (an argument error counts as complete progress).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from toolgauge.chat import Json
from toolgauge.report.exports.escaping import latex
from toolgauge.report.exports.export_request import ExportRequest
from toolgauge.report.page import RunEntry

Column = tuple[str, str, str]
"""Its name, and the table and row of metrics.json."""


class LatexTable(NamedTuple):
    """heading: which table it is like."""

    heading: str
    columns: tuple[Column, ...]


def _columns(table: str, rows: str) -> tuple[Column, ...]:
    return tuple((row, table, row) for row in rows.split())


_KINDS = _columns("by_type", "single multi clarify chat")
_ORDER = tuple((f"task{position}", "by_order", str(position)) for position in range(1, 5))
_OVERALL = _columns("overall", "task_accuracy session_accuracy")
_ORCHESTRATION = (
    *_columns("orchestration", "acc_parallel acc_sequential acc_mixed acc_overall"),
    *(
        (name, "orchestration", f"{name}_as_published")
        for name in ("ap_sequential", "ap_mixed", "ap_overall")
    ),
    *_columns("orchestration", "op_parallel op_mixed op_overall"),
)  # fmt: skip
_MISTAKES = _columns(
    "mistakes_paper",
    "refusal wrong_name_missing_info wrong_refusal redundant_call call_error early_termination param_type_error "
    "param_hallucination param_value_error",
)
WILDTOOLBENCH = (
    LatexTable("WildToolBench, Table 2", (*_KINDS, *_ORDER, *_OVERALL)),
    LatexTable("WildToolBench, Table 3", _ORCHESTRATION),
    LatexTable("WildToolBench, Table 4 (percent of failed tasks)", _MISTAKES),
)
MMTB = (
    LatexTable(
        "MMTB, action types",
        (
            *_columns("by_type", "single chat clarify"),
            *((f"multi_{name}", "orchestration", f"acc_{name}") for name in ("parallel", "sequential", "mixed")),
            ("optimal_path_rate", "orchestration", "op_overall"),
            ("accomplished_progress", "orchestration", "ap_overall_as_published"),
        ),
    ),
    LatexTable(
        "MMTB, subtypes",
        (
            ("implicit", "subtypes", "coreference"),
            ("ellipsis", "subtypes", "partial_information"),
            ("long_term", "subtypes", "long_range"),
        ),
    ),
    LatexTable("MMTB, overall", (("overall_accuracy", "overall", "task_accuracy"),)),
)
ACEBENCH = (
    LatexTable("ACEBench, leaderboard", (*_columns("groups", "normal special agent"), *_columns("overall", "overall"))),
)
TABLES = {"mmtb": MMTB, "acebench": ACEBENCH}
"""By benchmark; all others have WildToolBench's."""
NOTHING = "--"


def latex_rows(wanted: ExportRequest) -> Iterator[str]:
    """The lines: per board (benchmark and language) its paper's tables, a row per run."""
    boards = dict.fromkeys((entry.benchmark, entry.language) for entry in wanted.entries)
    for benchmark, language in boards:
        entries = [entry for entry in wanted.entries if (entry.benchmark, entry.language) == (benchmark, language)]
        for table in TABLES.get(benchmark, WILDTOOLBENCH):
            names = " & ".join(name for name, _, _ in table.columns)
            board = f"{benchmark} ({latex(language)}), reading {wanted.reading_of(entries[0])}"
            yield f"% {board}; columns of {table.heading}:"
            yield f"% model & {names}"
            for entry in entries:
                cells = [_value(wanted.tables(entry), column, entry) for column in table.columns]
                yield " & ".join([latex(entry.label, 80), *cells]) + r" \\"
            yield ""


def _value(tables: Json, column: Column, entry: RunEntry) -> str:
    _, table, row = column
    if entry.run.metrics.get("tables") == "acebench":
        found = tables.get("published", {}).get(row) or tables.get(table, {}).get(row)
        return NOTHING if not found or found["value"] is None else f"{found['value']:.3f}"
    found = tables.get(table, {}).get(row)
    return NOTHING if not found or found["value"] is None else f"{100 * found['value']:.2f}"
