"""Which places a model may have in a ranking, and which models cannot be told apart.

One model is surely better than another where the interval of their paired difference lies above zero, or, where they
were not compared task by task, where its own interval lies wholly above the other's. The second rule is the more
careful one: two 95% intervals may overlap although their difference is significant at 5% (Schenker and Gentleman, The
American Statistician 55, 2001).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

Interval = tuple[float, float]


class Standing(Struct, frozen=True):
    """A number that is ranked, and its interval around it; None where none is known: it is taken as it stands."""

    value: float
    interval: Interval | None = None

    @property
    def low(self) -> float:
        return self.interval[0] if self.interval else self.value

    @property
    def high(self) -> float:
        return self.interval[1] if self.interval else self.value


class RankRange(Struct, frozen=True):
    """The best and the worst place that is possible, from 1."""

    best: int
    worst: int

    def __str__(self) -> str:
        return str(self.best) if self.best == self.worst else f"{self.best}–{self.worst}"


class Ranking(Struct, frozen=True):
    """Standings, and of pairs of them, by their places in the sequence (i, j), the interval of j minus i."""

    standings: Sequence[Standing]
    paired: Mapping[tuple[int, int], Interval] = {}

    def is_above(self, first: int, second: int) -> bool:
        """Is one surely better than the other?"""
        if (first, second) in self.paired:
            return self.paired[first, second][1] < 0
        if (second, first) in self.paired:
            return self.paired[second, first][0] > 0
        return self.standings[first].low > self.standings[second].high

    def ranges(self) -> list[RankRange]:
        """For each standing 1 + how many are surely better, and how many there are less those that are surely worse."""
        places = range(len(self.standings))
        return [
            RankRange(
                1 + sum(self.is_above(other, place) for other in places),
                len(places) - sum(self.is_above(place, other) for other in places),
            )
            for place in places
        ]

    def groups(self) -> list[int]:
        """For each standing the number of its group, from 1. From the best number down, a group holds what cannot be
        told apart from its first member; the next that is surely worse than that one begins another."""
        groups = [0] * len(self.standings)
        first, number = -1, 0
        for place in sorted(range(len(groups)), key=lambda place: -self.standings[place].value):
            if first < 0 or self.is_above(first, place):
                first, number = place, number + 1
            groups[place] = number
        return groups
