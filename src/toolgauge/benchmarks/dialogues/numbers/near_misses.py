"""How far whole sessions are from success: sessions by right tasks, and those that one task kept from it."""

from __future__ import annotations

import numpy as np

from toolgauge.benchmarks.dialogues.numbers.row_builder import RowBuilder
from toolgauge.data.session import KINDS
from toolgauge.judge.mistakes import Mistake


def sessions_by_correct(sheet: RowBuilder) -> None:
    """Share of complete sessions with 0, 1, ... right tasks."""
    right = sheet.passes.right
    for number in range(max(int(sheet.columns.unit_sizes.max()), sheet.columns.positions[-1]) + 1):
        sheet.sessions("sessions_by_correct", str(number), right == number)


def near_misses(sheet: RowBuilder) -> None:
    """Sessions of several tasks with all but one right; of these, which kind of task stood in the way, and its mistake.

    The first row is a share of complete sessions, the others are shares of the near misses.
    """
    columns = sheet.columns
    sheet.sessions("near_misses", "one_task_short", sheet.passes.short)
    blocking = np.repeat(sheet.passes.short, columns.unit_lengths) & (sheet.outcomes.failed > 0)
    each = blocking.astype(float)
    for kind in KINDS:
        sheet.part("near_misses", kind, blocking, each * (columns.kind == kind), each, "sessions")
    names = [mistake.value for mistake in Mistake]
    sheet.shares("near_miss_mistakes", names, sheet.outcomes.mistakes, each, blocking, "sessions")
