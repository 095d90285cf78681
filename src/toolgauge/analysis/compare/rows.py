"""What a comparison consists of, and how it is written as JSON."""

from __future__ import annotations

import math
from enum import StrEnum
from itertools import groupby
from typing import NamedTuple, overload

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from toolgauge.analysis.compare.differences import Interval, PairedRow
from toolgauge.analysis.compare.effects import cohens_h, odds_ratio
from toolgauge.analysis.compare.significance import PValue, holm, mcnemar
from toolgauge.analysis.intervals import FEWEST_CLUSTERS, Floats
from toolgauge.artefacts import DIGITS

FEWEST_TASKS = 10
"""A row with fewer in one of the runs, or from fewer than `FEWEST_CLUSTERS` sessions, is marked."""


class OddsRatio(Struct, frozen=True):
    """None stands for infinity."""

    value: float | None
    ci95: tuple[float | None, float | None]


class Outcomes(Struct, frozen=True, kw_only=True):
    """What became of tasks, or of whole sessions: right in the second run only, in the first only, in both, in none."""

    fixed: int
    broken: int
    both: int
    neither: int
    mcnemar_p: float | None
    odds_ratio: OddsRatio | None

    @property
    def pairs(self) -> int:
        return self.fixed + self.broken + self.both + self.neither


class Difference(Struct, frozen=True, kw_only=True):
    """A row of two runs. a, b: their rates, of mistakes those of all tasks (or whole sessions); difference: b minus a,
    with its interval; p_holm: corrected in the table.

    exact: p is of an exact test. correct, total: of both runs. few: there are too few tasks to be sure. fixed, broken:
    tasks; None for rows that do not count right tasks.
    """

    a: float | None
    b: float | None
    difference: float | None
    ci95: tuple[float, float] | None
    p: float | None
    p_holm: float | None
    exact: bool | None
    correct: tuple[float, float]
    total: tuple[float, float]
    sessions: int
    few: bool
    fixed: int | None
    broken: int | None
    odds_ratio: OddsRatio | None
    cohens_h: float | None


Differences = dict[str, dict[str, Difference]]
"""By table, then row."""

SIGNIFICANT = 0.05


class Better(StrEnum):
    """Which of two runs is better by a rate of which more is better; UNCLEAR: they cannot be told apart by it."""

    FIRST = "first"
    SECOND = "second"
    UNCLEAR = "unclear"


def better_run(entry: Difference | None) -> Better:
    """What a difference decides, looked at alone: both its interval (zero is outside) and its test have to say so."""
    if entry is None or entry.ci95 is None or entry.p is None or entry.p >= SIGNIFICANT:
        return Better.UNCLEAR
    if entry.ci95[0] > 0:
        return Better.SECOND
    return Better.FIRST if entry.ci95[1] < 0 else Better.UNCLEAR


class Crosstab(NamedTuple):
    """What became of the first run's tasks (or whole sessions) in the second."""

    fixed: int
    broken: int
    both: int
    neither: int

    @classmethod
    def of(cls, one: Floats, other: Floats, trials: Floats | NDArray[np.bool_]) -> Crosstab:
        """From 0 or 1 per task: right in the first run, right in the second, counted at all."""
        counted = trials > 0
        right, still = one[counted] > 0, other[counted] > 0
        counts = (~right & still, right & ~still, right & still, ~right & ~still)
        return cls(*(int(np.count_nonzero(count)) for count in counts))

    def entry(self) -> Outcomes:
        p = rounded(mcnemar(self.fixed, self.broken))
        return Outcomes(**self._asdict(), mcnemar_p=p, odds_ratio=_odds(self.fixed, self.broken))


class Tested(NamedTuple):
    """A row with the interval of its difference and the test of it."""

    row: PairedRow
    interval: Interval | None
    test: PValue | None


class RunComparison(NamedTuple):
    """Two runs in one scoring."""

    tasks: Crosstab
    sessions: Crosstab
    rows: list[Tested]

    def tables(self) -> Differences:
        """p is corrected within each table."""
        return {table: _table(list(rows)) for table, rows in groupby(self.rows, key=lambda tested: tested.row.table)}


def _table(rows: list[Tested]) -> dict[str, Difference]:
    corrected = holm([tested.test.p if tested.test else None for tested in rows])
    return {tested.row.name: _entry(tested, p) for tested, p in zip(rows, corrected, strict=True)}


def _entry(tested: Tested, corrected: float | None) -> Difference:
    row, test = tested.row, tested.test
    one, other = row.sums.rates
    correct, totals = _counts(row)
    return Difference(
        a=rounded(one),
        b=rounded(other),
        difference=rounded(row.difference),
        ci95=None if tested.interval is None else (rounded(tested.interval[0]), rounded(tested.interval[1])),
        p=rounded(test.p) if test else None,
        p_holm=rounded(corrected),
        exact=test.exact if test else None,
        correct=correct,
        total=totals,
        sessions=row.sums.sessions,
        few=_is_small(row),
        fixed=row.fixed,
        broken=row.broken,
        odds_ratio=None if row.fixed is None or row.broken is None else _odds(row.fixed, row.broken),
        cohens_h=None if one is None or other is None else rounded(cohens_h(one, other)),
    )


def _odds(fixed: int, broken: int) -> OddsRatio | None:
    found = odds_ratio(fixed, broken)
    if found is None:
        return None
    value, low, high = (rounded(number) if math.isfinite(number) else None for number in found)
    return OddsRatio(value, (low, high))


def _counts(row: PairedRow) -> tuple[tuple[float, float], tuple[float, float]]:
    """Hits and trials of both runs; those of a weighted mean are its parts' together."""
    (right, still), (asked, again) = row.sums.hits, row.sums.trials
    if row.parts:
        sums = [part.sums for _, part in row.parts]
        right, still = (sum(one.hits[run] for one in sums) for run in (0, 1))
        asked, again = (sum(one.trials[run] for one in sums) for run in (0, 1))
    return (_count(right), _count(still)), (_count(asked), _count(again))


def _is_small(row: PairedRow) -> bool:
    if row.parts:
        return any(_is_small(part) for _, part in row.parts)
    return row.sums.sessions < FEWEST_CLUSTERS or min(row.sums.trials) < FEWEST_TASKS


def _count(number: float) -> float:
    return int(number) if number.is_integer() else round(number, DIGITS)


@overload
def rounded(value: float) -> float: ...
@overload
def rounded(value: float | None) -> float | None: ...
def rounded(value: float | None) -> float | None:
    """To 6 digits after the point; a p-value below that stays above 0 by its significant digits."""
    if value is None:
        return None
    return float(f"{value:.4g}") if 0 < value < 1e-4 else round(value, DIGITS) + 0.0  # no -0.0
