"""Losses in the terminal: the biggest ones with places and examples, the rest in a line; several runs as a matrix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from toolgauge.analysis.error_analysis.cases import ANSWERS, ASKS, NO_ID, SILENT, ErrorExample
from toolgauge.analysis.error_analysis.losses import Loss, Losses
from toolgauge.analysis.error_analysis.oneline import one_line
from toolgauge.analysis.error_analysis.sentences import (
    forgiven_sentence,
    lead_sentence,
    near_sentence,
    opening_sentence,
    pattern_sentence,
    place_sentence,
    size_sentence,
    wrong_sentences,
)
from toolgauge.analysis.glossary import scoring_text
from toolgauge.analysis.notes import Note
from toolgauge.analysis.terminal import headed_table, lines_of, note_lines, plain
from toolgauge.analysis.titles import title
from toolgauge.locale import Text as Message
from toolgauge.locale import _, ngettext, pgettext, translated
from toolgauge.reasons import ReasonTexts

if TYPE_CHECKING:
    from rich.console import Console

TOP = 3
"""Losses that are shown in full."""
LINE, MOST_STEPS = 220, 4
"""Characters of the steps of an example; where they are more, so many steps stay."""
LONGEST_STEP = 8 * 200
MOST_OTHERS = 12
MOST_WRONG = 8
"""Wrong arguments of an example."""
SIGNS = {
    ASKS: _("a question to the user"),
    ANSWERS: _("a reply in words"),
    SILENT: pgettext("reply", "nothing"),
    NO_ID: _("(without an id)"),
}
"""What stands in examples in place of a call."""


class Analysed(NamedTuple):
    """A run to show. label: its name; command, pages: what opens it, and its task's page for a task id.

    remark: what is to be known of this benchmark's losses, notes: beside this run's scores; texts: of its codes, in the
    reader's language."""

    label: str
    benchmark: str
    language: str
    missing: int
    losses: Losses
    examples: Mapping[str, ErrorExample]
    command: str
    page: str
    texts: ReasonTexts
    remark: Message | None = None
    notes: Sequence[Note] = ()


def show_losses(run: Analysed, console: Console, language: str = "en", top: int = TOP) -> None:
    """Print a run's losses; language: of the sentences, "en" or "zh"."""
    found = run.losses
    heading = _(
        "{model} · {benchmark} · {data} · scoring: {scoring}",
        model=one_line(run.label, 80),
        benchmark=run.benchmark,
        data=run.language,
        scoring=scoring_text(found.scoring),
    )
    _print(console, translated(heading, language), "bold")
    for line in _opening(run, language):
        _print(console, line)
    for line, style in note_lines(run.notes, language):
        _print(console, line, style)
    if not found.losses:
        console.print()
        return
    for number, loss in enumerate(found.losses[:top], 1):
        console.print()
        _show_loss(number, loss, run, console, language)
    console.print()
    for line in _closing(run, language, top):
        _print(console, line)
    judged = _(
        "Places: Fisher's exact test on counts reduced for sessions, times the number of places tested; named up to "
        "p 0.05. Intervals: {level}, by session.",
        level="95%",
    )
    opening = _("Open: {command}, then {page}", command=run.command, page=run.page)
    for legend in (judged, opening):
        _print(console, translated(legend, language), "dim")
    console.print()


def show_matrix(runs: Sequence[Analysed], console: Console, language: str = "en") -> None:
    """Print the points lost by each mistake (row) in each run (column), the biggest mean first."""
    points = [{loss.mistake: loss.points for loss in run.losses.losses} for run in runs]
    mistakes = sorted(
        {name for own in points for name in own}, key=lambda name: -sum(own.get(name, 0) for own in points)
    )
    table = headed_table(translated(_("Points lost by"), language), ratio=None)
    for run in runs:
        table.add_column(lines_of(*_column(run, runs)), justify="right")
    for name in mistakes:
        cells = [
            plain(
                f"{own[name]:.1f}" if name in own else "–",
                "bold" if own.get(name) == max(own.values(), default=None) else "",
            )
            for own in points
        ]
        table.add_row(plain(one_line(title(name, language), 60)), *cells)
    table.add_section()
    totals = [run.losses.points for run in runs]
    cells = [plain("–" if total is None else f"{total:.1f}") for total in totals]
    table.add_row(plain(translated(_("all together"), language)), *cells)
    console.print(table)


def _column(run: Analysed, runs: Sequence[Analysed]) -> list[str]:
    boards = {(other.benchmark, other.language) for other in runs}
    return [one_line(run.label, 40), *([f"{run.benchmark} {run.language}"] if len(boards) > 1 else [])]


def _print(console: Console, line: str, style: str = "") -> None:
    console.print(plain(line), style=style, highlight=False)


def _opening(run: Analysed, language: str) -> list[str]:
    found = run.losses
    lines = [opening_sentence(found, language)]
    if forgiven := forgiven_sentence(found, language):
        lines.append(forgiven)
    if found.losses and run.remark:
        lines.append(translated(run.remark, language))
    if run.missing:
        missing = ngettext(
            "{count:,} task has no score and stands in no number here.",
            "{count:,} tasks have no score and stand in no number here.",
            count=run.missing,
        )
        lines.append(translated(missing, language))
    if not found.located:
        unlocated = _(
            "The data set is not at hand (name it with {option}): no places and no examples.", option="--data"
        )
        lines.append(translated(unlocated, language))
    return lines


def _show_loss(number: int, loss: Loss, run: Analysed, console: Console, language: str) -> None:
    from rich.text import Text

    name = one_line(title(loss.mistake, language), 60)
    console.print(Text.assemble((f"{number}  {name}  ", "bold cyan"), size_sentence(loss, run.losses, language)))
    rows: list[tuple[str, str]] = []
    places = [place_sentence(place, language) for place in loss.concentrates]
    if run.losses.located:
        where, nowhere = translated(_("where"), language), translated(_("no place stands out"), language)
        rows += [(where, line) for line in places or [nowhere]]
    if loss.pattern:
        text = one_line(loss.pattern.in_words(run.texts), LINE)
        usual = pattern_sentence(text, loss.pattern.tasks, loss.tasks, language)
        rows.append((translated(_("usually"), language), usual))
    _rows(console, rows)
    for task_id in loss.examples:
        _print(console, f"   {one_line(task_id, 100)}", "bold")
        if example := run.examples.get(task_id):
            _rows(console, _example_rows(example, run.texts, language), "dim")


def _example_rows(example: ErrorExample, texts: ReasonTexts, language: str) -> list[tuple[str, str]]:
    wrong = wrong_sentences(example.wrong, texts, language, MOST_WRONG)
    headings = [translated(pgettext("argument", "wrong"), language), *[""] * len(wrong)]
    return [
        (translated(_("user"), language), example.wanted),
        (translated(_("expected"), language), steps_line(example.expected, language)),
        (translated(_("actual"), language), steps_line(example.done, language)),
        *zip(headings, wrong, strict=False),
    ]


def steps_line(steps: Sequence[str], language: str) -> str:
    """The steps of an example as one line, with words for what is no call. Of long ones whole steps in the middle are
    left out; a step is never cut, for it may differ from the other line's anywhere."""
    then, words = " → ", [one_line(_step(step, language), LONGEST_STEP) for step in steps]
    left = len(words)
    while left > MOST_STEPS and len(then.join(words)) > LINE:
        words[1:3] = ["…"]
        left -= 1
    return then.join(words)


def _step(step: str, language: str) -> str:
    for sign in (ASKS, ANSWERS, SILENT):
        if step == sign:
            return translated(SIGNS[sign], language)
    if step.startswith(ANSWERS):
        return f"“{step.removeprefix(ANSWERS).strip()}”"
    for sign in (ASKS, NO_ID):
        step = step.replace(sign, translated(SIGNS[sign], language))
    return step


def _rows(console: Console, rows: Sequence[tuple[str, str]], style: str = "") -> None:
    """Labels and texts; long texts go on below themselves."""
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(width=3)
    grid.add_column(no_wrap=True, min_width=9, style="dim")
    grid.add_column(overflow="fold", style=style)
    for label, text in rows:
        grid.add_row("", Text(label), Text(text))
    console.print(grid)


def _closing(run: Analysed, language: str, top: int) -> list[str]:
    found = run.losses
    lines = [lead] if (lead := lead_sentence(found, language)) else []
    if others := found.losses[top:]:
        named = [f"{one_line(title(loss.mistake, language), 60)} {loss.points:.1f}" for loss in others]
        shown = named[:MOST_OTHERS] + (["…"] if len(named) > MOST_OTHERS else [])
        lines.append(translated(_("Further causes: {losses}.", losses=shown), language))
    if near := found.near_misses:
        blocked = [f"{one_line(title(name, language), 60)} {count:,}" for name, count in near.blocked_by.items()]
        lines.append(near_sentence(near, blocked[:MOST_OTHERS], language))
    return lines
