"""A comparison in the terminal. Reads what `compare_runs` returns and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from toolgauge.analysis.compare.content import Changed, Compared, Comparison, ScoringComparison
from toolgauge.analysis.compare.rows import SIGNIFICANT, OddsRatio
from toolgauge.analysis.compare.sentences import (
    OutcomeWords,
    compared_sections,
    mistake_title,
    note_sentence,
    outcome_words,
    printable,
)
from toolgauge.analysis.glossary import scoring_text
from toolgauge.analysis.sections import TableSection
from toolgauge.analysis.terminal import headed_table, note_lines, plain

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

NOTHING = "–"
LISTED = 10
"""Tasks and moves that are listed; the JSON object has all of them."""
WIDTH = 100


def show_comparison(comparison: Comparison, scoring: str, console: Console, other: str = "B") -> None:
    """Print a comparison in one scoring. other: the letter by which the second run is called (the first is A)."""
    content, words = comparison.scorings[scoring], outcome_words(comparison.same_model, other)
    for line, style in _opening(comparison, scoring, other):
        console.print(plain(line), style=style, highlight=False)
    console.print()
    tables = [
        _outcomes(content, words),
        *(_section(content, section, other) for section in compared_sections(comparison, scoring, "en")),
        _moves(content, other),
        _tasks(content.fixed, str(words.tasks_second), "A"),
        _tasks(content.broken, str(words.tasks_first), other),
    ]
    for table in tables:
        table.width = min(WIDTH, console.width)
        console.print(table)
        console.print()
    for legend in (
        "bold: p < 0.05 after Holm's correction within the table",
        "* few tasks: fewer than 10, or from fewer than 10 sessions",
    ):
        console.print(legend, style="dim", highlight=False)


def _opening(comparison: Comparison, scoring: str, other: str) -> list[tuple[str, str]]:
    names = {"A": comparison.a, other: comparison.b}
    headline = (
        f"{comparison.benchmark} · {comparison.language} · tasks in pairs: "
        f"{comparison.scorings[scoring].tasks.pairs:,} · scoring: {scoring_text(scoring)}"
    )
    return [
        (headline, "bold"),
        *(line for letter, run in names.items() for line in _run_lines(letter, run)),
        (f"Differences are {other} minus A, in percentage points.", "dim"),
        *((f"Note: {printable(note_sentence(note, 'en'), 300)}", "yellow") for note in comparison.notes),
    ]


def _run_lines(letter: str, run: Compared) -> Iterator[tuple[str, str]]:
    """A run's name, and below it what stands beside its scores."""
    told = f"  {printable(', '.join(run.told), 300)}" if run.told else ""
    yield f"{letter}  {printable(run.model)}{told}  ({printable(run.run)})", ""
    yield from ((f"   {line}", style) for line, style in note_lines(run.notes))


def _outcomes(content: ScoringComparison, words: OutcomeWords) -> Table:
    table = headed_table(str(words.head))
    for heading in (*map(str, words.short), "McNemar p", "odds ratio"):
        table.add_column(heading, justify="right", no_wrap=True)
    for unit, entry in (("tasks", content.tasks), ("sessions", content.sessions)):
        counts = [f"{count:,}" for count in (entry.fixed, entry.broken, entry.both, entry.neither)]
        table.add_row(unit, *counts, p_text(entry.mcnemar_p), _odds(entry.odds_ratio))
    return table


def _section(content: ScoringComparison, section: TableSection, other: str) -> Table:
    """A table of rates: both runs, the difference with its interval, p as it is and corrected."""
    table = headed_table(printable(section.heading))
    for heading in ("A", other, f"{other} − A", "95% interval", "p", "p (Holm)"):
        table.add_column(plain(heading), justify="right", no_wrap=True)
    for name, row, heading in section.rows:
        entry = content.tables[name][row]
        certain = entry.p_holm is not None and entry.p_holm < SIGNIFICANT
        table.add_row(
            _text(heading + (" *" if entry.few else "")),
            percent(entry.a),
            percent(entry.b),
            points(entry.difference),
            NOTHING if entry.ci95 is None else f"{points(entry.ci95[0])} … {points(entry.ci95[1])}",
            p_text(entry.p),
            p_text(entry.p_holm),
            style="bold" if certain else None,
        )
    return table


def _moves(content: ScoringComparison, other: str) -> Table:
    """The most frequent changes from one outcome to another."""
    table = headed_table("How mistakes moved · in A")
    table.add_column(f"in {other}", ratio=1)
    table.add_column("tasks", justify="right", no_wrap=True)
    moves = [(n, one, two) for one, row in content.moves.items() for two, n in row.items() if one != two]
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
    return plain(printable(text))


def percent(rate: float | None) -> str:
    """A rate."""
    return NOTHING if rate is None else f"{rate:.1%}"


def points(difference: float | None) -> str:
    """A difference of rates in percentage points."""
    if difference is None:
        return NOTHING
    shown = round(difference * 100, 1)
    return f"{shown:+.1f}" if shown else "0.0"


def p_text(p: float | None) -> str:
    """A p-value."""
    if p is None:
        return NOTHING
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def _odds(odds: OddsRatio | None) -> str:
    """The ratio with its interval; no bound is infinity."""
    if odds is None:
        return NOTHING
    value, low, high = ("∞" if number is None else f"{number:.2f}" for number in (odds.value, *odds.ci95))
    return f"{value} [{low}, {high}]"
