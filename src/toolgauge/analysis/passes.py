"""Several passes over the same tasks: is one of k passes right (pass@k), are all of k (pass^k)?

With c right ones of n passes, 1 - C(n - c, k) / C(n, k) is the unbiased estimate of pass@k (Chen et al., Evaluating
Large Language Models Trained on Code, 2021, equation 1), and C(c, k) / C(n, k) that of pass^k (Yao et al., tau-bench,
2024). Both are counted in subsets of k passes: those with a right one, or with right ones only, of all C(n, k).
"""

from __future__ import annotations

from math import comb
from typing import NamedTuple

import numpy as np

from toolgauge.analysis.row_builder import RowBuilder
from toolgauge.analysis.task_frame import Integers, Mask

MOST = 1 << 36
"""Larger numbers of subsets are given as so many parts of this one, so that their sums stay whole numbers."""


class Subsets(NamedTuple):
    """Of the subsets of k of n passes: how many there are, and by number of right passes (0 to n) how many have a
    right one (`some`) and how many are all right (`every`)."""

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
    return Subsets(MOST, [one * MOST // number for one in some], [one * MOST // number for one in every])


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
