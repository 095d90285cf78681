"""The gold history of both benchmarks, message by message."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.judge.enumeration import released_paths
from tests.sizes import sized
from toolgauge.benchmarks.benchmark import Setup
from toolgauge.benchmarks.dialogues.benchmark import GRAPH_BENCHMARKS, MINI_FILE
from toolgauge.benchmarks.dialogues.history import (
    DialogueOptions,
    MmtbOptions,
    dialogue_before,
    gold_dialogue,
    out_of_turn,
    plain_dialogue,
    shortest_path,
)
from toolgauge.chat import Message, Tool
from toolgauge.data.session import ASK, FINAL, Call, Reference, Session, Task, TaskType
from toolgauge.judge.graph import CallGraph

FIXTURES = Path(__file__).parents[2] / "fixtures"


def task(index: int, calls: list[Call], utterance: str = "do it", **more: object) -> Task:
    return Task(index, utterance, TaskType.MIXED_TOOLS, Reference.COREFERENCE, tuple(calls), **more)  # type: ignore[arg-type]


def session(*tasks: Task, language: str = "en", clock: str = "2024-07-10 09:30:00 Wednesday") -> Session:
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
    messages = gold_dialogue(session(FIRST, task(1, [Call(0, FINAL, {}, (), "hm")], "and now?")), 1)
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
    messages = gold_dialogue(session(FIRST, task(1, [])), 1)
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
    messages = gold_dialogue(session(two_steps, task(1, [])), 1)
    made = {call.id: json.loads(call.arguments)["n"] for m in messages for call in m.tool_calls}
    results = {m.tool_call_id: m.content for m in messages if m.role == "tool"}
    assert {made[identity]: text for identity, text in results.items()} == {n: f"r{n}" for n in range(4)}


def test_first_task_has_no_history_and_chinese_its_own_date_line() -> None:
    chinese = session(FIRST, language="zh", clock="2024-07-10 09:30:00 星期三")
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
    broken = session(
        task(0, [], dialogue=(Message("user", "one"), Message("user", "two"))),
        task(1, [], dialogue=(Message("user", "three"),)),
    )
    assert [message.content for message in plain_dialogue(broken, 1)][1:] == ["one", "two", "three"]
    assert out_of_turn(broken) == "message 1 of the dialogue has the role user out of turn"
    assert out_of_turn(session(task(0, [], dialogue=(Message("user", "one"),)))) is None


def test_history_can_be_texts_alone_or_nothing() -> None:
    """`plain` leaves calls and results out of WildToolBench's history; `none` sends date and task alone."""
    both = session(FIRST, task(1, [Call(0, FINAL, {}, (), "hm")], "and now?"))
    plain = dialogue_before("wildtoolbench", both, 1, DialogueOptions(history="plain"))
    assert [message.content for message in plain[1:]] == ["take me there", "Where to?", "Oslo", "All done.", "and now?"]
    nothing = dialogue_before("wildtoolbench", both, 1, DialogueOptions(history="none"))
    assert [message.role for message in nothing] == ["system", "user"]
    assert nothing[0] == plain[0]
    assert nothing[1].content == "and now?"
    assert dialogue_before("wildtoolbench", both, 1, DialogueOptions()) == gold_dialogue(both, 1)


def test_mmtb_without_context_and_with_roles() -> None:
    """MMTB's contain_context=False keeps the task's own messages; remove_role=False keeps `User:`."""
    spoken = session(
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
