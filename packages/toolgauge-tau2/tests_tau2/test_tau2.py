"""toolgauge-tau2 in a small world in the shape of tau2-bench, and in tau2-bench where it is installed."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

import toolgauge_tau2
from tests_tau2 import small_tau2
from toolgauge.benchmarks.benchmark import Setup
from toolgauge.chat import Reply, Request, ToolCall
from toolgauge.episode import Trajectory, drive
from toolgauge.errors import DataError, ToolgaugeError, UsageError
from toolgauge.judge.verdict import Verdict
from toolgauge_tau2.benchmark import RETAIL, Tau2

Answer = Callable[[Request], Reply]


@pytest.fixture
def lamps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tau2:
    small_tau2.install(tmp_path, monkeypatch)
    return Tau2(small_tau2.DOMAIN, judged=True)


def perfect(request: Request) -> Reply:
    """What the hint of a request says: every role does its best."""
    assert request.gold_hint is not None, f"{request.role} has no hint"
    return request.gold_hint.reply


def but(role: str, step: int, reply: Reply) -> Answer:
    """Everybody is perfect, but for what one role says at one of its steps."""
    return lambda request: reply if (request.role, request.step) == (role, step) else perfect(request)


def played(tau2: Tau2, number: int, answer: Answer, **options: object) -> Trajectory:
    dataset = tau2.load(tau2.embedded, "en")
    setup = Setup(options=options)
    return drive(tau2.episode(dataset, tau2.samples(dataset, setup)[number], setup), answer)


def verdict(tau2: Tau2, said: Trajectory) -> Verdict:
    (score,) = tau2.scores(tau2.load(tau2.embedded, "en"), said)
    return score.scorings["released"]


@pytest.mark.parametrize("number", [0, 1])
def test_a_perfect_model_passes(lamps: Tau2, number: int) -> None:
    said = played(lamps, number, perfect)
    told = verdict(lamps, said)
    assert told.correct, told.detail
    assert said.stopped == "user_stop"
    assert set(told.parts.values()) == {1.0}  # type: ignore[union-attr]


def test_kinds_and_texts_of_tasks(lamps: Tau2) -> None:
    told = [(task.id, task.kind, task.text.split(",")[0]) for task in lamps.load(lamps.embedded, "en").tasks]
    assert told == [
        ("lamps-0", "", "You want light in the hall"),
        ("lamps-1", "cellar", "You want light in the cellar"),
    ]


def test_what_each_role_is_shown(lamps: Tau2) -> None:
    requests: list[Request] = []

    def answer(request: Request) -> Reply:
        requests.append(request)
        return perfect(request)

    played(lamps, 1, answer)
    user = next(one for one in requests if one.role == "user")
    assert [message.role for message in user.messages] == ["system", "user"]
    assert [tool.name for tool in user.tools] == ["put_fuse_in"]
    agent = [one for one in requests if one.role == "assistant"]
    assert agent[0].messages[0].content == "A house."
    assert [tool.name for tool in agent[0].tools] == ["switch"]
    assert not any("put_fuse_in" in str(message.tool_calls) for message in agent[-1].messages)


def test_reasoning_goes_back_to_the_model_that_gave_it(lamps: Tau2) -> None:
    asked: list[Request] = []

    def answer(request: Request) -> Reply:
        asked.append(request)
        reply = perfect(request)
        return (
            reply if request.role != "assistant" else Reply(reply.content, reply.tool_calls, "thought", echo={"a": 1})
        )

    played(lamps, 0, answer)
    again = [one for one in asked if one.role == "assistant"][-1]
    (own,) = [message for message in again.messages if message.tool_calls]
    assert (own.reasoning, own.echo) == ("thought", {"a": 1})


def test_a_conversation_that_leaves_the_world_as_it_was(lamps: Tau2) -> None:
    told = verdict(lamps, played(lamps, 0, but("assistant", 0, Reply("That costs 5 cents."))))
    assert (told.mistake, told.parts) == ("database", {"database": 0.0, "communicate": 1.0, "judged": 1.0})


def test_states_stand_side_by_side(lamps: Tau2) -> None:
    said = played(lamps, 0, but("assistant", 0, Reply("That costs 5 cents.")))
    outcome = lamps.judge(lamps.load(lamps.embedded, "en").tasks[0], said.steps, said.extra)["released"]
    assert outcome.states == ({"lamps hall": True}, {"lamps hall": False})


def test_what_has_to_be_said_is_missing(lamps: Tau2) -> None:
    told = verdict(lamps, played(lamps, 0, but("assistant", 1, Reply("Done."))))
    assert (told.mistake, told.detail) == ("communicate", "not said: 5 cents")


def judged(met: bool) -> Reply:
    results = [{"expectedOutcome": "The agent is kind.", "reasoning": "seen", "metExpectation": met}]
    return Reply(json.dumps({"results": results}))


def test_the_judge_decides_its_part_and_may_be_asked_again(lamps: Tau2) -> None:
    said = played(lamps, 0, but("judge", 0, judged(False)))
    told = verdict(lamps, said)
    assert (told.mistake, told.detail) == ("judged", "The agent is kind.: seen")
    again = [replace(step, reply=judged(True)) if step.role == "judge" else step for step in said.steps]
    assert verdict(lamps, replace(said, steps=tuple(again))).correct


@pytest.mark.parametrize("reply", [Reply("It went well."), Reply(""), Reply("[]"), Reply('{"results": 1}')])
def test_a_judge_who_does_not_answer_in_the_form_gives_no_verdict(lamps: Tau2, reply: Reply) -> None:
    (score,) = lamps.scores(lamps.load(lamps.embedded, "en"), played(lamps, 0, but("judge", 0, reply)))
    assert (score.scorings, score.not_judgeable) == ({}, ("released",))


BROKEN = [
    Reply(" "),
    Reply(None, (ToolCall("1", "switch", '{"lamp":'),)),
    Reply(None, (ToolCall("1", "switch", "[1]"),)),
]


@pytest.mark.parametrize("reply", BROKEN)
def test_an_unusable_reply_is_wrong(lamps: Tau2, reply: Reply) -> None:
    said = played(lamps, 0, but("assistant", 0, reply))
    assert said.stopped == "unusable_reply"
    assert not verdict(lamps, said).correct
    assert [message["role"] for message in said.extra["messages"]] == ["assistant", "user"]


def test_an_unusable_reply_of_the_user_is_nobodys_verdict(lamps: Tau2) -> None:
    with pytest.raises(ToolgaugeError, match="the simulated user gave an empty reply"):
        played(lamps, 0, but("user", 0, Reply("")))


def test_where_the_evaluator_of_tau2_gives_up_the_model_is_wrong(lamps: Tau2, monkeypatch: pytest.MonkeyPatch) -> None:
    def evaluate(*_: object) -> None:
        raise KeyError("no such lamp")

    said = played(lamps, 0, perfect)
    monkeypatch.setattr(RETAIL.tau2, "evaluate_simulation", evaluate)
    told = verdict(lamps, said)
    assert (told.mistake, told.detail) == ("evaluator_failed", "KeyError: 'no such lamp'")


def test_conversations_that_lead_nowhere_end(lamps: Tau2) -> None:
    def lost(request: Request) -> Reply:
        return Reply("Pardon?") if request.role == "user" else Reply(tool_calls=(ToolCall("1", "open", "{}"),))

    told = verdict(lamps, played(lamps, 0, lost, max_errors=2))
    assert (told.mistake, told.detail) == ("too_many_errors", "ended early: too_many_errors")
    assert verdict(lamps, played(lamps, 0, lost, max_steps=3)).mistake == "max_steps"


def test_turns_are_those_of_the_user(lamps: Tau2) -> None:
    said = played(lamps, 1, perfect)
    assert [(step.role, step.turn) for step in said.steps if not step.reply.tool_calls] == [
        ("user", 0), ("assistant", 0), ("user", 1), ("assistant", 1), ("user", 2),
    ]  # fmt: skip


def test_without_tau2_bench_it_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAU2_DATA_DIR", str(tmp_path))
    with pytest.raises(UsageError, match="needs tau2: tau2-bench is not on PyPI"):
        RETAIL.embedded  # noqa: B018 - it is the property that raises
    small_tau2.install(tmp_path, monkeypatch)
    monkeypatch.delitem(sys.modules, "toolgauge_tau2.original")
    monkeypatch.delattr(toolgauge_tau2, "original")
    monkeypatch.setitem(sys.modules, "tau2.registry", None)
    with pytest.raises(UsageError, match=r"cannot use tau2 \(.*tau2\.registry.*\): tau2-bench is not on PyPI"):
        RETAIL.tau2  # noqa: B018 - it is the property that raises


def test_data_of_something_else(tmp_path: Path) -> None:
    (tmp_path / "tasks.json").write_text("[]", "utf-8")
    with pytest.raises(DataError, match="not the data of a domain of tau2-bench"):
        RETAIL.load(tmp_path, "en")
