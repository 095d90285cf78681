"""Rates as horizontal bars, one per row, with their intervals."""

from __future__ import annotations

from collections.abc import Sequence

from toolgauge.analysis.numbers import Tables
from toolgauge.analysis.titles import part_title
from toolgauge.locale import Text
from toolgauge.report.figures.channels import Say, chart, rate_scale, tooltips
from toolgauge.report.figures.rows import rate_rows
from toolgauge.report.vega import Spec

ROW_HEIGHT = 26
WIDTH = 520


def rate_bars(rows: Sequence[Spec], say: Say, name: str, top: float = 1.0) -> Spec:
    """rows: of `rate_rows`; name: what the value is, in words; top: end of the scale."""
    y = {"field": "name", "type": "nominal", "sort": None, "title": None, "axis": {"domain": False, "ticks": False}}
    return chart(
        list(rows),
        responsive=300,
        width=WIDTH,
        height=ROW_HEIGHT * len(rows),
        encoding={"y": y},
        layer=[
            {
                "mark": {"type": "bar", "style": "own", "height": {"band": 0.62}, "opacity": 0.8},
                "encoding": {"x": rate_scale(name=name, top=top), "tooltip": tooltips(say)},
            },
            interval_rule(),
        ],
    )


def interval_rule() -> Spec:
    """The interval of a row as a line from `low` to `high`; none where it has none."""
    return {
        "transform": [{"filter": "isValid(datum.low)"}],
        "mark": {"type": "rule", "style": "interval"},
        "encoding": {"x": {"field": "low", "type": "quantitative"}, "x2": {"field": "high"}},
    }


def scale_top(rows: Sequence[Spec]) -> float:
    """A round end of the scale for shares that may all be small: 0.2, 0.4 ... 1."""
    highest = max((max(row["value"], row.get("high") or 0) for row in rows), default=1)
    return next((top / 5 for top in range(1, 5) if highest <= top / 5), 1.0)


def headed(language: str, tables: Tables, *names: tuple[str, Sequence[str]]) -> list[Spec]:
    """The rows of a chart from (table, rows) under their headings; those without a value are left out."""
    entries = ((part_title(row, language), tables.get(table, {}).get(row)) for table, rows in names for row in rows)
    return rate_rows(entries)


def drawn_bars(rows: Sequence[Spec], say: Say, name: Text) -> Spec | None:
    """Bars under the title `name`; None without rows."""
    return rate_bars(rows, say, say(name)) if rows else None
