"""The charts of a run of ACEBench."""

from __future__ import annotations

from collections.abc import Iterator

from toolgauge.analysis.numbers import Rows, Tables
from toolgauge.analysis.titles import title
from toolgauge.locale import _
from toolgauge.report.figures.bars import drawn_bars, rate_bars, scale_top
from toolgauge.report.figures.channels import say_in
from toolgauge.report.figures.rows import rate_rows
from toolgauge.report.vega import Spec

MOST_ERRORS = 12


def ace_figures(tables: Tables, language: str) -> Iterator[tuple[str, Spec | None]]:
    """tables: of one scoring."""
    say = say_in(language)
    yield "groups", drawn_bars(_groups(tables, language), say, _("score"))
    yield "categories", drawn_bars(_categories(tables.get("categories", {}), language), say, _("score"))
    errors = sorted(tables.get("mistakes", {}).items(), key=lambda item: -item[1].correct)[:MOST_ERRORS]
    rows = rate_rows((title(name, language), entry) for name, entry in errors if entry.correct)
    yield "errors", rate_bars(rows, say, say(_("share of wrong entries")), scale_top(rows)) if rows else None


def _groups(tables: Tables, language: str) -> list[Spec]:
    """Overall and the groups; what is part of a group is named after it."""
    overall, groups = (tables.get(table, {}) for table in ("overall", "groups"))
    entries = {title(name, language): entry for name, entry in overall.items()}
    whole = ""
    for name, entry in groups.items():
        heading = title(name, language)
        whole = whole if heading.startswith("·") else heading
        entries[f"{whole} {heading}" if heading.startswith("·") else heading] = entry
    return rate_rows(entries.items())


def _categories(categories: Rows, language: str) -> list[Spec]:
    """The categories themselves, without the rows that stand beside some of them."""
    beside = ("_process", "_detection")
    groups = {group: title(group, language) for group in ("normal", "special", "agent")}
    return rate_rows(
        (f"{groups.get(name.partition('_')[0], '')} · {title(name, language)}", entry)
        for name, entry in categories.items()
        if not name.endswith(beside)
    )
