"""Kappa: the worked examples of the papers, and how often its intervals hold what is true."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest

from tests.sizes import LONG, sized
from toolgauge.analysis.agreement import cohen, fleiss

Item = TypeVar("Item")
Json = dict[str, Any]

BY_OTHERS = json.loads((Path(__file__).parents[1] / "fixtures" / "agreement.json").read_text(encoding="utf-8"))
"""What other programs say of tables; the file names them."""

COHEN = [[88, 14, 18], [10, 40, 10], [2, 6, 12]]
"""200 people, three diagnoses by two judges (Cohen, Psychological Bulletin 70, 1968): 70% agree, 41% by chance."""
FLEISS = """
00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 11040 03300 10050 02031
00501 30012 51000 02040 10203 00006 01050 02013 20040 10041 05010 40002 02040 10500 00006
"""
"""30 patients, five diagnoses, six of many psychiatrists each (Fleiss, Psychological Bulletin 76, 1971, table 1)."""


def pairs_of(table: list[list[int]]) -> list[tuple[int, int]]:
    return [(one, other) for one, row in enumerate(table) for other, count in enumerate(row) for _ in range(count)]


def judgements(counts: str) -> list[int]:
    return [category for category, count in enumerate(counts) for _ in range(int(count))]


def alone(items: Sequence[Item]) -> Sequence[Sequence[Item]]:
    """Every item a cluster of its own."""
    return [[one] for one in items]


def test_cohens_example() -> None:
    found = cohen(alone(pairs_of(COHEN)))
    assert (found.items, found.observed) == (200, 0.7)
    assert found.kappa == pytest.approx((0.70 - 0.41) / (1 - 0.41))
    assert found.kappa == pytest.approx(0.492, abs=5e-4)


def test_fleiss_example() -> None:
    found = fleiss(alone([judgements(patient) for patient in FLEISS.split()]))
    assert found.items == 30
    assert found.observed == pytest.approx(0.555, abs=1e-3)
    assert found.kappa == pytest.approx(0.430, abs=5e-4)


@pytest.mark.parametrize("case", BY_OTHERS["cohen"])
def test_cohens_kappa_is_that_of_other_programs(case: Json) -> None:
    """Also where all agree, where everything is one category (no kappa), and where they never agree."""
    found = cohen(alone(pairs_of(case["table"])))
    assert found.kappa == (case["kappa"] if case["kappa"] is None else pytest.approx(case["kappa"]))
    if case["standard_error"] is not None:
        assert found.low is not None
        assert found.high is not None
        assert (found.high - found.low) / 2 == pytest.approx(1.97 * case["standard_error"], rel=0.03)


@pytest.mark.parametrize("case", BY_OTHERS["fleiss"])
def test_fleiss_kappa_is_that_of_other_programs(case: Json) -> None:
    said = [[word for word, count in enumerate(counts) for _ in range(count)] for counts in case["counts"]]
    kappa = fleiss(alone(said)).kappa
    assert kappa == (case["kappa"] if case["kappa"] is None else pytest.approx(case["kappa"]))
    assert kappa == fleiss(alone([*said, ["alone"], []])).kappa, "what one alone judged, or nobody, says nothing"


def simulated(rng: random.Random, clusters: int, alike: float) -> Iterator[list[tuple[bool, bool]]]:
    """Sessions of four items; two people who see each truth with some luck, which one session's items share."""
    for _ in range(clusters):
        luck = 0.97 if rng.random() < alike else 0.7
        items = []
        for _ in range(4):
            truth = rng.random() < 0.4
            items.append(tuple(truth if rng.random() < luck else not truth for _ in range(2)))
        yield items  # type: ignore[misc]


@pytest.mark.parametrize("clusters", [12, 30, 100] if LONG else [30])
def test_intervals_hold_what_is_true(clusters: int) -> None:
    """In 90 to 99 of 100 simulated reviews, though the items of a session go together."""
    # of one item: both right or both wrong, over the two kinds of sessions; chance from the shares of "yes"
    lucks = (0.97, 0.7)
    agree = sum(luck**2 + (1 - luck) ** 2 for luck in lucks) / 2
    yes = sum(0.4 * luck + 0.6 * (1 - luck) for luck in lucks) / 2
    chance = yes**2 + (1 - yes) ** 2
    truth = (agree - chance) / (1 - chance)
    rng, runs = random.Random(7), sized(300, 4000)
    held = {cohen: 0, fleiss: 0}
    for _ in range(runs):
        review = list(simulated(rng, clusters, 0.5))
        for measure in held:
            found = measure(review)
            assert found.low is not None
            assert found.high is not None
            held[measure] += found.low <= truth <= found.high
    for count in held.values():
        assert 0.90 <= count / runs <= 0.99
