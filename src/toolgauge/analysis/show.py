"""The tables in the terminal: headline reading with intervals, `exact` beside it, what is missing, how readings differ.

Reads metrics.json's content and nothing else. Two tables stand beside each other where the terminal is wide enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from toolgauge.analysis.titles import sentence, title
from toolgauge.chat import Json
from toolgauge.data.session import KINDS
from toolgauge.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table
    from rich.text import Text

EXACT = "exact"
NOTHING = "–"
TABLE_WIDTH = 58
"""Columns of the terminal for one of two tables beside each other; with the gap they need `WIDE`."""
WIDE = 2 * TABLE_WIDTH + 2
LONE_WIDTH = 72
"""Columns of a table that stands alone, at most."""


class Section(NamedTuple):
    """One table of rates: its heading and (table, row, heading of the row) for each line."""

    heading: str
    rows: tuple[tuple[str, str, str], ...]


def show(metrics: Json, reading: str, console: Console, language: str = "en") -> None:
    """Print the paper's kind of tables for a reading of metrics.json.

    language: of the headings, "en" or "zh". Raises UsageError if the metrics do not have the reading.
    """
    _tables(metrics, reading)
    for line, style in _opening(metrics, reading, language):
        console.print(line, style=style, markup=False, highlight=False)
    console.print()
    sections = [section for section in _sections(metrics, reading, language) if section.rows]
    tables = [_rates(metrics, reading, section, language) for section in sections]
    _print_tables(console, [*tables, _matrix(metrics, reading, language)])


def summary_line(metrics: Json, reading: str, language: str = "en") -> str:
    """One line: task and session accuracy with their intervals, and what is missing."""
    rows = _tables(metrics, reading).get("overall", {})
    values = {
        "benchmark": metrics["benchmark"],
        "language": metrics["language"],
        "reading": reading,
        "task": _with_interval(rows.get("task_accuracy")),
        "session": _with_interval(rows.get("session_accuracy")),
        "scored": metrics["scored"],
        "requested": metrics["requested"],
    }
    line = sentence("summary", language, values)
    missing = metrics["missing"]
    return line + (sentence("summary_missing", language, {"missing": missing}) if missing else "")


def _tables(metrics: Json, reading: str) -> Json:
    readings = metrics["readings"]
    if reading not in readings:
        known = ", ".join(readings) or "none, for no task is scored yet"
        raise UsageError(f"there is no reading {reading!r} in these metrics; choose one of: {known}")
    tables: Json = readings[reading]
    return tables


def _opening(metrics: Json, reading: str, language: str) -> list[tuple[str, str]]:
    """The lines above the tables, and their styles."""
    lines = [(sentence("headline", language, {**metrics, "reading": reading}), "bold")]
    if metrics["missing"]:
        lines.append((sentence("missing", language, {"missing": metrics["missing"]}), "yellow"))
    others = metrics["differences"].get(reading, {})
    if others:
        counted = ", ".join(f"{name} {count:,}" for name, count in others.items())
        lines.append((sentence("differ", language, {"reading": reading, "others": counted}), "dim"))
    return lines


def _sections(metrics: Json, reading: str, language: str) -> list[Section]:
    tables = _tables(metrics, reading)

    def section(heading: str, *tables_and_rows: tuple[str, Sequence[str]], unit: str = "{}") -> Section:
        rows = [(table, row, title(unit.format(row), language)) for table, names in tables_and_rows for row in names]
        return Section(title(heading, language), tuple(row for row in rows if row[1] in tables.get(row[0], {})))

    orders = [("by_order", row, title("position", language).format(row)) for row in tables.get("by_order", {})]
    fine = ("parallel_tools", "sequential_tools", "mixed_tools")
    kinds = ("single", "multi", *fine, "clarify", "chat")
    accuracy = section("accuracy", ("overall", tuple(tables.get("overall", {}))), ("by_type", kinds))
    changes = [("transitions", row, _changes(row, language)) for row in tables.get("transitions", {})]
    contexts = section("turn_type", ("turn_type", tuple(tables.get("turn_type", {}))))
    return [
        accuracy._replace(rows=(*accuracy.rows, *orders)),
        section("mistakes", *_mistakes(metrics, reading)),
        section("orchestration", ("orchestration", tuple(tables.get("orchestration", {})))),
        section("references", ("references", tuple(tables.get("references", {})))),
        Section(title("transitions", language), tuple(changes)),
        *([contexts] if metrics["benchmark"] == "mmtb" else []),
        section("parameter_errors", ("parameter_errors", list(tables.get("parameter_errors", {}))[:10])),
    ]


def _mistakes(metrics: Json, reading: str) -> list[tuple[str, Sequence[str]]]:
    """The columns of the benchmark's paper; our finer classes, those that occur, when the headline is our reading."""
    tables = _tables(metrics, reading)
    if reading != EXACT:
        table = "mistakes_mmtb" if metrics["benchmark"] == "mmtb" else "mistakes_paper"
        return [(table, tuple(tables.get(table, {})))]
    own = tables.get("mistakes", {})
    return [("mistakes", sorted((row for row in own if own[row]["correct"]), key=lambda row: -own[row]["correct"]))]


def _changes(row: str, language: str) -> str:
    return title(f"changes_{row}" if row in ("0", "1") else "changes", language).format(row)


def _rates(metrics: Json, reading: str, section: Section, language: str) -> Table:
    """A table of rates: headline value with its interval, `exact` beside it, and n."""
    table = _table(section.heading)
    beside = metrics["readings"].get(EXACT) if reading != EXACT else None
    table.add_column(reading, justify="right", style="bold", no_wrap=True)
    table.add_column(title("interval", language), justify="right", style="dim", no_wrap=True)
    if beside is not None:
        table.add_column(EXACT, justify="right", no_wrap=True)
    table.add_column(title("n", language), justify="right", style="dim", no_wrap=True)
    for name, row, heading in section.rows:
        entry = metrics["readings"][reading][name][row]
        exact = [] if beside is None else [_percent(beside.get(name, {}).get(row))]
        table.add_row(_text(heading), _percent(entry), _interval(entry), *exact, f"{entry['total']:,}")
    return table


def _matrix(metrics: Json, reading: str, language: str) -> Table:
    """Accuracy by kind and position."""
    layers = _tables(metrics, reading).get("layers", {})
    table = _table(title("layers", language))
    positions = list(dict.fromkeys(row.partition("@")[2] for row in layers))
    for position in positions:
        heading = title("all", language) if position == "all" else position
        table.add_column(heading, justify="right", no_wrap=True, style="bold" if position == "all" else "")
    for kind in (*KINDS, "all"):
        cells = [_percent(layers.get(f"{kind}@{position}")) for position in positions]
        table.add_row(_text(title(kind, language)), *cells)
    return table


def _print_tables(console: Console, tables: Sequence[Table]) -> None:
    """One below the other, or in two columns of about the same height."""
    from rich.table import Table

    if console.width < WIDE:
        for table in tables:
            table.width = min(LONE_WIDTH, console.width)
            console.print(table)
            console.print()
        return
    columns: tuple[list[Table], list[Table]] = ([], [])
    for table in tables:
        table.width = TABLE_WIDTH
        left, right = (sum(other.row_count + 3 for other in column) for column in columns)
        columns[0 if left <= right else 1].append(table)
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_row(*(_stacked(column) for column in columns))
    console.print(grid)


def _stacked(tables: Sequence[Table]) -> RenderableType:
    from rich.console import Group
    from rich.padding import Padding

    return Group(*(Padding(table, (0, 0, 1, 0), expand=False) for table in tables))


def _table(heading: str) -> Table:
    """An empty table; its heading stands over the column of row headings."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    name = _text(heading)
    name.stylize("bold cyan")
    table.add_column(name, ratio=1)
    return table


def _text(text: str) -> Text:
    """Text that is never read as markup."""
    from rich.text import Text

    return Text(text)


def _percent(entry: Json | None) -> str:
    return NOTHING if entry is None or entry["value"] is None else f"{entry['value']:.1%}"


def _interval(entry: Json | None) -> str:
    if entry is None or entry["ci95"] is None:
        return NOTHING
    low, high = entry["ci95"]
    return f"{low * 100:.1f} – {high * 100:.1f}"


def _with_interval(entry: Json | None) -> str:
    value = _percent(entry)
    return value if value == NOTHING else f"{value} [{_interval(entry)}]"
