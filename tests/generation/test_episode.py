"""How a dialogue goes on after what goes wrong: who is asked again, what is made again, when it is given up."""

from __future__ import annotations

from typing import Any

import pytest

from tests.generation.scripted import LANGUAGES, agents_of, attempt_of, changing, dialogue_of, made
from tests.rows import rows
from tests.sizes import sized
from toolgauge.chat import Json, Reply, Request
from toolgauge.generation.checks import CHECKS
from toolgauge.generation.dialogue import Speaker
from toolgauge.models.builtin.models import oracle


@pytest.mark.parametrize("language", LANGUAGES[: sized(1, 2)])
def test_a_planner_is_objected_to_and_tries_again(language: str) -> None:
    def change(value: Json) -> None:
        value["Action_List"][0]["name"] = "no_such_tool"

    trajectory = made(("single",), changing("PlannerReply", change, 2), language)
    entries = dialogue_of(trajectory).entries
    assert [one.speaker for one in entries[1:6]] == [
        Speaker.PLANNER, Speaker.PLANNER_CHECKER, Speaker.PLANNER, Speaker.PLANNER_CHECKER, Speaker.PLANNER,
    ]  # fmt: skip
    assert [one.accepted for one in entries[1:6:2]] == [False, False, True]
    assert entries[2].findings[0].rule == "unknown_action"
    assert entries[2].findings[0].text in (trajectory.steps[2].messages[-1].content or "") + str(
        trajectory.steps[2].messages
    )


def test_three_bad_decisions_and_the_user_asks_for_something_else() -> None:
    trajectory = made(("single",), changing("PlannerReply", lambda value: value.update(Action_List=[]), 3))
    dialogue_of(trajectory)
    assert agents_of(trajectory)[:5] == ["user_single_tool", "planner", "planner", "planner", "user_single_tool"]
    assert [one.reason for one in attempt_of(trajectory).repairs] == ["planner"]


def test_an_unreadable_reply_is_named_by_the_five_keys_of_the_prompt() -> None:
    trajectory = made(("single",), changing("PlannerReply", lambda value: "no JSON", 1))
    found = dialogue_of(trajectory).entries[2].findings[0]
    assert found.rule == "form"
    assert all(key in found.text for key in ("Task_Finish", "Thought", "Plan", "Action_List", "Answer"))


def test_several_calls_are_checked_and_single_ones_are_not() -> None:
    assert "checker_planner" not in agents_of(made(("single", "clarify", "chat")))
    seen = []
    for number in range(24):
        trajectory = made(("multi",), key=str(number))
        several = any(
            sum(action.is_tool for action in entry.decision.actions) > 1
            for entry in dialogue_of(trajectory).kept
            if entry.decision
        )
        assert ("checker_planner" in agents_of(trajectory)) is several
        seen.append(several)
    assert len(set(seen)) == 2


def test_the_checker_can_refuse() -> None:
    refuse = changing("CheckReply", lambda value: value.update(correct="no", tool_call_analysis="b needs a"), 1)
    for number in range(12):
        trajectory = made(("multi",), refuse, key=str(number))
        objected = [entry for entry in dialogue_of(trajectory).entries if entry.findings]
        if objected:
            assert (objected[0].findings[0].rule, objected[0].findings[0].text) == ("parallelism", "b needs a")
            return
    raise AssertionError("no decision had several calls")


def test_tools_are_objected_to_and_try_again() -> None:
    trajectory = made(("single",), changing("ToolReply", lambda value: value["Observation_List"].clear(), 1))
    assert agents_of(trajectory)[:5] == ["user_single_tool", "planner", "tool", "tool", "planner"]
    assert dialogue_of(trajectory).entries[3].findings[0].rule == "observation_count"


def test_a_task_of_another_kind_is_the_users_fault() -> None:
    """A planner who answers where a call was due: the message is another one then; in the end the slot is given up."""

    def change(value: Json) -> None:
        value["Action_List"] = [{"name": "prepare_to_answer", "arguments": {"answer_type": "chat"}}]

    attempt = attempt_of(made(("single",), changing("PlannerReply", change)))
    assert (attempt.failed, [one.reason for one in attempt.repairs]) == ("path", ["path", "path"])
    assert "chat instead of single" in attempt.evidence
    off = made(("single",), changing("PlannerReply", change), checks=tuple(name for name in CHECKS if name != "path"))
    dialogue_of(off)


def test_a_proposal_must_fit_what_it_means() -> None:
    def change(value: Json) -> None:
        for one in value["candidates"]:
            one["calls"] = []

    trajectory = made(("single",), changing("UserReply", change, 1))
    dialogue_of(trajectory)
    assert agents_of(trajectory)[:2] == ["user_single_tool"] * 2
    assert "“calls” has 0 entries" in (trajectory.steps[1].messages[-1].content or "")
    assert attempt_of(made(("single",), changing("UserReply", change))).failed == "user"


@rows(
    ("message", "why"),
    [("请问明天天气怎么样呢", "not in English"), ("x" * 5000, "characters"), ("Use find_me_x now", "")],
)
def test_words_that_will_not_do_are_asked_for_again(message: str, why: str) -> None:
    def change(value: Json) -> None:
        for one in value["candidates"]:
            one["message"] = message

    trajectory = made(("chat",), changing("UserReply", change, 1))
    dialogue_of(trajectory)
    assert (agents_of(trajectory)[:2] == ["user_chat"] * 2) is bool(why)
    assert not why or why in (trajectory.steps[1].messages[-1].content or "")


def test_a_user_is_vague_twice_in_a_row_at_most() -> None:
    agents = agents_of(made(("clarify",), vague=1.0))
    assert [one for one in agents if one.endswith("answer_ask")] == [
        "user_vague_answer_ask", "user_vague_answer_ask", "user_answer_ask",
    ]  # fmt: skip


def test_an_ablation_rejects_what_leads_to_the_same_calls_alone() -> None:
    trajectory = made(("single", "single"), ablation=True)
    dialogue_of(trajectory)
    assert agents_of(trajectory).count("planner_ablation") == 1
    last: list[Reply] = []

    def play(request: Request) -> Reply:
        """Who is asked alone says what was said in the dialogue."""
        reply = oracle(request)
        if request.reply_schema is not None and request.reply_schema.name == "PlannerReply":
            is_alone = sum(message.role == "user" for message in request.messages) == 1 and last and len(last) > 2
            if is_alone and '"chat"' in (reply.content or ""):
                return last[-2]
            last.append(reply)
        return reply

    attempt = attempt_of(made(("single", "single"), play, ablation=True))
    assert (attempt.failed, attempt.repairs[0].reason) == ("context", "context")


@pytest.mark.parametrize("language", LANGUAGES[: sized(1, 2)])
def test_all_candidates_are_kept_and_one_is_said(language: str) -> None:
    dialogue = dialogue_of(made(("single", "chat"), language=language, candidates=True))
    for number, task in enumerate(dialogue.tasks):
        said = next(one.text for one in dialogue.kept if one.task == number)
        assert said in [one.text for one in task.candidates]
        assert task.intent in task.candidates


def test_where_planner_and_assistant_are_two_the_assistant_speaks() -> None:
    together, apart = made(("clarify", "chat")), made(("clarify", "chat"), planner_answers=False)
    assert [one for one in agents_of(together) if one.startswith("agent")] == []
    assert [one for one in agents_of(apart) if one.startswith("agent")] == [
        "agent_ask", "agent_answer", "agent_answer_chat",
    ]  # fmt: skip
    spoken = [
        [one.text for one in dialogue_of(made_).kept if one.speaker is Speaker.AGENT] for made_ in (together, apart)
    ]
    assert spoken[0] == spoken[1]


@rows("agent", ["planner", "tool", "assistant"])
def test_no_prompt_but_the_users_reveals_the_path(agent: str) -> None:
    """Whoever works on a clarify task is told the same as in a task of another kind."""
    requests: dict[str, list[Any]] = {}

    def play(request: Request) -> Reply:
        requests.setdefault(request.role, []).append(request)
        return oracle(request)

    made(("clarify",), play, planner_answers=False)
    role = {"assistant": "agent"}.get(agent, agent)
    for request in requests[role]:
        text = "\n".join(message.content or "" for message in request.messages)
        assert "clarify" not in text
        assert "something is missing" not in text
