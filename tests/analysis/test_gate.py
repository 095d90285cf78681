"""Decisions of the gate: what each means. perf/decisions.py counts how often they are wrong (docs/results.md#gate)."""

from __future__ import annotations

import pytest

from toolgauge.analysis.decide import Outcome, at_least
from toolgauge.analysis.gate import Criteria, decide, gate_lines
from toolgauge.analysis.numbers import Metrics
from toolgauge.analysis.replies import EndingCount, Endings


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
