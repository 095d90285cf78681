"""The paired rows of WildToolBench and MMTB: every table of every scoring, both runs over the same tasks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolgauge.analysis.compare.pairing import Pairs, Side, are_same
from toolgauge.analysis.decide import Crosstab, PairedRow, PairedTable
from toolgauge.analysis.intervals import Floats
from toolgauge.analysis.layout import Place
from toolgauge.benchmarks.dialogues.numbers.row_builder import RowBuilder, Whole
from toolgauge.benchmarks.dialogues.numbers.tables import TABLES
from toolgauge.benchmarks.dialogues.numbers.task_frame import Integers, Mask, Outcomes, TaskFrame
from toolgauge.benchmarks.dialogues.numbers.trajectory_features import TrajectoryFeatures
from toolgauge.judge.verdict import Score

Bits = NDArray[np.uint8]
Counts = Floats | NDArray[np.uint8]


class _Sheet(NamedTuple):
    """The rows of one run in a scoring.

    places: where a row is in `hits` and `trials`, of shape (rows, sessions); tasks: where it is in `right` and `wrong`,
    which have a bit per task, of shape (rows that count right tasks, bytes).
    """

    places: dict[Place, int]
    hits: Counts
    trials: Counts
    parts: set[Place]
    tasks: dict[Place, int]
    right: Bits
    wrong: Bits
    outcomes: Outcomes


class _SheetBuilder(RowBuilder):
    """The rows of the tables that are wanted. tasks: of rows that count right tasks, which are right and wrong; parts:
    rows that are a part of everything: one that only the other run has counts nothing in this one."""

    def __init__(
        self,
        columns: TaskFrame,
        outcomes: Outcomes,
        scoring: str,
        facts: Mapping[str, TrajectoryFeatures],
        wants: Callable[[str], bool],
    ) -> None:
        super().__init__(columns, outcomes, scoring, facts)
        self.wants = wants
        self.tasks: dict[Place, tuple[Mask, Mask]] = {}
        self.parts: set[Place] = set()

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
        self.parts.add((table, name))

    def sheet(self) -> _Sheet:
        used = self.columns.clusters  # the sessions of the data set that have a task in this comparison
        tasks = np.packbits(np.array(list(self.tasks.values()), dtype=bool).reshape(-1, 2, len(self.columns)), axis=2)
        return _Sheet(
            {(row.table, row.name): place for place, row in enumerate(self.rows)},
            _small(np.array([row.hits[used] for row in self.rows]).reshape(-1, len(used))),
            _small(np.array([row.trials[used] for row in self.rows]).reshape(-1, len(used))),
            self.parts,
            {place: number for number, place in enumerate(self.tasks)},
            tasks[:, 0],
            tasks[:, 1],
            self.outcomes,
        )


def _small(counts: Floats) -> Counts:
    """The same numbers in an eighth of the memory, where they are small and whole."""
    with np.errstate(invalid="ignore"):
        small = counts.astype(np.uint8)
    return small if np.array_equal(small, counts) else counts


class _Kept(NamedTuple):
    """What was made of a run for a comparison, and of which scores: most comparisons of a run are over the same."""

    scores: list[Score]
    columns: TaskFrame
    sheets: dict[tuple[str, frozenset[str] | None], _Sheet]


def compare_graph(sides: tuple[Side, Side], pairs: Pairs, scorings: Sequence[str]) -> dict[str, PairedTable]:
    """The comparison in each of the scorings."""
    runs = [(_kept(side, scores), side) for side, scores in zip(sides, (pairs.a, pairs.b), strict=True)]
    found = {}
    for scoring in scorings:
        one, other = (_sheet(kept, side, scoring, pairs) for kept, side in runs)
        found[scoring] = _paired(one, other, runs[0][0].columns)
    return found


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


def _paired(one: _Sheet, other: _Sheet, columns: TaskFrame) -> PairedTable:
    found = [place for place in one.places if place in other.places or place in one.parts]
    found += [place for place in other.places if place in other.parts and place not in one.places]
    tables = list(dict.fromkeys(table for table, _name in found))
    found.sort(key=lambda place: tables.index(place[0]))
    hits, trials = _both(one, other, found)
    whole = _whole_sessions(one, other, columns)
    changed = _changed(one, other) | {("overall", "session_accuracy"): whole.changed}
    rows = [
        PairedRow(*place, hit, trial, *changed.get(place, (None, None)))
        for place, hit, trial in zip(found, hits, trials, strict=True)
    ]
    tasks = Crosstab.of(one.outcomes.correct, other.outcomes.correct, one.outcomes.scored)
    return PairedTable(tasks, whole, rows)


def _both(one: _Sheet, other: _Sheet, found: Sequence[Place]) -> tuple[Floats, Floats]:
    """Hits and trials of these rows in both runs, each of shape (rows, 2, sessions)."""
    ours, theirs = (np.array([sheet.places.get(place, -1) for place in found], dtype=int) for sheet in (one, other))
    hits = np.stack([one.hits[ours], other.hits[theirs]], axis=1).astype(float)
    trials = np.stack([one.trials[ours], other.trials[theirs]], axis=1).astype(float)
    hits[ours < 0, 0] = hits[theirs < 0, 1] = 0
    trials[ours < 0, 0], trials[theirs < 0, 1] = trials[ours < 0, 1], trials[theirs < 0, 0]
    return hits, trials


def _sheet(kept: _Kept, side: Side, scoring: str, pairs: Pairs) -> _Sheet:
    key = scoring, pairs.tables
    if key not in kept.sheets:
        builder = _SheetBuilder(kept.columns, Outcomes(kept.columns, scoring), scoring, _facts(side), pairs.wants)
        for table in TABLES:
            table(builder)
        kept.sheets[key] = builder.sheet()
    return kept.sheets[key]


def _whole_sessions(one: _Sheet, other: _Sheet, columns: TaskFrame) -> Crosstab:
    """What became of the passes through whole sessions."""
    starts, sizes = columns.unit_starts, columns.unit_sizes
    scored = np.add.reduceat(one.outcomes.scored.astype(int), starts) == sizes
    right, still = ((np.add.reduceat(sheet.outcomes.correct, starts) == sizes).astype(float) for sheet in (one, other))
    return Crosstab.of(right, still, scored)


def _changed(one: _Sheet, other: _Sheet) -> dict[Place, tuple[int, int]]:
    """By row, how many tasks only the second, only the first run has right. Without rows that have other tasks in the
    other run (by length of the conversation)."""
    found = [place for place in one.tasks if place in other.tasks]
    ours, theirs = ([sheet.tasks[place] for place in found] for sheet in (one, other))
    right, wrong, still, wrong_too = one.right[ours], one.wrong[ours], other.right[theirs], other.wrong[theirs]
    alike = ((right | wrong) == (still | wrong_too)).all(axis=1)
    fixed, broken = (np.bitwise_count(tasks).sum(axis=1).tolist() for tasks in (wrong & still, right & wrong_too))
    counts = zip(fixed, broken, strict=True)
    return {place: both for place, same, both in zip(found, alike, counts, strict=True) if same}
