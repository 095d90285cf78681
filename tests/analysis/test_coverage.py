"""How often the 95% intervals hold the true rate: simulated runs of sessions whose tasks are alike to some degree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from tests.analysis.synthetic import dataset, metrics, scores
from toolgauge.analysis.intervals import Floats, clustered_interval, intervals
from toolgauge.analysis.reports import report_of, rows_of
from toolgauge.analysis.sheet import Sheet

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


def test_as_if_tasks_were_independent_would_be_too_narrow() -> None:
    """What clustering is for: the plain interval of 1,024 tasks misses the rate far too often."""
    hits = simulated(RUNS, np.full(256, 4.0), 0.5, 0.3, seed=3)
    rates = hits.sum(axis=1) / 1024
    assert (np.abs(rates - 0.5) <= 1.96 * np.sqrt(0.25 / 1024)).mean() < 0.9


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
