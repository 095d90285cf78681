"""Effort and sensitivity to the scoring, against small cases counted by hand."""

from __future__ import annotations

import msgspec
import pytest

from tests.analysis.synthetic import dataset, metrics, score, verdict
from tests.benchmarks.acebench import ace_building
from toolgauge.analysis.effort import Amount, Effort, Latency, Meter, quantile
from toolgauge.benchmarks.acebench.numbers.report import AceReport
from toolgauge.chat import Message, Reply, Usage
from toolgauge.episode import Step, Trajectory
from toolgauge.judge.verdict import Score
from toolgauge.models.prices import cost

USER = (Message("user", "please"),)


def step(latency: float, usage: Usage, task: int = 0, attempts: int = 1, role: str = "assistant") -> Step:
    return Step(USER, Reply("ok", usage=usage, latency=latency, attempts=attempts), task, role)


def measured(trajectories: list[Trajectory], made: list[Score], model: str = "") -> Effort:
    meter = Meter({"assistant": model})
    assert list(meter.watch(trajectories)) == trajectories
    return meter.effort(made)


def right(task_id: str, exact: bool, released: bool) -> Score:
    return Score(task_id, "s", 0, {"exact": verdict(exact), "released": verdict(released)})


def test_amounts_per_task_and_per_right_task() -> None:
    """Two tasks, three replies, one retry; one task is right in `exact`, both in `released`."""
    trajectories = [
        Trajectory("s/0", "s", (step(1.0, Usage(100, 10, 40, 4)), step(3.0, Usage(200, 20), attempts=2)), 0),
        Trajectory("s/1", "s", (step(2.0, Usage(300, 30)),), 1),
    ]
    found = measured(trajectories, [right("s/0", True, True), right("s/1", False, True)])
    assert (found.tasks, found.correct) == (2, {"exact": 1, "released": 2})
    amounts = found.amounts
    assert amounts["steps"] == Amount(3, 1.5, {"exact": 3.0, "released": 1.5})
    assert amounts["requests"].total == 4
    totals = {name: amounts[f"{name}_tokens"].total for name in ("input", "output", "cached", "reasoning")}
    assert totals == {"input": 600, "output": 60, "cached": 40, "reasoning": 4}
    assert amounts["input_tokens"].per_correct_task == {"exact": 600.0, "released": 300.0}
    assert amounts["seconds"] == Amount(6.0, 3.0, {"exact": 6.0, "released": 3.0})
    assert amounts["dollars"].total is None
    assert found.latency.reply == Latency(2.0, 2.0, 2.9)  # 1, 2, 3
    assert found.latency.task == Latency(3.0, 3.0, 3.9)  # 4 and 2


@pytest.mark.parametrize(
    ("numbers", "share", "value"),
    [([5.0], 0.95, 5), ([1.0, 3.0], 0.5, 2), ([1.0, 2, 3, 4, 5], 0.95, 4.8), ([0.0, 10.0], 0.0, 0), ([0.0, 1], 1.0, 1)],
)
def test_quantiles(numbers: list[float], share: float, value: float) -> None:
    """Hyndman and Fan's type 7, what spreadsheets and numpy do."""
    assert quantile(numbers, share) == pytest.approx(value)


def test_tasks_of_a_whole_session_are_counted_one_by_one() -> None:
    steps = (step(1.0, Usage(10, 1), 0), step(2.0, Usage(20, 1), 1), step(4.0, Usage(30, 1), 1))
    found = measured([Trajectory("s", "s", steps)], [right("s/0", True, True)])
    assert found.tasks == 2
    assert found.latency.task.p95 == pytest.approx(1 + 0.95 * 5)


def test_what_the_provider_does_not_tell_is_null() -> None:
    found = measured([Trajectory("s/0", "s", (step(0.0, Usage()),), 0)], [right("s/0", False, False)], "openai/gpt-4o")
    assert found.amounts["input_tokens"].per_task is None
    assert found.amounts["seconds"].total is None
    assert found.amounts["dollars"].total is None
    assert found.latency.reply.p95 is None
    assert found.amounts["steps"].per_task == 1
    assert found.amounts["steps"].per_correct_task == {"exact": None, "released": None}


def test_a_run_costs_what_its_requests_cost() -> None:
    usages = [Usage(1000 + number, 100, 50) for number in range(5)]
    runs = [Trajectory(f"s/{number}", "s", (step(1.0, usage),), number) for number, usage in enumerate(usages)]
    one_by_one = [cost("openai/gpt-4o", usage) for usage in usages]
    assert None not in one_by_one
    total = measured(runs, [], "openai/gpt-4o").amounts["dollars"].total
    assert total == pytest.approx(sum(price or 0 for price in one_by_one), abs=1e-6)
    assert measured(runs, [], "openai/nobody-sells-this").amounts["dollars"].total is None
    assert measured(runs, [], "builtin/oracle").amounts["dollars"].total == 0


def test_acebench_counts_the_measured_model_only() -> None:
    """The simulated user of the agents' conversations costs 14 tokens that are not the model's."""
    data = ace_building.dataset([ace_building.TURN, ace_building.BOOL], 1)
    made = ace_building.marked(data, "++")
    ids = ace_building.ids(data)
    effort = AceReport().metrics("acebench", data, made, ids, map(ace_building.trajectory, data.entries)).effort
    assert effort.tasks == 2
    assert effort.amounts["input_tokens"].total == 200
    assert effort.amounts["steps"].per_correct_task == {"exact": 1.0, "released": 1.0}


def test_sensitivity_to_the_scoring() -> None:
    """Of eight tasks two are right in `exact` only (single, chat), one in `tables` only (single)."""
    data = dataset(2)
    labels = {"made_up_0/0": (True, False), "made_up_1/0": (False, True), "made_up_1/3": (True, False)}
    made = [
        score(
            of,
            index,
            dict(zip(("exact", "tables"), map(verdict, labels.get(of.task_id(index), (True, True))), strict=True)),
        )
        for of in data.sessions
        for index in range(4)
    ]
    content = metrics("mini", data, made)
    assert msgspec.to_builtins(content.sensitivity) == [
        {
            "scorings": ("exact", "tables"),
            "compared": 8,
            "differ": 3,
            "correct_only_in": {"exact": 2, "tables": 1},
            "by_kind": {
                "single": {"compared": 7, "correct_only_in": {"exact": 1, "tables": 1}},
                "multi": {"compared": 1, "correct_only_in": {"exact": 1, "tables": 0}},
            },
            "tasks": [
                {"task_id": "made_up_0/0", "correct_in": "exact"},
                {"task_id": "made_up_1/0", "correct_in": "tables"},
                {"task_id": "made_up_1/3", "correct_in": "exact"},
            ],
        }
    ]
    assert content.differences == {"exact": {"tables": 3}, "tables": {"exact": 3}}
