"""The tables in the terminal: headline scoring with intervals, `exact` beside it, what is missing, how scorings differ.

Reads metrics.json's content and nothing else. Two tables stand beside each other where the terminal is wide enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from toolgauge.analysis.effort_line import effort_line
from toolgauge.analysis.glossary import scoring_name, scoring_text
from toolgauge.analysis.layout import TableSection, layout_of
from toolgauge.analysis.notes import notes
from toolgauge.analysis.numbers import Metrics, Rate, Tables
from toolgauge.analysis.sections import sections
from toolgauge.analysis.terminal import headed_table, note_lines, plain
from toolgauge.analysis.titles import TITLES, title
from toolgauge.data.session import KINDS
from toolgauge.errors import UsageError
from toolgauge.judge.verdict import EXACT
from toolgauge.locale import Text, _, clauses, ngettext, translated
from toolgauge.locale import plain as plain_text

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table

NOTHING = "–"
TABLE_WIDTH = 58
"""Columns of the terminal for one of two tables beside each other; with the gap they need `WIDE`."""
WIDE = 2 * TABLE_WIDTH + 2
SUMMARY_ROWS = ("task_accuracy", "session_accuracy", "overall", "normal", "special", "agent")
"""The rates that the one line of `summary_line` may name."""
INTERVAL = _("{level} interval", level="95%")
LONE_WIDTH = 72
"""Columns of a table that stands alone, at most."""


def show(
    metrics: Metrics, scoring: str, console: Console, language: str = "en", names: Sequence[str] | None = None
) -> None:
    """Print the paper's kind of tables for a scoring of metrics.json; what to beware of stands below them.

    language: of the headings, "en" or "zh". names: only these tables, by their keys, and nothing else. Raises
    UsageError for a scoring or a table that the metrics do not have.
    """
    _tables(metrics, scoring)
    tables = {part.key: _rates(metrics, scoring, part, language) for part in sections(metrics, scoring, language)}
    last = {"layers": _matrix, "published": _published}
    tables |= {
        name: draw(metrics, scoring, language) for name, draw in last.items() if name in metrics.scorings[scoring]
    }
    if names is not None:
        if unknown := [name for name in names if name not in tables]:
            raise UsageError(f"--tables {unknown[0]!r}: choose all, or some of {', '.join(tables)}")
        _print_tables(console, [tables[name] for name in names])
        return
    said = notes(metrics)
    facts, warnings = ([note for note in said if note.warns == warns] for warns in (False, True))
    for line, style in (*_opening(metrics, scoring, language), *note_lines(facts, language)):
        console.print(plain(line), style=style, highlight=False)
    console.print()
    _print_tables(console, list(tables.values()))
    for line, style in note_lines(warnings, language):
        console.print(plain(line), style=style, highlight=False)


def summary_line(metrics: Metrics, scoring: str, language: str = "en") -> str:
    """One line: the benchmark's main rates with their intervals, what is missing, and what to beware of."""
    tables = _tables(metrics, scoring)
    rates = {**tables.get("overall", {}), **tables.get("groups", {})}
    values: dict[str, str | int | Text] = {
        "benchmark": metrics.benchmark,
        "language": metrics.language,
        "scoring": scoring_text(scoring),
        "scored": metrics.scored,
        "requested": metrics.requested,
        "count": metrics.requested,
    }
    values |= {row: _with_interval(rates.get(row), language) for row in SUMMARY_ROWS}
    line = layout_of(metrics.benchmark).summary.filled(**values)
    if metrics.missing:
        line = _("{line}, {missing:,} missing", line=line, missing=metrics.missing)
    line = clauses([line, *(note.short for note in notes(metrics) if note.warns and note.short)])
    return translated(line, language)


def _tables(metrics: Metrics, scoring: str) -> Tables:
    scorings = metrics.scorings
    if scoring not in scorings:
        known = f"choose one of {', '.join(scorings)}" if scorings else "no task is scored yet"
        raise UsageError(f"unknown scoring {scoring!r}; {known}")
    return scorings[scoring]


def _opening(metrics: Metrics, scoring: str, language: str) -> list[tuple[str, str]]:
    """The lines above the tables, and their styles."""
    headline = ngettext(
        "{benchmark} · {language} · {scored:,} of {count:,} task scored · scoring: {scoring}",
        "{benchmark} · {language} · {scored:,} of {count:,} tasks scored · scoring: {scoring}",
        benchmark=metrics.benchmark,
        language=metrics.language,
        scored=metrics.scored,
        count=metrics.requested,
        scoring=scoring_text(scoring),
    )
    lines = [(headline, "bold")]
    if metrics.missing:
        missing = ngettext(
            "Missing: {count:,} task without a score, left out and not counted as wrong.",
            "Missing: {count:,} tasks without a score, left out and not counted as wrong.",
            count=metrics.missing,
        )
        lines.append((missing, "yellow"))
    others = metrics.differences.get(scoring, {})
    if others:
        counted = [_("{name} {count:,}", name=scoring_text(name), count=count) for name, count in others.items()]
        differ = _("Tasks judged differently by other scorings: {others}.", others=counted)
        lines.append((differ, "dim"))
    lines += [(line, "dim") for line in (_near(metrics, scoring), effort_line(metrics)) if line]
    if metrics.style:
        lines.append((_("Style of asking: {style}.", style=metrics.style), "dim"))
    if metrics.formula:
        lines.append((plain_text(metrics.formula), "dim"))
    return [(translated(line, language), style) for line, style in lines]


def _near(metrics: Metrics, scoring: str) -> Text | None:
    """How many whole sessions failed by one task, and which kind of task that was most often; None without any."""
    rows = _tables(metrics, scoring).get("near_misses", {})
    short = rows.get("one_task_short")
    if not short or not short.correct:
        return None
    most = max(rows[kind].correct for kind in KINDS)
    kinds = [TITLES[kind] for kind in KINDS if rows[kind].correct == most]
    said = (
        ngettext(
            "Near misses: {near:,} of {count:,} complete session has one wrong task ({value}), most often "
            "{kinds} ({number:,}).",
            "Near misses: {near:,} of {count:,} complete sessions have one wrong task ({value}), most often "
            "{kinds} ({number:,}).",
        )
        if len(kinds) == 1
        else _(
            "Near misses: {near:,} of {count:,} complete sessions have one wrong task ({value}), most often "
            "{kinds} ({number:,} each)."
        )
    )
    return said.filled(near=short.correct, count=short.total, value=f"{short.value:.1%}", kinds=kinds, number=most)


def _rates(metrics: Metrics, scoring: str, section: TableSection, language: str) -> Table:
    """A table of rates: headline value with its interval, `exact` beside it, and n."""
    table = headed_table(section.heading)
    beside = metrics.scorings.get(EXACT) if scoring != EXACT else None
    table.add_column(plain(scoring_name(scoring, language)), justify="right", style="bold", no_wrap=True)
    table.add_column(translated(INTERVAL, language), justify="right", style="dim", no_wrap=True)
    if beside is not None:
        table.add_column(plain(scoring_name(EXACT, language)), justify="right", no_wrap=True)
    table.add_column(translated(_("n"), language), justify="right", style="dim", no_wrap=True)
    for name, row, heading in section.rows:
        entry = metrics.scorings[scoring][name][row]
        exact = [] if beside is None else [_percent(beside.get(name, {}).get(row), language)]
        table.add_row(plain(heading), _percent(entry, language), _interval(entry), *exact, f"{entry.total:,}")
    if section.note:
        table.caption, table.caption_justify = plain(section.note, "dim"), "left"
    return table


def _matrix(metrics: Metrics, scoring: str, language: str) -> Table:
    """Accuracy by task type and turn."""
    layers = _tables(metrics, scoring).get("layers", {})
    table = headed_table(title("layers", language))
    positions = list(dict.fromkeys(row.partition("@")[2] for row in layers))
    for position in positions:
        heading = title("all", language) if position == "all" else position
        table.add_column(plain(heading), justify="right", no_wrap=True, style="bold" if position == "all" else "")
    for kind in (*KINDS, "all"):
        cells = [_percent(layers.get(f"{kind}@{position}"), language) for position in positions]
        table.add_row(plain(title(kind, language)), *cells)
    return table


def _published(metrics: Metrics, scoring: str, language: str) -> Table:
    """The summaries of ACEBench as the original prints them: from 0 to 1, rounded at every stage."""
    tables = _tables(metrics, scoring)
    table = headed_table(translated(_("As the original prints it"), language))
    table.add_column(translated(_("value"), language), justify="right", no_wrap=True)
    for row in (*tables["overall"], *tables["groups"]):
        entry = tables["published"].get(row)
        if entry is not None:
            value = _percent(entry, language) if entry.value is None else str(entry.value)
            table.add_row(plain(title(row, language)), value)
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


def _percent(entry: Rate | None, language: str) -> str:
    """The value; where a part of what it sums up is missing, that word in place of a number."""
    if entry is None or entry.value is None:
        return translated(_("incomplete"), language) if entry and entry.incomplete else NOTHING
    return f"{entry.value:.1%}"


def _interval(entry: Rate | None) -> str:
    if entry is None or entry.ci95 is None:
        return NOTHING
    low, high = entry.ci95
    return f"{low * 100:.1f} – {high * 100:.1f}"


def _with_interval(entry: Rate | None, language: str) -> str:
    value = _percent(entry, language)
    return value if entry is None or entry.value is None else f"{value} [{_interval(entry)}]"
