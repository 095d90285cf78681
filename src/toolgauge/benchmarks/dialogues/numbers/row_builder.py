"""Builds the rows of tables: rates over tasks, and rates over whole passes through a session."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from toolgauge.analysis.intervals import Floats
from toolgauge.analysis.rates import RateRow
from toolgauge.benchmarks.dialogues.numbers.task_frame import Integers, Mask, Outcomes, TaskFrame
from toolgauge.benchmarks.dialogues.numbers.trajectory_features import TrajectoryFeatures
from toolgauge.judge.mistakes import UNCLASSIFIED

Whole = Literal["tasks", "sessions"]


class Passes(NamedTuple):
    """Each pass through a session, one per session and epoch: was all of it scored, and how many tasks are right?

    asked: was all of it requested; None where that is not known. short: it is scored and all of several tasks but one
    are right. decided: it is scored, or one of its tasks is wrong and those without a verdict are not judgeable; open:
    the other passes in which only these have none.
    """

    complete: Mask
    right: Integers
    asked: Mask | None
    perfect: Mask
    short: Mask
    decided: Mask
    open: Mask


class RowBuilder:
    """Collects the rows of one scoring."""

    def __init__(
        self, columns: TaskFrame, outcomes: Outcomes, scoring: str, facts: Mapping[str, TrajectoryFeatures]
    ) -> None:
        self.columns, self.outcomes, self.scoring, self.facts = columns, outcomes, scoring, facts
        self.rows: list[RateRow] = []
        self._trials = outcomes.scored.astype(float)
        self._missing: Mask | None = None
        if columns.requested is not None:
            self._missing = columns.requested & ~outcomes.scored & ~outcomes.unjudgeable

    def rate(self, table: str, name: str, members: Mask, hits: Floats | None = None) -> None:
        """Share of scored member tasks with a hit (by default: that are correct)."""
        hits = self.outcomes.correct if hits is None else hits
        self.ratio(table, name, members, hits, self._trials)

    def ratio(self, table: str, name: str, members: Mask, hits: Floats, trials: Floats) -> None:
        """Sum of hits over sum of trials, both over member tasks."""
        requested, missing = self.columns.requested, self._missing
        self.rows.append(
            RateRow(
                table,
                name,
                self._by_session(hits * members),
                self._by_session(trials * members),
                None if requested is None else int(np.count_nonzero(requested & members)),
                int(np.count_nonzero(self.outcomes.scored & members)),
                None if missing is None else int(np.count_nonzero(missing & members)),
                int(np.count_nonzero(self.outcomes.unjudgeable & members)),
            )
        )

    def sessions(self, table: str, name: str, hits: Mask, among: Mask | None = None) -> None:
        """Share of passes through a session, by default of those that are scored as a whole, with a hit."""
        passes = self.passes
        asked, among = passes.asked, passes.complete if among is None else among
        unjudged = (passes.decided | passes.open) & ~among
        requested = missing = None
        if asked is not None:
            requested, missing = int(asked.sum()), int((asked & ~among & ~unjudged).sum())
        trials, counts = among.astype(float), (requested, int(among.sum()), missing)
        self.counted(table, name, self.columns.unit_starts, hits * trials, trials, counts, int(unjudged.sum()))

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
        """Sum of hits over sum of trials of groups of tasks.

        where: the number of a task of each group, for its session. counts: groups requested, scored and missing.
        """
        spread = np.zeros((2, len(self.columns)))
        spread[:, where] = hits, trials
        of_hits, of_trials = (self._by_session(values) for values in spread)
        self.rows.append(RateRow(table, name, of_hits, of_trials, *counts, not_judgeable))

    def part(self, table: str, name: str, members: Mask, hits: Floats, among: Floats, of: Whole = "tasks") -> None:  # noqa: ARG002 - for comparisons
        """Share of what went wrong (`among`: failed tasks, near misses, wrong arguments) that has a hit.

        of: what everything that can go wrong is a part of. Of two runs different tasks go wrong, so they are compared
        in shares of that (compare.py).
        """
        self.ratio(table, name, members, hits, among)

    def shares(
        self,
        table: str,
        names: Iterable[str],
        found: list[str | None],
        among: Floats,
        members: Mask,
        of: Whole = "tasks",
    ) -> None:
        """Share of the tasks with `among` 1 (not 0) that have each class; unknown classes get rows behind."""
        classes = np.array([name or "" for name in found], dtype=np.str_)
        counted = {name for name, one in zip(found, among, strict=True) if name and one}
        for name in (*names, *sorted(counted - set(names))):
            self.part(table, name, members, among * (classes == name), among, of)
        if ((classes == "") & (among > 0)).any():
            self.part(table, UNCLASSIFIED, members, among * (classes == ""), among, of)

    @cached_property
    def passes(self) -> Passes:
        columns, sizes = self.columns, self.columns.unit_sizes
        asked = None
        if columns.requested is not None:
            asked = np.add.reduceat(columns.requested.astype(int), columns.unit_starts) == sizes
        scored, unjudgeable = (
            np.add.reduceat(mask.astype(int), columns.unit_starts)
            for mask in (self.outcomes.scored, self.outcomes.unjudgeable)
        )
        complete = scored == sizes
        right = np.add.reduceat(self.outcomes.correct, columns.unit_starts).astype(np.int64)
        short = complete & (right == sizes - 1) & (sizes > 1)
        answered, wrong = scored + unjudgeable == sizes, scored > right
        perfect, decided = complete & (right == sizes), complete | (answered & wrong)
        return Passes(complete, right, asked, perfect, short, decided, answered & ~decided)

    def _by_session(self, values: Floats) -> Floats:
        sums = np.zeros(self.columns.sessions)
        sums[self.columns.clusters] = np.add.reduceat(values, self.columns.cluster_starts)
        return sums
