"""The judge: asked once for a finished task, with every value that stands nowhere; what follows from its verdict."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.generation.dialogues import tool
from tests.generation.scripted import LANGUAGES, agents_of, attempt_of, changing, dialogue_of, made
from tests.rows import rows
from tests.sizes import sized
from toolgauge.chat import Json
from toolgauge.data.session import Reference
from toolgauge.generation.checks import JUDGED
from toolgauge.generation.graph import annotate
from toolgauge.models.builtin.models import oracle
from toolgauge.tools.toollist import ToolList

SWITCH = tool("switch_lamp", "Switch a lamp.", ["lamp", "on"], lamp={"type": "string"}, on={"type": "boolean"},
              tone={"type": "string"})  # fmt: skip
LAMPS = (ToolList("lamps", (SWITCH,), "Lamps"),)


def lit(ruling: str, times: int = 1, **more: Any) -> Any:
    """A judge who says this of the value `true`, which stands nowhere literally; of later ones what is scripted."""

    def change(value: Json) -> None:
        for one in value["arguments"]:
            one |= {"verdict": ruling, "reason": "because", **more}

    return changing("JudgeReply", change, times)


@pytest.mark.parametrize("language", LANGUAGES[: sized(1, 2)])
def test_every_finished_task_is_judged_once(language: str) -> None:
    trajectory = made(("single", "multi", "clarify", "chat"), language=language)
    assert agents_of(trajectory).count("judge") == 4
    verdicts = [task.verdict for task in dialogue_of(trajectory).tasks]
    assert [one is not None and one.answer_agrees for one in verdicts] == [True] * 4
    origin = annotate(dialogue_of(trajectory)).extra["origin"]
    assert [one["answer_agrees"] for one in origin["judged"]] == [True] * 4


@pytest.mark.parametrize("language", LANGUAGES[: sized(1, 2)])
def test_the_request_has_calls_values_and_what_the_user_means(language: str) -> None:
    seen = []

    def play(request: Any) -> Any:
        if request.reply_schema.name == "JudgeReply":
            seen.append(request.messages[-1].content)
        return oracle(request)

    dialogue = dialogue_of(made(("single",), play, language, pool=LAMPS))
    (call,) = [one for entry in dialogue.kept if entry.decision for one in entry.decision.actions if one.is_tool]
    assert f"switch_lamp({json.dumps(call.arguments, ensure_ascii=False, separators=(',', ':'))}" in seen[0]
    assert "on = true" in seen[0]
    assert "lamp =" not in seen[0], "what stands in the user's words is no question"
    assert '"as they were made"' in seen[0] or "与实际的调用相同" in seen[0], "calls as meant are not repeated"


def test_an_unasked_optional_value_is_taken_out() -> None:
    def tones(value: Json) -> None:
        for one in value["Action_List"]:
            if one["name"] == "switch_lamp":
                one["arguments"]["tone"] = "purple haze"

    planner, judge = changing("PlannerReply", tones), lit("unasked")

    def play(request: Any) -> Any:
        return (judge if request.reply_schema.name == "JudgeReply" else planner)(request)

    def only_tone(value: Json) -> None:
        for one in value["arguments"]:
            one["verdict"] = "unasked" if one["number"] == 2 else "stated"

    judge = changing("JudgeReply", only_tone)
    trajectory = made(("single",), play, pool=LAMPS)
    (call, _) = annotate(dialogue_of(trajectory)).tasks[0].calls
    assert set(call.arguments) == {"lamp", "on"}
    assert agents_of(trajectory).count("judge") == 1


@pytest.mark.parametrize("ruling", ["wrong", "unasked"])
def test_a_wrong_value_is_made_again_from_the_decision(ruling: str) -> None:
    trajectory = made(("single",), lit(ruling), pool=LAMPS)
    dialogue_of(trajectory)
    assert agents_of(trajectory) == [
        "user_single_tool", "planner", "tool", "planner", "judge", "planner", "tool", "planner", "judge",
    ]  # fmt: skip
    (repair,) = attempt_of(trajectory).repairs
    assert (repair.reason, repair.first, repair.end) == ("values", 1, 5)
    assert "switch_lamp.on" in repair.evidence
    again = trajectory.steps[5].messages[-1].content or ""
    assert "because" in again


def test_an_answer_that_contradicts_results_is_said_again() -> None:
    def disagrees(value: Json) -> None:
        value["answer"] = {"agrees": False, "reason": "no price was found"}

    trajectory = made(("single",), changing("JudgeReply", disagrees, 1))
    assert agents_of(trajectory)[-3:] == ["judge", "agent_answer", "judge"]
    assert dialogue_of(trajectory).kept[-1].agent == "agent_answer"
    assert "no price was found" in (trajectory.steps[-2].messages[-1].content or "")


def needless(value: Json) -> None:
    value["earlier"] = {"needed": False, "kind": "none", "task": 0, "reason": "it says all"}


def test_a_later_task_that_needs_nothing_is_asked_for_again_unless_a_value_proves_it() -> None:
    trajectory = made(("chat", "chat"), changing("JudgeReply", needless, 2))
    assert agents_of(trajectory).count("user_continue_question") == 2
    assert [one.reason for one in attempt_of(trajectory).repairs] == ["context"]
    two = tool("book", "Book a room.", ["place", "guest"], place={"type": "string"}, guest={"type": "string"})
    proven = made(("single", "single"), changing("JudgeReply", needless), pool=(ToolList("rooms", (two,), "Rooms"),))
    assert [one.verdict.needs_earlier for one in dialogue_of(proven).tasks[1:] if one.verdict] == [True]
    assert attempt_of(proven).repairs == ()


@rows("check", JUDGED)
def test_what_fails_too_often_is_rejected_or_kept_with_a_mark(check: str) -> None:
    def change(value: Json) -> None:
        needless(value)
        value["answer"] = {"agrees": check != "answer", "reason": "no"}
        for one in value["arguments"]:
            one["verdict"] = "wrong"

    path = ("chat", "chat") if check == "context" else ("single",)
    settings: Any = {"checks": (check,), "pool": LAMPS if check == "values" else None}
    failed = attempt_of(made(path, changing("JudgeReply", change), **settings))
    assert (failed.failed, len(failed.repairs)) == (check, 2)
    kept = made(path, changing("JudgeReply", change), accept_flagged=True, **settings)
    assert annotate(dialogue_of(kept)).extra["origin"]["flagged"] == [check]


def test_the_judges_word_on_edges_and_references_counts() -> None:
    def change(value: Json) -> None:
        value["earlier"] |= {"kind": "long_range"} if value["earlier"]["needed"] else {}
        value["edges"] = {"missing": [], "false": []}

    session = annotate(dialogue_of(made(("chat", "chat"), changing("JudgeReply", change))))
    assert session.tasks[1].reference is Reference.LONG_RANGE


@rows(
    "change",
    [
        lambda value: value.pop("answer"),
        lambda value: value["arguments"].clear(),
        lambda value: value.update(edges={"missing": [{"from": "a9", "to": "a1"}]}),
        lambda value: "no JSON",
    ],
)
def test_a_verdict_that_cannot_be_used_is_asked_for_again(change: Any) -> None:
    trajectory = made(("single",), changing("JudgeReply", change, 1), pool=LAMPS)
    dialogue_of(trajectory)
    assert agents_of(trajectory).count("judge") == 2
    never = attempt_of(made(("single",), changing("JudgeReply", change), pool=LAMPS))
    assert never.failed == "checker"
