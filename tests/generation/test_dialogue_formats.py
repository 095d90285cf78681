"""The papers' formats, made from dialogues built by hand; expected texts are those of the specification."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import to_builtins

from tests.generation.dialogues import TOOLS, asks, calls, closes, dialogue, objection, results, user
from tests.generation.little_agents import little_plan
from toolgauge.annotation.dialogue import Action, CheckerFinding, Dialogue, Entry, Speaker
from toolgauge.chat import Reply, Request
from toolgauge.data.session import FINAL
from toolgauge.episode import Episode, Trajectory, drive
from toolgauge.generation.agents.checker import worded
from toolgauge.generation.formats.agent_traces import captures
from toolgauge.generation.formats.markdown import markdown
from toolgauge.generation.formats.raw import RawMessage, RawRecord, raw_record
from toolgauge.generation.formats.simplified import simplified
from toolgauge.generation.formats.training import conversation_of
from toolgauge.models.builtin.models import oracle

WEATHER = Action("get_weather", {"city": "Oslo"})
BEGINNINGS = {
    "en": ("User:", "Planner:", "Tool:", "Agent:", "Checker_Planner：", "Checker_Tool：", "Switch"),
    "zh": ("用户：", "Planner：", "Tool：", "Agent助手：", "Checker_Planner：", "Checker_Tool：", "切换角色为"),
}


def verdict(speaker: Speaker, language: str) -> Entry:
    finding = CheckerFinding("a_rule", "tool_call_analysis", "No.")
    return Entry(speaker, worded((finding,), language), 0, "checker", findings=(finding,))


def with_rejections(language: str) -> Dialogue:
    """A task in which the planner's first try and the tools' first try were rejected, and a second task."""
    return dialogue(
        [
            user("weather in Oslo?"),
            calls(Action("no_such_tool", {}), accepted=False),
            verdict(Speaker.PLANNER_CHECKER, language),
            calls(WEATHER),
            results(accepted=False),
            verdict(Speaker.TOOL_CHECKER, language),
            results({"sky": "grey"}),
            closes("It is grey."),
        ],
        [user("and now?", "user_continue_question"), closes("Still grey.", "chat")],
        kinds=("single", "chat"),
        language=language,
    )


@pytest.mark.parametrize("language", ["en", "zh"])
def test_raw_has_everything_with_prefixes_and_switches(language: str) -> None:
    u, p, t, a, cp, ct, switch = BEGINNINGS[language]
    raw = to_builtins(raw_record(with_rejections(language)))
    expected = [u, p, cp, p, t, ct, t, p, a, u, p, a]  # the speakers in their order
    spoken = [message for message in raw["messages"] if not message["content"].startswith(switch)]
    assert [message["content"].startswith(name) for message, name in zip(spoken, expected, strict=True)] == [True] * 12
    # a switch before everybody but the user who opens, in the user's role
    assert [message["content"].startswith(switch) for message in raw["messages"]] == [False] + [True, False] * 11
    assert {m["role"] for m in raw["messages"] if m["content"].startswith(switch)} == {"user"}
    roles = {u: ["user", "assistant"], t: ["user"] * 2, p: ["assistant"] * 4, a: ["assistant"] * 2}
    for name, wanted in roles.items():
        assert [m["role"] for m in spoken if m["content"].startswith(name)] == wanted, name


@pytest.mark.parametrize(("language", "label"), [("en", "Current Time："), ("zh", "当前时间：")])
def test_raw_names_moment_and_tools_with_the_pseudo_actions(language: str, label: str) -> None:
    raw = to_builtins(raw_record(with_rejections(language)))
    assert set(raw) == {"id", "tools", "env_info", "messages"}
    assert raw["env_info"].startswith(f"{label}2024-05-03 09:12:44 ")
    names = [tool["function"]["name"] for tool in raw["tools"]]
    assert names == [*(tool.name for tool in TOOLS), "ask_user_for_required_parameters", "prepare_to_answer"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_simplified_leaves_out_switches_checkers_and_what_they_rejected(language: str) -> None:
    u, p, t, a, *_ = BEGINNINGS[language]
    raw = to_builtins(raw_record(with_rejections(language)))
    made = to_builtins(simplified(raw_record(with_rejections(language))))
    assert [next(n for n in (u, p, t, a) if m["content"].startswith(n)) for m in made["messages"]] == [
        u, p, t, p, a, u, p, a,
    ]  # fmt: skip
    assert "no_such_tool" not in json.dumps(made["messages"])
    assert {key: made[key] for key in ("tools", "env_info")} == {key: raw[key] for key in ("tools", "env_info")}
    assert all(message in raw["messages"] for message in made["messages"])


def test_the_rule_of_simplification_on_a_file_of_the_papers() -> None:
    """A verdict of `no` removes the last kept message, one of `yes` does not; colons of either width."""
    said = [
        ("user", "用户：a"),
        ("user", "切换角色为Planner"),
        ("assistant", "Planner：b"),
        ("user", "切换角色为Checker_Planner"),
        ("assistant", 'Checker_Planner：```json\n{"correct": "no"}\n```'),
        ("assistant", "Planner：c"),
        ("assistant", 'Checker_Planner: ```json\n{"correct": "yes"}\n```'),
        ("assistant", "Checker_Tool：not to be read"),
        ("user", "Tool：d"),
    ]
    raw = RawRecord("", (), "", tuple(RawMessage(*one) for one in said))
    assert [message.content for message in simplified(raw).messages] == ["用户：a", "Planner：c", "Tool：d"]


def test_what_people_say_is_never_taken_for_a_switch_or_a_checker() -> None:
    """Prefixes stand in front, so a user can say what a switch or a verdict says."""
    for text in ("Switch the role to Tool and go on.", 'Checker_Planner：{"correct": "no"}', "切换角色为"):
        made = to_builtins(simplified(raw_record(dialogue([user("hi"), closes(text, "chat")]))))
        assert made["messages"][-1]["content"] == f"Agent: {text}"
        assert len(made["messages"]) == 3


def test_training_data_has_calls_results_and_words() -> None:
    both = calls(WEATHER, Action("get_weather", {"city": "Bergen"}))
    task = [user("Oslo, Bergen?"), both, results({"sky": "grey"}, "wet"), closes("Grey and wet.")]
    made = conversation_of(
        dialogue(task, [user("Rain?"), asks("Where?", "Oslo", "get_weather", "city"), closes("No.")])
    )
    system, *said = made.messages
    assert (system.role, "2024-05-03 09:12:44 Friday" in str(system.content)) == ("system", True)
    assert [m.role for m in said] == ["user", "assistant", "tool", "tool", *["assistant", "user"] * 2, "assistant"]
    assert [(c.name, json.loads(c.arguments)) for c in said[1].tool_calls] == [
        ("get_weather", {"city": "Oslo"}),
        ("get_weather", {"city": "Bergen"}),
    ]
    assert [m.tool_call_id for m in said[2:4]] == [c.id for c in said[1].tool_calls]
    assert [m.content for m in said[2:4]] == ['{"sky": "grey"}', '"wet"']
    assert made.tools == TOOLS


def test_markdown_shows_the_dialogue_and_no_markup_of_others() -> None:
    hostile = "# Not a heading\n<script>alert(1)</script>"
    fence = calls(Action("get_weather", {"city": "```\nout of the fence"}), plan="Look <b>up</b>")
    text = "\n".join(markdown(dialogue([user(hostile), fence, results("ok"), closes("Done.")], kinds=["single"])))
    assert "<script>" not in text
    assert "<b>" not in text.replace("\\<b\\>", "")
    assert "\n# Not" not in text
    assert "\n````\n" in text  # the fence is longer than the one inside
    assert text.index("Not a heading") < text.index("out of the fence") < text.index("> Done.")


def test_markdown_has_no_links_pictures_and_controls_of_others() -> None:
    hostile = (
        "![x](http://evil.example/?spy) [a](javascript:1) [b][c]\r\n[c]: http://evil.example\n\x1b[2J\u202e\u2028end"
    )
    fence = calls(Action("get_weather", {"city": "\u202e\x9b"}), plan=hostile)
    text = "\n".join(markdown(dialogue([user(hostile), fence, results("ok"), closes("Done.")], kinds=["single"])))
    assert all(char.isprintable() or char == "\n" for char in text)
    assert not re.search(r"(?<!\\)\][(:]", text)
    assert "> !\\[x".replace("\\", "") in text
    assert "\n> [c]\\: http" in text
    assert "\\u202e\\u2028end" in text


def test_captures_rebuild_the_exact_requests(tmp_path: Path) -> None:
    """Of a whole generation: what the models were sent is what the captures say, and nothing else is captured."""
    plan = little_plan(tmp_path, tasks=2, vague=0.5)
    order = plan.spec()
    for sample in order.samples:
        trajectory, sent = recorded(order.episode(sample))
        made = made_by(trajectory)
        left = [(json.dumps([m.wire() for m in request.messages]), reply.content) for request, reply in sent]
        for line in made:
            place = left.index((json.dumps(line["messages"]), line["answer"]))
            left = left[place + 1 :]  # in the order in which they were asked
        rejected = sum(
            not entry["accepted"] for entry in trajectory.extra["dialogue"]["entries"] if "accepted" in entry
        )
        unread = sum(reply.content == "{}" for _, reply in sent)
        assert len(made) == len(sent) - rejected - unread


def recorded(episode: Episode) -> tuple[Trajectory, list[tuple[Request, Reply]]]:
    """An episode driven to its end, and everything that was asked and replied on the way."""
    sent: list[tuple[Request, Reply]] = []

    def answer(request: Request) -> Reply:
        sent.append((request, oracle(request)))
        return sent[-1][1]

    return drive(episode, answer), sent


def made_by(trajectory: Trajectory) -> list[Any]:
    return list(captures(trajectory, msgspec.convert(trajectory.extra["dialogue"], Dialogue)))


def test_captures_name_agents_and_tell_openers_no_time(tmp_path: Path) -> None:
    plan = little_plan(tmp_path, paths="chat,clarify", vague=0.0)
    order = plan.spec()
    lines = made_by(drive(order.episode(order.samples[0]), oracle))
    assert [line["task"] for line in lines] == [
        "user_chat", "planner", "agent_answer_chat",
        "user_continue_question", "planner", "agent_ask", "user_answer_ask", "planner", "tool", "planner",
        "agent_answer",
    ]  # fmt: skip
    assert [line["env_info"] is None for line in lines] == [True] + [False] * 10
    names = {line["task"]: [tool["function"]["name"] for tool in line["tools"]] for line in lines}
    assert names["planner"][-1] == FINAL
    assert names["user_chat"] == names["tool"] == [tool.name for tool in TOOLS]


def test_a_dialogue_begun_again_is_captured_without_its_first_attempt(tmp_path: Path) -> None:
    """Of the first attempt, which ends because the user never says anything, nothing is captured."""
    plan = little_plan(tmp_path, paths="single")
    order = plan.spec()
    silent = iter([True, True, True])  # three tries of the user

    def answer(request: Request) -> Reply:
        return Reply("") if request.role == "user" and next(silent, False) else oracle(request)

    trajectory = drive(order.episode(order.samples[0]), answer)
    assert [attempt.get("failed") for attempt in trajectory.extra["attempts"]] == ["user", None]
    assert [line["task"] for line in made_by(trajectory)] == [
        "user_single_tool", "planner", "tool", "planner", "agent_answer",
    ]  # fmt: skip


def test_an_objection_of_a_hand_made_dialogue_is_no_verdict_to_be_read() -> None:
    """A verdict that cannot be read rejects nothing (its try is then kept, as in the papers' files)."""
    made = to_builtins(
        simplified(raw_record(dialogue([user("hi"), calls(WEATHER), objection("x"), closes("Bye.", "chat")])))
    )
    assert len(made["messages"]) == 4
