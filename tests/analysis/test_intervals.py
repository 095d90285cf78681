"""Intervals: worked values, the rule that chooses one, clustering, determinism; coverage is in test_coverage.py."""

from __future__ import annotations

import math

import numpy as np
import pytest

from toolgauge.analysis.binomial import exact_bound, student, wilson
from toolgauge.analysis.intervals import (
    FEWEST_CLUSTERS,
    clustered_interval,
    intervals,
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


def test_all_or_none_are_bounded_by_the_number_of_clusters_not_of_trials() -> None:
    assert clustered_interval([4] * 20, [4] * 20) == pytest.approx(exact_bound(20, all_hit=True))
    assert clustered_interval([0] * 20, [4] * 20) == pytest.approx(exact_bound(20, all_hit=False))


@pytest.mark.parametrize("clusters", [1, 2, FEWEST_CLUSTERS - 1, FEWEST_CLUSTERS, 40])
def test_an_interval_never_has_zero_width(clusters: int) -> None:
    interval = clustered_interval([3] * clusters, [4] * clusters)
    assert interval == pytest.approx(wilson(0.75 * clusters, clusters))


def test_the_same_numbers_give_the_same_bytes_alone_or_together() -> None:
    draw = np.random.default_rng(1)
    trials = np.full((30, 50), 4.0)
    hits = draw.binomial(4, 0.6, size=(30, 50)).astype(float)
    together = intervals(hits, trials)
    assert together.tobytes() == intervals(hits, trials).tobytes()
    assert together[7:8].tobytes() == intervals(hits[7:8], trials[7:8]).tobytes()


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
