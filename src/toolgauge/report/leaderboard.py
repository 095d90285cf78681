"""The numbers of a leaderboard: measured runs beside published models, and what may be compared with what.

Measured numbers are those of metrics.json, published ones those of the papers. Published numbers stand beside one
scoring only, the benchmark's headline; what differs in a run otherwise is said in its row.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.analysis.numbers import Metrics
from toolgauge.analysis.ranks import Interval, Ranking, RankRange, Standing
from toolgauge.locale import _, ngettext
from toolgauge.models.registry import BUILTIN
from toolgauge.report.display import Column, Remark, SubBoard, display_of
from toolgauge.report.marks import DotMark, DotRow, Kind, Scale, rate_scale
from toolgauge.report.page import Pairs, Refused, RunEntry
from toolgauge.report.papers import Paper, PaperNote, PaperTable, published, size_in_name
from toolgauge.runs.scored import ScoredRun
from toolgauge.runs.scoring import IMPORTED

MEASURED, PUBLISHED = "measured", "published"
REMARKS = {
    "partial": ngettext("{scored:,} of {count:,} task", "{scored:,} of {count:,} tasks"),
    "own_data": ngettext(
        "{count:,} task of {file}, which is not the public data set",
        "{count:,} tasks of {file}, which is not the public data set",
    ),
    "other_language": _("of English data"),
    "public_data": _("of the public data"),
    "builtin": _("built-in, not a real model"),
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
    """A run (entry) or a published model. rank: the places that are possible; None where it is not ranked. group:
    which of those that cannot be told apart from their best (`Ranking.groups`), 0 where it is not ranked; standing: its
    place in the view's ranking.

    incomparability: why it is not comparable with the others; remarks: what else is to be known.
    """

    name: str
    cells: tuple[Cell, ...]
    entry: RunEntry | None = None
    table: PaperTable | None = None
    family: str = ""
    size: float | None = None
    thinking: bool = False
    rank: RankRange | None = None
    group: int = 0
    standing: int = -1
    incomparability: tuple[Remark, ...] = ()
    remarks: tuple[Remark, ...] = ()
    notes: tuple[int, ...] = ()

    @property
    def kind(self) -> str:
        return MEASURED if self.measured else PUBLISHED

    @property
    def measured(self) -> bool:
        return self.entry is not None

    @property
    def builtin(self) -> bool:
        return self.entry is not None and is_builtin(self.entry)

    def drawn(self, place: int) -> DotRow:
        """The number of a column as a mark; none where it has no number."""
        cell = self.cells[place]
        shape = Kind.PUBLISHED if not self.measured else Kind.BUILTIN if self.builtin else Kind.OWN
        return DotRow(
            self.name,
            (DotMark(cell.value, cell.interval, shape, cell.computed),) if cell.value is not None else (),
            cell.text or "–",
        )


class View(Struct, frozen=True):
    """A table of a board in one scoring. scales: per column, on which its numbers are drawn; column_notes: per column.
    foreign: its published numbers are of data in another language, and not ranked; own_file: the name of the file of
    one's own that all its runs are of, which those numbers are not either. ranking: of the rows that are.
    """

    board: SubBoard
    scoring: str
    headline: bool
    rows: tuple[LeaderboardRow, ...]
    scales: tuple[Scale, ...]
    column_notes: tuple[tuple[int, ...], ...]
    notes: tuple[PaperNote, ...]
    tables: tuple[PaperTable, ...]
    foreign: bool = False
    own_file: str = ""
    ranking: Ranking = Ranking(())

    @property
    def place(self) -> int | None:
        """Of the column that ranks, among its columns."""
        keys = [column.key for column in self.board.columns]
        return keys.index(self.board.ranked) if self.board.ranked in keys else None

    @property
    def computed(self) -> bool:
        """Does a published number have an interval of ours?"""
        return any(cell.computed for row in self.rows for cell in row.cells)


def views(entries: Sequence[RunEntry], pairs: Pairs | None = None) -> list[View]:
    """All tables of one board, the headline scoring first; entries: the runs of one benchmark in one language.
    pairs: what tells two of them apart better than their intervals."""
    metrics = [entry.run.metrics for entry in entries]
    headline = str(metrics[0].headline)
    scorings = dict.fromkeys([headline, *(scoring for run in metrics for scoring in run.scorings)])
    boards = display_of(entries[0].run.benchmark).boards(metrics)
    found = [
        _view(board, scoring, headline, entries, pairs or {})
        for scoring in scorings
        for board in boards
        if board.columns and (scoring == headline or not board.beside_only)
    ]
    return [view for view in found if view.rows]


def is_builtin(entry: RunEntry) -> bool:
    """Is it a run of a built-in model, which says nothing about any model?"""
    return entry.run.manifest.measured.provider == BUILTIN


def incomparability(run: ScoredRun, paper: Paper | None, among_models: bool = False) -> list[Remark]:
    """Why a run's numbers are not comparable with those of a paper, or of complete runs where there is none.

    A built-in model has no place beside a paper's models, nor where models were run (among_models).
    """
    found = []
    metrics, manifest = run.metrics, run.manifest
    epochs = manifest.epochs or 1
    expected = (paper.tasks if paper and paper.language == run.language else metrics.tasks) * epochs
    if paper and (file := run.own_file):
        found.append(_remark("own_data", count=metrics.scored, file=file))
    elif metrics.scored < expected:
        found.append(_remark("partial", scored=metrics.scored, count=expected))
    deviations = getattr(display_of(run.benchmark), "deviations", None)
    found += deviations(manifest, metrics) if deviations else ()
    apart = (paper or among_models) and manifest.measured.provider == BUILTIN
    return found + ([_remark(BUILTIN)] if apart else [])


def remarks(run: ScoredRun, known: Sequence[Remark] = ()) -> list[Remark]:
    """What else is to be known of a run. known: what is said already."""
    epochs, provider = run.manifest.epochs or 1, run.manifest.measured.provider
    said = {one.key for one in known}
    found = [_remark(kind) for kind in (IMPORTED, BUILTIN) if provider == kind and kind not in said]
    return found + ([_remark("epochs", epochs=epochs)] if epochs > 1 else [])


def paper_of(benchmark: str) -> Paper | None:
    """What published numbers of a benchmark, or None."""
    return published().papers.get(benchmark)


def cell_of(metrics: Metrics, scoring: str, column: Column) -> Cell:
    """A measured number, from the first table that has it; its interval from the first that has one."""
    places = [metrics.rate(scoring, table, row) for table, row in column.measured]
    found = [place for place in places if place is not None]
    if not found or found[0].value is None:
        return Cell()
    first, interval = found[0], next((place.ci95 for place in found if place.ci95), None)
    return Cell(
        first.value, f"{100 * found[0].value:.{column.digits}f}", interval, correct=first.correct, total=first.total
    )


def _remark(key: str, **values: str | int) -> Remark:
    return Remark(key, REMARKS[key].filled(**values))


def _view(board: SubBoard, scoring: str, headline: str, entries: Sequence[RunEntry], pairs: Pairs) -> View:
    known, paper = published(), paper_of(entries[0].benchmark)
    names = dict.fromkeys(column.published[0] for column in board.columns if column.published)
    tables = tuple(known.tables[name] for name in names) if scoring == headline else ()
    # All runs are of one file of the user's own: published numbers are not of that
    files = {(entry.run.manifest.data_identity, entry.run.own_file or "") for entry in entries}
    own_file = files.pop()[1] if paper and len(files) == 1 else ""
    foreign = bool(tables) and paper is not None and (bool(own_file) or paper.language != entries[0].language)
    notes = tuple(
        dict.fromkeys(
            note
            for table in tables
            for note in table.notes
            if not note.columns or any(_concerns(note, column) for column in board.columns)
        )
    )
    among_models = not all(map(is_builtin, entries))
    rows = []
    for entry in entries:
        if scoring in entry.run.metrics.scorings:
            why = incomparability(entry.run, None if own_file else paper, among_models)
            cells = tuple(cell_of(entry.run.metrics, scoring, column) for column in board.columns)
            size, said = size_in_name(entry.run.model), remarks(entry.run, why)
            rows.append(
                LeaderboardRow(entry.label, cells, entry, size=size, incomparability=tuple(why), remarks=tuple(said))
            )
    apart = (_remark("public_data" if own_file else "other_language"),) if foreign else ()
    for name in dict.fromkeys(name for table in tables for name in table.rows):
        model = known.models[entries[0].benchmark][name]
        rows.append(
            LeaderboardRow(
                name,
                tuple(_printed(name, column, notes) for column in board.columns),
                table=next(table for table in tables if name in table.rows),
                family=model.family,
                size=model.size,
                thinking=model.thinking,
                incomparability=apart,
                notes=tuple(number for number, note in enumerate(notes, 1) if note.marks_row(name)),
            )
        )
    heads = tuple(_numbers(notes, None, column) if tables else () for column in board.columns)
    scales = tuple(scale_of(rows, place) for place in range(len(board.columns)))
    view = View(board, scoring, scoring == headline, tuple(rows), scales, heads, notes, tables, foreign, own_file)
    return view if view.place is None else _ranked(view, view.place, pairs)


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


def _concerns(note: PaperNote, column: Column) -> bool:
    """Is a note about a column?"""
    return column.published is not None and column.published[0] in note.tables and column.published[1] in note.columns


def _numbers(notes: Sequence[PaperNote], model: str | None, column: Column) -> tuple[int, ...]:
    """The footnotes of one number, or with no model those of the column as a whole."""
    found = [note for note in notes if _concerns(note, column) and (model in note.models if model else not note.models)]
    return tuple(number for number, note in enumerate(notes, 1) if note in found)


def _ranked(view: View, place: int, pairs: Pairs) -> View:
    """The best first, with the places that are possible. What is not comparable has none; built-in models among others
    and published numbers of other data come last. place: of the column that ranks."""

    def shown(row: LeaderboardRow) -> tuple[bool, float]:
        last = BUILTIN in (one.key for one in row.incomparability) or (view.foreign and not row.measured)
        return last, -float(row.cells[place].text or -1)

    rows = sorted(view.rows, key=shown)
    counted = [at for at, row in enumerate(rows) if not row.incomparability and row.cells[place].value is not None]
    cells = [rows[at].cells[place] for at in counted]
    standings = tuple(Standing(cell.value or 0.0, cell.interval) for cell in cells)
    column = view.board.columns[place]
    ranking = Ranking(standings, _paired([rows[at] for at in counted], view.scoring, column, pairs))
    found = zip(counted, ranking.ranges(), ranking.groups(), strict=True)
    for standing, (at, rank, group) in enumerate(found):
        rows[at] = replace(rows[at], rank=rank, group=group, standing=standing)
    return replace(view, rows=tuple(rows), ranking=ranking)


def _paired(
    rows: Sequence[LeaderboardRow], scoring: str, column: Column, pairs: Pairs
) -> dict[tuple[int, int], Interval]:
    """The intervals of the differences in a column of those rows that are runs and were compared; by their places."""
    places = {row.entry.slug: place for place, row in enumerate(rows) if row.entry}
    found = {}
    for (one, other), compared in pairs.items():
        if one in places and other in places and not isinstance(compared, Refused) and scoring in compared:
            known = compared[scoring].intervals
            if place := next((place for place in column.measured if place in known), None):
                found[places[one], places[other]] = known[place]
    return found


def scale_of(rows: Sequence[LeaderboardRow], place: int) -> Scale:
    """A scale that holds a column's numbers and their intervals."""
    cells = [row.cells[place] for row in rows]
    return rate_scale([*(cell.value for cell in cells), *(cell.interval[1] for cell in cells if cell.interval)])
