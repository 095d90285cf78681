"""The one test of differences: worked values, p and interval as one statement, and simulations of its error rates."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolgauge.analysis.binomial import student_p, student_quantile
from toolgauge.analysis.decide import (
    Better,
    PairedRow,
    better_run,
    holm,
    paired_test,
    paired_tests,
)
from toolgauge.analysis.intervals import Floats

MAIZE = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
"""Darwin's pairs of maize plants, crossed minus self-fertilised, in eighths of an inch."""


def row(one: list[float], other: list[float], trials: float | list[float] = 4.0) -> PairedRow:
    hits = np.array([one, other], dtype=float)
    return PairedRow("t", "r", hits, np.broadcast_to(np.array(trials, dtype=float), hits.shape))


@pytest.mark.parametrize(("freedom", "quantile"), [(9, 2.262157), (14, 2.144787), (30, 2.042272), (1000, 1.962339)])
def test_student_agrees_with_the_printed_tables(freedom: int, quantile: float) -> None:
    assert student_quantile(freedom) == pytest.approx(quantile, abs=1e-6)
    assert student_p(quantile, freedom) == pytest.approx(0.05, abs=1e-7)
    assert student_p(0.0, freedom) == 1.0


def test_one_task_per_session_is_the_paired_t_test_of_the_textbook() -> None:
    """Fisher, The Design of Experiments (1935), section 17: t = 2.148 of Darwin's 15 pairs, p is 4.97 in 100."""
    scale = 1000.0
    found = paired_test(row([0.0] * 15, [step / scale for step in MAIZE], 1.0))
    assert found.p == pytest.approx(0.0497, abs=1e-4)
    assert found.interval is not None
    mean, error = np.mean(MAIZE), np.std(MAIZE, ddof=1) / np.sqrt(15)
    reach = 2.144787 * error
    assert np.array(found.interval) * scale == pytest.approx([mean - reach, mean + reach], abs=1e-4)
    assert (found.exact, found.sessions) == (False, 15)


@pytest.mark.parametrize("steps", [MAIZE[:9], [1, 1, 1, 0, 0, 2], [1, 1, 1, 1, 1, 1, -1], [3, -1, 0, 0]])
def test_few_sessions_are_decided_by_all_choices_of_signs(steps: list[int]) -> None:
    found = paired_test(row([0.0] * len(steps), [float(step) for step in steps], 100.0))
    assert found.exact
    assert found.p == pytest.approx(flipped(np.array(steps, dtype=float)))


def flipped(left: Floats) -> float:
    """The share of all choices of signs whose sum is as far from 0."""
    signs = np.array(list(itertools.product((1, -1), repeat=len(left))))
    return float((np.abs(signs @ left) >= abs(left.sum()) - 1e-9).mean())


def test_the_interval_of_few_sessions_holds_what_the_sign_flips_do_not_reject() -> None:
    one, other = np.array([3.0, 0, 2, 4, 1, 0, 2, 1]), np.array([4.0, 2, 2, 3, 3, 2, 4, 2])
    found = paired_test(PairedRow("t", "r", np.stack([one, other]), np.full((2, 8), 4.0)))
    assert found.interval is not None
    for true in np.linspace(-1, 1, 401) + 1e-6:
        inside = found.interval[0] <= true <= found.interval[1]
        assert inside == (flipped(other - one - true * 4) >= 0.05), true


def test_fewer_than_six_sessions_decide_nothing() -> None:
    found = paired_test(row([0, 0, 1, 1, 0], [4, 4, 4, 4, 4]))
    assert found.p is not None
    assert found.p >= 0.05
    assert better_run(found.interval) is Better.UNCLEAR


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_p_below_5_in_100_and_an_interval_without_0_are_one_statement(data: st.DataObject) -> None:
    sessions = data.draw(st.integers(1, 24))
    counts = st.lists(st.integers(0, 4), min_size=sessions, max_size=sessions)
    trials = np.array([data.draw(counts), data.draw(counts)], dtype=float)
    if data.draw(st.booleans()):
        trials[1] = trials[0]
    hits = np.minimum(np.array([data.draw(counts), data.draw(counts)]), trials)
    found = paired_test(PairedRow("t", "r", hits, trials))
    turned = paired_test(PairedRow("t", "r", hits[::-1], trials[::-1]))
    if found.p is None or found.interval is None:
        assert not trials.sum(axis=1).all()
        return
    low, high = found.interval
    assert found.difference is not None
    assert low - 1e-9 <= found.difference <= high + 1e-9
    assert low < high
    assert (found.p < 0.05) == (low > 0 or high < 0)
    assert turned.p == pytest.approx(found.p)
    assert turned.interval == pytest.approx((-high, -low))


def test_runs_that_agree_everywhere_have_an_interval_too() -> None:
    """The exact bound: 1 - 0.025^(1/16) of sessions may go otherwise. With everything fixed p is that of the signs."""
    found = paired_test(row([2.0] * 16, [2.0] * 16))
    assert found.interval == pytest.approx((-0.2059, 0.2059), abs=1e-4)
    assert found.p == 1.0
    assert paired_test(row([0.0] * 12, [4.0] * 12)).p == pytest.approx(2 / 2**12)


def test_a_rate_that_one_run_does_not_have_has_no_difference() -> None:
    (found,) = paired_tests([PairedRow("t", "r", np.zeros((2, 3)), np.array([[0.0, 0, 0], [1, 1, 1]]))])
    assert (found.rates, found.difference, found.interval, found.p) == ((None, 0.0), None, None, None)
    assert paired_tests([]) == []


def simulated(runs: int, sessions: int, before: float, after: float, seed: int) -> Floats:
    """Hits of pairs of runs, shape (runs, 2, sessions), of sessions of four: a session's ease is shared by both."""
    draw = np.random.default_rng(seed)
    ease = draw.beta(2 * before, 2 * (1 - before), (runs, sessions))
    lift = (after - before) / (1 - before)
    hits = [draw.binomial(4, ease), draw.binomial(4, ease + lift * (1 - ease))]
    return np.stack(hits, axis=1).astype(float)


@pytest.mark.parametrize(("before", "after"), [(0.5, 0.5), (0.5, 0.6), (0.3, 0.5)])
@pytest.mark.parametrize("sessions", [10, 16, 64, 256])
def test_the_interval_holds_the_true_difference_in_95_of_100(sessions: int, before: float, after: float) -> None:
    hits = simulated(1500, sessions, before, after, seed=sessions)
    found = paired_tests([PairedRow("t", "r", one, np.full(one.shape, 4.0)) for one in hits])
    bounds = [one.interval for one in found if one.interval]
    held = np.mean([low <= after - before <= high for low, high in bounds])
    assert len(bounds) == 1500
    assert 0.93 <= held <= 0.97


def test_holm_agrees_with_worked_values() -> None:
    """Wright, Adjusted p-values for simultaneous inference, Biometrics 48 (1992) explains the steps; four p by hand:
    4 * 0.005, 3 * 0.01, 2 * 0.03, and 0.04 not below the one before it."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, None, 0.9]) == [1.0, None, 1.0]
    assert holm([]) == []
