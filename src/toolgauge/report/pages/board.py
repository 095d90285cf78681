"""The leaderboard page of a benchmark in one language of its data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from toolgauge.analysis.titles import title
from toolgauge.report.display import Column
from toolgauge.report.leaderboard import Cell, View, paper_of, views
from toolgauge.report.page import Page, PageValues, RunEntry, Site, board_heading
from toolgauge.report.papers import published
from toolgauge.report.wording import words

WORDS = ("board",)
_DRAWING = 100  # width of a drawing in its own units


def pages(site: Site, language: str) -> Iterator[Page]:
    for name in site.boards:
        yield Page(f"{name}.html", "board.html", board_heading(name, language), WORDS, _values(site, name, language))


def _values(site: Site, name: str, language: str) -> PageValues:
    entries = site.board(name)
    benchmark, found = entries[0].benchmark, views(entries)
    texts = words(WORDS, language)
    models = list(published().models.get(benchmark, {}).values())
    # In how many tasks the labels of another reading differ from the headline's, over all runs
    headline = found[0].reading
    totals: dict[str, int] = {}
    for entry in entries:
        for reading, count in entry.run.metrics.differences.get(headline, {}).items():
            totals[reading] = totals.get(reading, 0) + count
    # The smallest and the largest size that a published name states
    known = [model.size for model in models if model.size is not None]
    return {
        "benchmark": benchmark,
        "paper": paper_of(benchmark),
        "headline": found[0].reading,
        "readings": list(dict.fromkeys(view.reading for view in found)),
        "sub_boards": list(dict.fromkeys(view.board.name for view in found)),
        "views": [_shown(view, number, texts, language) for number, view in enumerate(found, 1)],
        "families": list(dict.fromkeys(model.family for model in models)),
        "sizes": (min(known), max(known)) if known else None,
        "runs": len(entries),
        "models": sum(not row.measured for row in found[0].rows),
        "differences": totals,
        "pairs": pairs(site, entries),
        "draw": draw,
    }


def pairs(site: Site, entries: Sequence[RunEntry]) -> list[tuple[RunEntry, list[tuple[RunEntry, str]]]]:
    """For each run the runs after it that it is compared with, and the address of the comparison."""
    found = []
    for place, entry in enumerate(entries):
        others = [
            (other, f"compare/{entry.slug}--{other.slug}.html")
            for other in entries[place + 1 :]
            if (entry.slug, other.slug) in site.comparisons
        ]
        if others:
            found.append((entry, others))
    return found


def draw(cell: Cell, axis: float) -> dict[str, float | None]:
    """Where a number and its interval stand on a line of 100 units that ends at the rate `axis`."""

    def at(rate: float) -> float:
        return round(_DRAWING * min(rate, axis) / axis, 1)

    low, high = cell.interval or (None, None)
    return {
        "value": at(cell.value or 0.0),
        "low": None if low is None else at(low),
        "high": None if high is None else at(high),
    }


def _shown(view: View, number: int, texts: Mapping[str, str], language: str) -> PageValues:
    """A view with its headings in words."""
    return {
        "id": f"v{number}",
        "view": view,
        "groups": _groups(view.board.columns, texts),
        "columns": [
            {"column": column, "heading": _heading(column, texts, language), "axis": axis, "notes": notes}
            for column, axis, notes in zip(view.board.columns, view.axes, view.column_notes, strict=True)
        ],
        "notes": [note.text(language) for note in view.notes],
        "tables": [(table.place.get(language, table.place["en"]), table) for table in view.tables],
    }


def _heading(column: Column, texts: Mapping[str, str], language: str) -> str:
    return texts.get(f"column_{column.heading or column.key}") or title(column.key, language).removeprefix("· ")


def _groups(columns: Iterable[Column], texts: Mapping[str, str]) -> list[tuple[str, int]]:
    """What stands over neighbouring columns, and over how many; nothing where no column has a group."""
    groups = [(group, len(list(members))) for group, members in groupby(columns, key=lambda column: column.group)]
    if not any(group for group, _ in groups):
        return []
    return [(texts.get(f"group_{group}", "") if group else "", number) for group, number in groups]
