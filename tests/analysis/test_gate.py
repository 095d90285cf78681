"""Decisions of the gate: what each means, and how often a simulated model is let through or stopped by mistake."""

from __future__ import annotations

import numpy as np
import pytest

from tests.analysis.test_coverage import simulated
from toolgauge.analysis.decide import Decision, Outcome, PairedRow, at_least, no_drop, paired_tests
from toolgauge.analysis.gate import Criteria, decide, gate_lines
from toolgauge.analysis.intervals import Floats, intervals
from toolgauge.analysis.numbers import Metrics
from toolgauge.analysis.replies import EndingCount, Endings

RUNS = 1000
SESSIONS = np.full(128, 4.0)


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


def test_whether_replies_were_cut_off_is_undecided_where_nobody_recorded_it() -> None:
    def decided(endings: Endings) -> Outcome:
        (one,) = decide(Criteria(max_truncated=0.01), "exact", Metrics(endings=endings), None).decisions
        return one.outcome

    assert decided(Endings(10, unknown=10)) is Outcome.UNDECIDED
    assert decided(Endings(10, unknown=9)) is Outcome.HOLDS
    assert decided(Endings(10, truncated=EndingCount(1, 1, 0.1))) is Outcome.FAILS


def test_an_agent_hands_over_whole_replies() -> None:
    metrics = Metrics(endings=Endings(10, unknown=10))
    (one,) = decide(Criteria(max_truncated=0.0), "exact", metrics, None, whole=True).decisions
    assert (one.outcome, one.measured) == (Outcome.HOLDS, 0.0)


@pytest.mark.parametrize(
    ("missing", "allowed", "outcome"),
    [
        (112, 0.01, Outcome.FAILS),
        (3, 0.01, Outcome.FAILS),
        (2, 0.01, Outcome.HOLDS),
        (2, 0.0, Outcome.FAILS),
        (112, 0.5, Outcome.HOLDS),
        (0, 0.0, Outcome.HOLDS),
    ],
)
def test_tasks_without_a_score_stop_a_run(missing: int, allowed: float, outcome: Outcome) -> None:
    metrics = Metrics(requested=240, missing=missing, endings=Endings(10))
    found = decide(Criteria(max_truncated=0.0, max_unscored=allowed), "exact", metrics, None)
    assert found.outcome is outcome
    first, *lines = gate_lines(found)
    assert first == (
        "The run holds: 2 criteria met."
        if outcome is Outcome.HOLDS
        else "The run does not hold: 1 of 2 criteria not met."
    )
    assert any("of 240 tasks" in line for line in lines)


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


@pytest.mark.parametrize(("rate", "alike"), [(0.15, 0.3), (0.6, 0.0), (0.9, 0.3)])
def test_a_model_at_the_floor_is_let_through_or_stopped_by_mistake_in_2_5_of_100_runs(
    rate: float, alike: float
) -> None:
    found = floors(rate, rate, alike)
    assert found[Outcome.HOLDS] <= 0.04
    assert found[Outcome.FAILS] <= 0.04


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
        rows.append(PairedRow("overall", "task_accuracy", hits, np.stack([sessions, sessions])))
    return rows


def drops(drop: float, most: float, sessions: Floats = SESSIONS, runs: int = RUNS) -> list[Decision]:
    """Decisions on a drop, for models that are truly worse by `drop`."""
    made = []
    for test in paired_tests(paired(runs, 0.6, drop, sessions, seed=7)):
        assert test.interval is not None
        assert test.difference is not None
        made.append(no_drop("task_accuracy", test.difference, test.interval, most, int(sessions.sum())))
    return made


def share(made: list[Decision], outcome: Outcome) -> float:
    return sum(decision.outcome is outcome for decision in made) / len(made)


@pytest.mark.parametrize("sessions", [3, 16, 64])
@pytest.mark.parametrize("drop", [0.02, 0.1])
def test_a_drop_of_exactly_the_limit_passes_or_fails_by_mistake_in_2_5_of_100_runs(drop: float, sessions: int) -> None:
    """In 4 of 100 where sessions are few. The bound is two standard errors above."""
    made = drops(drop, drop, np.full(sessions, 4.0))
    assert share(made, Outcome.HOLDS) <= 0.052
    assert share(made, Outcome.FAILS) <= 0.04
