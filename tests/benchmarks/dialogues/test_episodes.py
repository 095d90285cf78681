"""Episodes: what is sent back for a reply, when a task is over, and that nothing a model says can break them.
What was said before a task.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.judge.building import TEXT, call, calls, session
from tests.judge.enumeration import released_paths
from tests.sizes import sized
from toolgauge.benchmarks.benchmark import Setup
from toolgauge.benchmarks.dialogues.benchmark import GRAPH_BENCHMARKS, MINI_FILE, GraphBenchmark
from toolgauge.benchmarks.dialogues.episodes import TaskEnvironment
from toolgauge.benchmarks.dialogues.history import (
    DialogueOptions,
    MmtbOptions,
    dialogue_before,
    gold_dialogue,
    out_of_turn,
    plain_dialogue,
    shortest_path,
)
from toolgauge.benchmarks.registry import find_benchmark
from toolgauge.chat import Message, Reply, Request, Tool, ToolCall
from toolgauge.data.session import ASK, FINAL, Call, Dataset, Reference, Session, Task, TaskType
from toolgauge.episode import drive
from toolgauge.errors import UsageError
from toolgauge.judge.graph import CallGraph
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


FIXTURES = Path(__file__).parents[2] / "fixtures"


def task(index: int, calls: list[Call], utterance: str = "do it", **more: object) -> Task:
    return Task(index, utterance, TaskType.MIXED_TOOLS, Reference.COREFERENCE, tuple(calls), **more)  # type: ignore[arg-type]


def history_session(*tasks: Task, language: str = "en", clock: str = "2024-07-10 09:30:00 Wednesday") -> Session:
    return Session("s", language, clock, (Tool("A"),), tasks)


FIRST = task(
    0,
    [
        Call(0, ASK, {"tool_list": []}, (), "Where to?", "Oslo"),
        Call(1, "A", {"city": "Ålesund", "b": 1}, (0,), {"ok": True, "text": "ø"}),
        Call(2, "B", {}, (0,), "plain text"),
        Call(3, FINAL, {"answer_type": "tool"}, (1, 2), "All done."),
    ],
    "take me there",
)


def test_gold_history_is_the_annotated_run() -> None:
    messages = gold_dialogue(history_session(FIRST, task(1, [Call(0, FINAL, {}, (), "hm")], "and now?")), 1)
    assert [message.role for message in messages] == [
        "system", "user", "assistant", "user", "assistant", "tool", "tool", "assistant", "user",
    ]  # fmt: skip
    assert messages[0].content == "Current Date: 2024-07-10 09:30:00 Wednesday"
    assert [messages[i].content for i in (1, 2, 3, 7, 8)] == [
        "take me there",
        "Where to?",
        "Oslo",
        "All done.",
        "and now?",
    ]
    calls = messages[4]
    assert calls.content == ""
    assert [call.name for call in calls.tool_calls] == ["A", "B"]
    assert calls.tool_calls[0].arguments == '{"city": "Ålesund", "b": 1}'
    assert [messages[5].tool_call_id, messages[6].tool_call_id] == [call.id for call in calls.tool_calls]
    ids = [str(call.id) for call in calls.tool_calls]
    assert len(set(ids)) == 2
    assert all(
        identity.startswith("toolu_bdrk_") and len(identity) == 35 and identity[11:].isalnum() for identity in ids
    )


def test_Q4_results_that_are_text_are_encoded_once() -> None:
    messages = gold_dialogue(history_session(FIRST, task(1, [])), 1)
    assert json.loads(messages[5].content or "") == {"ok": True, "text": "ø"}
    assert "ø" in (messages[5].content or "")
    assert messages[6].content == "plain text"


def test_Q5_each_result_has_the_id_of_its_call() -> None:
    """Two parallel steps in one task: the released merged layout loses step here."""
    two_steps = task(
        0,
        [
            Call(0, "A", {"n": 0}, (), "r0"),
            Call(1, "B", {"n": 1}, (), "r1"),
            Call(2, "A", {"n": 2}, (0, 1), "r2"),
            Call(3, "B", {"n": 3}, (0, 1), "r3"),
            Call(4, FINAL, {}, (2, 3), "end"),
        ],
    )
    messages = gold_dialogue(history_session(two_steps, task(1, [])), 1)
    made = {call.id: json.loads(call.arguments)["n"] for m in messages for call in m.tool_calls}
    results = {m.tool_call_id: m.content for m in messages if m.role == "tool"}
    assert {made[identity]: text for identity, text in results.items()} == {n: f"r{n}" for n in range(4)}


def test_first_task_has_no_history_and_chinese_its_own_date_line() -> None:
    chinese = history_session(FIRST, language="zh", clock="2024-07-10 09:30:00 星期三")
    assert gold_dialogue(chinese, 0) == (
        Message("system", "当前日期：2024-07-10 09:30:00 星期三"),
        Message("user", "take me there"),
    )


@settings(max_examples=sized(60, 300), deadline=None)
@given(st.data())
def test_shortest_path_is_the_first_of_the_released_list(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 6))
    names = data.draw(st.lists(st.sampled_from("AABC"), min_size=size, max_size=size))
    after = [data.draw(st.lists(st.integers(0, i - 1), unique=True, max_size=2)) if i else [] for i in range(size)]
    paths = list(released_paths(names, after))
    shortest = min(map(len, paths))
    expected = next(path for path in paths if len(path) == shortest)
    assert tuple(shortest_path(CallGraph(names, after))) == expected


@pytest.mark.parametrize("language", ["en", "zh"])
def test_mmtb_history_is_plain_talk_without_role_prefixes(language: str) -> None:
    dataset = GRAPH_BENCHMARKS["mmtb"].load(FIXTURES / "mmtb_small.jsonl", language)
    for one in dataset.sessions:
        for index, here in enumerate(one.tasks):
            messages = plain_dialogue(one, index)
            roles = [message.role for message in messages]
            assert roles == ["system", *(["user", "assistant"] * len(roles))[: len(roles) - 1]]
            assert roles[-1] == "user"
            assert here.utterance.strip() in (messages[-1].content or "")
            prefixes = ("user:", "ai:", "ai agent:", "用户：", "AI Agent：")
            assert not any((message.content or "").lower().startswith(prefixes) for message in messages)
            start = "Current Date:20" if language == "en" else "当前日期：20"
            assert (messages[0].content or "").startswith(start)


def test_M6_a_dialogue_out_of_turn_is_sent_whole_and_reported() -> None:
    broken = history_session(
        task(0, [], dialogue=(Message("user", "one"), Message("user", "two"))),
        task(1, [], dialogue=(Message("user", "three"),)),
    )
    assert [message.content for message in plain_dialogue(broken, 1)][1:] == ["one", "two", "three"]
    assert out_of_turn(broken) == "message 1 of the dialogue has the role user out of turn"
    assert out_of_turn(history_session(task(0, [], dialogue=(Message("user", "one"),)))) is None


def test_history_can_be_texts_alone_or_nothing() -> None:
    """`plain` leaves calls and results out of WildToolBench's history; `none` sends date and task alone."""
    both = history_session(FIRST, task(1, [Call(0, FINAL, {}, (), "hm")], "and now?"))
    plain = dialogue_before("wildtoolbench", both, 1, DialogueOptions(history="plain"))
    assert [message.content for message in plain[1:]] == ["take me there", "Where to?", "Oslo", "All done.", "and now?"]
    nothing = dialogue_before("wildtoolbench", both, 1, DialogueOptions(history="none"))
    assert [message.role for message in nothing] == ["system", "user"]
    assert nothing[0] == plain[0]
    assert nothing[1].content == "and now?"
    assert dialogue_before("wildtoolbench", both, 1, DialogueOptions()) == gold_dialogue(both, 1)


def test_mmtb_without_context_and_with_roles() -> None:
    """MMTB's contain_context=False keeps the task's own messages; remove_role=False keeps `User:`."""
    spoken = history_session(
        task(0, [], dialogue=(Message("user", "User: one"), Message("assistant", "AI: two"))),
        task(1, [], dialogue=(Message("user", "User: three"),)),
    )

    def texts(**asked: object) -> list[str | None]:
        return [one.content for one in dialogue_before("mmtb", spoken, 1, MmtbOptions(**asked))[1:]]  # type: ignore[arg-type]

    assert texts(history="none") == [" three"]
    assert texts(history="plain") == texts() == [" one", " two", " three"]
    assert texts(remove_role=False) == ["User: one", "AI: two", "User: three"]


@pytest.mark.parametrize("benchmark", ["wildtoolbench", "mmtb"])
def test_without_history_only_later_tasks_are_asked(benchmark: str) -> None:
    file = {"mmtb": FIXTURES / "mmtb_small.jsonl", "wildtoolbench": MINI_FILE}[benchmark]
    graph = GRAPH_BENCHMARKS[benchmark]
    dataset = graph.load(file, "en")
    samples = graph.samples(dataset, Setup(options={"history": "none"}))
    assert {one.task_index for one in samples} == {1, 2, 3}
    assert len(samples) == 3 * len(dataset.sessions)
