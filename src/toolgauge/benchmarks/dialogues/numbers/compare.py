"""The paired rows of WildToolBench and MMTB: every table of every reading, both runs over the same tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import is_
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolgauge.analysis.compare.differences import PairedRow, paired_intervals, paired_replicates, stacked
from toolgauge.analysis.compare.pairing import Pairs, Side
from toolgauge.analysis.compare.rows import Crosstab, RunComparison, Tested
from toolgauge.analysis.compare.significance import exchange_tests
from toolgauge.analysis.intervals import Floats
from toolgauge.analysis.rates import RateRow
from toolgauge.benchmarks.dialogues.numbers.row_builder import RowBuilder, Whole
from toolgauge.benchmarks.dialogues.numbers.tables import TABLES
from toolgauge.benchmarks.dialogues.numbers.task_frame import Mask, Outcomes, TaskFrame
from toolgauge.benchmarks.dialogues.numbers.trajectory_features import TrajectoryFeatures
from toolgauge.judge.verdict import Score


class _TaskSheet(RowBuilder):
    """Rows, and for those that say how many tasks are right, which ones: (hits, counted) per task."""

    def __init__(
        self, columns: TaskFrame, outcomes: Outcomes, reading: str, facts: Mapping[str, TrajectoryFeatures]
    ) -> None:
        super().__init__(columns, outcomes, reading, facts)
        self.tasks: dict[tuple[str, str], tuple[Floats, Mask]] = {}
        self.parts: dict[tuple[str, str], RateRow] = {}

    def rate(self, table: str, name: str, members: Mask, hits: Floats | None = None) -> None:
        super().rate(table, name, members, hits)
        right = self.outcomes.correct if hits is None else hits
        self.tasks[table, name] = right, members & self.outcomes.scored

    def part(self, table: str, name: str, members: Mask, hits: Floats, among: Floats, of: Whole = "tasks") -> None:  # noqa: ARG002
        """Of all scored tasks, or of all passes through whole sessions, those with a hit."""
        trials = self.outcomes.scored.astype(float)
        if of == "sessions":
            trials = np.zeros(len(self.columns))
            trials[self.columns.unit_starts] = self.passes.complete
        self.ratio(table, name, self.columns.everything, ((hits > 0) & members).astype(float), trials)
        self.parts[table, name] = self.rows[-1]


class _Reading(NamedTuple):
    """One reading of both runs: rows by session, and the two crosstabs."""

    rows: list[PairedRow]
    tasks: Crosstab
    sessions: Crosstab


class _Kept(NamedTuple):
    """What was made of a run for a comparison, and of which scores: most comparisons of a run are over the same."""

    scores: list[Score]
    columns: TaskFrame
    sheets: dict[str, _TaskSheet]


def compare_graph(sides: tuple[Side, Side], pairs: Pairs, readings: Sequence[str]) -> dict[str, RunComparison]:
    """The comparison in each of the readings."""
    runs = _kept(sides[0], pairs.a), _kept(sides[1], pairs.b)
    found = {
        reading: _reading((_sheet(runs[0], sides[0], reading), _sheet(runs[1], sides[1], reading)), pairs)
        for reading in readings
    }
    rows = [row for reading in found.values() for row in reading.rows]
    bounds = paired_intervals(rows, paired_replicates(rows))
    tests = iter(zip(rows, bounds, exchange_tests(*stacked(rows)), strict=True))
    return {
        reading: RunComparison(one.tasks, one.sessions, [Tested(*next(tests)) for _ in one.rows])
        for reading, one in found.items()
    }


def _kept(side: Side, scores: list[Score]) -> _Kept:
    """What is kept of a run, if it was made of these very scores."""
    known = side.kept.get("graph") if side.kept is not None else None
    if isinstance(known, _Kept) and len(known.scores) == len(scores) and all(map(is_, known.scores, scores)):
        return known
    made = _Kept(scores, TaskFrame(side.dataset, scores, None), {})
    if side.kept is not None:
        side.kept["graph"] = made
    return made


def _facts(side: Side) -> dict[str, TrajectoryFeatures]:
    return {task_id: facts for task_id, facts in side.facts.items() if isinstance(facts, TrajectoryFeatures)}


def _reading(sheets: tuple[_TaskSheet, _TaskSheet], pairs: Pairs) -> _Reading:
    one, other = sheets
    whole = _whole_sessions(one, other)
    ours, theirs = (
        {(row.table, row.name): row for row in sheet.rows if pairs.wants(row.table)} for sheet in (one, other)
    )
    counts = {key: _crosstab(one, other, key) for key in ours if key in one.tasks and key in other.tasks}
    counts["overall", "session_accuracy"] = whole
    ours |= {key: row._replace(hits=0 * row.hits) for key, row in other.parts.items() if key not in ours}
    theirs |= {key: row._replace(hits=0 * row.hits) for key, row in one.parts.items() if key not in theirs}
    used = one.columns.clusters
    shared = ((key, row) for key, row in ours.items() if key in theirs and pairs.wants(row.table))
    rows = [_paired(row, theirs[key], used, counts.get(key)) for key, row in shared]
    tables = list(dict.fromkeys(row.table for row in rows))
    rows.sort(key=lambda row: tables.index(row.table))
    return _Reading(rows, Crosstab.of(one.outcomes.correct, other.outcomes.correct, one.outcomes.scored), whole)


def _sheet(kept: _Kept, side: Side, reading: str) -> _TaskSheet:
    if reading not in kept.sheets:
        sheet = _TaskSheet(kept.columns, Outcomes(kept.columns, reading), reading, _facts(side))
        for table in TABLES:
            table(sheet)
        kept.sheets[reading] = sheet
    return kept.sheets[reading]


def _whole_sessions(one: RowBuilder, other: RowBuilder) -> Crosstab:
    """What became of the passes through whole sessions."""
    starts, sizes = one.columns.unit_starts, one.columns.unit_sizes
    scored = np.add.reduceat(one.outcomes.scored.astype(int), starts) == sizes
    right, still = ((np.add.reduceat(sheet.outcomes.correct, starts) == sizes).astype(float) for sheet in (one, other))
    return Crosstab.of(right, still, scored)


def _crosstab(one: _TaskSheet, other: _TaskSheet, key: tuple[str, str]) -> Crosstab | None:
    """None where the row has other tasks in the other run (by length of the conversation)."""
    (right, counted), (still, counted_too) = one.tasks[key], other.tasks[key]
    return Crosstab.of(right, still, counted) if np.array_equal(counted, counted_too) else None


def _paired(one: RateRow, other: RateRow, used: NDArray[np.intp], counts: Crosstab | None) -> PairedRow:
    """used: the sessions of the data set that have a task in this comparison."""
    hits, trials = np.stack([one.hits, other.hits])[:, used], np.stack([one.trials, other.trials])[:, used]
    return PairedRow(one.table, one.name, hits, trials, *(counts[:2] if counts else (None, None)))
