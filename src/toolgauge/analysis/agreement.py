"""How far people agree who judge the same things: Cohen's kappa of two, Fleiss' kappa of any number, with intervals.

Both say how much of the agreement that chance leaves open is there: 1 is all of it, 0 is what chance gives. Cohen's
(Educational and Psychological Measurement 20, 1960) compares two people, each with their own habits; Fleiss'
(Psychological Bulletin 76, 1971) takes the judges of an item as any of many. Items come in clusters, the items of a
session: intervals come from leaving out one cluster at a time (the jackknife; Miller, Biometrika 61, 1974) with
Student's quantile, one way for both.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence

from msgspec import Struct

from toolgauge.analysis.binomial import student

FEWEST = 6
"""Clusters for an interval."""


class Agreement(Struct, frozen=True):
    """items: judged by several; observed: share of pairs of judgements that agree, from 0 to 1, None without items.
    kappa: None where everybody always said the same, so that chance leaves nothing open; low, high: its 95% interval,
    None with fewer than `FEWEST` clusters."""

    items: int
    observed: float | None = None
    kappa: float | None = None
    low: float | None = None
    high: float | None = None


class _Sums(Struct, frozen=True):
    """Over some items. agreeing: the sum of the shares of their pairs of judgements that agree; first, second: what
    chance compares."""

    items: int
    agreeing: float
    first: Counter[Hashable]
    second: Counter[Hashable]

    @property
    def kappa(self) -> float | None:
        if not self.items:
            return None
        both = self.first.total() * self.second.total()
        by_chance = sum(count * self.second[word] for word, count in self.first.items()) / both
        return None if by_chance > 1 - 1e-12 else (self.agreeing / self.items - by_chance) / (1 - by_chance)

    def without(self, other: _Sums) -> _Sums:
        first, second = self.first - other.first, self.second - other.second
        return _Sums(self.items - other.items, self.agreeing - other.agreeing, first, second)


def cohen(clusters: Iterable[Iterable[tuple[Hashable, Hashable]]]) -> Agreement:
    """Agreement of two people. clusters: of items, of every item what the one said and what the other said."""
    sums = []
    for pairs in map(list, clusters):
        agreeing = sum(first_label == second_label for first_label, second_label in pairs)
        first, second = (
            Counter(first_label for first_label, _ in pairs),
            Counter(second_label for _, second_label in pairs),
        )
        sums.append(_Sums(len(pairs), agreeing, first, second))
    return _measured(sums)


def fleiss(clusters: Iterable[Iterable[Sequence[Hashable]]]) -> Agreement:
    """Agreement of any number of people. clusters: of items, of every item what those said who judged it; an item that
    one alone judged is left out."""
    sums = []
    for items in clusters:
        counted = [Counter(said) for said in items if len(said) > 1]
        total = _sum(counted)
        sums.append(_Sums(len(counted), sum(map(_agreeing, counted)), total, total))
    return _measured(sums)


def _agreeing(said: Counter[Hashable]) -> float:
    count = said.total()
    return sum(times * (times - 1) for times in said.values()) / (count * (count - 1))


def _sum(counts: Iterable[Counter[Hashable]]) -> Counter[Hashable]:
    total: Counter[Hashable] = Counter()
    for counter in counts:
        total.update(counter)
    return total


def _measured(clusters: list[_Sums]) -> Agreement:
    clusters = [cluster for cluster in clusters if cluster.items]
    if not clusters:
        return Agreement(0)
    items, agreeing = sum(cluster.items for cluster in clusters), sum(cluster.agreeing for cluster in clusters)
    first, second = _sum(cluster.first for cluster in clusters), _sum(cluster.second for cluster in clusters)
    total = _Sums(items, agreeing, first, second)
    value = total.kappa
    low, high = (None, None) if value is None else _jackknife(clusters, total, value)
    return Agreement(items, agreeing / items, value, low, high)


def _jackknife(clusters: list[_Sums], total: _Sums, value: float) -> tuple[float | None, float | None]:
    """The interval; none with too few clusters, where all that differs is a single one, or where nothing differs."""
    count = len(clusters)
    kappas = [total.without(cluster).kappa for cluster in clusters]
    defined = [kappa for kappa in kappas if kappa is not None]
    if count < FEWEST or len(defined) < count or value == 1:
        return None, None
    mean = sum(defined) / count
    error = math.sqrt((count - 1) / count * sum((kappa - mean) ** 2 for kappa in defined))
    reach = student(count - 1) * error
    return max(-1.0, value - reach), min(1.0, value + reach)
