"""Every two runs of a board compared: a data file per pair with all tables, and what the pages need of them.

`data/compare/<a>--<b>`, a and b in the order of the site: what `analysis/compare` found, scoring by scoring, with which
run is better, and which tables are shown. The page shows it as it is, or its mirror image. The numbers
of many pairs are not held in memory: they are written as soon as they are there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import msgspec
from msgspec import Struct

from toolgauge.analysis.compare.content import Comparison, Difference, ScoringComparison, compare_runs, side_of
from toolgauge.analysis.compare.pairing import Note, Side
from toolgauge.analysis.compare.sentences import compared_sections, significant
from toolgauge.analysis.decide import Better
from toolgauge.analysis.layout import Place, TableSection, layout_of
from toolgauge.errors import UsageError
from toolgauge.report.display import display_of
from toolgauge.report.page import LANGUAGES, BoardPairs, Intervals, PairHeadings, Refused, RunEntry
from toolgauge.report.site_folder import SiteFolder, write_chunk
from toolgauge.report.table_files import write_comparison

NEUTRAL = frozenset({"parameter_errors", "error_types", "near_misses", "near_miss_mistakes", "sessions_by_correct"})
"""Tables in which more is not better, beside those of mistakes and of the papers' classes (`mistakes...`)."""


class Sense(Struct, frozen=True):
    """A row whose difference holds after Holm's correction. better: the run that has more, where more is better."""

    table: str
    row: str
    better: Better


class ScoringData(Struct, frozen=True):
    """One scoring of a pair. sections: of the tables that are shown, key and rows (table, row) in their order."""

    found: ScoringComparison
    significant: list[Sense]
    sections: list[tuple[str, list[Place]]]


class PairData(Struct, frozen=True):
    """What a data file holds."""

    tasks: int
    same_model: bool
    notes: list[Note]
    scorings: dict[str, ScoringData]


def write_comparisons(entries: Sequence[RunEntry], folder: SiteFolder) -> dict[str, BoardPairs]:
    """Compare every two runs of each board, and write the data file of every pair and its numbers for other programs.

    Returns what pages need, by board.
    """
    boards: dict[str, list[RunEntry]] = {}
    for entry in entries:
        boards.setdefault(entry.board, []).append(entry)
    return {name: _Writer(own, folder).write() for name, own in boards.items()}


class _Writer:
    """Writes the pairs of one board. sides: of the runs, made when they are first compared; ranked: the rows by which
    the board ranks."""

    def __init__(self, entries: Sequence[RunEntry], folder: SiteFolder) -> None:
        self.entries, self.folder = entries, folder
        self.sides: dict[str, Side] = {}
        boards = display_of(entries[0].run.benchmark).boards([entry.run.metrics for entry in entries])
        columns = (column for board in boards for column in board.columns if column.key == board.ranked)
        self.ranked = {place for column in columns for place in column.measured}
        self.found = BoardPairs(headings={language: PairHeadings() for language in LANGUAGES})

    def write(self) -> BoardPairs:
        for one, other in combinations(self.entries, 2):
            content = self._compare(one, other)
            known = content if isinstance(content, Refused) else self._write(one.slug, other.slug, content)
            self.found.pairs[one.slug, other.slug] = known
        return self.found

    def _compare(self, one: RunEntry, other: RunEntry) -> Comparison | Refused:
        if one.run.manifest.data_identity != other.run.manifest.data_identity:
            return Refused("data")
        if one.run.dataset is None or other.run.dataset is None:
            return Refused("absent")
        try:
            return compare_runs(self._side(one), self._side(other))
        except UsageError:
            return Refused("tasks")

    def _side(self, entry: RunEntry) -> Side:
        if entry.slug not in self.sides:
            same = (side for side in self.sides.values() if side.dataset is entry.run.dataset)
            self.sides[entry.slug] = side_of(entry.run, next(same, None))
        return self.sides[entry.slug]

    def _write(self, one: str, other: str, content: Comparison) -> Intervals:
        """Write what was found, and note what the page says of this pair; returns what ranks its runs."""
        sections = {name: compared_sections(content, name, LANGUAGES[0], every=True) for name in content.scorings}
        data = pair_data(content, sections)
        write_chunk(self.folder, f"compare/{one}--{other}", data)
        shown = {scoring: part.found for scoring, part in data.scorings.items()}
        write_comparison(self.folder, one, other, msgspec.structs.replace(content, scorings=shown))
        intervals: Intervals = {}
        for scoring, found in content.scorings.items():
            rows = {(table, row): found.tables.get(table, {}).get(row) for table, row in self.ranked}
            intervals[scoring] = {place: row.ci95 for place, row in rows.items() if row and row.ci95}
            self._note(found)
            self._head(content, scoring, sections[scoring])
        self.found.notes.update(note.code for note in content.notes)
        self.found.scorings.update(dict.fromkeys(content.scorings))
        return intervals

    def _note(self, found: ScoringComparison) -> None:
        for before, row in found.moves.items():
            self.found.outcomes.update((before, *row))
        self.found.kinds.update(dict.fromkeys(found.tables.get("by_kind", {})))

    def _head(self, content: Comparison, scoring: str, sections: Sequence[TableSection]) -> None:
        """Note the headings of tables and rows; most pairs have those of the first."""
        keys = {section.key for section in sections}
        rows = {f"{table}/{row}" for section in sections for table, row, _heading in section.rows}
        for language, known in self.found.headings.items():
            if keys <= known.sections.keys() and rows <= known.rows.keys():
                continue
            told = sections if language == LANGUAGES[0] else compared_sections(content, scoring, language, every=True)
            for section in told:
                known.sections[section.key] = section.heading
                known.rows.update((f"{table}/{row}", heading) for table, row, heading in section.rows)


def pair_data(content: Comparison, sections: Mapping[str, Sequence[TableSection]]) -> PairData:
    """sections: the tables to show of each scoring."""
    scorings = {scoring: _scoring_data(content, scoring, sections[scoring]) for scoring in content.scorings}
    return PairData(content.tasks, content.same_model, content.notes, scorings)


def _scoring_data(content: Comparison, scoring: str, sections: Sequence[TableSection]) -> ScoringData:
    found, layout = content.scorings[scoring], layout_of(content.benchmark)
    listed = [
        (section.key, [(table, row) for table, row, _heading in section.rows if row in found.tables.get(table, {})])
        for section in sections
    ]
    shown = {place for _key, rows in listed for place in rows}
    shown |= {layout.decides, *layout.compared, *layout.charted}
    shown |= {("mistakes", row) for row, entry in found.tables.get("mistakes", {}).items() if any(entry.correct)}
    tables = {
        name: {row: entry for row, entry in rows.items() if (name, row) in shown} for name, rows in found.tables.items()
    }
    return ScoringData(
        msgspec.structs.replace(found, tables={name: rows for name, rows in tables.items() if rows}),
        [
            Sense(name, row_name, _better(name, entry))
            for name, rows in tables.items()
            for row_name, entry in rows.items()
            if significant(entry) and entry.difference
        ],
        [(key, rows) for key, rows in listed if rows],
    )


def _better(table: str, entry: Difference) -> Better:
    if table in NEUTRAL or table.startswith("mistakes"):
        return Better.UNCLEAR
    return Better.SECOND if (entry.difference or 0) > 0 else Better.FIRST
