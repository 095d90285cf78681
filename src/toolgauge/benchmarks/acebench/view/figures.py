"""The charts of a run of ACEBench."""

from __future__ import annotations

from collections.abc import Iterator

from toolgauge.analysis.numbers import Rate, Rows, Tables
from toolgauge.analysis.titles import title
from toolgauge.locale import _
from toolgauge.report.figures import mistake_chart, rate_chart
from toolgauge.report.marks import Chart


def ace_figures(tables: Tables, language: str) -> Iterator[tuple[str, Chart | None]]:
    """tables: of one scoring."""
    yield "groups", rate_chart(_groups(tables, language), _("score"), language)
    yield "categories", rate_chart(_categories(tables.get("categories", {}), language), _("score"), language)
    yield "errors", mistake_chart(tables.get("mistakes", {}), _("share of wrong entries"), language)


def _groups(tables: Tables, language: str) -> Iterator[tuple[str, Rate]]:
    """Overall and the groups; what is part of a group is named after it."""
    group = ""
    for name, rate in {**tables.get("overall", {}), **tables.get("groups", {})}.items():
        heading = title(name, language)
        if heading.startswith("·"):
            heading = f"{group} {heading}"
        else:
            group = heading
        yield heading, rate


def _categories(categories: Rows, language: str) -> Iterator[tuple[str, Rate]]:
    """The categories themselves, without the rows that stand beside some of them."""
    for name, rate in categories.items():
        group = name.partition("_")[0]
        if not name.endswith(("_process", "_detection")):
            yield f"{title(group, language)} · {title(name, language)}", rate
