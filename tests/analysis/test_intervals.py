"""Intervals: worked values, the rule that chooses one, and how often they hold the true rate of simulated runs."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from tests.analysis.synthetic import dataset, metrics, scores
from toolgauge.analysis.binomial import exact_bound, wilson
from toolgauge.analysis.intervals import (
    FEWEST_CLUSTERS,
    Floats,
    clustered_interval,
    intervals,
)
from toolgauge.analysis.reports import report_of, rows_of
from toolgauge.analysis.sheet import Sheet


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


def test_a_clustered_interval_worked_by_hand() -> None:
    """Ten sessions of two tasks: four with 2 right, two with 1, four with 0.

    Rate 10/20; squares about it: 8 * 1 = 8; variance 10/9 * 8 / 400 = 1/45; effective trials 0.25 * 45 = 11.25;
    Student's quantile for 9 is 2.2622, its square 5.1175: 0.5 +- 0.5 * sqrt(q / (11.25 + q)).
    """
    reach = 0.5 * math.sqrt(5.1175 / (11.25 + 5.1175))
    found = clustered_interval([2, 2, 2, 2, 1, 1, 0, 0, 0, 0], [2] * 10)
    assert found == pytest.approx((0.5 - reach, 0.5 + reach), abs=1e-4)


RUNS = 3000
RATES = (0.2, 0.5, 0.8)
ALIKE = (0.0, 0.3, 0.6)
"""The correlation of two tasks of a session."""


def simulated(runs: int, trials: Floats, rate: float, alike: float, seed: int) -> Floats:
    """Hits per run and session: the sessions' own rates are drawn from a beta distribution with that correlation."""
    draw = np.random.default_rng(seed)
    shape = (runs, len(trials))
    own = np.full(shape, rate)
    if alike:
        scale = 1 / alike - 1
        own = draw.beta(rate * scale, (1 - rate) * scale, size=shape)
    return draw.binomial(trials.astype(np.int64), own).astype(float)


def coverage(sizes: Sequence[int], rate: float, alike: float) -> float:
    """The share of runs whose interval, as the tables have it, holds the true rate."""
    trials = np.array(sizes, dtype=float)
    hits = simulated(RUNS, trials, rate, alike, seed=len(sizes))
    bounds = intervals(hits, np.broadcast_to(trials, hits.shape))
    return float(((bounds[:, 0] <= rate) & (rate <= bounds[:, 1])).mean())


@pytest.mark.parametrize("alike", ALIKE)
@pytest.mark.parametrize("rate", [0.05, *RATES, 0.95])
def test_a_public_set_of_256_sessions_of_four(rate: float, alike: float) -> None:
    assert 0.93 <= coverage([4] * 256, rate, alike) <= 0.97


@pytest.mark.parametrize("alike", ALIKE)
@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("sizes", [[4] * 64, [4] * 32, [1, 2, 3, 4] * 16], ids=["64 x 4", "32 x 4", "64 x 1 to 4"])
def test_smaller_sets(sizes: list[int], rate: float, alike: float) -> None:
    assert 0.93 <= coverage(sizes, rate, alike) <= 0.97


def test_metrics_has_these_intervals() -> None:
    data = dataset(64)
    made = scores(data)
    entries = metrics("mini", data, made).scorings["exact"]
    checked = 0
    report = report_of("mini")
    for row in rows_of(report, Sheet(report.table(data, made, None, ()), "exact")):
        expected = clustered_interval(list(row.hits), list(row.trials))
        if expected is not None:
            assert entries[row.table][row.name].ci95 == pytest.approx(expected, abs=1e-6)
            checked += 1
    assert checked > 80
