"""Where losses concentrate: found where it was built in, not found where there is only chance."""

from __future__ import annotations

import random

import pytest
from msgspec.structs import replace

from tests.analysis.synthetic import dataset, score, verdict
from tests.analysis.test_error_analysis import judged
from toolgauge.analysis.causes import Loss, concentration, losses
from toolgauge.analysis.causes.concentration import fisher
from toolgauge.data.session import Dataset, Task, TaskType
from toolgauge.judge.mistakes import Mistake
from toolgauge.judge.verdict import CORRECT, ERROR, Score, Verdict


def places(loss: Loss) -> list[tuple[str, str]]:
    return [(place.dimension, place.name) for place in loss.concentrates]


def tasks_where(data: Dataset, **wanted: object) -> list[tuple[int, int]]:
    return [
        (number, task.index)
        for number, of in enumerate(data.sessions)
        for task in of.tasks
        if all(getattr(task, name) == value for name, value in wanted.items())
    ]


def test_fisher_agrees_with_the_lady_tasting_tea() -> None:
    assert fisher(3, 4, 1, 4) == pytest.approx(17 / 70)  # Fisher, The Design of Experiments, 1935
    assert fisher(4, 4, 0, 4) == pytest.approx(1 / 70)
    assert fisher(0, 4, 4, 4) == pytest.approx(1)
    assert fisher(2.9, 4.7, 1.1, 4.2) == pytest.approx(fisher(2, 4, 2, 4)), "fractions are rounded against the finding"


@pytest.mark.parametrize(
    ("wanted", "place"),
    [
        ({"type": TaskType.CHAT}, ("kind", "chat")),
        ({"index": 2}, ("position", "3")),
        ({"shape": TaskType.PARALLEL_TOOLS}, ("shape", "parallel_tools")),
    ],
)
def test_failures_that_sit_in_one_place_are_described_as_there(
    wanted: dict[str, object], place: tuple[str, str]
) -> None:
    data = dataset(256)
    there = random.Random(3).sample(tasks_where(data, **wanted), 40)
    (loss,) = losses(data, judged(data, dict.fromkeys(there, Mistake.EMPTY_OUTPUT)), "exact").losses
    assert places(loss) == [place]
    found, of = loss.concentrates[0], len(tasks_where(data, **wanted))
    assert (found.tasks, found.of, found.rate) == (40, of, 40 / of)
    assert (found.elsewhere_tasks, found.elsewhere_of) == (0, 1024 - of)
    assert found.p < 1e-6


def test_two_places_are_both_named_and_their_shadows_are_not() -> None:
    data = dataset(256)
    draw = random.Random(5)
    wrong = draw.sample(tasks_where(data, type=TaskType.CHAT), 80) + draw.sample(
        tasks_where(data, type=TaskType.CLARIFY), 60
    )
    (loss,) = losses(data, judged(data, dict.fromkeys(wrong, Mistake.EMPTY_OUTPUT)), "exact").losses
    assert places(loss) == [("kind", "chat"), ("kind", "clarify")]


def with_dates(data: Dataset) -> Dataset:
    def dated(task: Task) -> Task:
        calls = (
            replace(call, arguments=call.arguments | {"date": {"day": [1]}}) for call in task.calls if call.is_tool
        )
        return replace(task, calls=(*calls, *(call for call in task.calls if not call.is_tool)))

    sessions = [
        replace(of, tasks=tuple(map(dated, of.tasks))) if number % 2 else of for number, of in enumerate(data.sessions)
    ]
    return replace(data, sessions=tuple(sessions))


def _random_run(data: Dataset, seed: int) -> list[Score]:
    """Failures at random, but every session has its own difficulty, and half of them one mistake that recurs."""
    draw, made = random.Random(seed), []
    for of in data.sessions:
        ease, own = draw.choice([0.4, 0.9]), draw.choice(list(Mistake))
        for task in of.tasks:
            mistake = own if draw.random() < 0.5 else draw.choice(list(Mistake)[:4])
            made.append(score(of, task.index, {"exact": verdict(draw.random() < ease, 2, mistake)}))
    return made


def with_tools_of_their_own(data: Dataset) -> Dataset:
    """Six sessions in a row share their tools with no other."""
    sessions = []
    for number, of in enumerate(data.sessions):
        tasks = [
            replace(
                one,
                calls=tuple(
                    replace(call, name=f"{call.name}_{number // 6}") if call.is_tool else call for call in one.calls
                ),
            )
            for one in of.tasks
        ]
        sessions.append(replace(of, tasks=tuple(tasks)))
    return replace(data, sessions=tuple(sessions))


def test_failures_at_random_concentrate_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 80 runs at most 4 may be said to concentrate (5 %), though sessions differ; single tasks would mislead."""
    data = with_tools_of_their_own(dataset(96))
    runs = [_random_run(data, seed) for seed in range(80)]

    def named() -> int:
        return sum(any(loss.concentrates for loss in losses(data, one, "exact").losses) for one in runs)

    assert named() <= 4
    monkeypatch.setattr(concentration, "effective", lambda hits, trials: (float(hits.sum()), float(trials.sum())))
    assert named() >= 8, "without the reduction for sessions chance looks like evidence"


def test_a_session_is_one_piece_of_evidence() -> None:
    """Eight failures in two sessions that alone use a tool: sixteen times what chance would do if they were single."""
    data = dataset(60)
    wrong = {(number, index): Mistake.EMPTY_OUTPUT for number in (10, 11) for index in range(4)}
    assert fisher(8, 8, 0, 232) < 1e-10
    (loss,) = losses(data, judged(data, wrong), "exact").losses
    assert loss.concentrates == ()


def test_a_parameter_is_named_by_the_tasks_in_which_it_was_wrong() -> None:
    """Every second session's calls have a date too; it is what goes wrong there, and the city seldom anywhere."""
    data = with_dates(dataset(200))
    draw, made = random.Random(6), []
    for number, of in enumerate(data.sessions):
        for task in of.tasks:
            calls = any(call.is_tool for call in task.calls)
            wrong = "date.day[0]" if calls and number % 2 and draw.random() < 0.3 else ""
            wrong = wrong or ("city" if calls and draw.random() < 0.05 else "")
            fault = Verdict(ERROR, CORRECT, False, (0, 2), "wrong_value", "made up", (("tool_0", wrong),))
            made.append(score(of, task.index, {"exact": fault if wrong else verdict(True)}))
    (loss,) = losses(data, made, "exact").losses
    assert places(loss)[0] == ("parameter", "tool_0.date")
    dated = [one for one in made if one.scorings["exact"].wrong_arguments == (("tool_0", "date.day[0]"),)]
    assert loss.concentrates[0].tasks == len(dated) > 60
    assert loss.at_risk == sum(task.type is not TaskType.CHAT for of in data.sessions for task in of.tasks)
