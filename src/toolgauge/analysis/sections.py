"""Which rows of metrics.json are shown, under which headings: what the benchmark's layout says."""

from __future__ import annotations

from toolgauge.analysis.layout import TableSection, layout_of, named
from toolgauge.analysis.numbers import Metrics
from toolgauge.judge.verdict import EXACT

__all__ = ["EXACT", "TableSection", "every_section", "named", "sections"]


def sections(metrics: Metrics, scoring: str, language: str) -> list[TableSection]:
    """The tables to show of a scoring in the terminal, in their order, without empty ones."""
    found = layout_of(metrics.benchmark).sections(metrics, scoring, language, True)
    return [section for section in found if section.rows]


def every_section(metrics: Metrics, scoring: str, language: str) -> list[TableSection]:
    """All tables of rates worth a place on a run's page, in their order, without empty ones; those of `sections` too.

    Not among them: `layers` and the figures, which are drawn, and what is no rate (`listings`).
    """
    found = layout_of(metrics.benchmark).sections(metrics, scoring, language, False)
    return [section for section in found if section.rows]
