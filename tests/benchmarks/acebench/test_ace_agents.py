"""ACEBench's conversations: who speaks to whom, when it ends, what is recorded, and whose fault it was."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from toolgauge.benchmarks.acebench.agents import STOP, agent_episode
from toolgauge.benchmarks.acebench.asking import Style
from toolgauge.benchmarks.acebench.benchmark import AceBench
from toolgauge.benchmarks.acebench.data.entries import AceDataset, AceEntry, AceFunction
from toolgauge.benchmarks.acebench.data.published import load_tables
from toolgauge.benchmarks.benchmark import Setup
from toolgauge.chat import Reply, Request, ToolCall
from toolgauge.episode import Trajectory, drive

DATA = Path(__file__).parents[2] / "fixtures" / "acebench" / "data_all"
BENCH = AceBench()


@pytest.fixture(scope="module")
def dataset() -> AceDataset:
    return BENCH.load(DATA, "en")


def entry_of(dataset: AceDataset, category: str, world: str) -> AceEntry:
    return next(e for e in dataset.entries if e.category == category and world in e.involved_classes)


class Play:
    """Drives an episode with prepared replies of the agent and of the user, and keeps the requests."""

    def __init__(self, agent: Sequence[str | Reply], user: Sequence[str] = ()) -> None:
        self.replies = {"assistant": iter(agent), "user": iter(user)}
        self.requests: list[Request] = []

    def __call__(self, request: Request) -> Reply:
        self.requests.append(request)
        reply = next(self.replies[request.role], STOP)
        return reply if isinstance(reply, Reply) else Reply(reply)

    def asked(self, role: str) -> list[Request]:
        return [request for request in self.requests if request.role == role]


def played(
    dataset: AceDataset, entry: AceEntry, play: Callable[[Request], Reply], style: Style = "prompt", **more: int
) -> Trajectory:
    (sample,) = BENCH.samples(dataset, Setup(ids=(entry.id,)))
    return drive(
        BENCH.episode(dataset, sample, Setup(options={"style": style, "max_turns": more.get("max_turns")})), play
    )


def test_user_agent_and_execution_take_turns(dataset: AceDataset) -> None:
    entry = entry_of(dataset, "agent_multi_turn", "BaseApi")
    play = Play(["Which one?", "[turn_on_wifi()]", STOP], ["Hello there", "That one"])
    trajectory = played(dataset, entry, play)
    assert [request.role for request in play.requests] == ["user", "assistant", "user", "assistant", "assistant"]
    last = play.asked("assistant")[-1].messages
    assert len(last) == 2
    history = last[1].content or ""
    assert "user:Hello there\nagent:Which one?\nuser:That one\nagent:[turn_on_wifi()]\nexecution:[" in history
    assert trajectory.extra["process"] == ["[turn_on_wifi()]"]
    assert trajectory.extra["ended_by"] == "agent"
    assert {k: v for k, v in trajectory.extra["result"][0]["BaseApi"].items() if k == "wifi"} == {"wifi": True}
    assert [step.role for step in trajectory.steps] == [request.role for request in play.requests]


def test_the_simulated_user_sees_the_talk_but_no_calls(dataset: AceDataset) -> None:
    entry = entry_of(dataset, "agent_multi_turn", "BaseApi")
    play = Play(["[turn_on_wifi()]", "agent:Anything else?", STOP], ["Hello", "No"])
    played(dataset, entry, play)
    messages = play.asked("user")[-1].messages
    assert [message.role for message in messages] == ["system", "user", "assistant", "user"]
    assert entry.question in (messages[0].content or "")
    assert [message.content for message in messages[2:]] == ["Hello", "Anything else?"]


def test_the_rules_of_the_world_reach_agent_and_user(dataset: AceDataset) -> None:
    for world, word in (("BaseApi", "2024-06-11"), ("Travel", "2024-07-15")):
        play = Play([STOP] * 3)
        played(dataset, entry_of(dataset, "agent_multi_turn", world), play)
        assert word in (play.asked("assistant")[0].messages[0].content or "")


def test_Q31_the_stop_phrase_counts_from_the_third_message_on(dataset: AceDataset) -> None:
    entry = entry_of(dataset, "agent_multi_turn", "BaseApi")
    play = Play([STOP, STOP, STOP], ["Hi", "Hm", "Well"])
    trajectory = played(dataset, entry, play)
    assert len(play.asked("assistant")) == 2  # the first is message 0, too early; the second is message 2
    assert trajectory.stopped == "agent"


def test_Q31_in_a_call_it_ends_the_published_conversation_unexecuted_but_not_the_exact_one(dataset: AceDataset) -> None:
    entry = entry_of(dataset, "agent_multi_step", "BaseApi")
    call = f"[search_messages(user_name='x', keyword='{STOP}')]"
    published = played(dataset, entry, Play(["[turn_on_wifi()]", call, STOP]))
    assert published.extra["process"] == ["[turn_on_wifi()]"]
    exact = played(dataset, entry, Play(["[turn_on_wifi()]", call, STOP]), "native")
    assert len(exact.extra["process"]) == 2


def test_Q28_the_multi_step_agent_does_not_see_its_own_messages(dataset: AceDataset) -> None:
    entry = entry_of(dataset, "agent_multi_step", "BaseApi")
    play = Play(["Let me see.", "[turn_on_wifi()]", STOP])
    trajectory = played(dataset, entry, play)
    history = play.requests[2].messages[1].content or ""
    assert history.count("execution result:") == 2
    assert "agent:" not in history
    assert "Let me see." not in history
    assert trajectory.extra["process"] == ["Let me see.", "[turn_on_wifi()]"]
    assert not play.asked("user")


def test_native_conversations_use_real_roles_and_a_tool_message_per_call(dataset: AceDataset) -> None:
    entry = entry_of(dataset, "agent_multi_turn", "BaseApi")
    two = Reply(None, (ToolCall("i1", "turn_on_wifi", "{}"), ToolCall("i2", "login_device", "{}")))
    play = Play([two, "All done?", STOP], ["Hello", "Yes"])
    trajectory = played(dataset, entry, play, "native")
    request = play.asked("assistant")[1]
    assert [message.role for message in request.messages] == ["system", "user", "assistant", "tool", "tool"]
    assert [message.tool_call_id for message in request.messages[3:]] == ["i1", "i2"]
    assert all(json.loads(message.content or "") for message in request.messages[3:])
    assert {"turn_on_wifi", "login_device"} <= {tool.name for tool in request.tools}
    assert trajectory.extra["process"] == ["[turn_on_wifi(), login_device()]"]


def test_Q32_every_episode_has_a_world_of_its_own(dataset: AceDataset) -> None:
    entry = entry_of(dataset, "agent_multi_step", "BaseApi")
    first = played(dataset, entry, Play(["[turn_on_wifi()]", STOP]))
    second = played(dataset, entry, Play(["[login_device()]", STOP]))
    states = [next(s["BaseApi"] for s in t.extra["result"] if "BaseApi" in s) for t in (first, second)]
    assert [state["wifi"] for state in states] == [True, bool(entry.initial_config["BaseApi"].get("wifi", False))]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_user_that_never_says_what_it_wants_is_to_blame_in_the_exact_scoring(language: str) -> None:
    dataset = BENCH.load(DATA, language)
    entry = next(one for one in dataset.entries if one.category == "agent_multi_turn")
    idle = {"en": ["Hello! How can I help you?", "I am an assistant."], "zh": ["你好，有什么可以帮您？", "我是助手。"]}[
        language
    ]
    for said, exact in ((idle, "simulator"), ([idle[0], entry.question], "model")):
        trajectory = played(dataset, entry, Play(["Hm.", "Well.", STOP], [*said, "Hm."]))
        (score,) = BENCH.scores(dataset, trajectory)
        assert f"blame: {exact}" in (score.scorings["exact"].detail or ""), said
        assert "blame: model" in (score.scorings["released"].detail or "")


def test_an_environment_that_breaks_is_to_blame(dataset: AceDataset) -> None:
    """A sent message has no time, and the published functions that read times break over it."""
    entry = next(e for e in dataset.entries if e.category == "agent_multi_step" and "MessageApi" in e.involved_classes)
    functions = [*entry.functions, AceFunction("get_latest_message_id"), AceFunction("search_reminders")]
    tables = load_tables("en", dataset.folder)
    people = list(tables["message"]["user_list"])
    send = f"[send_message(sender_name={people[0]!r}, receiver_name={people[1]!r}, message='hi')]"
    first = next(iter(tables["message"]["inbox"]))
    talk = ["[turn_on_wifi(), login_device()]", f"[delete_message(message_id={first})]", send]
    changed = replace(entry, functions=tuple(functions), initial_config={})
    (sample,) = BENCH.samples(dataset, Setup(ids=(entry.id,)))
    for last, expected in (("[get_latest_message_id()]", 1), ("[search_reminders(keyword='x')]", 1), ("[nobody()]", 0)):
        episode = agent_episode(changed, sample, "prompt", 40, tables)
        assert drive(episode, Play([*talk, last, STOP])).extra["environment_errors"] == expected, last


@pytest.mark.parametrize("style", ["prompt", "native"])
def test_strange_replies_end_in_a_label(dataset: AceDataset, style: Style) -> None:
    odd: list[Reply] = [
        Reply(),
        Reply(""),
        Reply("[" * 5000),
        Reply("\ud800"),
        Reply("[f(x=" + "9" * 6000 + ")]"),
        Reply(None, (ToolCall(None, None, None),)),
        Reply(None, (ToolCall("i", "turn_on_wifi", '{"a": [[[]]]}'), ToolCall("i", "turn_on_wifi", "{"))),
        Reply("[turn_on_wifi(x=__import__('os'))]"),
        Reply("x" * 10_000_000),
    ]
    for category in ("agent_multi_turn", "agent_multi_step", "normal_atom_bool", "special_incomplete"):
        entry = next(e for e in dataset.entries if e.category == category)
        for reply in odd:
            trajectory = played(dataset, entry, Play([reply, reply, STOP, STOP], ["Hi", "", "Hm"]), style, max_turns=6)
            (score,) = BENCH.scores(dataset, trajectory)
            assert all(verdict.label in ("correct", "error") for verdict in score.scorings.values())
