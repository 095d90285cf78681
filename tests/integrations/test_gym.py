"""The environment: whole episodes of every benchmark by reset and step, with gymnasium and without it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from toolgauge.benchmarks.benchmark import Setup
from toolgauge.errors import UsageError
from toolgauge.integrations.gym import ToolEnv
from toolgauge.integrations.rewards import Rewards
from toolgauge.models.provider_adapter import wire_message

FIXTURES = Path(__file__).parent.parent / "fixtures"


def walk(env: ToolEnv, task_id: str, actions: list[Any]) -> tuple[list[float], bool, bool, dict[str, Any]]:
    """Rewards of the steps until the episode ends or nothing more is to be said."""
    env.reset(options={"task_id": task_id})
    rewards: list[float] = []
    terminated = truncated = False
    info: dict[str, Any] = {}
    for action in actions:
        _, reward, terminated, truncated, info = env.step(action)
        rewards.append(reward)
        if terminated or truncated:
            break
    return rewards, terminated, truncated, info


@pytest.mark.parametrize(
    ("source", "benchmark"),
    [("mini", None), (str(FIXTURES / "mmtb_small.jsonl"), "mmtb"), (str(FIXTURES / "acebench"), "acebench")],
)
@pytest.mark.parametrize("shape", ["label", "progress"])
def test_the_annotated_course_earns_one(source: str, benchmark: str | None, shape: str) -> None:
    env = ToolEnv(source, "en", shape=shape, benchmark=benchmark)
    tasks = Rewards(source, "en", benchmark=benchmark)
    for task_id in env.task_ids:
        answers = [point.answer for point in tasks.task(task_id).points]
        rewards, terminated, truncated, info = walk(env, task_id, answers)
        assert sum(rewards) == pytest.approx(1.0), task_id
        assert (terminated, truncated) == (True, False)
        assert (info["correct"], info["task_id"], len(rewards)) == (True, task_id, len(answers))
        assert shape == "progress" or set(rewards[:-1]) <= {0.0}


def test_progress_is_paid_as_it_is_made() -> None:
    env, tasks = ToolEnv("mini", "en", shape="progress"), Rewards("mini", "en")
    task = next(task for task in map(tasks.task, tasks.task_ids) if len(task.points) == 3)
    rewards, terminated, _, info = walk(
        env, task.id, [task.points[0].answer, task.points[1].answer, Reply_of_nothing()]
    )
    assert rewards[0] > 0.0
    assert rewards[1] > 0.0
    assert rewards[2] == 0.0
    assert terminated
    assert (info["correct"], info["mistake"]) == (False, "empty_output")
    assert info["progress"] == pytest.approx(sum(rewards)) == info["reward"]


def Reply_of_nothing() -> dict[str, Any]:
    return {"role": "assistant", "content": ""}


def test_actions_as_objects_as_json_and_as_words() -> None:
    env, tasks = ToolEnv("mini", "en"), Rewards("mini", "en")
    task = next(
        task for task in map(tasks.task, tasks.task_ids) if len(task.points) == 2 and task.points[0].answer.tool_calls
    )
    said = wire_message(task.points[0].answer.message())
    for first in (said, json.dumps(said), task.points[0].answer):
        rewards, *_ = walk(env, task.id, [first, "That is all."])
        assert sum(rewards) == 1.0
    observation, _ = env.reset(options={"task_id": task.id})
    assert json.loads(observation["messages"]) == task.points[0].prompt()
    assert json.loads(observation["tools"]) == task.points[0].offered()
    observation, *_ = env.step(said)
    assert json.loads(observation["messages"]) == task.points[1].prompt()


def test_whole_sessions_over_ones_own_history() -> None:
    env, tasks = ToolEnv("mini", "en", setup=Setup(limit=2, options={"history": "own"})), Rewards("mini", "en")
    assert env.task_ids == ("mini_0", "mini_1")
    answers = [p.answer for index in range(4) for p in tasks.task(f"mini_0/{index}").points]
    rewards, terminated, _, info = walk(env, "mini_0", answers)
    assert (sum(rewards), terminated, info["correct"]) == (1.0, True, True)


def test_wrong_choices() -> None:
    with pytest.raises(UsageError, match="label, progress"):
        ToolEnv("mini", "en", shape="partial")
    with pytest.raises(UsageError, match="mini has exact"):
        ToolEnv("mini", "en", scoring="strict")
    with pytest.raises(UsageError, match="no such option"):
        ToolEnv("mini", "en", setup=Setup(options={"style": "native"}))


@pytest.mark.filterwarnings("error")
def test_gymnasium_is_content() -> None:
    gymnasium = pytest.importorskip("gymnasium", reason="gymnasium is not installed (extra gym)")
    from gymnasium.utils.env_checker import check_env

    for shape in ("label", "progress"):
        env = ToolEnv("mini", "en", shape=shape)
        assert isinstance(env, gymnasium.Env)
        check_env(env, skip_render_check=True)
