"""Which expected call does each made call stand for? Written once, for every place that has to know.

What is the same everywhere: the calls of one side (rows: most often the calls that a model made) take partners on the
other (columns: the annotated calls), and only calls of the same name may pair. Rows are served in their order. A row
that nothing else decides takes the free column to which it is nearest; of equally near ones the first.

What differs, and is a parameter here:

| user | candidates, in tiers | right pairs come first | none free | nearness |
|---|---|---|---|---|
| `judge/exact.py`: which fault is told | due now | most of them | shared | right arguments |
| `benchmarks/acebench/judge/exact.py`: the same | of the function | most of them | - | right arguments |
| `judge/comparison.py` | undone: due now, later | most of them | none | right arguments |
| `benchmarks/acebench/task_views.py` | all | most of them | none | arguments of equal JSON |
| `benchmarks/dialogues/environment.py`: results | not given: due now, all | row by row | shared | right arguments |
| `integrations/credit.py` | due now | no | none | the credit earned, 1 at most |
| `judge/accepted.py`: items of a set | all | most of them | - | equal members |
| `benchmarks/dialogues/judge/mmtb_analysis.py`: a published rule | all | no | - | the published score, 1 at most |

One rule is not of this kind and stays where it is: the released evaluator pairs calls by the order of their texts,
whatever they come near to (`pair_by_text` in benchmarks/dialogues/judge/released.py).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from enum import Enum

from toolgauge.judge.graph import bits

Tiers = Sequence[int]
"""The columns that a row may take, as masks: a later one counts where no column of those before it is free."""


class RightPairs(Enum):
    """How right pairs come before those that are only near."""

    MOST = "most"
    """The largest set of them that fits together, from any tier (a maximum matching)."""
    IN_ORDER = "in order"
    """Row by row: the nearest right column of the first tier that has a free one."""


def align(
    rows: Sequence[Tiers],
    nearness: Callable[[int, int], float],
    is_right: Callable[[int, int], bool] | None = None,
    right_pairs: RightPairs = RightPairs.MOST,
    *,
    shared: bool = False,
    taken: int = 0,
    highest: float = math.inf,
) -> list[int | None]:
    """The column of each row, or None; a column has one row, unless `shared`.

    nearness(row, column): higher is nearer. is_right(row, column): None where nearness alone decides. shared: a row
    that finds no free column takes the nearest of its last tier all the same. taken: mask of columns that are not
    free from the start. highest: a nearness that none exceeds; where it is met, further columns are not looked at.
    """
    chosen: list[int | None] = [None] * len(rows)
    if is_right is not None and right_pairs is RightPairs.MOST:
        fitting = [[node for node in _all_free(tiers, taken) if is_right(row, node)] for row, tiers in enumerate(rows)]
        for column, row in maximum_matching(fitting).items():
            chosen[row] = column
            taken |= 1 << column
    elif is_right is not None:
        for row, tiers in enumerate(rows):
            right = sum(1 << column for column in bits(_free(tiers, taken, shared)) if is_right(row, column))
            if right:
                chosen[row] = column = _nearest(row, right, nearness, highest)
                taken |= 1 << column
    for row, tiers in enumerate(rows):
        if chosen[row] is None and (free := _free(tiers, taken, shared)):
            chosen[row] = column = _nearest(row, free, nearness, highest)
            taken |= 1 << column
    return chosen


def _nearest(row: int, columns: int, nearness: Callable[[int, int], float], highest: float) -> int:
    """The first of the nearest of some columns; a single one is not asked how near it is."""
    best, most = columns.bit_length() - 1, -math.inf
    if columns == 1 << best:
        return best
    for column in bits(columns):
        near = nearness(row, column)
        if near > most:
            best, most = column, near
            if near >= highest:
                break
    return best


def _all_free(tiers: Tiers, taken: int) -> list[int]:
    """The free columns of all tiers, each once."""
    found: list[int] = []
    for tier in tiers:
        found += bits(tier & ~taken)
        taken |= tier
    return found


def _free(tiers: Tiers, taken: int, shared: bool) -> int:
    """The columns of the first tier that has free ones."""
    for tier in tiers:
        if free := tier & ~taken:
            return free
    return tiers[-1] if shared else 0


def maximum_matching(fitting: Sequence[Sequence[int]]) -> dict[int, int]:
    """A largest one-to-one pairing, column -> row, by augmenting paths (Kuhn, 1955).

    fitting: for each row the columns that fit it, in the order in which they are tried. A row that has got a
    column keeps one, if not always the same. The path is a list and not the call stack: it may be thousands long.
    """
    owner: dict[int, int] = {}
    for start in range(len(fitting)):
        tried: set[int] = set()
        path = [(start, iter(fitting[start]))]
        wanted: list[int] = []  # the column that each row of the path is to get
        while path:
            column = next((column for column in path[-1][1] if column not in tried), None)
            if column is None:
                path.pop()
                del wanted[-1:]
                continue
            tried.add(column)
            wanted.append(column)
            if column not in owner:
                owner.update((column, row) for column, (row, _) in zip(wanted, path, strict=True))
                break
            path.append((owner[column], iter(fitting[owner[column]])))
    return owner
