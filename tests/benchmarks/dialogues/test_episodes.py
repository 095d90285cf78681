"""Episodes: what is sent back for a reply, when a task is over, and that nothing a model says can break them."""

from __future__ import annotations

import json

import pytest

from tests.judge.building import TEXT, call, calls, session
from toolgauge.benchmarks.benchmark import Setup
from toolgauge.benchmarks.dialogues.benchmark import GRAPH_BENCHMARKS, GraphBenchmark
from toolgauge.benchmarks.dialogues.episodes import TaskEnvironment
from toolgauge.benchmarks.registry import find_benchmark
from toolgauge.chat import Message, Reply, Request, ToolCall
from toolgauge.data.session import ASK, Dataset
from toolgauge.episode import drive
from toolgauge.errors import UsageError
from toolgauge.judge.replies import AnnotatedTask
from toolgauge.judge.values import exact_faults

MINI = GRAPH_BENCHMARKS["mini"]
assert MINI.embedded is not None


@pytest.fixture(scope="module")
def mini() -> Dataset:
    assert MINI.embedded is not None
    return MINI.load(MINI.embedded, "en")


def environment(*nodes: tuple[str, dict[str, object], list[int]]) -> TaskEnvironment:
    what = session(list(nodes))
    return TaskEnvironment(AnnotatedTask(what, what.tasks[0]), exact_faults)


def tool_results(messages: tuple[Message, ...] | None) -> dict[str | None, object]:
    assert messages is not None
    return {m.tool_call_id: json.loads(m.content or "null")["of"] for m in messages if m.role == "tool"}


def test_B4_results_are_attached_to_the_matched_call() -> None:
    """Calls not in the order of their names, and namesakes given the other way round: each gets its own result."""
    here = environment(("A", {"x": "one"}, []), ("A", {"x": "two"}, []), ("B", {"x": "three"}, []))
    made = (
        ToolCall("i1", "B", '{"x": "three"}'),
        ToolCall("i2", "A", '{"x": "two"}'),
        ToolCall("i3", "A", '{"x": "one"}'),
    )
    assert tool_results(here.answer(Reply(None, made))) == {"i1": 2, "i2": 1, "i3": 0}


def test_a_wrong_call_gets_the_result_it_comes_nearest_to() -> None:
    here = environment(("A", {"x": "one", "n": 1}, []), ("A", {"x": "two", "n": 2}, []))
    made = (ToolCall("i1", "A", '{"x": "tow", "n": 2}'), ToolCall("i2", "A", '{"x": "one", "n": 1}'))
    assert tool_results(here.answer(Reply(None, made))) == {"i1": 1, "i2": 0}


def test_wrong_arguments_do_not_end_a_run_but_wrong_names_do() -> None:
    here = environment(("A", {"x": "one"}, []), ("B", {}, [0]))
    assert here.answer(calls(call("A", x="quite different"))) is not None
    assert here.answer(calls(call("A", x="one"))) is None
    assert here.stopped == "a step that no legal order admits"


def test_a_question_gets_the_scripted_answer() -> None:
    here = environment((ASK, {"tool_list": []}, []), ("A", {}, [0]))
    following = here.answer(Reply("which one?"))
    assert following == (Message("assistant", "which one?"), Message("user", "as you like"))
    assert here.answer(calls(call("A"))) is not None
    assert here.answer(TEXT) is None
    assert here.stopped == "answered"


def test_a_run_goes_on_while_any_scoring_admits_it() -> None:
    """A called pseudo-action ends the exact scoring, not the released one (B3)."""
    here = environment((ASK, {"tool_list": []}, []), ("A", {}, [0]))
    following = here.answer(calls(call(ASK, "{}")))
    assert following is not None
    assert following[1].role == "tool"
    assert here.answer(calls(call("A"))) is not None


def test_the_cue_tells_what_is_due(mini: Dataset) -> None:
    here = environment(("A", {"x": "one"}, []), ("B", {}, [0]))
    gold_hint = here.gold_hint()
    assert (gold_hint.due, gold_hint.steps, [c.name for c in gold_hint.later]) == ("calls", 3, ["B"])
    here.answer(gold_hint.reply)
    assert [c.name for c in here.gold_hint().done] == ["A"]
    here.answer(here.gold_hint().reply)
    assert here.gold_hint().due == "final"


def gold(request: Request) -> Reply:
    assert request.gold_hint is not None
    return request.gold_hint.reply


@pytest.mark.parametrize("language", ["en", "zh"])
def test_own_history_keeps_what_the_model_said(language: str) -> None:
    assert MINI.embedded is not None
    dataset = MINI.load(MINI.embedded, language)
    sample = MINI.samples(dataset, Setup(options={"history": "own"}))[0]
    replies = iter([calls(call("nobody")), Reply(), Reply("I will not.", (ToolCall(None, "x", "{}"),)), Reply("no")])
    requests: list[Request] = []

    def answer(request: Request) -> Reply:
        requests.append(request)
        return next(replies)

    trajectory = drive(MINI.episode(dataset, sample), answer)
    utterances = [task.utterance for task in dataset.sessions[0].tasks]
    last = requests[-1].messages
    assert [m.content for m in last if m.role == "user"] == utterances
    after_first = last[2:4]  # the call that got no result, and a tool message that says so
    assert after_first[0].tool_calls[0].name == "nobody"
    assert after_first[1].tool_call_id == "id_nobody"
    assert "error" in json.loads(after_first[1].content or "")
    assert [m.content for m in last[4:]] == [utterances[1], utterances[2], "I will not.", utterances[3]]
    assert [step.task_index for step in trajectory.steps] == [0, 1, 2, 3]
    scores = list(MINI.scores(dataset, trajectory))
    assert [score.task_id for score in scores] == [f"{sample.session_id}/{index}" for index in range(4)]


def test_units_ids_limit_and_epochs(mini: Dataset) -> None:
    assert len(MINI.samples(mini)) == 128
    assert len(MINI.samples(mini, Setup(limit=3))) == 12
    assert [u.key for u in MINI.samples(mini, Setup(ids=("mini_5", "mini_0/2")))] == [
        "mini_0/2", "mini_5/0", "mini_5/1", "mini_5/2", "mini_5/3",
    ]  # fmt: skip
    assert [u.key for u in MINI.samples(mini, Setup(epochs=3, ids=("mini_0/2",)))] == [
        "mini_0/2",
        "mini_0/2#1",
        "mini_0/2#2",
    ]
    assert [u.key for u in MINI.samples(mini, Setup(epochs=2, ids=("mini_7",), options={"history": "own"}))] == [
        "mini_7",
        "mini_7#1",
    ]
    with pytest.raises(UsageError, match="mini_99"):
        MINI.samples(mini, Setup(ids=("mini_99",)))
    with pytest.raises(UsageError, match="known: mini"):
        find_benchmark("minni")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_gold_passes_and_silence_fails_on_all_of_mini(language: str) -> None:
    assert MINI.embedded is not None
    assert_rehearsed(MINI, MINI.load(MINI.embedded, language))


def assert_rehearsed(benchmark: GraphBenchmark, dataset: Dataset) -> None:
    """Every scoring of every task: the oracle is right and optimal; silence is right only where no call is due."""
    for sample in benchmark.samples(dataset):
        task = dataset.by_id[sample.session_id].tasks[sample.task_index or 0]
        (best,) = benchmark.scores(dataset, drive(benchmark.episode(dataset, sample), gold))
        assert all(v.correct and v.optimal and v.progress[0] == v.progress[1] for v in best.scorings.values()), best
        (mute,) = benchmark.scores(dataset, drive(benchmark.episode(dataset, sample), lambda _: Reply("…")))
        assert set(best.scorings) == set(benchmark.scorings)
        assert {v.correct for v in mute.scorings.values()} == {len(task.calls) == 1}, mute
