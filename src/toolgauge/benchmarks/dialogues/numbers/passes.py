"""The rows of several passes over the same tasks and sessions: pass@k and pass^k (analysis/passes.py)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from toolgauge.analysis.passes import subsets
from toolgauge.benchmarks.dialogues.numbers.row_builder import RowBuilder
from toolgauge.benchmarks.dialogues.numbers.task_frame import Integers, Mask


class Repeated(NamedTuple):
    """Things of which there are several passes. where: the number of a task of each; scored, right, asked: of its
    passes (asked: None where that is not known)."""

    where: Integers
    scored: Integers
    right: Integers
    asked: Integers | None


def passes(sheet: RowBuilder) -> None:
    """Rows `task_pass@k`, `task_pass^k`, `session_pass@k` and `session_pass^k` for every k; nothing with one pass.

    Only tasks and sessions count of which all passes are scored.
    """
    columns, outcomes, whole = sheet.columns, sheet.outcomes, sheet.passes
    tasks = np.array([place.session * columns.longest + place.task for place in columns.places], dtype=np.int64)
    n = int(np.unique(tasks, return_counts=True)[1].max())
    if n < 2:
        return
    every = np.arange(len(columns))
    of_tasks = _repeated(tasks, every, outcomes.scored, outcomes.correct > 0, columns.requested)
    of_sessions = _repeated(columns.unit_sessions, columns.unit_starts, whole.decided, whole.perfect, whole.asked)
    for name, repeated in (("task", of_tasks), ("session", of_sessions)):
        complete = repeated.scored == n
        counts = _counts(repeated.asked, complete, n)
        for k in range(1, n + 1):
            found = subsets(n, k)
            for sign, hits in (("@", found.some), ("^", found.every)):
                hit = complete * np.array(hits, dtype=float)[repeated.right]
                row = (repeated.where, hit, complete * float(found.number), counts)
                sheet.counted("passes", f"{name}_pass{sign}{k}", *row)


def _repeated(keys: Integers, where: Integers, scored: Mask, right: Mask, asked: Mask | None) -> Repeated:
    """Passes with the same key put together."""
    _, first, place = np.unique(keys, return_index=True, return_inverse=True)
    scored_passes, right_passes = (np.bincount(place, one).astype(np.int64) for one in (scored, scored & right))
    asked_passes = None if asked is None else np.bincount(place, asked).astype(np.int64)
    return Repeated(where[first], scored_passes, right_passes, asked_passes)


def _counts(asked: Integers | None, complete: Mask, n: int) -> tuple[int | None, int, int | None]:
    """How many were requested n times, are scored so, and are not although they were requested."""
    if asked is None:
        return None, int(complete.sum()), None
    return int((asked == n).sum()), int(complete.sum()), int(((asked == n) & ~complete).sum())
