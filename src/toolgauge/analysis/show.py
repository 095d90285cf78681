"""The tables in the terminal: headline scoring with intervals, `exact` beside it, what is missing, how scorings differ.

Reads metrics.json's content and nothing else. Two tables stand beside each other where the terminal is wide enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from toolgauge.analysis.glossary import scoring_name, scoring_text
from toolgauge.analysis.layout import TableSection, layout_of, sections_of
from toolgauge.analysis.notes import notes
from toolgauge.analysis.numbers import Metrics, Rate, Tables
from toolgauge.analysis.terminal import headed_table, note_lines, plain
from toolgauge.analysis.titles import title
from toolgauge.data.session import KINDS
from toolgauge.errors import UsageError
from toolgauge.judge.verdict import EXACT
from toolgauge.visible import tell_unseen

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

NOTHING = "–"
TABLE_WIDTH = 58
"""Columns of the terminal for one of two tables beside each other; with the gap they need `WIDE`."""
WIDE = 2 * TABLE_WIDTH + 2
LONE_WIDTH = 72
"""Columns of a table that stands alone, at most."""


def show(metrics: Metrics, scoring: str, console: Console, names: Sequence[str] | None = None) -> None:
    """Print the paper's kind of tables for a scoring of metrics.json; what to beware of stands below them.

    names: only these tables, by their keys, and nothing else. Raises UsageError for a scoring or a table that the
    metrics do not have.
    """
    _tables(metrics, scoring)
    tables = {part.key: _rates(metrics, scoring, part) for part in sections_of(metrics, scoring, "en", brief=True)}
    last = {"layers": _matrix, "published": _published}
    tables |= {name: draw(metrics, scoring) for name, draw in last.items() if name in metrics.scorings[scoring]}
    if names is not None:
        if unknown := [name for name in names if name not in tables]:
            raise UsageError(f"--tables: unknown table {unknown[0]!r}; choose all, or from {', '.join(tables)}")
        _print_tables(console, [tables[name] for name in names])
        return
    listed = notes(metrics)
    facts, warnings = ([note for note in listed if note.warns == warns] for warns in (False, True))
    for line, style in (*_opening(metrics, scoring), *note_lines(facts)):
        console.print(plain(line), style=style, highlight=False)
    console.print()
    _print_tables(console, list(tables.values()))
    for line, style in note_lines(warnings):
        console.print(plain(line), style=style, highlight=False)


def summary_line(metrics: Metrics, scoring: str) -> str:
    """One line: the benchmark's main rates with their intervals, what is missing, and what to beware of."""
    tables = _tables(metrics, scoring)
    rates = {**tables.get("overall", {}), **tables.get("groups", {})}
    summary = layout_of(metrics.benchmark).summary
    main = layout_of(metrics.benchmark).main[1]
    silence = f" (silence: {metrics.floor.value:.1%})" if metrics.floor and metrics.floor.value else ""
    values = ", ".join(
        f"{name} {_with_interval(rates.get(row))}{silence if row == main else ''}" for row, name in summary
    )
    line = (
        f"{tell_unseen(metrics.title)} {metrics.language}, {scoring_text(scoring)}: {values}; "
        f"{metrics.scored:,} of {metrics.requested:,} tasks scored"
    )
    missing = [f"{metrics.missing:,} missing"] if metrics.missing else []
    return ", ".join([line, *missing, *(str(note.short) for note in notes(metrics) if note.warns and note.short)])


def _tables(metrics: Metrics, scoring: str) -> Tables:
    scorings = metrics.scorings
    if scoring not in scorings:
        known = f"choose one of {', '.join(scorings)}" if scorings else "no task is scored yet"
        raise UsageError(f"unknown scoring {scoring!r}; {known}")
    return scorings[scoring]


def _opening(metrics: Metrics, scoring: str) -> list[tuple[str, str]]:
    """The lines above the tables, and their styles."""
    headline = (
        f"{tell_unseen(metrics.title)} · {metrics.language} · {metrics.scored:,} of {metrics.requested:,} tasks scored"
        f" · scoring: {scoring_text(scoring)}"
    )
    lines = [(headline, "bold")]
    if metrics.missing:
        lines.append((f"Tasks without a score, excluded from all rates: {metrics.missing:,}.", "yellow"))
    if others := metrics.differences.get(scoring, {}):
        counted = ", ".join(f"{scoring_text(name)} {count:,}" for name, count in others.items())
        lines.append((f"Tasks judged differently by other scorings: {counted}.", "dim"))
    lines += [(line, "dim") for line in (_near(metrics, scoring), effort_line(metrics)) if line]
    if metrics.style:
        lines.append((f"Style of asking: {metrics.style}.", "dim"))
    if metrics.formula:
        lines.append((str(metrics.formula), "dim"))
    return lines


def _near(metrics: Metrics, scoring: str) -> str | None:
    """How many whole sessions failed by one task, and which kind of task that was most often; None without any."""
    rows = _tables(metrics, scoring).get("near_misses", {})
    short = rows.get("one_task_short")
    if not short or not short.correct:
        return None
    most = max(rows[kind].correct for kind in KINDS)
    kinds = [title(kind, "en") for kind in KINDS if rows[kind].correct == most]
    each = " each" if len(kinds) > 1 else ""
    return (
        f"Near misses: {short.correct:,} of {short.total:,} complete sessions have one wrong task "
        f"({short.value:.1%}), most often {', '.join(kinds)} ({most:,}{each})."
    )


def _rates(metrics: Metrics, scoring: str, section: TableSection) -> Table:
    """A table of rates: headline value with its interval, `exact` beside it, and n."""
    table = headed_table(section.heading)
    beside = metrics.scorings.get(EXACT) if scoring != EXACT else None
    table.add_column(plain(scoring_name(scoring)), justify="right", style="bold", no_wrap=True)
    table.add_column("95% interval", justify="right", style="dim", no_wrap=True)
    if beside is not None:
        table.add_column(plain(scoring_name(EXACT)), justify="right", no_wrap=True)
    table.add_column("n", justify="right", style="dim", no_wrap=True)
    for name, row, heading in section.rows:
        entry = metrics.scorings[scoring][name][row]
        exact = [] if beside is None else [_percent(beside.get(name, {}).get(row))]
        table.add_row(plain(heading), _percent(entry), _interval(entry), *exact, f"{entry.total:,}")
    if section.note:
        table.caption, table.caption_justify = plain(section.note, "dim"), "left"
    return table


def _matrix(metrics: Metrics, scoring: str) -> Table:
    """Accuracy by task type and turn."""
    layers = _tables(metrics, scoring).get("layers", {})
    table = headed_table(title("layers", "en"))
    positions = list(dict.fromkeys(row.partition("@")[2] for row in layers))
    for position in positions:
        heading = title("all", "en") if position == "all" else position
        table.add_column(plain(heading), justify="right", no_wrap=True, style="bold" if position == "all" else "")
    for kind in (*KINDS, "all"):
        cells = [_percent(layers.get(f"{kind}@{position}")) for position in positions]
        table.add_row(plain(title(kind, "en")), *cells)
    return table


def _published(metrics: Metrics, scoring: str) -> Table:
    """The summaries of ACEBench as the original prints them: from 0 to 1, rounded at every stage."""
    tables = _tables(metrics, scoring)
    table = headed_table("As the original prints it")
    table.add_column("value", justify="right", no_wrap=True)
    for row in (*tables["overall"], *tables["groups"]):
        entry = tables["published"].get(row)
        if entry is not None:
            value = _percent(entry) if entry.value is None else str(entry.value)
            table.add_row(plain(title(row, "en")), value)
    return table


def _print_tables(console: Console, tables: Sequence[Table]) -> None:
    """One below the other, or in two columns of about the same height."""
    from rich.console import Group
    from rich.padding import Padding
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
    grid.add_row(*(Group(*(Padding(table, (0, 0, 1, 0), expand=False) for table in column)) for column in columns))
    console.print(grid)


def _percent(entry: Rate | None) -> str:
    """The value; where a part of what it sums up is missing, that word in place of a number."""
    if entry is None or entry.value is None:
        return "incomplete" if entry and entry.incomplete else NOTHING
    return f"{entry.value:.1%}"


def _interval(entry: Rate | None) -> str:
    if entry is None or entry.ci95 is None:
        return NOTHING
    low, high = entry.ci95
    return f"{low * 100:.1f} – {high * 100:.1f}"


def _with_interval(entry: Rate | None) -> str:
    value = _percent(entry)
    return value if entry is None or entry.value is None else f"{value} [{_interval(entry)}]"


DOLLARS = "dollars"
AMOUNTS = {
    "steps": "{} steps",
    "input_tokens": "{} tokens in",
    "output_tokens": "{} tokens out",
    "seconds": "{} s",
    DOLLARS: "${}",
}


def effort_line(metrics: Metrics) -> str | None:
    """What a task took on average; None where nothing was measured."""
    amounts = metrics.effort.amounts
    parts = [
        "1 step" if (name, average) == ("steps", 1) else text.format(_number(average, name))
        for name, text in AMOUNTS.items()
        if name in amounts and (average := amounts[name].per_task)
    ]
    line = f"Per task: {', '.join(parts)}." if parts else None
    tasks = metrics.effort.tasks
    for role, used in (metrics.effort.roles or {}).items() if tasks else ():
        tokens = _number((used.input_tokens + used.output_tokens) / tasks, "tokens")
        dollars = "" if used.dollars is None else f", ${_number(used.dollars / tasks, DOLLARS)}"
        line = f"{line or ''} {role}: {tokens} tokens{dollars}.".strip()
    return line


def _number(number: float, name: str) -> str:
    """Three digits that say something, whole numbers from a hundred on; dollars to the cent and below."""
    if number == int(number) or abs(number) >= 100:
        return f"{number:,.2f}" if name == DOLLARS else f"{number:,.0f}"
    if abs(number) >= 1:
        return f"{number:.2f}"
    return f"{number:.4f}" if name == DOLLARS and number < 0.1 else f"{number:.3f}"
