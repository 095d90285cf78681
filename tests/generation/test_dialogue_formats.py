"""The papers' formats, made from dialogues built by hand; expected texts are those of the specification."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import to_builtins

from tests.generation.dialogues import TOOLS, asks, calls, closes, dialogue, results, user
from tests.generation.little_agents import little_plan
from toolgauge.annotation.dialogue import Action, CheckerFinding, Dialogue, Entry, Speaker
from toolgauge.chat import Reply, Request
from toolgauge.episode import Episode, Trajectory, drive
from toolgauge.generation.agents.checker import worded
from toolgauge.generation.formats.agent_traces import captures
from toolgauge.generation.formats.markdown import markdown
from toolgauge.generation.formats.raw import raw_record
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
