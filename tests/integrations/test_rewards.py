"""Rewards: worked examples by hand, agreement with the evaluation, threads, processes, and whatever a model may say."""

from __future__ import annotations

import json
import pickle
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.judge.building import call, calls, session
from tests.sizes import sized
from toolgauge.benchmarks.dialogues.benchmark import MINI_FILE
from toolgauge.benchmarks.registry import find_benchmark
from toolgauge.data.session import ASK, Dataset
from toolgauge.episode import drive
from toolgauge.errors import UsageError
from toolgauge.integrations.rewards import SHAPES, Reward, Rewards
from toolgauge.models.builtin.models import noisy, oracle

FIXTURES = Path(__file__).parent.parent / "fixtures"
PAPER = session(
    [("search", {"x": "s"}, []), ("create", {"x": "c"}, []), ("investigate", {"x": "i"}, [0]), ("finish", {}, [1, 2])]
)
"""The worked example of the paper's Figure 3: search -> investigate, create beside them, finish after both."""
BOTH = calls(call("create", x="c"), call("search", x="s"))
WORDS = {"role": "assistant", "content": "done"}


def in_memory(shape: Any = "label", scoring: str = "exact", what: Any = PAPER) -> Rewards:
    return Rewards(Dataset("mine", "en", "0", (what,)), "en", scoring, shape)


def message(name: str, **arguments: Any) -> dict[str, Any]:
    """A call as trainers' chat templates give it: arguments as an object, no id."""
    return {
        "role": "assistant",
        "tool_calls": [{"type": "function", "function": {"name": name, "arguments": arguments}}],
    }


RIGHT = [message("search", x="s"), message("investigate", x="i"), message("create", x="c"), message("finish"), WORDS]


@pytest.mark.parametrize("shape", SHAPES)
def test_a_right_run_earns_everything(shape: Any) -> None:
    assert in_memory(shape).trajectory("s/0", RIGHT) == Reward(1.0, True, 1.0)


def test_partial_credit_by_hand() -> None:
    """Of the two calls due, one is right (1) and one has its name only (1/2); done 0 of 5, due 2: 0.75 * 2 / 5."""
    run = [calls(call("create", x="c"), call("search", x="nothing alike"))]
    earned = in_memory("partial").trajectory("s/0", run)
    assert earned.reward == pytest.approx(0.3)
    assert (earned.correct, earned.progress, earned.mistake) == (False, 0.0, "wrong_value")


def test_a_wrong_step_never_earns_as_much_as_a_right_one() -> None:
    """All values as annotated, and the schema refuses them: nothing to be nearer to, and still wrong."""
    one = session([("A", {"n": "two"}, [])])
    earned = in_memory("partial", what=one).completion("s/0", 0, calls(call("A", n="two")))
    assert (earned.correct, earned.reward) == (False, 0.9)


def test_a_completion_after_steps_of_the_annotated_course() -> None:
    rewards = in_memory("progress")
    assert rewards.completion("s/0", 0, BOTH).reward == 1.0
    assert rewards.completion("s/0", 0, message("search", x="s")) == Reward(0.5, True, 0.5)
    assert rewards.completion("s/0", 1, message("investigate", x="i")).reward == 1.0
    wrong = rewards.completion("s/0", 1, message("finish"))
    assert (wrong.reward, wrong.mistake) == (0.0, "order_violation")
    assert rewards.completion("s/0", 3, "all done").correct


@pytest.mark.parametrize("scoring", ["exact", "released", "tables"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_labels_are_those_of_the_evaluation(scoring: str, language: str) -> None:
    benchmark = find_benchmark("mini")
    dataset = benchmark.load(MINI_FILE, language)
    rewards = Rewards("mini", language, scoring, "progress")
    seen = set()
    for player in (oracle, noisy(3, 0.6)):
        for sample in benchmark.samples(dataset):
            run = drive(benchmark.episode(dataset, sample), player)
            verdict = next(benchmark.scores(dataset, run)).scorings[scoring]
            earned = rewards.trajectory(sample.key, run.replies)
            assert (earned.correct, earned.mistake, earned.detail) == (verdict.correct, verdict.mistake, verdict.detail)
            assert earned.progress == verdict.progress[0] / verdict.progress[1]
            seen.add(verdict.correct)
    assert seen == {True, False}


def test_every_point_of_every_task_is_answered_by_its_annotation() -> None:
    for rewards in (Rewards("mini", "en"), Rewards("mini", "zh", "released"), Rewards("mini", "en", shape="partial")):
        for task_id in rewards.task_ids:
            task = rewards.task(task_id)
            assert rewards.trajectory(task, [point.answer for point in task.points]).reward == 1.0
            for step, point in enumerate(task.points):
                assert rewards.completion(task, step, point.answer).reward == 1.0, (task_id, step)


def test_rows_for_a_training_set() -> None:
    rows = list(Rewards("mini", "en").prompts())
    first = json.loads(json.dumps(rows[0]))
    assert set(first) == {"task_id", "step", "prompt", "tools"}
    assert first["prompt"][0]["role"] == "system"
    assert first["prompt"][-1]["role"] == "user"
    assert first["tools"][0]["type"] == "function"
    assert len({row["task_id"] for row in rows}) == 128
    after_a_call = next(row for row in rows if row["step"] == 1)
    assert after_a_call["prompt"][-1]["role"] in ("tool", "user")


HERMES = '<tool_call>\n{"name": "search", "arguments": {"x": "s"}}\n</tool_call>'
"""A call as models of this family write it (their own documentation)."""


def test_text_in_a_dialect_alone_in_a_message_and_in_a_list() -> None:
    rewards = Rewards(Dataset("mine", "en", "0", (PAPER,)), "en", dialect="hermes")
    for said in (HERMES, {"role": "assistant", "content": HERMES}, [{"role": "assistant", "content": HERMES}]):
        assert rewards.completion("s/0", 0, said) == Reward(1.0, True, 0.5)
    assert in_memory().completion("s/0", 0, HERMES).mistake == "refusal", "without the dialect it is words"
    assert pickle.loads(pickle.dumps(rewards)).completion("s/0", 0, HERMES).correct
    first, second, *_ = rewards.prompts()
    assert {tuple(message) for message in second["prompt"]} == {("role", "content")}
    assert (first["tools"], "investigate" in first["prompt"][0]["content"]) == ([], True)
    assert "<tool_call>" in second["prompt"][2]["content"]
    with pytest.raises(UsageError, match="unknown dialect 'hermse'"):
        Rewards("mini", "en", dialect="hermse")


def test_acebench_by_its_episodes() -> None:
    for scoring in ("exact", "released"):
        rewards = Rewards(FIXTURES / "acebench", "en", scoring, "progress", benchmark="acebench")
        for task_id in rewards.task_ids:
            task = rewards.task(task_id)
            answers = [point.answer for point in task.points]
            assert rewards.trajectory(task, answers).reward == 1.0, (task_id, scoring)
            assert not rewards.trajectory(task, []).correct
        single = next(one for one in rewards.task_ids if not one.startswith("agent"))
        right = rewards.task(single).points[0].answer.content
        assert rewards.completion(single, 0, right).correct
        assert not rewards.completion(single, 0, "I had rather not.").correct
        agent = next(one for one in rewards.task_ids if one.startswith("agent"))
        with pytest.raises(UsageError, match="use trajectory"):
            rewards.completion(agent, 0, "hm")


MINI_RUNS = [
    (task_id, [point.answer for point in Rewards("mini", "en").task(task_id).points][: 1 + position % 3])
    for position, task_id in enumerate(Rewards("mini", "en").task_ids)
]


def one_by_one(rewards: Rewards) -> list[Reward]:
    return [rewards.trajectory(task_id, said) for task_id, said in MINI_RUNS]


def test_many_threads_share_one_instance() -> None:
    rewards = Rewards("mini", "en", shape="partial")
    expected = one_by_one(Rewards("mini", "en", shape="partial"))
    assert len({one.reward for one in expected}) > 2
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(one_by_one, [rewards] * 8)) == [expected] * 8
        steps = list(pool.map(lambda run: rewards.completion(run[0], len(run[1]) - 1, run[1][-1]), MINI_RUNS * 4))
    assert all(step.reward == 1.0 for step in steps)


def test_processes_get_it_by_its_arguments() -> None:
    rewards = Rewards("mini", "en", shape="partial")
    assert len(pickle.dumps(rewards)) < 500
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        assert list(pool.map(one_by_one, [rewards, rewards])) == [one_by_one(rewards)] * 2
    mine = pickle.loads(pickle.dumps(in_memory("partial")))
    assert mine.trajectory("s/0", RIGHT).reward == 1.0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"scoring": "strict"}, "unknown scoring 'strict'; mini has exact, released, tables"),
        ({"shape": "dense"}, "choose one of label, progress, partial"),
        ({"shape": "partial", "scoring": "released"}, "choose 'progress'"),
    ],
)
def test_wrong_choices(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        Rewards("mini", "en", **arguments)


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
FUNCTION = st.fixed_dictionaries(
    {}, optional={"name": st.sampled_from(["search", "create", "finish", ASK]) | JUNK, "arguments": JUNK}
)
SAID = st.fixed_dictionaries(
    {},
    optional={
        "content": JUNK,
        "tool_calls": st.lists(st.fixed_dictionaries({"function": FUNCTION}), max_size=3) | JUNK,
    },
)


@settings(max_examples=sized(30, 150), deadline=None)
@given(st.lists(SAID | st.text(), max_size=3), SAID | st.text())
def test_whatever_is_said_earns_something_between_0_and_1(run: list[Any], last: Any) -> None:
    for shape in SHAPES:
        rewards = in_memory(shape)
        whole, step = rewards.trajectory("s/0", [*run, last]), rewards.completion("s/0", run, last)
        for earned in (whole, step):
            assert 0.0 <= earned.reward <= 1.0
            assert earned.correct or earned.reward < 1.0
        assert whole.progress <= whole.reward or shape == "label"
