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
from toolgauge.locale import Text as Message
from toolgauge.locale import _, ngettext, pgettext, translated

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

NOTHING = "–"
LISTED = 10
"""Tasks and moves that are listed; the JSON object has all of them."""
WIDTH = 100


def show_comparison(
    comparison: Comparison, scoring: str, console: Console, language: str = "en", other: str = "B"
) -> None:
    """Print a comparison in one scoring. other: the letter by which the second run is called (the first is A)."""
    content, words = comparison.scorings[scoring], outcome_words(comparison.same_model, other)
    for line, style in _opening(comparison, scoring, language, other):
        console.print(plain(line), style=style, highlight=False)
    console.print()
    tables = [
        _outcomes(content, words, language),
        *(_section(content, section, language, other) for section in compared_sections(comparison, scoring, language)),
        _moves(content, language, other),
        _tasks(content.fixed, words.tasks_second, "A", language),
        _tasks(content.broken, words.tasks_first, other, language),
    ]
    for table in tables:
        table.width = min(WIDTH, console.width)
        console.print(table)
        console.print()
    for legend in (
        _("bold: p below 0.05 after Holm's correction within the table"),
        _("* few tasks: fewer than 10, or from fewer than 10 sessions"),
    ):
        console.print(translated(legend, language), style="dim", highlight=False)


def _opening(comparison: Comparison, scoring: str, language: str, other: str) -> list[tuple[str, str]]:
    names = {"A": comparison.a, other: comparison.b}
    headline = ngettext(
        "{benchmark} · {language} · {count:,} task in pairs · scoring: {scoring}",
        "{benchmark} · {language} · {count:,} tasks in pairs · scoring: {scoring}",
        benchmark=comparison.benchmark,
        language=comparison.language,
        count=comparison.scorings[scoring].tasks.pairs,
        scoring=scoring_text(scoring),
    )
    direction = _("Differences are {b} minus {a}, in percentage points.", a="A", b=other)
    lines = [
        (translated(headline, language), "bold"),
        *(line for letter, run in names.items() for line in _run_lines(letter, run, language)),
        (translated(direction, language), "dim"),
    ]
    notes = (printable(note_sentence(note, language), 300) for note in comparison.notes)
    said = (pgettext("comparison", "Note: {what}", what=note) for note in notes)
    return lines + [(translated(note, language), "yellow") for note in said]


def _run_lines(letter: str, run: Compared, language: str) -> Iterator[tuple[str, str]]:
    """A run's name, and below it what stands beside its scores."""
    told = f"  {printable(', '.join(run.told), 300)}" if run.told else ""
    yield f"{letter}  {printable(run.model)}{told}  ({printable(run.run)})", ""
    yield from ((f"   {line}", style) for line, style in note_lines(run.notes, language))


def _outcomes(content: ScoringComparison, words: OutcomeWords, language: str) -> Table:
    table = headed_table(translated(words.head, language))
    for heading in (*words.short, _("McNemar p"), _("odds ratio")):
        table.add_column(translated(heading, language), justify="right", no_wrap=True)
    units = ((pgettext("unit", "tasks"), content.tasks), (pgettext("unit", "sessions"), content.sessions))
    for unit, entry in units:
        counts = [f"{count:,}" for count in (entry.fixed, entry.broken, entry.both, entry.neither)]
        table.add_row(translated(unit, language), *counts, p_text(entry.mcnemar_p), _odds(entry.odds_ratio))
    return table


def _section(content: ScoringComparison, section: TableSection, language: str, other: str) -> Table:
    """A table of rates: both runs, the difference with its interval, p as it is and corrected."""
    table = headed_table(printable(section.heading))
    for heading in ("A", other, f"{other} − A", _("{level} interval", level="95%"), _("p"), _("p (Holm)")):
        table.add_column(plain(translated(heading, language)), justify="right", no_wrap=True)
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


def _moves(content: ScoringComparison, language: str, other: str) -> Table:
    """The most frequent changes from one outcome to another."""
    before, after = (translated(_("in {run}", run=run), language) for run in ("A", other))
    table = headed_table(translated(_("How mistakes moved"), language) + f" · {before}")
    table.add_column(after, ratio=1)
    table.add_column(translated(_("tasks"), language), justify="right", no_wrap=True)
    moves = [(n, one, two) for one, row in content.moves.items() for two, n in row.items() if one != two]
    moves.sort(key=lambda move: (-move[0], move[1:]))
    for number, before, after in moves[:LISTED]:
        names = (_text(mistake_title(mistake, language)) for mistake in (before, after))
        table.add_row(*names, f"{number:,}")
    return _rest(table, len(moves), language)


def _tasks(changed: Sequence[Changed], heading: Message, run: str, language: str) -> Table:
    """run: the letter of the one that has them wrong."""
    table = headed_table(translated(heading, language))
    table.add_column(translated(_("mistake in {run}", run=run), language), ratio=1)
    for task in changed[:LISTED]:
        table.add_row(_text(task.task_id), _text(mistake_title(task.mistake, language)))
    return _rest(table, len(changed), language)


def _rest(table: Table, number: int, language: str) -> Table:
    """Say how many rows there are beyond those that are listed, or that there are none."""
    if not number:
        table.add_row(translated(_("none"), language), style="dim")
    elif number > LISTED:
        more = _("… and {count:,} more ({option} FILE has all)", count=number - LISTED, option="--json")
        table.add_row(translated(more, language), style="dim")
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
