"""Is it the same model? What is counted of two replies, and how often simulated endpoints are told right."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from msgspec.structs import replace

from tests.sizes import sized
from toolgauge.analysis.decide import Outcome
from toolgauge.analysis.verification import (
    Asked,
    FirstReply,
    Task,
    asked,
    verification_lines,
    verify,
)
from toolgauge.chat import Message, Reply, Tool, ToolCall
from toolgauge.episode import Step, Trajectory
from toolgauge.judge.verdict import Score, Verdict

WEATHER = Tool(
    "weather",
    "",
    {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city"]},
)


def trajectory(
    task: int, *calls: tuple[str | None, object], epoch: int = 0, session: str = "s", asked: str = "?"
) -> Trajectory:
    reply = Reply(None if calls else "Hello.", tuple(ToolCall("1", name, arguments) for name, arguments in calls))
    task_id = f"{session}/{task}" + (f"#{epoch}" if epoch else "")
    return Trajectory(task_id, session, (Step((Message("user", asked),), reply),), task, epoch, (WEATHER,))


@pytest.mark.parametrize(
    ("calls", "valid"),
    [
        ([], None),
        ([("weather", '{"city": "Rome"}')], True),
        ([("weather", {"city": "Rome"})], True),
        ([("weather", '{"city": 7}')], False),
        ([("weather", "{}")], False),
        ([("weather", '{"city": "Rome", "town": "x"}')], False),
        ([("weather", "{")], False),
        ([("weather", None)], False),
        ([("wether", '{"city": "Rome"}')], False),
        ([(None, '{"city": "Rome"}')], False),
        ([("weather", '{"city": "Rome"}'), ("weather", '{"days": 1}')], False),
    ],
)
def test_which_replies_have_valid_calls(calls: list[tuple[str | None, object]], valid: bool | None) -> None:
    (task,) = asked([trajectory(0, *calls)]).values()
    assert task.replies[0].valid is valid


def test_requests_that_differ_are_left_out() -> None:
    call = ("weather", '{"city": "Rome"}')
    base, other = asked([trajectory(0, call), trajectory(1)]), asked([trajectory(0, call), trajectory(1, asked="!")])
    found = verify(base, other)
    assert (found.tasks, found.left_out) == (1, 1)
    assert "tasks left out, as their requests differ: 1" in verification_lines(found)
    with pytest.raises(ValueError, match="no request in common"):
        verify(asked([trajectory(1)]), asked([trajectory(1, asked="!")]))


def score(task_id: str, session: str, index: int, right: bool) -> Score:
    return Score(task_id, session, index, {"exact": Verdict("correct" if right else "error", "correct", True, (1, 1))})


def test_accuracy_counts_tasks_of_whole_sessions_by_session_and_epoch() -> None:
    whole = replace(trajectory(0), task_id="s", task_index=None)
    again = replace(whole, task_id="s#1", epoch=1)
    scores = [score("s/0", "s", 0, True), score("s/1", "s", 1, False), score("s/0#1", "s", 0, True)]
    (task,) = asked([again, whole], scores, "exact").values()
    assert task.right == (True, False, True)
    (other,) = asked([whole], scores, "exact").values()
    accuracy = next(one for one in verify({("s", None): task}, {("s", None): other}).measures if one.pairs == 2)
    assert accuracy.name == "task_accuracy"
    assert (accuracy.reference, accuracy.endpoint) == pytest.approx((2 / 3, 0.5))


def test_finish_reasons_agree_where_both_are_told() -> None:
    def run(*reasons: str | None) -> dict[Task, Asked]:
        said = (trajectory(number) for number in range(len(reasons)))
        return asked(
            replace(one, steps=(replace(one.steps[0], reply=Reply("x", finish_reason=reason)),))
            for one, reason in zip(said, reasons, strict=True)
        )

    measures = {one.name: one for one in verify(run("stop", "length", None), run("end_turn", "stop", "stop")).measures}
    assert (measures["ending"].endpoint, measures["ending"].pairs) == (0.5, 2)


def test_two_spellings_of_the_same_arguments_agree_and_different_ones_do_not() -> None:
    base = [trajectory(0, ("weather", '{"city": "Rome", "days": 1}')), trajectory(1, ("weather", '{"city": "Rome"}'))]
    other = [trajectory(0, ("weather", {"days": 1, "city": "Rome"})), trajectory(1, ("weather", '{"city": "Oslo"}'))]
    found = {one.name: one for one in verify(asked(base), asked(other)).measures}
    assert (found["call"].endpoint, found["names"].endpoint, found["arguments"].endpoint) == (1, 1, 0.5)
    assert found["arguments"].pairs == 2
    assert found["call"].reference is None, "one epoch is no yardstick"


def test_who_calls_is_counted_with_the_reference_as_truth() -> None:
    call = ("weather", '{"city": "Rome"}')
    base = [trajectory(0, call), trajectory(1, call), trajectory(2, call), trajectory(3), trajectory(4)]
    other = [trajectory(0, call), trajectory(1), trajectory(2, call), trajectory(3, call), trajectory(4)]
    trigger = verify(asked(base), asked(other)).trigger
    assert (trigger.both, trigger.only_endpoint, trigger.only_reference, trigger.neither) == (2, 1, 1, 1)
    assert (trigger.precision, trigger.recall, trigger.f1) == pytest.approx((2 / 3, 2 / 3, 2 / 3))
    assert trigger.yardstick is None


Model = Callable[[np.random.Generator, int], tuple[FirstReply, bool]]
ANSWERS = tuple(FirstReply(((name, arguments),), True, "calls") for name in "abc" for arguments in "xyz")
TEXT = FirstReply((), None, "model")


def model(temper: float, worse: float = 0.0) -> Model:
    """A model that gives its usual answer to a task, or, at its temper, another one; `worse`: or text in its place."""

    def answer(draw: np.random.Generator, task: int) -> tuple[FirstReply, bool]:
        usual = ANSWERS[task % len(ANSWERS)] if task % 4 else TEXT
        made = usual if draw.random() >= temper else ANSWERS[draw.integers(len(ANSWERS))]
        if draw.random() < worse:
            made = TEXT if made.calls else ANSWERS[0]
        return made, made == usual and task % 3 > 0

    return answer


def run(draw: np.random.Generator, of: Model, epochs: int, tasks: int = 512) -> dict[Task, Asked]:
    made: dict[Task, Asked] = {}
    for task in range(tasks):
        replies = [of(draw, task) for _ in range(epochs)]
        first, right = zip(*replies, strict=True)
        made[f"s{task // 4}", task % 4] = Asked(f"s{task // 4}", first, right)
    return made


def outcomes(endpoint: Model, runs: int, margin: float = 0.05) -> dict[Outcome, float]:
    draw = np.random.default_rng(3)
    found = [verify(run(draw, model(0.1), 2), run(draw, endpoint, 1), margin).outcome for _ in range(runs)]
    return {outcome: found.count(outcome) / runs for outcome in Outcome}


def test_the_same_model_is_hardly_ever_called_another_one() -> None:
    found = outcomes(model(0.1), sized(40, 1000))
    assert found[Outcome.FAILS] <= 0.03
    assert found[Outcome.HOLDS] >= 0.6


def test_an_endpoint_that_is_clearly_worse_is_found() -> None:
    assert outcomes(model(0.1, worse=0.2), sized(20, 1000))[Outcome.FAILS] >= 0.95
