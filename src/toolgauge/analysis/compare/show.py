"""A comparison in the terminal. Reads what `compare_runs` returns and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from toolgauge.analysis.compare.content import RESULTS, Changed, Compared, Comparison, ScoringComparison
from toolgauge.analysis.compare.sentences import (
    CONTEXT,
    OutcomeWords,
    compared_sections,
    interval_text,
    mistake_title,
    note_sentence,
    outcome_words,
    p_text,
    percent,
    points,
    significant,
    verdict_lines,
)
from toolgauge.analysis.floor import silence
from toolgauge.analysis.layout import TableSection
from toolgauge.analysis.terminal import headed_table, note_lines, plain
from toolgauge.visible import one_line

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

LISTED = 10
"""Tasks and moves that are listed; the JSON object has all of them."""
WIDTH = 100


def show_comparison(
    comparison: Comparison, scoring: str, console: Console, other: str = "B", everything: bool = False
) -> None:
    """Print a comparison in one scoring: the verdict, the runs, the rows that differ significantly.

    other: the letter by which the second run is called (the first is A). everything: all rows, the mistakes that
    became others, and the tasks that only one run has right.
    """
    content, words = comparison.scorings[scoring], outcome_words(comparison.same_model, other)
    for line, style in _opening(comparison, scoring, other):
        console.print(plain(line), style=style, highlight=False)
    sections = compared_sections(comparison, scoring, "en")
    tables = [_section(content, section, other, everything) for section in sections]
    if everything:
        tables.insert(0, _outcomes(content, words))
        if comparison.tables != RESULTS:
            tables.append(_moves(content, other))
        tables.append(_tasks(content.fixed, str(words.tasks_second), "A"))
        tables.append(_tasks(content.broken, str(words.tasks_first), other))
    for table in tables:
        if table.row_count:
            table.width = min(WIDTH, console.width)
            console.print()
            console.print(table)
    console.print()
    for line in _legend(content, sections, everything):
        console.print(line, style="dim", highlight=False)


def _opening(comparison: Comparison, scoring: str, other: str) -> Iterator[tuple[str, str]]:
    verdict, about = verdict_lines(comparison, scoring, other)
    yield verdict, "bold"
    if about:
        yield about, ""
    if sentence := silence([comparison.a.floor, comparison.b.floor]):
        yield str(sentence), ""
    if comparison.tables != RESULTS:
        name = comparison.dataset.name if comparison.dataset else comparison.benchmark
        yield f"{one_line(name)} · {comparison.language}", "dim"
    for letter, run in (("A", comparison.a), (other, comparison.b)):
        yield from _run_lines(letter, run)
    for note in comparison.notes:
        yield f"Note: {one_line(note_sentence(note, 'en'), 300)}", "yellow"


def _run_lines(letter: str, run: Compared) -> Iterator[tuple[str, str]]:
    """A run's name, and below it what stands beside its scores."""
    settings = f"  {one_line(', '.join(run.told), 300)}" if run.told else ""
    yield f"{letter}  {one_line(run.model, 60)}{settings}  ({one_line(run.run, 60)})", ""
    yield from ((f"   {line}", style) for line, style in note_lines(run.notes))


def _legend(content: ScoringComparison, sections: Sequence[TableSection], everything: bool) -> Iterator[str]:
    if everything:
        yield "Differences in percentage points. Bold: p < 0.05 after Holm's correction within the table."
        yield "* few tasks: fewer than 10, or from fewer than 10 sessions"
        return
    listed = [section for section in sections if section.key != CONTEXT]
    rows = [content.tables[name][row] for section in listed for name, row, _heading in section.rows]
    differ = sum(map(significant, rows))
    yield (
        f"{differ:,} of {len(rows):,} rows differ significantly (p < 0.05 after Holm's correction within the table); "
        "--all shows every row and the tasks that changed"
    )


def _outcomes(content: ScoringComparison, words: OutcomeWords) -> Table:
    table = headed_table(str(words.head))
    for heading in map(str, words.short):
        table.add_column(heading, justify="right", no_wrap=True)
    for unit, entry in (("tasks", content.tasks), ("sessions", content.sessions)):
        counts = [f"{count:,}" for count in (entry.fixed, entry.broken, entry.both, entry.neither)]
        table.add_row(unit, *counts)
    return table


def _section(content: ScoringComparison, section: TableSection, other: str, everything: bool) -> Table:
    """A table of rates: both runs, the difference with its interval, p as it is and corrected."""
    table = headed_table(one_line(section.heading, 60))
    for heading in ("A", other, f"{other} − A", "95% interval", "p", "p (Holm)"):
        table.add_column(plain(heading), justify="right", no_wrap=True)
    for name, row, heading in section.rows:
        entry = content.tables[name][row]
        if everything or section.key == CONTEXT or significant(entry):
            table.add_row(
                _text(heading + (" *" if entry.few else "")),
                percent(entry.a),
                percent(entry.b),
                points(entry.difference),
                interval_text(entry.ci95),
                p_text(entry.p),
                p_text(entry.p_holm),
                style="bold" if (everything or section.key == CONTEXT) and significant(entry) else None,
            )
    return table


def _moves(content: ScoringComparison, other: str) -> Table:
    """The most frequent changes from one outcome to another."""
    table = headed_table("How mistakes moved · in A")
    table.add_column(f"in {other}", ratio=1)
    table.add_column("tasks", justify="right", no_wrap=True)
    moves = [(n, before, after) for before, row in content.moves.items() for after, n in row.items() if before != after]
    moves.sort(key=lambda move: (-move[0], move[1:]))
    for number, before, after in moves[:LISTED]:
        names = (_text(mistake_title(mistake, "en")) for mistake in (before, after))
        table.add_row(*names, f"{number:,}")
    return _rest(table, len(moves))


def _tasks(changed: Sequence[Changed], heading: str, run: str) -> Table:
    """run: the letter of the one that has them wrong."""
    table = headed_table(heading)
    table.add_column(f"mistake in {run}", ratio=1)
    for task in changed[:LISTED]:
        table.add_row(_text(task.task_id), _text(mistake_title(task.mistake, "en")))
    return _rest(table, len(changed))


def _rest(table: Table, number: int) -> Table:
    """Say how many rows there are beyond those that are listed, or that there are none."""
    if not number:
        table.add_row("none", style="dim")
    elif number > LISTED:
        table.add_row(f"… and {number - LISTED:,} more (--json FILE has all)", style="dim")
    return table


def _text(text: str) -> Text:
    return plain(one_line(text, 60))
