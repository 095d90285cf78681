"""Who goes with whom: the largest one-to-one pairing of what was called with what is expected."""

from __future__ import annotations

from collections.abc import Sequence


def pair_up(fitting: Sequence[Sequence[int]]) -> dict[int, int]:
    """A largest pairing, column -> row, by augmenting paths (Kuhn, 1955).

    fitting: for each row the columns that fit it. A row that has got a place keeps one, if not always the same.
    """
    taken: dict[int, int] = {}

    def place(row: int, tried: set[int]) -> bool:
        for column in fitting[row]:
            if column not in tried:
                tried.add(column)
                if column not in taken or place(taken[column], tried):
                    taken[column] = row
                    return True
        return False

    for row in range(len(fitting)):
        place(row, set())
    return taken
