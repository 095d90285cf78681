"""From rows of hits and trials (table.py) to the rates of metrics.json, with their 95% intervals.

A weighted mean of rates (a group of categories, an overall value) has the interval that follows from the intervals of
its parts, which are independent of one another: MOVER (Zou, Huang and Zhang, A note on confidence interval estimation
for a linear function of binomial proportions, Computational Statistics and Data Analysis 53, 2009). It keeps their
asymmetry, is never of zero width, and nothing is drawn.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from msgspec import UNSET

from toolgauge.analysis.intervals import clustered_interval, intervals
from toolgauge.analysis.numbers import Rate, Tables
from toolgauge.analysis.sheet import RateRow
from toolgauge.artefacts import DIGITS

AT_ONCE = 128
"""Rates of which the intervals are made together."""
Interval = tuple[float, float]


class Estimate(NamedTuple):
    """Of a row: its value and interval, unrounded, None where nothing was tried; the names of the parts that lack."""

    value: float | None
    interval: Interval | None
    correct: float
    total: int
    lacking: tuple[str, ...] = ()


def tables_of(rows: Mapping[str, Sequence[RateRow]]) -> dict[str, Tables]:
    """Rows as metrics.json has them, by scoring."""
    every = [row for scoring in rows.values() for row in scoring]
    plain = {id(leaf): leaf for row in every for leaf in leaves(row)}
    by_row = dict(zip(plain, estimates(list(plain.values())), strict=True))
    scorings: dict[str, Tables] = {}
    for scoring, rows_of_scoring in rows.items():
        tables = scorings[scoring] = {}
        for row in rows_of_scoring:
            tables.setdefault(row.table, {})[row.name] = _rate(row, _estimate(row, by_row))
    return scorings


def rate_of(hits: Sequence[float], trials: Sequence[float]) -> Rate:
    """The rate of hits and trials per cluster (a session, a conversation)."""
    correct, total = sum(hits), int(sum(trials))
    ends = clustered_interval(hits, trials) if total else None
    return Rate(
        value=round(correct / total, DIGITS) if total else None,
        correct=int(correct),
        total=total,
        ci95=None if ends is None else (round(ends[0], DIGITS), round(ends[1], DIGITS)),
        scored=total,
    )


def leaves(row: RateRow) -> Iterator[RateRow]:
    """The rates that a mean is made of; of another row, itself."""
    if not row.parts:
        yield row
    for _, part in row.parts:
        yield from leaves(part)


def estimates(rows: Sequence[RateRow]) -> Iterator[Estimate]:
    """Of rows that are no means; as many at once as need little memory."""
    for start in range(0, len(rows), AT_ONCE):
        part = rows[start : start + AT_ONCE]
        hits, trials = np.stack([row.hits for row in part]), np.stack([row.trials for row in part])
        for correct, total, (low, high) in zip(
            hits.sum(axis=1).tolist(), trials.sum(axis=1).tolist(), intervals(hits, trials).tolist(), strict=True
        ):
            value = correct / total if total else None
            yield Estimate(value, None if math.isnan(low) else (low, high), correct, int(total))


def _estimate(row: RateRow, by_row: Mapping[int, Estimate]) -> Estimate:
    """A weighted mean has no value where a part has none, and is at most 1: published weights may add up to more."""
    if not row.parts:
        return by_row[id(row)]
    parts = [(weight, part.name, _estimate(part, by_row)) for weight, part in row.parts]
    correct, total = math.fsum(part.correct for *_, part in parts), sum(part.total for *_, part in parts)
    lacking = tuple(
        dict.fromkeys(
            lack for _, name, part in parts for lack in part.lacking or ((name,) if part.value is None else ())
        )
    )
    if lacking:
        return Estimate(None, None, correct, total, lacking)
    value = math.fsum(weight * (part.value or 0.0) for weight, _, part in parts)
    below, above = (_reach(((weight, part) for weight, _, part in parts), side) for side in (0, 1))
    return Estimate(min(1.0, value), (max(0.0, value - below), min(1.0, value + above)), correct, total)


def _reach(parts: Iterable[tuple[float, Estimate]], side: int) -> float:
    """How far the interval goes to one side: the parts' distances, weighted, added like variances."""
    distances = [
        weight * (part.interval[side] - part.value)
        for weight, part in parts
        if part.interval and part.value is not None
    ]
    return math.sqrt(math.fsum(distance * distance for distance in distances))


def _rate(row: RateRow, estimate: Estimate) -> Rate:
    low, high = estimate.interval or (0.0, 0.0)
    return Rate(
        value=None if estimate.value is None else round(estimate.value, DIGITS),
        correct=int(estimate.correct) if estimate.correct.is_integer() else round(estimate.correct, DIGITS),
        total=estimate.total,
        ci95=None if estimate.interval is None else (round(low, DIGITS), round(high, DIGITS)),
        requested=row.requested,
        scored=row.scored,
        missing=row.missing,
        not_judgeable=row.not_judgeable or UNSET,
        incomplete=estimate.lacking or UNSET,
    )
