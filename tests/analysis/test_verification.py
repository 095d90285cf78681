"""Is it the same model? What is counted of two replies, and how often simulated endpoints are told right."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from toolgauge.analysis.gate import Outcome
from toolgauge.analysis.verification import Asked, FirstReply, asked, verify
from toolgauge.chat import Message, Reply, Tool, ToolCall
from toolgauge.episode import Step, Trajectory

WEATHER = Tool(
    "weather",
    "",
    {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city"]},
)


def trajectory(task: int, *calls: tuple[str, object], epoch: int = 0, session: str = "s") -> Trajectory:
    reply = Reply(None if calls else "Hello.", tuple(ToolCall("1", name, arguments) for name, arguments in calls))
    task_id = f"{session}/{task}" + (f"#{epoch}" if epoch else "")
    return Trajectory(task_id, session, (Step((Message("user", "?"),), reply),), task, epoch, (WEATHER,))


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
def test_which_replies_have_valid_calls(calls: list[tuple[str, object]], valid: bool | None) -> None:
    (task,) = asked([trajectory(0, *calls)], {}).values()
    assert task.replies[0].valid is valid


def test_two_spellings_of_the_same_arguments_agree_and_different_ones_do_not() -> None:
    base = [trajectory(0, ("weather", '{"city": "Rome", "days": 1}')), trajectory(1, ("weather", '{"city": "Rome"}'))]
    other = [trajectory(0, ("weather", {"days": 1, "city": "Rome"})), trajectory(1, ("weather", '{"city": "Oslo"}'))]
    found = {one.name: one for one in verify(asked(base, {}), asked(other, {})).measures}
    assert (found["call"].endpoint, found["names"].endpoint, found["arguments"].endpoint) == (1, 1, 0.5)
    assert found["arguments"].pairs == 2
    assert found["call"].reference is None, "one epoch is no yardstick"


def test_who_calls_is_counted_with_the_reference_as_truth() -> None:
    call = ("weather", '{"city": "Rome"}')
    base = [trajectory(0, call), trajectory(1, call), trajectory(2, call), trajectory(3), trajectory(4)]
    other = [trajectory(0, call), trajectory(1), trajectory(2, call), trajectory(3, call), trajectory(4)]
    trigger = verify(asked(base, {}), asked(other, {})).trigger
    assert (trigger.both, trigger.only_endpoint, trigger.only_reference, trigger.neither) == (2, 1, 1, 1)
    assert trigger.f1 == pytest.approx(2 / 3)


def test_epochs_of_the_reference_are_its_yardstick() -> None:
    call, other = ("weather", '{"city": "Rome"}'), ("weather", '{"city": "Oslo"}')
    base = asked([trajectory(0, call), trajectory(0, other, epoch=1), trajectory(1), trajectory(1, epoch=1)], {})
    found = verify(base, asked([trajectory(0, call), trajectory(1)], {}))
    measures = {one.name: one for one in found.measures}
    assert found.yardstick
    assert (measures["arguments"].reference, measures["arguments"].endpoint) == (0.0, 0.5)
    assert (measures["call"].reference, measures["call"].endpoint) == (1.0, 1.0)


def test_runs_without_a_common_task_cannot_be_verified() -> None:
    with pytest.raises(ValueError, match="no task in common"):
        verify(asked([trajectory(0)], {}), asked([trajectory(1)], {}))


Model = Callable[[np.random.Generator, int], tuple[FirstReply, bool]]
ANSWERS = tuple(FirstReply(((name, arguments),), True) for name in "abc" for arguments in "xyz")
TEXT = FirstReply((), None)


def model(temper: float, worse: float = 0.0) -> Model:
    """A model that gives its usual answer to a task, or, at its temper, another one; `worse`: or text in its place."""

    def answer(draw: np.random.Generator, task: int) -> tuple[FirstReply, bool]:
        usual = ANSWERS[task % len(ANSWERS)] if task % 4 else TEXT
        made = usual if draw.random() >= temper else ANSWERS[draw.integers(len(ANSWERS))]
        if draw.random() < worse:
            made = TEXT if made.calls else ANSWERS[0]
        return made, made == usual and task % 3 > 0

    return answer


def run(draw: np.random.Generator, of: Model, epochs: int, tasks: int = 512) -> dict[str, Asked]:
    made = {}
    for task in range(tasks):
        replies = [of(draw, task) for _ in range(epochs)]
        made[f"{task}"] = Asked(f"s{task // 4}", *(tuple(part) for part in zip(*replies, strict=True)))
    return made


def outcomes(endpoint: Model, runs: int, margin: float = 0.05) -> dict[Outcome, float]:
    draw = np.random.default_rng(3)
    found = [verify(run(draw, model(0.1), 2), run(draw, endpoint, 1), margin).outcome for _ in range(runs)]
    return {outcome: found.count(outcome) / runs for outcome in Outcome}


def test_the_same_model_is_hardly_ever_called_another_one() -> None:
    found = outcomes(model(0.1), 60)
    assert found[Outcome.FAILS] <= 0.03
    assert found[Outcome.HOLDS] >= 0.6


def test_an_endpoint_at_the_margin_is_hardly_ever_called_the_same() -> None:
    """It calls where text is due, or the other way round, so often that it agrees on calling 5 points less (0.051 over
    20,000 tasks)."""
    found = outcomes(model(0.1, worse=0.055), 60)
    assert found[Outcome.HOLDS] <= 0.07


def test_an_endpoint_that_is_clearly_worse_is_found() -> None:
    assert outcomes(model(0.1, worse=0.2), 20)[Outcome.FAILS] >= 0.95
