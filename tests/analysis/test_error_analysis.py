"""Losses: they add up, find what was planted, and count what they say they count."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import toolgauge
from tests.analysis.synthetic import dataset, score, scores, verdict
from toolgauge.analysis.causes import losses
from toolgauge.data.session import Dataset
from toolgauge.judge.mistakes import Mistake
from toolgauge.judge.verdict import Score
from toolgauge.results import open_run
from toolgauge.runs.scored import ScoredRun


@pytest.fixture(scope="module")
def noisy(tmp_path_factory: pytest.TempPathFactory) -> ScoredRun:
    folder = tmp_path_factory.mktemp("runs") / "noisy"
    toolgauge.run("mini", "builtin/noisy", out=folder)
    return open_run(folder)


def data_of(run: ScoredRun) -> Any:
    return run.dataset


def judged(data: Dataset, wrong: dict[tuple[int, int], Mistake]) -> list[Score]:
    """All tasks right but those named by the numbers of session and task."""
    return [
        score(of, task.index, {"exact": verdict(mistake is None, 2, mistake or Mistake.WRONG_TOOL)})
        for number, of in enumerate(data.sessions)
        for task in of.tasks
        for mistake in [wrong.get((number, task.index))]
    ]


@pytest.mark.parametrize("epochs", [1, 3])
@pytest.mark.parametrize("scoring", ["exact", "tables"])
def test_losses_add_up_and_every_failed_task_belongs_to_one(scoring: str, epochs: int) -> None:
    data = dataset(60)
    made = scores(data, epochs=epochs)
    found = losses(data, made, scoring, examples=10**6)
    failed = [one.task_id for one in made if not one.scorings[scoring].correct]
    assert found.scored == len(made) == 240 * epochs
    assert found.accuracy == pytest.approx(100 - 100 * len(failed) / len(made), abs=1e-6)
    assert sum(loss.points for loss in found.losses) == pytest.approx(100 - (found.accuracy or 0), abs=1e-4)
    assert sorted(task_id for loss in found.losses for task_id in loss.examples) == sorted(failed)
    assert [loss.tasks for loss in found.losses] == sorted((loss.tasks for loss in found.losses), reverse=True)


def test_the_mistakes_that_the_noisy_player_made_are_found(noisy: ScoredRun) -> None:
    right = {one.task_id for one in noisy.scores if one.scorings["exact"].correct}
    planted = Counter(
        next(reply.planted for reply in trajectory.replies if reply.planted)
        for trajectory in noisy.trajectories()
        if any(reply.planted for reply in trajectory.replies) and trajectory.task_id not in right
    )
    found = losses(data_of(noisy), noisy.scores, "exact")
    assert sum(planted.values()) > 30
    assert {loss.mistake: loss.tasks for loss in found.losses} == dict(planted)
    first = found.losses[0]
    assert first.tasks == max(planted.values())
    assert first.ci95 is not None
    assert first.ci95[0] < first.points < first.ci95[1]


def test_examples_are_of_the_loss_and_of_different_sessions(noisy: ScoredRun) -> None:
    verdicts = {one.task_id: one.scorings["exact"] for one in noisy.scores}
    for loss in losses(data_of(noisy), noisy.scores, "exact").losses:
        assert len(loss.examples) == min(3, loss.tasks)
        assert {verdicts[task_id].mistake for task_id in loss.examples} == {loss.mistake}
        assert len({task_id.rpartition("/")[0] for task_id in loss.examples}) == len(loss.examples)


def test_near_misses_are_whole_sessions_with_one_task_wrong() -> None:
    data = dataset(12)
    made = judged(
        data,
        {
            (0, 3): Mistake.REFUSAL,
            (1, 0): Mistake.REFUSAL,
            (2, 1): Mistake.WRONG_TOOL,
            (3, 0): Mistake.WRONG_TOOL,
            (3, 2): Mistake.WRONG_TOOL,
            (4, 0): Mistake.WRONG_TOOL,
        },
    )
    made = [one for one in made if one.task_id != "made_up_4/3"]  # not finished: no near miss
    near = losses(data, made, "exact").near_misses
    assert near is not None
    assert (near.sessions, near.of) == (3, 11)
    assert near.points == pytest.approx(300 / 11, abs=1e-6)
    assert near.blocked_by == {"refusal": 2, "wrong_tool": 1}
    assert near.examples == ("made_up_0/3", "made_up_1/0", "made_up_2/1")


def test_near_misses_agree_with_the_table(noisy: ScoredRun) -> None:
    near = losses(data_of(noisy), noisy.scores, "exact").near_misses
    table = noisy.metrics.scorings["exact"]["near_misses"]["one_task_short"]
    assert near is not None
    assert (near.sessions, near.of) == (table.correct, table.total)


def test_without_a_data_set_there_are_losses_and_positions() -> None:
    data = dataset(60)
    made = judged(data, {(n, 3): Mistake.REFUSAL for n in range(40)})
    found = losses(None, made, "exact")
    assert not found.located
    assert [(loss.mistake, loss.tasks) for loss in found.losses] == [("refusal", 40)]
    assert [(place.dimension, place.name) for place in found.losses[0].concentrates] == [("position", "4")]


def test_losses_of_acebench(tmp_path: Path) -> None:
    fixture = Path(__file__).parents[1] / "fixtures" / "acebench"
    toolgauge.run("acebench", "builtin/noisy", data=fixture, out=tmp_path / "ace")
    run = open_run(tmp_path / "ace")
    found = losses(data_of(run), run.scores, "released", examples=100)
    wrong = {
        one.task_id: one.scorings["released"].mistake for one in run.scores if not one.scorings["released"].correct
    }
    assert {task_id: loss.mistake for loss in found.losses for task_id in loss.examples} == wrong
    assert len(wrong) > 3
    assert found.points == pytest.approx(100 * len(wrong) / len(run.scores), abs=1e-5)
