"""The tables of findings in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgauge.analysis.terminal import headed_table
from toolgauge.conversations.checks.findings import Unit
from toolgauge.conversations.checks.tables import CheckTables, FoundRate
from toolgauge.conversations.checks.words import NAMELESS, NO_ACCURACY, TITLES, UNITS, interval_text, opening, rate_text

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

MOST_TOOLS = 10
WIDTH = 92
"""Columns of a table, at most."""


def show_checks(tables: CheckTables, console: Console) -> None:
    """Print them."""
    for line in opening(tables):
        console.print(str(line), highlight=False)
    console.print(str(NO_ACCURACY), style="dim", highlight=False)
    console.print()
    rows = {row.code: row for row in tables.rows}
    table = _table("finding", console)
    for code, title in TITLES.items():
        _add(table, str(title), rows[code].rate, str(UNITS[code.unit]))
    console.print(table)
    worst = [one for one in tables.tools if one.rate.found][:MOST_TOOLS]
    if worst:
        console.print()
        table = _table("calls with a fault, by tool", console)
        for tool in worst:
            _add(table, tool.tool or str(NAMELESS), tool.rate, str(UNITS[Unit.CALL]))
        console.print(table)


def _table(heading: str, console: Console) -> Table:
    table = headed_table(heading)
    table.width = min(WIDTH, console.width)
    for column in ("found", "of", "", "share", "95% interval", "conversations"):
        table.add_column(column, justify="right")
    return table


def _add(table: Table, title: str, rate: FoundRate, unit: str) -> None:
    cells = (
        f"{rate.found:,}",
        f"{rate.total:,}",
        unit,
        rate_text(rate),
        interval_text(rate),
        f"{rate.conversations:,}",
    )
    table.add_row(title, *cells, style="" if rate.found else "dim")
