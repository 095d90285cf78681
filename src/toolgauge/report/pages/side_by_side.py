"""Tables over several benchmarks: models that were run on more than one, published models that several papers have."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from toolgauge.analysis.titles import title
from toolgauge.report.display import Column, display_of
from toolgauge.report.leaderboard import Cell, LeaderboardRow, View, paper_of
from toolgauge.report.page import PageValues, RunEntry, board_heading
from toolgauge.report.papers import PaperTable, alike, published

MAIN_COLUMNS = ("task_accuracy", "overall")
"""What stands for a whole benchmark: accuracy over all tasks, or the published mean."""


class Number(NamedTuple):
    entry: RunEntry
    row: LeaderboardRow
    cell: Cell


class BoardColumn(NamedTuple):
    page: str
    heading: str
    main: str


class Matrix(NamedTuple):
    """A row per model with its runs on each board."""

    columns: list[BoardColumn]
    rows: list[tuple[str, list[list[Number]]]]


def matrix_of(entries: Sequence[RunEntry], overall: Mapping[str, View], language: str) -> Matrix | None:
    """The models that were run on several boards; None where there are none. overall: the main view of each board."""
    boards: dict[str, set[str]] = {}
    for entry in entries:
        boards.setdefault(entry.run.model, set()).add(entry.board)
    models = [model for model, names in boards.items() if len(names) > 1]
    names = [name for name in overall if any(name in boards[model] for model in models)]
    if not models:
        return None
    columns = [
        BoardColumn(f"{name}.html", board_heading(name, language), title(_main(overall[name]).key, language))
        for name in names
    ]
    rows = [(model, [_numbers(model, name, entries, overall[name]) for name in names]) for model in models]
    return Matrix(columns, rows)


def _main(view: View) -> Column:
    return next(column for column in view.board.columns if column.key in MAIN_COLUMNS)


def _numbers(model: str, board: str, entries: Sequence[RunEntry], view: View) -> list[Number]:
    place = view.board.columns.index(_main(view))
    own = {entry.slug: entry for entry in entries if entry.run.model == model and entry.board == board}
    return [
        Number(own[row.entry.slug], row, row.cells[place]) for row in view.rows if row.entry and row.entry.slug in own
    ]


def papers_of(benchmarks: Collection[str], language: str) -> PageValues | None:
    """Published models that several papers have, with the main number of each paper, and what is odd about it; None
    where none of the benchmarks has a paper."""
    if not any(paper_of(name) for name in benchmarks):
        return None
    mains = {name: main for name in published().papers if (main := display_of(name).main_published)}
    tables = {name: published().tables[f"{name}_accuracy"] for name in mains}
    models: dict[str, dict[str, str]] = {}
    for benchmark, table in tables.items():
        for model in table.rows:
            models.setdefault(alike(model), {})[benchmark] = model
    notes: dict[str, int] = {}
    rows = []
    for found in (found for found in models.values() if len(found) > 1):
        numbers = [_printed(tables[name], found.get(name, ""), mains[name], language, notes) for name in mains]
        rows.append((next(iter(found.values())), numbers))
    heads = [(display_of(name).title, table.place[language], table.link) for name, table in tables.items()]
    return {"heads": heads, "rows": rows, "notes": list(notes)}


def _printed(table: PaperTable, model: str, column: str, language: str, notes: dict[str, int]) -> PageValues:
    """A printed number, and the numbers of its notes, which are added to those that there are."""
    own = [note for note in table.notes if model in note.models and (not note.columns or column in note.columns)]
    marks = [notes.setdefault(note.text(language), len(notes) + 1) for note in own]
    return {"text": table.percent(model, column), "marks": marks}
