"""Rates with their hits and trials by session, and the tables of metrics.json made of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from msgspec import UNSET

from toolgauge.analysis.intervals import Floats, intervals
from toolgauge.analysis.numbers import Rate, Tables
from toolgauge.artefacts import DIGITS


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
    """Rows as metrics.json has them; the intervals of all readings are made in one go."""
    together = [row for reading in rows.values() for row in reading]
    bounds = iter(_intervals(together))
    readings: dict[str, Tables] = {}
    for reading, own in rows.items():
        tables = readings[reading] = {}
        for row in own:
            tables.setdefault(row.table, {})[row.name] = _entry(row, next(bounds))
    return readings


def _intervals(rows: Sequence[RateRow]) -> Floats:
    if not rows:
        return np.empty((0, 2))
    hits, trials = np.stack([row.hits for row in rows]), np.stack([row.trials for row in rows])
    used = trials.any(axis=0)  # a session of which nothing was scored is no cluster
    return intervals(hits[:, used], trials[:, used])


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
