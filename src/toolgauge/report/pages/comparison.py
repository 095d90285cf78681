"""The page of a comparison of two runs of a board: what was fixed, what was broken, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from toolgauge.analysis.compare.content import Changed, Comparison, ReadingComparison, compare_runs
from toolgauge.analysis.compare.pairing import Side, side_of
from toolgauge.analysis.compare.rows import Outcomes
from toolgauge.analysis.compare.words import mistake_in_words, note_in_words
from toolgauge.analysis.layout import EXACT, layout_of
from toolgauge.chat import Json
from toolgauge.errors import UsageError
from toolgauge.judge.verdict import CORRECT
from toolgauge.report.page import Page, Refused, RunEntry, Site, board_heading
from toolgauge.report.pages.differences import charted, sections_of
from toolgauge.report.pages.tasks import task_link, tasks_link
from toolgauge.report.wording import words

FEW_PAIRS = 10
"""A board with more pairs of runs than this compares them briefly (the headline reading, the main tables): time and
pages grow with the square of the runs."""
SHOWN = 50
"""Tasks that stand on the page; the run's list of tasks has all. Only the headline reading has lists."""
MOVES = 12
OUTCOMES = ("both", "fixed", "broken", "neither")


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
    if one.run.manifest.data.sha256 != other.run.manifest.data.sha256:
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
    texts = words(("comparison",), language)
    for (one, other), content in site.comparisons.items():
        a, b = entries[one], entries[other]
        heading = texts["heading"].format(a=a.label, b=b.label)
        values = _content(a, b, content, language)
        yield Page(f"compare/{one}--{other}.html", "comparison.html", heading, ("figures", "comparison"), values)


def _content(a: RunEntry, b: RunEntry, content: Comparison | Refused, language: str) -> dict[str, Any]:
    values = {"a": a, "b": b, "board": board_heading(a.board, language), "refused": None}
    if isinstance(content, Refused):
        return values | {"refused": content.reason, "readings": [], "tasks": 0, "notes": []}
    readings = [name for name in dict.fromkeys((content.headline, EXACT)) if name in content.readings]
    return values | {
        "tasks": content.tasks,
        "notes": [note_in_words(note, language) for note in content.notes],
        "readings": [_part(a, b, content, reading, language) for reading in readings],
    }


def _part(a: RunEntry, b: RunEntry, content: Comparison, reading: str, language: str) -> dict[str, Any]:
    """All that the page says in one reading."""
    found = content.readings[reading]
    headline = reading == content.headline
    brief = len(content.readings) < len(a.run.metrics.readings)
    return {
        "reading": reading,
        "crosstabs": [_crosstab("tasks", found.tasks), _crosstab("sessions", found.sessions)],
        "main": _main(content, found),
        "chart": charted(content, reading, language),
        "sections": sections_of(a, content, reading, language, headline and not brief),
        "moves": _moves(found.moves, language),
        "lists": [
            _list(a, b, reading, name, getattr(found, name), language) for name in ("fixed", "broken") if headline
        ],
    }


def _main(content: Comparison, found: ReadingComparison) -> list[Json]:
    """The headline differences: table, row, and the row itself."""
    tables = found.tables
    return [
        {"table": table, "row": row, "entry": tables[table][row]}
        for table, row in layout_of(content.benchmark).compared
        if row in tables.get(table, {})
    ]


def _crosstab(name: str, found: Outcomes) -> Json:
    """Where the parts of the bar begin and how wide they are, of 1,000."""
    counts = {outcome: int(getattr(found, outcome)) for outcome in OUTCOMES}
    total = sum(counts.values())
    begin, parts = 0, []
    for outcome in OUTCOMES:
        share = 1000 * counts[outcome] / total if total else 0
        place = {"x": round(1000 * begin / total, 2) if total else 0, "width": round(share, 2)}
        parts.append({"outcome": outcome, "count": counts[outcome], **place})
        begin += counts[outcome]
    return {"name": name, "total": total, "parts": parts, "p": found.mcnemar_p, "odds_ratio": found.odds_ratio}


def _moves(moves: Mapping[str, Mapping[str, int]], language: str) -> list[Json]:
    """From which mistake to which, the most frequent first; what stayed as it was is left out."""
    changed = [
        (number, before, after)
        for before, row in moves.items()
        for after, number in row.items()
        if before != after and CORRECT not in (before, after)
    ]
    changed.sort(key=lambda move: (-move[0], move[1], move[2]))
    return [
        {
            "before": mistake_in_words(before, language),
            "after": mistake_in_words(after, language),
            "count": number,
        }
        for number, before, after in changed[:MOVES]
    ]


def _list(a: RunEntry, b: RunEntry, reading: str, name: str, tasks: Sequence[Changed], language: str) -> dict[str, Any]:
    """Fixed or broken tasks: mistakes and links are of the run that has them wrong. all: where all are listed."""
    wrong, right = (a, b) if name == "fixed" else (b, a)
    lines = [
        {
            "id": task.task_id,
            "link": task_link(wrong, task.task_id, reading),
            "mistake": mistake_in_words(task.mistake, language),
        }
        for task in tasks[:SHOWN]
    ]
    everything = tasks_link(wrong, reading=reading, result="failed", other=f"correct:{right.slug}")
    return {"name": name, "count": len(tasks), "tasks": lines, "all": everything}
