"""Tests for pairs, Holm's correction, effect sizes and intervals of differences: worked values and simulations."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from toolgauge.analysis.binomial import wilson
from toolgauge.analysis.compare.differences import (
    PairedRow,
    paired_intervals,
    paired_replicates,
    paired_row,
    square_and_add,
    stacked,
)
from toolgauge.analysis.compare.effects import cohens_h, odds_ratio
from toolgauge.analysis.compare.significance import PValue, exchange_tests, holm, mcnemar, sign_flip
from toolgauge.analysis.intervals import Floats

MAIZE = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
"""Darwin's pairs of maize plants, crossed minus self-fertilised, in eighths of an inch."""


def test_mcnemar_agrees_with_worked_values() -> None:
    """Bentur et al. 2009 as worked by Fagerland, Lydersen and Laake (BMC Medical Research Methodology 13, 2013): 1 and
    7 discordant pairs, exact conditional p 0.0703. The others by hand from Pascal's triangle."""
    assert mcnemar(1, 7) == pytest.approx(0.0703, abs=5e-5)
    assert mcnemar(0, 5) == 2 / 32
    assert mcnemar(2, 8) == pytest.approx(2 * (1 + 10 + 45) / 1024)
    assert mcnemar(3, 3) == mcnemar(0, 0) == 1.0
    assert mcnemar(7, 1) == mcnemar(1, 7)


def test_sign_flips_agree_with_fisher() -> None:
    """The Design of Experiments (1935), section 21: 863 of the 2**15 choices have a sum of 314 or more."""
    assert sign_flip(MAIZE) == 2 * 863 / 2**15
    assert sign_flip([-step for step in MAIZE]) == sign_flip(MAIZE)


def rows(*runs: list[float]) -> Floats:
    return np.array([runs], dtype=float)


@pytest.mark.parametrize(
    ("hits", "trials"),
    [
        (rows([3, 0, 1, 2], [1, 1, 0, 0]), rows([4, 1, 2, 2], [2, 3, 1, 1])),
        (rows([0, 1, 0, 1], [0, 1, 0, 0]), rows([1, 1, 4, 4], [1, 1, 0, 0])),  # two sessions went the same way in both
    ],
)
def test_exchanges_of_runs_with_their_own_denominators_are_all_gone_through(hits: Floats, trials: Floats) -> None:
    (a, b), (all_a, all_b) = hits[0].astype(int).tolist(), trials[0].astype(int).tolist()
    rate = Fraction(sum(a + b), sum(all_a + all_b))  # of both runs together
    part = [(b[i] - all_b[i] * rate) / sum(all_b) - (a[i] - all_a[i] * rate) / sum(all_a) for i in range(4)]
    assert sum(part) == Fraction(sum(b), sum(all_b)) - Fraction(sum(a), sum(all_a))
    extreme = 0
    for signs in itertools.product((1, -1), repeat=4):
        drawn = sum((sign * one for sign, one in zip(signs, part, strict=True)), Fraction(0))
        extreme += abs(drawn) >= abs(sum(part, Fraction(0)))
    assert exchange_tests(hits, trials) == [PValue(extreme / 16, exact=True)]


def test_shares_of_failed_tasks_differ_by_chance_in_5_of_100() -> None:
    """B fails half as often as A; what fails has the same mixture of mistakes, sessions of their own mixture."""
    draw = np.random.default_rng(11)
    found = []
    for _ in range(300):
        failed = draw.binomial(4, [[0.4], [0.2]], (2, 48)).astype(float)
        hits = draw.binomial(failed.astype(int), draw.beta(0.6, 1.4, 48)).astype(float)
        found += exchange_tests(hits[None], failed[None])
    low = sum(one is not None and one.p <= 0.05 for one in found) / len(found)
    assert 0.02 <= low <= 0.09


def test_holm_agrees_with_worked_values() -> None:
    """Wright, Adjusted p-values for simultaneous inference, Biometrics 48 (1992) explains the steps; four p by hand:
    4 * 0.005, 3 * 0.01, 2 * 0.03, and 0.04 not below the one before it."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, None, 0.9]) == [1.0, None, 1.0]
    assert holm([]) == []


def test_odds_ratio_of_discordant_pairs() -> None:
    """1 against 7: Wilson's interval of 1 of 8 is 0.0224 to 0.4709 (Newcombe's formula, method 3), as odds."""
    found = odds_ratio(1, 7)
    assert found is not None
    assert found == pytest.approx((1 / 7, 0.0224 / 0.9776, 0.4709 / 0.5291), abs=2e-3)
    mirrored = odds_ratio(7, 1)
    assert mirrored is not None
    assert (mirrored.value, mirrored.low, mirrored.high) == pytest.approx((7, 1 / found.high, 1 / found.low))


@pytest.mark.parametrize(
    ("before", "after", "h"),
    [
        (0.5, 0.75, 2.094 - 1.571),  # phi of .50, .75, .25, .05, .90: Cohen 1988, table 6.2.2
        (0.25, 0.05, 0.451 - 1.047),
        (0.5, 0.9, 2.498 - 1.571),
        (0.3, 0.3, 0.0),
    ],
)
def test_cohens_h_agrees_with_his_table(before: float, after: float, h: float) -> None:
    assert cohens_h(before, after) == pytest.approx(h, abs=1.1e-3)


def row(one: list[float], other: list[float], trials: float = 4.0) -> PairedRow:
    hits = np.array([one, other], dtype=float)
    return paired_row("t", "r", hits, np.full(hits.shape, trials))


def interval(one: PairedRow) -> tuple[float, float]:
    (found,) = paired_intervals([one], paired_replicates(*stacked([one])))
    assert found is not None
    return found


def test_pairs_are_resampled_together() -> None:
    """Sessions differ much, the runs little: paired, the interval is far narrower than that of unrelated runs."""
    one = [0.0, 4.0] * 60
    other = [1.0, 4.0, 0.0, 3.0] * 30
    low, high = interval(row(one, other))
    # by hand: steps +1, 0, 0, -1 in turn, variance 0.5 per session of 4 tasks: 1.98 * sqrt(0.5 / 120) / 4
    assert (low, high) == pytest.approx((-0.032, 0.032), abs=0.004)


def test_square_and_add_agrees_with_published_values() -> None:
    """Newcombe, Statistics in Medicine 17 (1998), 873-890, table II, method 10: 9/10 minus 3/10 is 0.1705 to 0.8090."""
    runs = [(hits / 10, np.array(wilson(hits, 10))) for hits in (3, 9)]
    assert square_and_add(0.6, *runs) == pytest.approx((0.1705, 0.8090), abs=5e-5)


def simulated(runs: int, sessions: int, before: float, after: float, seed: int) -> Floats:
    """Hits of pairs of runs, shape (runs, 2, sessions), of sessions of four: a session's ease is shared by both."""
    draw = np.random.default_rng(seed)
    ease = draw.beta(2 * before, 2 * (1 - before), (runs, sessions))
    lift = (after - before) / (1 - before)
    hits = [draw.binomial(4, ease), draw.binomial(4, ease + lift * (1 - ease))]
    return np.stack(hits, axis=1).astype(float)


@pytest.mark.parametrize(("before", "after"), [(0.5, 0.5), (0.5, 0.6), (0.3, 0.5)])
@pytest.mark.parametrize("sessions", [16, 64, 256])
def test_the_interval_holds_the_true_difference_in_95_of_100(sessions: int, before: float, after: float) -> None:
    hits = simulated(1500, sessions, before, after, seed=sessions)
    pairs = [paired_row("t", "r", one, np.full(one.shape, 4.0)) for one in hits]
    found = [bounds for bounds in paired_intervals(pairs, paired_replicates(*stacked(pairs))) if bounds]
    held = np.mean([low <= after - before <= high for low, high in found])
    assert len(found) == 1500
    assert 0.93 <= held <= 0.97
