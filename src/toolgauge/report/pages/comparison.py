"""The page of a comparison of two runs of a board: which tasks only one has right, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from toolgauge.analysis.compare.content import Changed, Comparison, compare_runs
from toolgauge.analysis.compare.pairing import Side
from toolgauge.analysis.compare.rows import Difference, OddsRatio, Outcomes
from toolgauge.analysis.compare.sentences import mistake_title, note_sentence, outcome_words
from toolgauge.analysis.compare.sides import side_of
from toolgauge.analysis.layout import layout_of
from toolgauge.errors import UsageError
from toolgauge.judge.verdict import CORRECT, EXACT
from toolgauge.locale import _, translated
from toolgauge.report.page import Drawn, Page, PageValues, Refused, RunEntry, Site, board_heading
from toolgauge.report.pages.differences import DifferenceSection, charted, sections_of
from toolgauge.report.pages.tasks import task_link, tasks_link

FEW_PAIRS = 10
"""A board with more pairs of runs than this compares them briefly (the headline reading, the main tables): time and
pages grow with the square of the runs."""
SHOWN = 50
"""Tasks that stand on the page; the run's list of tasks has all. Only the headline reading has lists."""
MOVES = 12
REFUSALS = {
    "data": _("They were made on different data: a task of one is not the same task in the other."),
    "absent": _("Their data file is not at hand; build the site again with {option}.", option="--data"),
    "tasks": _("They have no scored task, or no scoring, in common."),
}
"""Why two runs cannot be compared."""
OUTCOMES = ("both", "fixed", "broken", "neither")


class MainDifference(NamedTuple):
    table: str
    row: str
    entry: Difference


class CrosstabPart(NamedTuple):
    """A part of a bar: where it begins and how wide it is, of 1,000."""

    outcome: str
    total: int
    x: float
    width: float


class CrosstabBar(NamedTuple):
    name: str
    total: int
    parts: list[CrosstabPart]
    p: float | None
    odds_ratio: OddsRatio | None


class Move(NamedTuple):
    before: str
    after: str
    number: int


class ChangedTask(NamedTuple):
    id: str
    link: str
    mistake: str


class ChangedTasks(NamedTuple):
    """The first of the tasks that only one run has right, how many there are, and the address of all."""

    name: str
    number: int
    tasks: list[ChangedTask]
    all: str


class ReadingPart(NamedTuple):
    """All that the page says in one reading."""

    reading: str
    crosstabs: list[CrosstabBar]
    main: list[MainDifference]
    chart: Drawn | None
    sections: list[DifferenceSection]
    moves: list[Move]
    lists: list[ChangedTasks]


def comparisons(entries: Sequence[RunEntry]) -> dict[tuple[str, str], Comparison | Refused]:
    """The comparison of every two runs of a board, by their slugs; of runs that cannot be compared only why not."""
    boards: dict[str, list[RunEntry]] = {}
    for entry in entries:
        boards.setdefault(entry.board, []).append(entry)
    found: dict[tuple[str, str], Comparison | Refused] = {}
    for board in boards.values():
        pairs = list(combinations(board, 2))
        sides: dict[str, Side] = {}
        for one, other in pairs:
            found[one.slug, other.slug] = _compare(one, other, sides, len(pairs) > FEW_PAIRS)
    return found


def _compare(one: RunEntry, other: RunEntry, sides: dict[str, Side], brief: bool) -> Comparison | Refused:
    if one.run.manifest.data_identity != other.run.manifest.data_identity:
        return Refused("data")
    if one.run.dataset is None or other.run.dataset is None:
        return Refused("absent")
    try:
        a, b = (sides.setdefault(entry.slug, sides.get(entry.slug) or side_of(entry.run)) for entry in (one, other))
        return compare_runs(a, b, one.run.benchmark.headline if brief else None)
    except UsageError:
        return Refused("tasks")


def pages(site: Site, language: str) -> Iterator[Page]:
    entries = {entry.slug: entry for entry in site.entries}
    for (one, other), content in site.comparisons.items():
        a, b = entries[one], entries[other]
        heading = translated(_("{a} and {b}", a=a.label, b=b.label), language)
        values = _content(a, b, content, language)
        yield Page(f"compare/{one}--{other}.html", "comparison.html", heading, values)


def _content(a: RunEntry, b: RunEntry, content: Comparison | Refused, language: str) -> PageValues:
    values: dict[str, object] = {"a": a, "b": b, "board": board_heading(a.board, language), "refused": None}
    if isinstance(content, Refused):
        return values | {
            "refused": content.reason,
            "refused_because": REFUSALS[content.reason],
            "readings": [],
            "tasks": 0,
            "notes": [],
        }
    readings = [name for name in dict.fromkeys((content.headline, EXACT)) if name in content.readings]
    return values | {
        "tasks": content.tasks,
        "same_model": content.same_model,
        "words": outcome_words(content.same_model),
        "notes": [note_sentence(note, language) for note in content.notes],
        "readings": [_part(a, b, content, reading, language) for reading in readings],
    }


def _part(a: RunEntry, b: RunEntry, content: Comparison, reading: str, language: str) -> ReadingPart:
    found = content.readings[reading]
    headline = reading == content.headline
    brief = len(content.readings) < len(a.run.metrics.readings)
    lists = (("fixed", found.fixed), ("broken", found.broken)) if headline else ()
    # The headline differences: table, row, and the row itself
    tables = found.tables
    return ReadingPart(
        reading,
        [_crosstab("tasks", found.tasks), _crosstab("sessions", found.sessions)],
        [
            MainDifference(table, row, tables[table][row])
            for table, row in layout_of(content.benchmark).compared
            if row in tables.get(table, {})
        ],
        charted(content, reading, language),
        sections_of(content, reading, language, headline and not brief),
        _moves(found.moves, language),
        [_list(a, b, reading, name, tasks, language) for name, tasks in lists],
    )


def _crosstab(name: str, found: Outcomes) -> CrosstabBar:
    counts = {outcome: int(getattr(found, outcome)) for outcome in OUTCOMES}
    total = sum(counts.values())
    begin, parts = 0, []
    for outcome in OUTCOMES:
        share = 1000 * counts[outcome] / total if total else 0
        x = round(1000 * begin / total, 2) if total else 0
        parts.append(CrosstabPart(outcome, counts[outcome], x, round(share, 2)))
        begin += counts[outcome]
    return CrosstabBar(name, total, parts, found.mcnemar_p, found.odds_ratio)


def _moves(moves: Mapping[str, Mapping[str, int]], language: str) -> list[Move]:
    """From which mistake to which, the most frequent first; what stayed as it was is left out."""
    changed = [
        (number, before, after)
        for before, row in moves.items()
        for after, number in row.items()
        if before != after and CORRECT not in (before, after)
    ]
    changed.sort(key=lambda move: (-move[0], move[1], move[2]))
    return [
        Move(mistake_title(before, language), mistake_title(after, language), number)
        for number, before, after in changed[:MOVES]
    ]


def _list(a: RunEntry, b: RunEntry, reading: str, name: str, tasks: Sequence[Changed], language: str) -> ChangedTasks:
    """Tasks that only one run has right: mistakes and links are of the run that has them wrong. all: all of
    them."""
    wrong, right = (a, b) if name == "fixed" else (b, a)
    lines = [
        ChangedTask(task.task_id, task_link(wrong, task.task_id, reading), mistake_title(task.mistake, language))
        for task in tasks[:SHOWN]
    ]
    everything = tasks_link(wrong, reading=reading, result="failed", other=f"correct:{right.slug}")
    return ChangedTasks(name, len(tasks), lines, everything)
