"""Which annotated call does each made call stand for? One matching, for every place that has to know.

The calls of one side (rows: most often the calls that a model made) take partners on the other (columns: the annotated
calls), and only candidates may pair. Right pairs come first, as many as fit together; then each row that has none, in
order, takes the free column to which it is nearest, the first of equally near ones.

Scorings tell a fault with it, pages show both sides with it, rewards and the results that are handed out go by it, and
so do the items of a set. One rule is not of this kind: the released evaluator pairs calls by the order of their texts,
whatever they come near to (`pair_by_text` in benchmarks/dialogues/judge/released.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from toolgauge.judge.graph import bits

Tiers = Sequence[int]
"""The columns that a row may take, as masks: a later one counts where no column of those before it is free."""


def align(
    rows: Sequence[Tiers],
    nearness: Callable[[int, int], float],
    is_right: Callable[[int, int], bool] | None = None,
    *,
    shared: bool = False,
    taken: int = 0,
) -> list[int | None]:
    """The column of each row, or None; a column has one row, unless `shared`.

    nearness(row, column): higher is nearer. is_right(row, column): None where nearness alone decides. shared: a row
    that finds no free column takes the nearest of its last tier all the same. taken: mask of columns that are not
    free from the start.
    """
    chosen: list[int | None] = [None] * len(rows)
    if is_right is not None:
        fitting = [
            [column for tier in tiers for column in bits(tier & ~taken) if is_right(row, column)]
            for row, tiers in enumerate(rows)
        ]
        for column, row in maximum_matching(fitting).items():
            chosen[row] = column
            taken |= 1 << column
    for row, tiers in enumerate(rows):
        if chosen[row] is None:
            free = next((free for tier in tiers if (free := tier & ~taken)), tiers[-1] if shared else 0)
            chosen[row] = nearest = max(bits(free), key=lambda column: nearness(row, column), default=None)
            if nearest is not None:
                taken |= 1 << nearest
    return chosen


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
