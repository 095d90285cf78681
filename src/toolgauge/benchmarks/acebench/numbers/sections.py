"""Which tables of ACEBench are shown, under which headings."""

from __future__ import annotations

from toolgauge.analysis.layout import TableSection, frequent, named, section
from toolgauge.analysis.numbers import Metrics, Rows, Tables
from toolgauge.analysis.passes import pass_rows
from toolgauge.judge.verdict import EXACT


def ace_sections(metrics: Metrics, scoring: str, language: str, brief: bool) -> list[TableSection]:
    """The tables of a scoring; brief: with the usual pass@k only, as in the terminal."""
    tables = metrics.scorings[scoring]
    summaries = (("overall", ("overall",)), ("groups", tuple(tables.get("groups", {}))))
    categories = tables.get("categories", {})
    return [
        section(tables, language, "groups", *summaries),
        named("passes", pass_rows(tables, language, brief=brief), language),
        section(tables, language, "normal_categories", ("categories", _of_group("normal", categories))),
        section(tables, language, "special_categories", ("categories", _of_group("special", categories))),
        section(tables, language, "agent_categories", ("categories", _of_group("agent", categories))),
        section(tables, language, "mistakes", ("mistakes", frequent(tables.get("mistakes", {})))),
        *([] if scoring == EXACT else [_counted(tables, language)]),
    ]


def _counted(tables: Tables, language: str) -> TableSection:
    """The error types that the public scorer names."""
    return section(tables, language, "error_types", ("error_types", frequent(tables.get("error_types", {}))))


def _of_group(group: str, rows: Rows) -> list[str]:
    """The rows of a group's categories that were to be done."""
    return [name for name, row in rows.items() if name.startswith(f"{group}_") and (row.requested or row.total)]
