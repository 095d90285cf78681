"""Losses in the terminal: the biggest ones with places and examples, the rest in a line; several runs as a matrix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from toolgauge.analysis.causes.examples import ANSWERS, ASKS, NO_ID, SILENT, ErrorExample
from toolgauge.analysis.causes.losses import Loss, Losses
from toolgauge.analysis.causes.sentences import (
    forgiven_sentence,
    lead_sentence,
    near_sentence,
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
from toolgauge.reasons import ReasonTexts
from toolgauge.visible import one_line

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
    ASKS: "a question to the user",
    ANSWERS: "a reply in words",
    SILENT: "nothing",
    NO_ID: "(without an id)",
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


def show_losses(run: Analysed, console: Console, top: int = TOP) -> None:
    """Print a run's losses."""
    losses = run.losses
    result, *more = _opening(run)
    _print(console, f"{one_line(run.label, 80)}: {result}", "bold")
    for line in (f"{run.benchmark} · {run.language} · scoring: {scoring_text(losses.scoring)}", *more):
        _print(console, line)
    for line, style in note_lines(run.notes):
        _print(console, line, style)
    if not losses.losses:
        console.print()
        return
    for number, loss in enumerate(losses.losses[:top], 1):
        console.print()
        _show_loss(number, loss, run, console)
    console.print()
    for line in _closing(run, top):
        _print(console, line)
    legend = (
        "Places: Fisher's exact test on counts reduced for sessions, times the number of places tested; named up to "
        "p 0.05. Intervals: 95%, by session."
    )
    _print(console, legend, "dim")
    _print(console, f"Open: {run.command}, then {run.page}", "dim")
    console.print()


def show_matrix(runs: Sequence[Analysed], console: Console) -> None:
    """Print the points lost by each mistake (row) in each run (column), the biggest mean first."""
    points = [{loss.mistake: loss.points for loss in run.losses.losses} for run in runs]
    mistakes = sorted(
        {name for own in points for name in own}, key=lambda name: (-sum(own.get(name, 0) for own in points), name)
    )
    table = headed_table("Points lost by", ratio=None)
    boards = {f"{run.benchmark} {run.language}" for run in runs}
    for run in runs:
        board = [f"{run.benchmark} {run.language}"] if len(boards) > 1 else []
        table.add_column(lines_of(one_line(run.label, 40), *board), justify="right")
    for name in mistakes:
        cells = [
            plain(
                f"{own[name]:.1f}" if name in own else "–",
                "bold" if own.get(name) == max(own.values(), default=None) else "",
            )
            for own in points
        ]
        table.add_row(plain(one_line(title(name, "en"), 60)), *cells)
    table.add_section()
    totals = [run.losses.points for run in runs]
    cells = [plain("–" if total is None else f"{total:.1f}") for total in totals]
    table.add_row("all together", *cells)
    console.print(table)


def _print(console: Console, line: str, style: str = "") -> None:
    console.print(plain(line), style=style, highlight=False)


def _opening(run: Analysed) -> list[str]:
    lines = [_result(run.losses)]
    if forgiven := forgiven_sentence(run.losses, "en"):
        lines.append(forgiven)
    if run.losses.losses and run.remark:
        lines.append(str(run.remark))
    if run.missing:
        lines.append(f"Tasks without a score, excluded from all rates: {run.missing:,}.")
    if not run.losses.located:
        lines.append("No places and no examples: the data set was not found; name it with --data.")
    return lines


def _result(losses: Losses) -> str:
    """How much is right, how much is lost, by how many kinds of mistakes."""
    if losses.accuracy is None or losses.points is None:
        return "No task has a score in this scoring."
    if not losses.losses:
        return "The task is right." if losses.scored == 1 else f"All {losses.scored:,} tasks are right."
    first = losses.losses[0]
    kinds = f"in {len(losses.losses)} kinds of mistakes" if len(losses.losses) > 1 else "all by one kind of mistake"
    return (
        f"{losses.accuracy:.1f}% of {losses.scored:,} tasks right. {losses.points:.1f} points are lost, {kinds}; "
        f"most by {one_line(title(first.mistake, 'en'), 60)} ({first.points:.1f})."
    )


def _show_loss(number: int, loss: Loss, run: Analysed, console: Console) -> None:
    from rich.text import Text

    name = one_line(title(loss.mistake, "en"), 60)
    console.print(Text.assemble((f"{number}  {name}  ", "bold cyan"), size_sentence(loss, run.losses, "en")))
    rows: list[tuple[str, str]] = []
    if run.losses.located:
        places = [place_sentence(place, "en") for place in loss.concentrates]
        rows += [("where", line) for line in places or ["no place stands out"]]
    if loss.pattern:
        text = one_line(loss.pattern.in_words(run.texts), LINE)
        rows.append(("usually", pattern_sentence(text, loss.pattern.tasks, loss.tasks, "en")))
    _rows(console, rows)
    for task_id in loss.examples:
        _print(console, f"   {one_line(task_id, 100)}", "bold")
        if example := run.examples.get(task_id):
            _rows(console, _example_rows(example, run.texts), "dim")


def _example_rows(example: ErrorExample, texts: ReasonTexts) -> list[tuple[str, str]]:
    wrong = wrong_sentences(example.wrong, texts, "en", MOST_WRONG)
    return [
        ("user", example.wanted),
        ("expected", steps_line(example.expected)),
        ("actual", steps_line(example.done)),
        *zip(["wrong", *[""] * len(wrong)], wrong, strict=False),
    ]


def steps_line(steps: Sequence[str]) -> str:
    """The steps of an example as one line, with words for what is no call. Of long ones whole steps in the middle are
    left out; a step is never cut, for it may differ from the other line's anywhere."""
    then, words = " → ", [one_line(_step(step), LONGEST_STEP) for step in steps]
    left = len(words)
    while left > MOST_STEPS and len(then.join(words)) > LINE:
        words[1:3] = ["…"]
        left -= 1
    return then.join(words)


def _step(step: str) -> str:
    for sign in (ASKS, ANSWERS, SILENT):
        if step == sign:
            return SIGNS[sign]
    if step.startswith(ANSWERS):
        return f"“{step.removeprefix(ANSWERS).strip()}”"
    for sign in (ASKS, NO_ID):
        step = step.replace(sign, SIGNS[sign])
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


def _closing(run: Analysed, top: int) -> list[str]:
    losses = run.losses
    lines = [lead] if (lead := lead_sentence(losses, "en")) else []
    if others := losses.losses[top:]:
        others_named = [f"{one_line(title(loss.mistake, 'en'), 60)} {loss.points:.1f}" for loss in others]
        listed = others_named[:MOST_OTHERS] + (["…"] if len(others_named) > MOST_OTHERS else [])
        lines.append(f"Further causes: {', '.join(listed)}.")
    if near := losses.near_misses:
        blocked = [f"{one_line(title(name, 'en'), 60)} {count:,}" for name, count in near.blocked_by.items()]
        lines.append(near_sentence(near, blocked[:MOST_OTHERS], "en"))
    return lines
