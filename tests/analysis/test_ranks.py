"""Rank ranges are all the places that a number has in any order that the intervals allow."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sizes import sized
from toolgauge.analysis.ranks import Ranking, RankRange, Standing


@st.composite
def standings(draw: st.DrawFn, most: int = 5) -> list[Standing]:
    """Whole numbers, so that ends meet often."""
    found = []
    for _unused in range(draw(st.integers(1, most))):
        low, value, high = sorted(draw(st.integers(0, 8)) for _end in range(3))
        known = draw(st.booleans())
        found.append(Standing(float(value), (float(low), float(high)) if known else None))
    return found


def _possible(ranking: Ranking) -> list[RankRange]:
    """By trying: in which places does each stand, over all orders in which nobody stands above somebody better?"""
    count = len(ranking.standings)
    allowed = [
        order
        for order in permutations(range(count))
        if not any(ranking.is_above(order[below], order[at]) for at in range(count) for below in range(at, count))
    ]
    places = [[order.index(one) + 1 for order in allowed] for one in range(count)]
    return [RankRange(min(found), max(found)) for found in places]


@given(standings(sized(5, 7)))
def test_ranges_are_the_places_of_all_orders_that_intervals_allow(found: list[Standing]) -> None:
    ranking = Ranking(found)
    assert ranking.ranges() == _possible(ranking)


@given(standings(8))
def test_groups_hold_what_cannot_be_told_apart_from_their_best(found: list[Standing]) -> None:
    ranking = Ranking(found)
    groups = ranking.groups()
    assert sorted(set(groups)) == list(range(1, max(groups) + 1))
    for number in set(groups):
        members = [place for place, group in enumerate(groups) if group == number]
        first = max(members, key=lambda place: found[place].value)
        assert not any(ranking.is_above(first, member) for member in members)
        after = [place for place, group in enumerate(groups) if group == number + 1]
        assert not after or any(ranking.is_above(first, place) for place in after)


@pytest.mark.parametrize(("interval", "ranges"), [((-0.2, -0.1), ["1", "2"]), ((-0.2, 0.01), ["1–2", "1–2"])])
def test_a_paired_comparison_decides_before_the_intervals(interval: tuple[float, float], ranges: list[str]) -> None:
    """It finds differences that overlapping intervals do not show, whichever of the two stands first."""
    one, other = Standing(0.6, (0.3, 0.9)), Standing(0.45, (0.2, 0.7))
    assert [str(found) for found in Ranking([one, other], {(0, 1): interval}).ranges()] == ranges
    turned = (-interval[1], -interval[0])
    assert [str(found) for found in Ranking([other, one], {(0, 1): turned}).ranges()] == ranges[::-1]
