"""The numbers of a leaderboard: measured runs beside published models, and what may be compared with what.

Measured numbers are those of metrics.json, published ones those of the papers. Published numbers stand beside one
reading only, the benchmark's headline; what differs in a run otherwise is said in its row.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.analysis.numbers import Metrics
from toolgauge.locale import _
from toolgauge.report.display import Column, Remark, SubBoard, display_of
from toolgauge.report.page import RunEntry
from toolgauge.report.papers import Paper, PaperNote, PaperTable, PublishedModel, published, size_in_name
from toolgauge.runs.scored import ScoredRun
from toolgauge.runs.scoring import BUILTIN, IMPORTED

MEASURED, PUBLISHED = "measured", "published"
REMARKS = {
    "partial": _("{scored} of {expected} tasks"),
    "other_language": _("other language: published numbers are of English data"),
    "builtin": _("built-in model, no model"),
    "imported": _("imported results"),
    "epochs": _("{epochs} epochs, pooled"),
}
SESSION_COLUMN = "session_accuracy"


class Cell(Struct, frozen=True):
    """One number. value: a rate from 0 to 1; text: in percent as it is shown; interval: the 95% one.

    computed: the interval is ours, from the counts behind a published number. correct, total: None where unknown.
    notes: numbers of the footnotes that belong to it, from 1.
    """

    value: float | None = None
    text: str = ""
    interval: tuple[float, float] | None = None
    computed: bool = False
    correct: float | None = None
    total: int | None = None
    notes: tuple[int, ...] = ()


class LeaderboardRow(Struct, frozen=True):
    """A run or a published model. page: of the run, below the root of the site. rank: None where it is not ranked.

    incomparability: why it is not comparable with the others; remarks: what else is to be known. metrics: of a run.
    """

    name: str
    kind: str
    cells: tuple[Cell, ...]
    page: str = ""
    table: PaperTable | None = None
    family: str = ""
    size: float | None = None
    thinking: bool = False
    rank: int | None = None
    incomparability: tuple[Remark, ...] = ()
    remarks: tuple[Remark, ...] = ()
    notes: tuple[int, ...] = ()
    metrics: Metrics | None = None

    @property
    def measured(self) -> bool:
        return self.kind == MEASURED


class View(Struct, frozen=True):
    """A table of a board in one reading. axes: per column, up to which rate it is drawn; column_notes: per column."""

    board: SubBoard
    reading: str
    headline: bool
    rows: tuple[LeaderboardRow, ...]
    axes: tuple[float, ...]
    column_notes: tuple[tuple[int, ...], ...]
    notes: tuple[PaperNote, ...]
    tables: tuple[PaperTable, ...]

    @property
    def computed(self) -> bool:
        """Does a published number have an interval of ours?"""
        return any(cell.computed for row in self.rows for cell in row.cells)


def views(entries: Sequence[RunEntry]) -> list[View]:
    """All tables of one board, the headline reading first; entries: the runs of one benchmark in one language."""
    metrics = [entry.run.metrics for entry in entries]
    headline = str(metrics[0].headline)
    readings = dict.fromkeys([headline, *(reading for run in metrics for reading in run.readings)])
    boards = display_of(entries[0].run.benchmark).boards(metrics)
    found = [
        _view(board, reading, headline, entries)
        for reading in readings
        for board in boards
        if board.columns and (reading == headline or not board.beside_only)
    ]
    return [view for view in found if view.rows]


def incomparability(run: ScoredRun, paper: Paper | None) -> list[Remark]:
    """Why a run's numbers are not comparable with those of a paper, or of complete runs where there is none.

    A built-in model has no place beside a paper's models.
    """
    found = []
    metrics, manifest = run.metrics, run.manifest
    translated = paper is not None and paper.language != run.language
    if translated:
        found.append(_remark("other_language"))
    epochs = manifest.epochs or 1
    expected = (paper.tasks if paper and not translated else metrics.tasks) * epochs
    if metrics.scored < expected:
        found.append(_remark("partial", scored=f"{metrics.scored:,}", expected=f"{expected:,}"))
    deviations = getattr(display_of(run.benchmark), "deviations", None)
    found += deviations(manifest, metrics) if deviations else ()
    return found + ([_remark(BUILTIN)] if paper and manifest.measured.provider == BUILTIN else [])


def remarks(run: ScoredRun, paper: Paper | None) -> list[Remark]:
    """What else is to be known of a run."""
    epochs, provider = run.manifest.epochs or 1, run.manifest.measured.provider
    found = [_remark(IMPORTED)] if provider == IMPORTED else []
    found += [_remark(BUILTIN)] if provider == BUILTIN and not paper else []
    return found + ([_remark("epochs", epochs=epochs)] if epochs > 1 else [])


def paper_of(benchmark: str) -> Paper | None:
    """What published numbers of a benchmark, or None."""
    return published().papers.get(benchmark)


def cell_of(metrics: Metrics, reading: str, column: Column) -> Cell:
    """A measured number, from the first table that has it; its interval from the first that has one."""
    places = [metrics.rate(reading, table, row) for table, row in column.measured]
    found = [place for place in places if place is not None]
    if not found or found[0].value is None:
        return Cell()
    first, interval = found[0], next((place.ci95 for place in found if place.ci95), None)
    return Cell(
        first.value, f"{100 * found[0].value:.{column.digits}f}", interval, correct=first.correct, total=first.total
    )


def _remark(key: str, **values: str | int) -> Remark:
    return Remark(key, REMARKS[key].filled(**values))


def _view(board: SubBoard, reading: str, headline: str, entries: Sequence[RunEntry]) -> View:
    tables = _tables(board) if reading == headline else ()
    notes = tuple(dict.fromkeys(note for table in tables for note in table.notes if _concerns(note, board)))
    rows = [_measured(entry, reading, board) for entry in entries if reading in entry.run.metrics.readings]
    rows += [_published(model, board, tables, notes) for model in _models(entries[0].benchmark, tables)]
    heads = tuple(_numbers(notes, None, column) for column in board.columns) if tables else ((),) * len(board.columns)
    axes = tuple(_axis(rows, place) for place in range(len(board.columns)))
    return View(board, reading, reading == headline, tuple(_ranked(rows, board)), axes, heads, notes, tables)


def _tables(board: SubBoard) -> tuple[PaperTable, ...]:
    """The published tables that a board shows."""
    names = dict.fromkeys(column.published[0] for column in board.columns if column.published)
    return tuple(published().tables[name] for name in names)


def _models(benchmark: str, tables: Sequence[PaperTable]) -> list[PublishedModel]:
    """The published models of which a board has numbers, in the order of its first table."""
    names = dict.fromkeys(name for table in tables for name in table.rows)
    return [published().models[benchmark][name] for name in names]


def _measured(entry: RunEntry, reading: str, board: SubBoard) -> LeaderboardRow:
    run = entry.run
    cells = tuple(cell_of(run.metrics, reading, column) for column in board.columns)
    return LeaderboardRow(
        entry.label,
        MEASURED,
        cells,
        page=entry.page,
        size=size_in_name(run.model),
        incomparability=tuple(incomparability(run, paper_of(entry.benchmark))),
        remarks=tuple(remarks(run, paper_of(entry.benchmark))),
        metrics=run.metrics,
    )


def _published(
    model: PublishedModel, board: SubBoard, tables: Sequence[PaperTable], notes: Sequence[PaperNote]
) -> LeaderboardRow:
    cells = tuple(_printed(model.name, column, notes) for column in board.columns)
    own = [note for note in notes if note.marks_row(model.name)]
    return LeaderboardRow(
        model.name,
        PUBLISHED,
        cells,
        table=next(table for table in tables if model.name in table.rows),
        family=model.family,
        size=model.size,
        thinking=model.thinking,
        notes=tuple(number for number, note in enumerate(notes, 1) if note in own),
    )


def _printed(model: str, column: Column, notes: Sequence[PaperNote]) -> Cell:
    """A published number; of whole sessions the counts are known, and therefore an interval."""
    if column.published is None:
        return Cell()
    table = published().tables[column.published[0]]
    rate, marks = table.rate(model, column.published[1]), _numbers(notes, model, column)
    if rate is None:
        return Cell(notes=marks)
    cell = Cell(rate, table.percent(model, column.published[1]) or "", notes=marks)
    if column.key != SESSION_COLUMN:
        return cell
    sessions = published().papers[table.benchmark].sessions
    correct = round(rate * sessions)
    return replace(cell, interval=_interval(correct, sessions), computed=True, correct=correct, total=sessions)


@cache
def _interval(correct: int, total: int) -> tuple[float, float] | None:
    """The interval of whole sessions, by the rule of measured ones; each is a trial of its own."""
    from toolgauge.analysis.intervals import clustered_interval

    return clustered_interval([1.0] * correct + [0.0] * (total - correct), [1.0] * total)


def _concerns(note: PaperNote, board: SubBoard) -> bool:
    """Is a note about anything that this board shows?"""
    return not note.columns or any(_of(note, column) for column in board.columns)


def _of(note: PaperNote, column: Column) -> bool:
    return column.published is not None and column.published[0] in note.tables and column.published[1] in note.columns


def _numbers(notes: Sequence[PaperNote], model: str | None, column: Column) -> tuple[int, ...]:
    """The footnotes of one number, or with no model those of the column as a whole."""
    found = [note for note in notes if _of(note, column) and (model in note.models if model else not note.models)]
    return tuple(number for number, note in enumerate(notes, 1) if note in found)


def _ranked(rows: Sequence[LeaderboardRow], board: SubBoard) -> list[LeaderboardRow]:
    """The best first, with ranks as in sports: equal numbers share one. What is not comparable stands unranked."""
    place = next((at for at, column in enumerate(board.columns) if column.key == board.ranked), None)
    if place is None:
        return list(rows)

    def shown(row: LeaderboardRow) -> float:
        return float(row.cells[place].text or -1)

    counted = sorted((shown(row) for row in rows if not row.incomparability and row.cells[place].text), reverse=True)
    ordered = sorted(rows, key=shown, reverse=True)
    return [
        replace(row, rank=counted.index(shown(row)) + 1) if not row.incomparability and row.cells[place].text else row
        for row in ordered
    ]


def _axis(rows: Sequence[LeaderboardRow], place: int) -> float:
    """Up to which rate a column is drawn: the next tenth above what is comparable, or above all where nothing is."""
    cells = [row.cells[place] for row in rows if not row.incomparability] or [row.cells[place] for row in rows]
    highest = max((cell.interval[1] if cell.interval else cell.value or 0.0 for cell in cells), default=0.0)
    return min(1.0, max(0.1, math.ceil(highest * 10 - 1e-9) / 10))
