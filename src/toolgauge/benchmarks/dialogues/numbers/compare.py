"""The paired rows of WildToolBench and MMTB: every table of every reading, both runs over the same tasks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from toolgauge.analysis.compare.differences import PairedRow, resampled_intervals, stacked
from toolgauge.analysis.compare.pairing import Pairs, Side, are_same
from toolgauge.analysis.compare.rows import Crosstab, RunComparison, Tested
from toolgauge.analysis.compare.significance import exchange_tests
from toolgauge.analysis.intervals import Floats
from toolgauge.analysis.rates import RateRow
from toolgauge.benchmarks.dialogues.numbers.row_builder import RowBuilder, Whole
from toolgauge.benchmarks.dialogues.numbers.tables import TABLES
from toolgauge.benchmarks.dialogues.numbers.task_frame import Integers, Mask, Outcomes, TaskFrame
from toolgauge.benchmarks.dialogues.numbers.trajectory_features import TrajectoryFeatures
from toolgauge.judge.verdict import Score


class _TaskSheet(RowBuilder):
    """The rows of the tables that are wanted. tasks: of rows that count right tasks, which are right and wrong."""

    def __init__(
        self,
        columns: TaskFrame,
        outcomes: Outcomes,
        reading: str,
        facts: Mapping[str, TrajectoryFeatures],
        wants: Callable[[str], bool],
    ) -> None:
        super().__init__(columns, outcomes, reading, facts)
        self.wants = wants
        self.tasks: dict[tuple[str, str], tuple[Mask, Mask]] = {}
        self.parts: dict[tuple[str, str], RateRow] = {}

    def rate(self, table: str, name: str, members: Mask, hits: Floats | None = None) -> None:
        super().rate(table, name, members, hits)
        if self.wants(table):
            right = (self.outcomes.correct if hits is None else hits) > 0
            counted = members & self.outcomes.scored
            self.tasks[table, name] = right & counted, counted & ~right

    def ratio(self, table: str, name: str, members: Mask, hits: Floats, trials: Floats) -> None:
        if self.wants(table):
            super().ratio(table, name, members, hits, trials)

    def counted(
        self,
        table: str,
        name: str,
        where: Integers,
        hits: Floats,
        trials: Floats,
        counts: tuple[int | None, int, int | None],
        not_judgeable: int = 0,
    ) -> None:
        if self.wants(table):
            super().counted(table, name, where, hits, trials, counts, not_judgeable)

    def part(self, table: str, name: str, members: Mask, hits: Floats, among: Floats, of: Whole = "tasks") -> None:  # noqa: ARG002
        """Of all scored tasks, or of all passes through whole sessions, those with a hit."""
        if not self.wants(table):
            return
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
    sheets: dict[tuple[str, frozenset[str] | None], _TaskSheet]


def compare_graph(sides: tuple[Side, Side], pairs: Pairs, readings: Sequence[str]) -> dict[str, RunComparison]:
    """The comparison in each of the readings."""
    runs = _kept(sides[0], pairs.a), _kept(sides[1], pairs.b)
    found = {
        reading: _reading(_sheet(runs[0], sides[0], reading, pairs), _sheet(runs[1], sides[1], reading, pairs))
        for reading in readings
    }
    rows = [row for reading in found.values() for row in reading.rows]
    tests = iter(zip(rows, resampled_intervals(rows), exchange_tests(*stacked(rows)), strict=True))
    return {
        reading: RunComparison(one.tasks, one.sessions, [Tested(*next(tests)) for _ in one.rows])
        for reading, one in found.items()
    }


def _kept(side: Side, scores: list[Score]) -> _Kept:
    """What is kept of a run, if it was made of these very scores."""
    known = side.kept.get("graph") if side.kept is not None else None
    if isinstance(known, _Kept) and are_same(known.scores, scores):
        return known
    made = _Kept(scores, TaskFrame(side.dataset, scores, None), {})
    if side.kept is not None:
        side.kept["graph"] = made
    return made


def _facts(side: Side) -> dict[str, TrajectoryFeatures]:
    return {task_id: facts for task_id, facts in side.facts.items() if isinstance(facts, TrajectoryFeatures)}


def _reading(one: _TaskSheet, other: _TaskSheet) -> _Reading:
    whole = _whole_sessions(one, other)
    ours, theirs = ({(row.table, row.name): row for row in sheet.rows} for sheet in (one, other))
    both = [key for key in one.tasks if key in other.tasks]
    counts = {key: _changed(one.tasks[key], other.tasks[key]) for key in both}
    counts["overall", "session_accuracy"] = whole[:2]
    ours |= {key: row._replace(hits=0 * row.hits) for key, row in other.parts.items() if key not in ours}
    theirs |= {key: row._replace(hits=0 * row.hits) for key, row in one.parts.items() if key not in theirs}
    shared = [key for key in ours if key in theirs]
    tables = list(dict.fromkeys(table for table, _name in shared))
    shared.sort(key=lambda key: tables.index(key[0]))
    used = one.columns.clusters  # the sessions of the data set that have a task in this comparison
    hits, trials = (
        np.array([(getattr(ours[key], name), getattr(theirs[key], name)) for key in shared])[:, :, used]
        for name in ("hits", "trials")
    )
    rows = [
        PairedRow(*key, hits[place], trials[place], *(counts.get(key) or (None, None)))
        for place, key in enumerate(shared)
    ]
    return _Reading(rows, Crosstab.of(one.outcomes.correct, other.outcomes.correct, one.outcomes.scored), whole)


def _sheet(kept: _Kept, side: Side, reading: str, pairs: Pairs) -> _TaskSheet:
    key = reading, pairs.tables
    if key not in kept.sheets:
        sheet = _TaskSheet(kept.columns, Outcomes(kept.columns, reading), reading, _facts(side), pairs.wants)
        for table in TABLES:
            table(sheet)
        kept.sheets[key] = sheet
    return kept.sheets[key]


def _whole_sessions(one: RowBuilder, other: RowBuilder) -> Crosstab:
    """What became of the passes through whole sessions."""
    starts, sizes = one.columns.unit_starts, one.columns.unit_sizes
    scored = np.add.reduceat(one.outcomes.scored.astype(int), starts) == sizes
    right, still = ((np.add.reduceat(sheet.outcomes.correct, starts) == sizes).astype(float) for sheet in (one, other))
    return Crosstab.of(right, still, scored)


def _changed(one: tuple[Mask, Mask], other: tuple[Mask, Mask]) -> tuple[int, int] | None:
    """How many tasks only the second, only the first run has right (right and wrong ones of each). None where the row
    has other tasks in the other run (by length of the conversation)."""
    (right, wrong), (still, wrong_too) = one, other
    if not np.array_equal(right | wrong, still | wrong_too):
        return None
    return int(np.count_nonzero(wrong & still)), int(np.count_nonzero(right & wrong_too))
