"""How far people agree who judge the same things: Cohen's kappa of two, Fleiss' kappa of any number, with intervals.

Both say how much of the agreement that chance leaves open is there: 1 is all of it, 0 is what chance gives. Cohen's
(Educational and Psychological Measurement 20, 1960) compares two people, each with their own habits; Fleiss'
(Psychological Bulletin 76, 1971) takes the judges of an item as any of many. Intervals come from leaving out one item
at a time (the jackknife; Miller, Biometrika 61, 1974) with Student's quantile: one way for both.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence

from msgspec import Struct

from toolgauge.analysis.intervals import student

FEWEST = 6
"""Items for an interval."""


class Agreement(Struct, frozen=True):
    """items: judged by several; observed: share of pairs of judgements that agree, from 0 to 1, None without items.
    kappa: None where everybody always said the same, so that chance leaves nothing open; low, high: its 95% interval,
    None with fewer than `FEWEST` items."""

    items: int
    observed: float | None = None
    kappa: float | None = None
    low: float | None = None
    high: float | None = None


class _Item(Struct, frozen=True):
    """agreeing: the share of its pairs of judgements that agree. first, second: what chance would compare."""

    agreeing: float
    first: Counter[Hashable]
    second: Counter[Hashable]


def cohen(pairs: Iterable[tuple[Hashable, Hashable]]) -> Agreement:
    """Agreement of two people. pairs: of every item, what the one said and what the other said."""
    return _measured([_Item(float(one == other), Counter([one]), Counter([other])) for one, other in pairs])


def fleiss(judgements: Iterable[Sequence[Hashable]]) -> Agreement:
    """Agreement of any number of people. judgements: of every item, what those said who judged it; an item that one
    alone judged is left out."""
    counted = [Counter(said) for said in judgements if len(said) > 1]
    return _measured([_Item(_agreeing(said), said, said) for said in counted])


def _agreeing(said: Counter[Hashable]) -> float:
    count = said.total()
    return sum(times * (times - 1) for times in said.values()) / (count * (count - 1))


def _measured(items: list[_Item]) -> Agreement:
    if not items:
        return Agreement(0)
    agreeing = sum(one.agreeing for one in items)
    first, second = _sum(one.first for one in items), _sum(one.second for one in items)
    value = _kappa(agreeing / len(items), first, second)
    low, high = (None, None) if value is None else _jackknife(items, value, agreeing, first, second)
    return Agreement(len(items), agreeing / len(items), value, low, high)


def _sum(counts: Iterable[Counter[Hashable]]) -> Counter[Hashable]:
    total: Counter[Hashable] = Counter()
    for one in counts:
        total.update(one)
    return total


def _kappa(observed: float, first: Counter[Hashable], second: Counter[Hashable]) -> float | None:
    by_chance = sum(count * second[word] for word, count in first.items()) / (first.total() * second.total())
    return None if by_chance > 1 - 1e-12 else (observed - by_chance) / (1 - by_chance)


def _jackknife(
    items: list[_Item], value: float, agreeing: float, first: Counter[Hashable], second: Counter[Hashable]
) -> tuple[float | None, float | None]:
    """The interval; none with too few items, or where all that differs is a single one."""
    count = len(items)
    if count < FEWEST:
        return None, None
    left: list[float] = []
    for one in items:
        without = _kappa((agreeing - one.agreeing) / (count - 1), first - one.first, second - one.second)
        if without is None:
            return None, None
        left.append(without)
    mean = sum(left) / count
    error = math.sqrt((count - 1) / count * sum((one - mean) ** 2 for one in left))
    reach = student(count - 1) * error
    return max(-1.0, value - reach), min(1.0, value + reach)
