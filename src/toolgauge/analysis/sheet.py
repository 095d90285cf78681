"""A run in one scoring: its tasks grouped and counted, the rows of all rates. Nothing else counts.

A benchmark declares what its tasks can be grouped by (`Facet`) and which further rates it has; `Sheet` makes rows of
both, over a table (table.py). Metrics, pages, exports and comparisons all read these rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolgauge.analysis.facet import Facet, Measure, accuracy
from toolgauge.analysis.intervals import Floats
from toolgauge.analysis.table import Integers, Mask, RunTable
from toolgauge.judge.mistakes import UNCLASSIFIED
from toolgauge.judge.verdict import CORRECT

_GRAIN = 1 << 40
"""Parts of a hit are cut to this fineness, so that their sums are exact in any order."""


def _cut(hits: Floats) -> Floats:
    return np.rint(hits * _GRAIN) / _GRAIN


def _bits(mask: Mask) -> int:
    return int.from_bytes(np.packbits(mask).tobytes(), "big")


class RateRow(NamedTuple):
    """One rate: hits and trials per session of the data, in its order, 0 where nothing counts.

    requested, scored, missing, not_judgeable: tasks (or whole sessions), as `analysis.numbers.Rate` has them. won,
    judged: of rows that count right ones, which tasks (passes through sessions) are right, and which have a verdict, a
    bit each: what two runs are compared by; None of other rows. of_all: hits and trials among all tasks (or whole
    sessions), where the rate itself is a share of what went wrong: of two runs different tasks go wrong, so they are
    compared by that. parts: with their weights the rates that this one is the mean of.
    """

    table: str
    name: str
    hits: Floats
    trials: Floats
    requested: int | None
    scored: int
    missing: int | None
    not_judgeable: int = 0
    won: int | None = None
    judged: int | None = None
    of_all: tuple[Floats, Floats] | None = None
    parts: tuple[tuple[float, RateRow], ...] = ()


class Units(NamedTuple):
    """Each pass through a session, one per session and epoch: was all of it scored, and how many tasks are right?

    asked: was all of it requested; None where that is not known. decided: it is scored, or one of its tasks is wrong
    and those without a verdict are not judgeable; open: the other passes in which only these have none.
    """

    sizes: Integers
    complete: Mask
    right: Integers
    asked: Mask | None
    perfect: Mask
    decided: Mask
    open: Mask


class Sheet:
    """A run in one scoring, and the makers of its rows.

    scored, unjudgeable: which tasks have a verdict, and which have none because their recording ends too early;
    verdicts: None where there is none; mistakes: of wrong tasks the class of the cause, counted: the class by the
    scoring's own procedure.
    """

    def __init__(self, table: RunTable, scoring: str) -> None:
        self.table, self.scoring = table, scoring
        self.verdicts = [score.scorings.get(scoring) if score else None for score in table.scores]
        self.scored: Mask = np.array([verdict is not None for verdict in self.verdicts], dtype=bool)
        self.unjudgeable: Mask = np.array(
            [score is not None and not score.is_judgeable(scoring) for score in table.scores], dtype=bool
        )
        self.mistakes = [score.mistake(scoring) if score else None for score in table.scores]
        self.counted = [verdict.mistake if verdict and not verdict.correct else None for verdict in self.verdicts]
        self._measured: dict[Measure, tuple[Floats, Floats]] = {}
        self._missing = None if table.requested is None else table.requested & ~self.scored & ~self.unjudgeable

    def measured(self, measure: Measure) -> tuple[Floats, Floats]:
        """Hits and trials of each task, 0 without a verdict."""
        if measure not in self._measured:
            pairs = [(0, 0) if verdict is None else measure(verdict) for verdict in self.verdicts]
            hits, trials = np.array(pairs, dtype=float).reshape(-1, 2).T
            self._measured[measure] = hits, trials
        return self._measured[measure]

    @cached_property
    def outcomes(self) -> list[str | None]:
        """The mistake of each task, or "correct"; None without a verdict."""
        return [
            None if verdict is None else mistake or CORRECT
            for verdict, mistake in zip(self.verdicts, self.mistakes, strict=True)
        ]

    @cached_property
    def right(self) -> Floats:
        return self.measured(accuracy)[0]

    @cached_property
    def wrong(self) -> Floats:
        return self.scored - self.right

    def facet(self, facet: Facet) -> Iterator[RateRow]:
        """A row for every value of a facet."""
        groups = self.table.groups(facet)
        rows = self.rates(facet.name, groups.names, groups.members, facet.measure)
        return (row for row in rows if row.scored >= facet.fewest)

    def rate(self, table: str, name: str, members: Mask | None = None, measure: Measure = accuracy) -> RateRow:
        """Of the member tasks, all by default, the sum of hits over that of trials."""
        members = self.table.everything if members is None else members
        return next(self.rates(table, [name], members[None], measure))

    def rates(self, table: str, names: Sequence[str], members: Mask, measure: Measure = accuracy) -> Iterator[RateRow]:
        """One for each of the names; members: shape (names, tasks)."""
        hits, trials = self.measured(measure)
        summed, tried = self.table.by_session(members * _cut(hits)), self.table.by_session(members * trials)
        counts = self._counts(members)
        counts_right = np.array_equal(trials, self.scored) and np.isin(hits, (0, 1)).all()
        for place, name in enumerate(names):
            members_here = members[place]
            bits = (_bits(members_here & (hits > 0)), _bits(members_here & self.scored)) if counts_right else ()
            yield RateRow(table, name, summed[place], tried[place], *counts[place], *bits)

    def _counts(self, members: Mask) -> list[tuple[int | None, int, int | None, int]]:
        """Of the members those that are requested, scored, missing and not judgeable."""
        nobody = [None] * len(members)
        columns = (
            nobody if mask is None else (members & mask).sum(axis=1).tolist()
            for mask in (self.table.requested, self.scored, self._missing, self.unjudgeable)
        )
        return list(zip(*columns, strict=True))

    def ratio(self, table: str, name: str, members: Mask, hits: Floats, trials: Floats) -> RateRow:
        """Sum of hits over sum of trials, both over member tasks."""
        summed, tried = self.table.by_session(np.stack([hits * members, trials * members]))
        return RateRow(table, name, summed, tried, *self._counts(members[None])[0])

    def part(
        self, table: str, name: str, members: Mask, hits: Floats, among: Floats, whole: Floats | None = None
    ) -> RateRow:
        """Share of what went wrong (`among`: failed tasks, near misses, wrong arguments) that has a hit.

        whole: what everything that can go wrong is a part of, per task; the scored tasks by default.
        """
        row = self.ratio(table, name, members, hits, among)
        having, every = ((hits > 0) & members).astype(float), self.scored.astype(float) if whole is None else whole
        return row._replace(of_all=(self.table.by_session(having), self.table.by_session(every)))

    def shares(
        self,
        table: str,
        names: Iterable[str],
        of_tasks: Sequence[str | None],
        among: Floats,
        members: Mask | None = None,
        whole: Floats | None = None,
    ) -> Iterator[RateRow]:
        """Share of the tasks with `among` 1 (not 0) that have each class; unknown classes get rows behind."""
        members = self.table.everything if members is None else members
        classes = np.array([name or "" for name in of_tasks], dtype=np.str_)
        counted = {name for name, counts in zip(of_tasks, among, strict=True) if name and counts}
        for name in (*names, *sorted(counted - set(names))):
            yield self.part(table, name, members, among * (classes == name), among, whole)
        if ((classes == "") & (among > 0)).any():
            yield self.part(table, UNCLASSIFIED, members, among * (classes == ""), among, whole)

    @cached_property
    def units(self) -> Units:
        table, starts = self.table, self.table.unit_starts
        sizes = table.sizes[table.unit_sessions]

        def sums(values: NDArray[Any]) -> Integers:
            return np.add.reduceat(values.astype(np.int64), starts) if len(table) else np.zeros(0, dtype=np.int64)

        requested = None if table.requested is None else sums(table.requested) == sizes
        scored, correct = sums(self.scored), sums(self.right)
        complete, answered = scored == sizes, scored + sums(self.unjudgeable) == sizes
        decided = complete | (answered & (scored > correct))
        return Units(sizes, complete, correct, requested, complete & (correct == sizes), decided, answered & ~decided)

    def sessions(
        self,
        table: str,
        name: str,
        hits: Mask | Floats,
        among: Mask | None = None,
        of: Mask | None = None,
        of_right: bool = False,
    ) -> RateRow:
        """Share of passes through a session with a hit; parts of a hit count as such.

        among: those that count, by default those that are scored as a whole; of: those that the rate is about.
        of_right: a hit means that the pass is right.
        """
        units = self.units
        of = np.ones(len(units.sizes), dtype=bool) if of is None else of
        among = of & (units.complete if among is None else among)
        unjudged = of & (units.decided | units.open) & ~among
        requested = missing = None
        if units.asked is not None:
            requested, missing = int((units.asked & of).sum()), int((units.asked & of & ~among & ~unjudged).sum())
        spread = np.zeros((2, len(self.table)))
        spread[:, self.table.unit_starts] = _cut(among * hits.astype(float)), among
        bits = (_bits(among & (hits > 0)), _bits(among)) if of_right else ()
        summed, tried = self.table.by_session(spread)
        return RateRow(table, name, summed, tried, requested, int(among.sum()), missing, int(unjudged.sum()), *bits)

    def unit_means(self, measure: Measure) -> Floats:
        """The mean of a measure over the tasks of each pass through a session."""
        hits, _ = self.measured(measure)
        return np.add.reduceat(hits, self.table.unit_starts) / self.units.sizes if len(self.table) else hits

    def pass_rows(self, unit: str, of: Mask | None = None) -> Iterator[RateRow]:
        """Rows `<unit>_pass@k` and `<unit>_pass^k` of the table `passes`, for every k up to the number n of passes;
        none with one pass (`Subsets`). unit: "task" or "session".

        Only what is scored in all passes counts. of: the tasks (passes through sessions) that the rows are about.
        """
        n = self.table.times_asked
        if n < 2:
            return
        if unit == "task":
            where, keys = np.arange(len(self.table)), self.table.item
            scored, won, asked = self.scored, self.right > 0, self.table.requested
        else:
            where, keys = self.table.unit_starts, self.table.unit_sessions
            scored, won, asked = self.units.decided, self.units.perfect, self.units.asked
        included = np.ones(len(where), dtype=bool) if of is None else of
        keys, first, again = np.unique(keys[included], return_index=True, return_inverse=True)
        times, hit = (np.bincount(again, mask[included], len(keys)).astype(np.int64) for mask in (scored, scored & won))
        complete = times == n
        requested = missing = None
        if asked is not None:
            is_requested = np.bincount(again, asked[included], len(keys)).astype(np.int64) == n
            requested, missing = int(is_requested.sum()), int((is_requested & ~complete).sum())
        places = where[included][first]
        for k in range(1, n + 1):
            subset_counts = subsets(n, k)
            for sign, hits in (("@", subset_counts.some), ("^", subset_counts.every)):
                spread = np.zeros((2, len(self.table)))
                spread[:, places] = complete * np.array(hits, dtype=float)[hit], complete * float(subset_counts.number)
                summed, tried = self.table.by_session(spread)
                counts = (requested, int(complete.sum()), missing)
                yield RateRow("passes", f"{unit}_pass{sign}{k}", summed, tried, *counts)


def mean_row(table: str, name: str, parts: Sequence[tuple[float, RateRow]]) -> RateRow:
    """A weighted mean of rates, given with their weights: its counts are those of its parts together.

    A session's part in it is the weighted one in its own rate: hits over trials is the mean. Without trials where a
    part has none.
    """
    rows = [row for _, row in parts]
    hits, trials = np.zeros((2, len(rows[0].hits)))
    whole = sum(weight for weight, _ in parts)
    if all(row.trials.any() for row in rows):
        for weight, row in parts:
            number = float(row.trials.sum())
            hits, trials = hits + weight / number * row.hits, trials + weight / whole / number * row.trials
    requested = None if any(row.requested is None for row in rows) else sum(row.requested or 0 for row in rows)
    missing = None if any(row.missing is None for row in rows) else sum(row.missing or 0 for row in rows)
    scored, unjudgeable = sum(row.scored for row in rows), sum(row.not_judgeable for row in rows)
    return RateRow(table, name, hits, trials, requested, scored, missing, unjudgeable, parts=tuple(parts))


MOST = 1 << 36
"""Larger numbers of subsets are given as so many parts of this one, so that their sums stay whole numbers."""


class Subsets(NamedTuple):
    """Of the subsets of k of n passes over the same tasks: how many there are, and by number of right passes (0 to n)
    how many have a right one (`some`) and how many are all right (`every`).

    With c right ones of n passes, 1 - C(n - c, k) / C(n, k) is the unbiased estimate of pass@k (Chen et al., Evaluating
    Large Language Models Trained on Code, 2021, equation 1), and C(c, k) / C(n, k) that of pass^k (Yao et al.,
    tau-bench, 2024).
    """

    number: int
    some: list[int]
    every: list[int]


def subsets(n: int, k: int) -> Subsets:
    """The subsets of k of n passes, 1 <= k <= n."""
    number = comb(n, k)
    some = [number - comb(n - right, k) for right in range(n + 1)]
    every = [comb(right, k) for right in range(n + 1)]
    if number <= MOST:
        return Subsets(number, some, every)
    return Subsets(MOST, [count * MOST // number for count in some], [count * MOST // number for count in every])
