"""Tests for pairs, Holm's correction, effect sizes and intervals of differences: worked values and simulations."""

from __future__ import annotations

import itertools
import math
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


def test_mcnemar_of_a_large_table() -> None:
    """Agresti, Categorical Data Analysis, 3rd ed. 2013, table 11.1 (150 and 86): R's binom.test(86, 236) gives
    3.716e-05. A larger one against the normal distribution with continuity correction."""
    assert mcnemar(86, 150) == pytest.approx(3.716e-5, rel=1e-3)
    assert mcnemar(5000, 5300) == pytest.approx(math.erfc(299 / math.sqrt(10300) / math.sqrt(2)), rel=0.01)


def test_sign_flips_agree_with_fisher() -> None:
    """The Design of Experiments (1935), section 21: 863 of the 2**15 choices have a sum of 314 or more."""
    assert sign_flip(MAIZE) == 2 * 863 / 2**15
    assert sign_flip([-step for step in MAIZE]) == sign_flip(MAIZE)


def test_sign_flips_of_single_steps_are_mcnemars_test() -> None:
    assert sign_flip([1] * 7 + [-1] + [0] * 12) == pytest.approx(mcnemar(7, 1))
    assert sign_flip([]) == sign_flip([0, 0]) == 1.0


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


@pytest.mark.parametrize("sessions", [10, 30])
def test_one_failed_task_of_a_good_run_is_not_significant(sessions: int) -> None:
    """A failed once in every session, B twice in all, once for a reason that A never had."""
    hits = np.zeros((1, 2, sessions))
    hits[0, 1, 0] = 1
    trials = np.ones((1, 2, sessions))
    trials[0, 1, 2:] = 0
    (found,) = exchange_tests(hits, trials)
    assert found is not None
    assert found.p > 0.15


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


def test_drawn_exchanges_come_near_the_exact_p() -> None:
    """A fraction on one session makes the test draw; it hardly moves the difference."""
    draw = np.random.default_rng(3)
    hits = draw.integers(0, 3, (1, 2, 60)).astype(float)
    trials = np.full(hits.shape, 4.0)
    (exact,) = exchange_tests(hits, trials)
    (drawn,) = exchange_tests(hits + np.eye(1, 120).reshape(1, 2, 60) * 1e-4, trials)
    assert exact is not None
    assert drawn is not None
    assert (exact.exact, drawn.exact) == (True, False)
    assert drawn.p == pytest.approx(exact.p, abs=0.05)


def test_a_drawn_p_is_never_0() -> None:
    """One run has 2.5 of 4 in every session, the other nothing: of 2**60 exchanges two are as extreme."""
    hits = np.stack([np.zeros((1, 60)), np.full((1, 60), 2.5)], axis=1)
    assert exchange_tests(hits, np.full(hits.shape, 4.0)) == [PValue(1 / 10_000, exact=False)]


def test_a_run_without_trials_has_no_test() -> None:
    assert exchange_tests(rows([1, 1], [0, 0]), rows([2, 2], [0, 0])) == [None]


def test_p_is_uniform_where_nothing_but_chance_differs() -> None:
    """Of 600 pairs of equally good runs with dependent tasks, about 5 in 100 have p below 0.05, and never many more."""
    draw = np.random.default_rng(8)
    ease = draw.beta(1, 1, (600, 1, 50))
    hits = draw.binomial(4, np.broadcast_to(ease, (600, 2, 50))).astype(float)
    found = [test.p for test in exchange_tests(hits, np.full(hits.shape, 4.0)) if test]
    assert len(found) == 600
    assert 0.025 <= np.mean(np.array(found) <= 0.05) <= 0.07


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


@pytest.mark.parametrize("pairs", [5, 7, 8, 13, 100])
def test_odds_ratio_at_its_ends(pairs: int) -> None:
    only_fixed, only_broken = odds_ratio(pairs, 0), odds_ratio(0, pairs)
    assert only_fixed is not None
    assert only_broken is not None
    assert (only_fixed.value, only_fixed.high) == (math.inf, math.inf)
    assert (only_broken.value, only_broken.low) == (0.0, 0.0)
    assert odds_ratio(0, 0) is None


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


def test_identical_runs_are_bounded_by_what_could_have_differed() -> None:
    """0 of 20 sessions differ: Clopper and Pearson's bound for 0 of 20 is 0.1684 (Newcombe 1998, table I)."""
    assert interval(row([2.0] * 20, [2.0] * 20)) == pytest.approx((-0.1684, 0.1684), abs=5e-5)


def test_square_and_add_agrees_with_published_values() -> None:
    """Newcombe, Statistics in Medicine 17 (1998), 873-890, table II, method 10: 9/10 minus 3/10 is 0.1705 to 0.8090."""
    runs = [(hits / 10, np.array(wilson(hits, 10))) for hits in (3, 9)]
    assert square_and_add(0.6, *runs) == pytest.approx((0.1705, 0.8090), abs=5e-5)


def test_few_sessions_get_square_and_add() -> None:
    """3 of 9 (Wilson: 0.1206 to 0.6458) and 9 of 9 (exact bound: 0.025 to the power of 1/9) tasks, one per session."""
    low, high = interval(row([1.0] * 3 + [0.0] * 6, [1.0] * 9, trials=1.0))
    assert low == pytest.approx(2 / 3 - math.hypot(1 - 0.025 ** (1 / 9), 0.6458 - 1 / 3), abs=1e-3)
    assert high == pytest.approx(2 / 3 + (1 / 3 - 0.1206), abs=1e-3)


def test_every_session_the_same_step_has_no_zero_width() -> None:
    low, high = interval(row([1.0] * 30, [2.0] * 30))
    assert low < 0.25 < high


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
