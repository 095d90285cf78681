"""Intervals: worked values, the rule that chooses one, clustering, determinism; coverage is in test_coverage.py."""

from __future__ import annotations

import math

import numpy as np
import pytest

from toolgauge.analysis.binomial import exact_bound, student, wilson
from toolgauge.analysis.draws import draws
from toolgauge.analysis.intervals import (
    FEWEST_CLUSTERS,
    clustered_interval,
    intervals,
    resampled_rates,
)


@pytest.mark.parametrize(
    ("hits", "trials", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),  # Newcombe, Statistics in Medicine 17 (1998), Table I, method 3
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_agrees_with_published_values(hits: int, trials: int, low: float, high: float) -> None:
    assert wilson(hits, trials) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize(("trials", "high"), [(20, 0.1684), (29, 0.1194)])
def test_exact_bound_agrees_with_published_values(trials: int, high: float) -> None:
    """Newcombe 1998, Table I, method 5 (Clopper-Pearson): 0/20 -> 0.1684; 0/29 from the closed form."""
    assert exact_bound(trials, all_hit=False) == pytest.approx((0, high), abs=5e-5)
    assert exact_bound(trials, all_hit=True) == pytest.approx((1 - high, 1), abs=5e-5)


def test_single_trials_get_wilson_whatever_the_empty_clusters() -> None:
    assert clustered_interval([1] * 15 + [0] * 133, [1] * 148) == pytest.approx(wilson(15, 148))
    assert clustered_interval([1] * 15 + [0] * 143, [1] * 148 + [0] * 10) == pytest.approx(wilson(15, 148))


def test_all_or_none_are_bounded_by_the_number_of_clusters_not_of_trials() -> None:
    assert clustered_interval([4] * 20, [4] * 20) == pytest.approx(exact_bound(20, all_hit=True))
    assert clustered_interval([0] * 20, [4] * 20) == pytest.approx(exact_bound(20, all_hit=False))


def test_no_trials_have_no_interval() -> None:
    assert clustered_interval([0, 0], [0, 0]) is None
    assert clustered_interval([], []) is None


@pytest.mark.parametrize("clusters", [1, 2, FEWEST_CLUSTERS - 1, FEWEST_CLUSTERS, 40])
def test_an_interval_never_has_zero_width(clusters: int) -> None:
    interval = clustered_interval([3] * clusters, [4] * clusters)
    assert interval == pytest.approx(wilson(0.75 * clusters, clusters))


def test_clusters_widen_the_interval() -> None:
    """The same 200 of 400: once every session is all right or all wrong, once every session has two of four right."""
    alike = clustered_interval([4, 0] * 50, [4] * 100)
    mixed = clustered_interval([2, 2, 1, 3] * 25, [4] * 100)
    assert alike is not None
    assert mixed is not None
    assert alike == pytest.approx((0.4, 0.6), abs=0.015)  # a hundred coins: 0.5 +- 1.96 * 0.05
    assert mixed == pytest.approx((0.465, 0.535), abs=0.01)  # variance 0.5 per session: 1.96 * sqrt(0.5 / 100) / 4


def test_the_same_numbers_give_the_same_bytes_alone_or_together() -> None:
    draw = np.random.default_rng(1)
    trials = np.full((30, 50), 4.0)
    hits = draw.binomial(4, 0.6, size=(30, 50)).astype(float)
    together = intervals(hits, trials)
    assert together.tobytes() == intervals(hits, trials).tobytes()
    assert together[7:8].tobytes() == intervals(hits[7:8], trials[7:8]).tobytes()


def test_blocks_do_not_change_the_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    hits, trials = np.array([[3.0, 1, 4, 2, 0, 4] * 4]), np.full((1, 24), 4.0)
    draws.cache_clear()
    whole = resampled_rates(hits, trials)
    draws.cache_clear()
    monkeypatch.setattr("toolgauge.analysis.draws._DRAWS_AT_ONCE", 1000)
    assert resampled_rates(hits, trials).tobytes() == whole.tobytes()
    monkeypatch.setattr("toolgauge.analysis.draws._KEPT_WEIGHTS", 0)
    draws.cache_clear()
    assert resampled_rates(hits, trials).tobytes() == whole.tobytes()
    draws.cache_clear()


def test_what_was_drawn_before_does_not_change_rates(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that are known, new, of no whole numbers, and more than are kept."""
    draw = np.random.default_rng(2)
    trials = np.full((40, 30), 4.0)
    hits = draw.binomial(4, 0.6, size=(40, 30)).astype(float)
    hits[::7] /= 4
    draws.cache_clear()
    alone = [resampled_rates(hits[at : at + 1], trials[at : at + 1]).tobytes() for at in range(40)]
    monkeypatch.setattr("toolgauge.analysis.draws._KEPT_SUMS", 10 * 4240)
    for _again in range(2):
        together = resampled_rates(hits, trials)
        assert [row.tobytes() for row in together] == alone
    draws.cache_clear()


@pytest.mark.parametrize(
    ("freedom", "quantile"),
    [(5, 2.5706), (9, 2.2622), (10, 2.2281), (20, 2.0860), (30, 2.0423), (60, 2.0003), (120, 1.9799)],
)
def test_students_quantile_agrees_with_the_tables(freedom: int, quantile: float) -> None:
    """Abramowitz and Stegun, table 26.10; to four digits."""
    assert student(freedom) == pytest.approx(quantile, abs=3e-4)


def test_a_clustered_interval_worked_by_hand() -> None:
    """Ten sessions of two tasks: four with 2 right, two with 1, four with 0.

    Rate 10/20; squares about it: 8 * 1 = 8; variance 10/9 * 8 / 400 = 1/45; effective trials 0.25 * 45 = 11.25;
    Student's quantile for 9 is 2.2622, its square 5.1175: 0.5 +- 0.5 * sqrt(q / (11.25 + q)).
    """
    reach = 0.5 * math.sqrt(5.1175 / (11.25 + 5.1175))
    found = clustered_interval([2, 2, 2, 2, 1, 1, 0, 0, 0, 0], [2] * 10)
    assert found == pytest.approx((0.5 - reach, 0.5 + reach), abs=1e-4)


def test_the_interval_does_not_depend_on_the_scale_of_the_counts() -> None:
    """Numbers of subsets of passes are large: the same shares of a hundred times the trials are the same interval."""
    hits, trials = [3, 1, 4, 2, 0, 4] * 4, [4] * 24
    large = clustered_interval([100 * hit for hit in hits], [100 * trial for trial in trials])
    assert large == pytest.approx(clustered_interval(hits, trials), abs=1e-12)


def test_a_row_that_few_sessions_have_has_an_interval() -> None:
    hits = np.zeros((1, 2000))
    trials = np.zeros((1, 2000))
    trials[0, :FEWEST_CLUSTERS], hits[0, : FEWEST_CLUSTERS // 2] = 2, 2
    low, high = intervals(hits, trials)[0]
    assert 0 <= low < 0.5 < high <= 1
