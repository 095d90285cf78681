"""Rates with their hits and trials by session, and the tables of metrics.json made of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from msgspec import UNSET

from toolgauge.analysis.intervals import Floats, intervals
from toolgauge.analysis.numbers import Rate, Tables
from toolgauge.artefacts import DIGITS

AT_ONCE = 128
"""Rates of which the intervals are made together."""


class RateRow(NamedTuple):
    """One rate: hits and trials per session; the last four count tasks (or whole sessions).

    hits, trials: one number for each session of the data set, in its order, 0 where nothing counts: the rows of two
    runs on the same data can be compared session by session.
    """

    table: str
    name: str
    hits: Floats
    trials: Floats
    requested: int | None
    scored: int
    missing: int | None
    not_judgeable: int = 0


def tables_of(rows: Mapping[str, Sequence[RateRow]]) -> dict[str, Tables]:
    """Rows as metrics.json has them."""
    together = [row for scoring in rows.values() for row in scoring]
    bounds = _intervals(together)
    scorings: dict[str, Tables] = {}
    for scoring, own in rows.items():
        tables = scorings[scoring] = {}
        for row in own:
            tables.setdefault(row.table, {})[row.name] = _entry(row, next(bounds))
    return scorings


def _intervals(rows: Sequence[RateRow]) -> Iterator[Floats]:
    """The interval of each row; as many are made in one go as need little memory."""
    for start in range(0, len(rows), AT_ONCE):
        part = rows[start : start + AT_ONCE]
        yield from intervals(np.stack([row.hits for row in part]), np.stack([row.trials for row in part]))


def _entry(row: RateRow, bounds: Floats) -> Rate:
    hits, trials = int(row.hits.sum()), int(row.trials.sum())
    low, high = (round(float(bound), DIGITS) for bound in bounds)
    return Rate(
        value=round(hits / trials, DIGITS) if trials else None,
        correct=hits,
        total=trials,
        ci95=None if math.isnan(low) else (low, high),
        requested=row.requested,
        scored=row.scored,
        missing=row.missing,
        not_judgeable=row.not_judgeable or UNSET,
    )
