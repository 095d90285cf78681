"""The paired rows of WildToolBench and MMTB: every table of every reading, both runs over the same tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from toolgauge.analysis.columns import Columns, Outcomes
from toolgauge.analysis.compare.differences import PairedRow, paired_intervals, paired_replicates, stacked
from toolgauge.analysis.compare.pairing import Pairs, Side
from toolgauge.analysis.compare.rows import SHARES, Comparison, Crosstab, Tested
from toolgauge.analysis.compare.significance import exchange_tests
from toolgauge.analysis.facts import TaskFacts
from toolgauge.analysis.intervals import Floats
from toolgauge.analysis.tables import TABLES, Row, Sheet


class _TaskSheet(Sheet):
    """Rows with hits and trials per task instead of per session."""

    def _by_session(self, values: Floats) -> Floats:
        return values


class _Reading(NamedTuple):
    """One reading of both runs: rows by session, and the two crosstabs."""

    rows: list[PairedRow]
    tasks: Crosstab
    sessions: Crosstab


def compare_graph(sides: tuple[Side, Side], pairs: Pairs, readings: Sequence[str]) -> dict[str, Comparison]:
    """The comparison in each of the readings."""
    dataset = sides[0].dataset
    runs = Columns(dataset, pairs.a, None), Columns(dataset, pairs.b, None)
    facts = sides[0].facts, sides[1].facts
    found = {reading: _reading(runs, facts, reading) for reading in readings}
    rows = [row for reading in found.values() for row in reading.rows]
    bounds = paired_intervals(rows, paired_replicates(rows))
    tests = iter(zip(rows, bounds, exchange_tests(*stacked(rows)), strict=True))
    return {
        reading: Comparison(one.tasks, one.sessions, [Tested(*next(tests)) for _ in one.rows])
        for reading, one in found.items()
    }


def _reading(runs: tuple[Columns, Columns], facts: tuple[Mapping[str, TaskFacts], ...], reading: str) -> _Reading:
    one, other = (_task_rows(columns, own, reading) for columns, own in zip(runs, facts, strict=True))
    starts = runs[0].cluster_starts
    tables = [_paired(row, other[key], starts) for key, row in one.items() if key in other]
    whole = [
        Crosstab.of(one[key].hits, other[key].hits, one[key].trials)
        for key in (("overall", "task_accuracy"), ("overall", "session_accuracy"))
    ]
    return _Reading(tables, *whole)


def _task_rows(columns: Columns, facts: Mapping[str, TaskFacts], reading: str) -> dict[tuple[str, str], Row]:
    sheet = _TaskSheet(columns, Outcomes(columns, reading), reading, facts)
    for table in TABLES:
        table(sheet)
    return {(row.table, row.name): row for row in sheet.rows}


def _paired(one: Row, other: Row, starts: Any) -> PairedRow:
    """Two rows with a number per task as one with a number per session."""
    hits, trials = np.stack([one.hits, other.hits]), np.stack([one.trials, other.trials])
    fixed = broken = None
    if one.table not in SHARES and np.array_equal(*trials) and max(hits.max(), trials.max()) <= 1:
        crosstab = Crosstab.of(one.hits, other.hits, one.trials)
        fixed, broken = crosstab.fixed, crosstab.broken
    hits, trials = (np.add.reduceat(values, starts, axis=1) for values in (hits, trials))
    return PairedRow(one.table, one.name, hits, trials, fixed, broken)
