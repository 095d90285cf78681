"""Decisions of the gate: what each means, and how often a simulated model is let through or stopped by mistake."""

from __future__ import annotations

import numpy as np
import pytest

from tests.analysis.test_coverage import simulated
from tests.sizes import sized
from toolgauge.analysis.compare.differences import (
    PairedRow,
    paired_intervals,
    paired_replicates,
    paired_row,
    score_interval,
    stacked,
)
from toolgauge.analysis.endings import EndingCount, Endings
from toolgauge.analysis.gate import Criteria, Decision, Outcome, at_least, at_most, decide, no_drop
from toolgauge.analysis.intervals import Floats, intervals
from toolgauge.analysis.numbers import Metrics
from toolgauge.errors import UsageError

RUNS = 1000
SESSIONS = np.full(128, 4.0)
TASKS = int(SESSIONS.sum())


@pytest.mark.parametrize(
    ("interval", "outcome"),
    [
        ((0.61, 0.7), Outcome.HOLDS),
        ((0.6, 0.7), Outcome.HOLDS),
        ((0.59, 0.7), Outcome.UNDECIDED),
        ((0.5, 0.6), Outcome.UNDECIDED),
        ((0.5, 0.59), Outcome.FAILS),
    ],
)
def test_a_floor_is_decided_by_the_interval(interval: tuple[float, float], outcome: Outcome) -> None:
    assert at_least("task_accuracy", 0.62, interval, 0.6, 400).outcome is outcome


def test_a_share_that_was_counted_is_compared_as_it_is() -> None:
    assert at_most("truncated", 0.01, 0.01, 400).outcome is Outcome.HOLDS
    assert at_most("truncated", 0.0125, 0.01, 400).outcome is Outcome.FAILS


def test_whether_replies_were_cut_off_is_undecided_where_nobody_recorded_it() -> None:
    def decided(endings: Endings) -> Outcome:
        (one,) = decide(Criteria(max_truncated=0.01), "exact", Metrics(endings=endings), None).decisions
        return one.outcome

    assert decided(Endings(10, unknown=10)) is Outcome.UNDECIDED
    assert decided(Endings(10, unknown=9)) is Outcome.HOLDS
    assert decided(Endings(10, truncated=EndingCount(1, 1, 0.1))) is Outcome.FAILS


def test_how_many_tasks_a_floor_would_take() -> None:
    """Twice as narrow takes four times the tasks; what is measured at the limit is never decided."""
    assert at_least("task_accuracy", 0.62, (0.58, 0.66), 0.6, 400).needed == 3270
    assert at_least("task_accuracy", 0.58, (0.54, 0.62), 0.6, 400).needed == 3270
    assert at_least("task_accuracy", 0.64, (0.56, 0.72), 0.6, 400).needed == 3270
    assert at_least("task_accuracy", 0.6, (0.56, 0.64), 0.6, 400).needed is None
    assert at_least("task_accuracy", 0.7, (0.66, 0.74), 0.6, 400).needed is None
    perfect = at_least("task_accuracy", 1.0, (0.89, 1.0), 0.99, 128).needed  # the exact bound comes nearer as 1/n
    assert perfect == 1408
    assert 1 - 0.025 ** (4 / perfect) < 0.0105  # of sessions of four tasks, as the interval of such a run has it


def floors(rate: float, floor: float, alike: float, sessions: Floats = SESSIONS) -> dict[Outcome, float]:
    """How often each decision is taken on a floor, for a model of that true rate."""
    hits, tasks = simulated(RUNS, sessions, rate, alike, seed=11), int(sessions.sum())
    bounds = intervals(hits, np.broadcast_to(sessions, hits.shape))
    made = [
        at_least("task_accuracy", row.sum() / tasks, (float(low), float(high)), floor, tasks).outcome
        for row, (low, high) in zip(hits, bounds, strict=True)
    ]
    return {outcome: made.count(outcome) / RUNS for outcome in Outcome}


@pytest.mark.parametrize("alike", [0.0, 0.3])
@pytest.mark.parametrize("rate", [0.15, 0.6, 0.9])
def test_a_model_at_the_floor_is_let_through_or_stopped_by_mistake_in_2_5_of_100_runs(
    rate: float, alike: float
) -> None:
    found = floors(rate, rate, alike)
    assert found[Outcome.HOLDS] <= 0.04
    assert found[Outcome.FAILS] <= 0.04


def test_a_floor_is_decided_as_often_as_the_needed_number_of_tasks_promises() -> None:
    """A model 4 points above it, of which some 500 tasks are too few."""
    hits = simulated(200, SESSIONS, 0.64, 0.3, seed=5)
    bounds = intervals(hits, np.broadcast_to(SESSIONS, hits.shape))
    expected = np.median(bounds, axis=0)
    needed = at_least("task_accuracy", 0.64, (float(expected[0]), float(expected[1])), 0.6, TASKS).needed
    assert needed is not None
    enough = np.full(round(needed / 4), 4.0)
    assert 0.74 <= floors(0.64, 0.6, 0.3, enough)[Outcome.HOLDS] <= 0.86


def test_a_model_well_above_or_below_the_floor_is_decided() -> None:
    assert floors(0.7, 0.6, 0.3)[Outcome.HOLDS] >= 0.9
    assert floors(0.5, 0.6, 0.3)[Outcome.FAILS] >= 0.9


def paired(runs: int, rate: float, drop: float, sessions: Floats, seed: int) -> list[PairedRow]:
    """Runs of a baseline and of a model that is worse by `drop`, on the same tasks: most go alike in both."""
    draw = np.random.default_rng(seed)
    rows = []
    for _ in range(runs):
        tasks = draw.beta(2 * rate, 2 * (1 - rate), size=(len(sessions), int(sessions[0])))
        base = draw.random(tasks.shape) < tasks
        again = np.where(draw.random(tasks.shape) < 0.7, base, draw.random(tasks.shape) < tasks)
        worse = again & (draw.random(tasks.shape) >= drop / rate)
        hits = np.stack([base.sum(axis=1), worse.sum(axis=1)]).astype(float)
        counts = int((~base & worse).sum()), int((base & ~worse).sum())
        rows.append(paired_row("overall", "task_accuracy", hits, np.stack([sessions, sessions]), *counts))
    return rows


def drops(drop: float, most: float, sessions: Floats = SESSIONS, runs: int = RUNS) -> list[Decision]:
    """Decisions on a drop, for models that are truly worse by `drop`."""
    rows = paired(runs, 0.6, drop, sessions, seed=7)
    made = []
    for row, interval in zip(rows, paired_intervals(rows, paired_replicates(*stacked(rows))), strict=True):
        assert interval is not None
        assert row.difference is not None
        assert row.fixed is not None
        assert row.broken is not None
        tasks = int(sessions.sum())
        decided = score_interval(row.fixed, row.broken, tasks, interval)
        made.append(no_drop("task_accuracy", row.difference, decided, most, tasks))
    return made


def share(made: list[Decision], outcome: Outcome) -> float:
    return sum(decision.outcome is outcome for decision in made) / len(made)


@pytest.mark.parametrize("sessions", [3, 12, 16, 32, 64, 128])
@pytest.mark.parametrize("drop", [0.02, 0.1])
def test_a_drop_of_exactly_the_limit_passes_or_fails_by_mistake_in_2_5_of_100_runs(drop: float, sessions: int) -> None:
    """The bound is three standard errors above; percentiles of the bootstrap are beyond it where sessions are few."""
    made = drops(drop, drop, np.full(sessions, 4.0))
    assert share(made, Outcome.HOLDS) <= 0.04
    assert share(made, Outcome.FAILS) <= 0.04


def score_at(fixed: int, broken: int, pairs: int, difference: float) -> float:
    """The score test with the rates that are likeliest among those with this difference, found by trying all."""
    rates = np.linspace(max(0, -difference), (1 - difference) / 2, 1_000_001)[1:-1]  # of broken ones
    counts = np.array([fixed, broken, pairs - fixed - broken])[:, None]
    likelihood = (counts * np.log([rates + difference, rates, 1 - 2 * rates - difference])).sum(axis=0)
    rate = rates[likelihood.argmax()]
    return float((fixed - broken - pairs * difference) / np.sqrt(pairs * (2 * rate + difference - difference**2)))


@pytest.mark.parametrize(("fixed", "broken", "pairs"), [(3, 9, 128), (0, 1, 44), (20, 20, 64), (1, 30, 40)])
def test_the_bounds_of_a_paired_difference_are_those_that_the_score_test_just_rejects(
    fixed: int, broken: int, pairs: int
) -> None:
    low, high = score_interval(fixed, broken, pairs, (0.0, 0.0))
    assert score_at(fixed, broken, pairs, low) == pytest.approx(1.96, abs=0.01)
    assert score_at(fixed, broken, pairs, high) == pytest.approx(-1.96, abs=0.01)
    assert score_interval(broken, fixed, pairs, (0.0, 0.0)) == pytest.approx((-high, -low))


def test_where_nothing_differs_the_bound_is_that_of_the_sessions() -> None:
    assert score_interval(0, 0, 44, (-0.1, 0.1)) == (-0.1, 0.1)


def test_a_model_as_good_as_the_baseline_passes_as_often_as_the_needed_number_of_tasks_promises() -> None:
    needed = [decision.needed for decision in drops(0.0, 0.03, np.full(64, 4.0), runs=50) if decision.needed]
    enough = np.full(round(float(np.median(needed)) / 4), 4.0)
    runs = sized(300, RUNS)
    assert 0.72 <= share(drops(0.0, 0.03, enough, runs), Outcome.HOLDS) <= 0.88


def test_a_share_of_no_replies_is_no_decision() -> None:
    metrics = Metrics(benchmark="mini", endings=Endings(), scorings={"exact": {}})
    with pytest.raises(UsageError, match="no scored tasks for truncated"):
        decide(Criteria(max_truncated=0.01), "exact", metrics, None)
