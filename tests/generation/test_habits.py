"""Scripted agents with the habits of real models: what is meant comes through, what stands around it does not."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.sizes import in_turn, sized
from toolgauge.annotation.dialogue import Dialogue
from toolgauge.chat import Reply, Request
from toolgauge.demo import ScriptedAgents
from toolgauge.demo.habits import HABITS
from toolgauge.demo.templates import scripted_templates
from toolgauge.demo.wording import Wording
from toolgauge.episode import Trajectory, drive
from toolgauge.generation.dialogue_options import GenerationOptions
from toolgauge.generation.episode import dialogue_episode
from toolgauge.generation.filters import FILTERS
from toolgauge.generation.formats.agent_traces import captures
from toolgauge.generation.setup import GenerationSetup, Slot
from toolgauge.generation.spec import NOISY_DEMO, carry_out_generation, plan_generation
from toolgauge.models.builtin.models import noisy, oracle
from toolgauge.tools.library import tool_library

LANGUAGES = ("en", "zh")
PATHS = (("single", "clarify", "chat", "multi"), ("multi", "chat", "single"))
KEPT_APART = {"trajectories.jsonl", "replies.jsonl", "run.json", "failures.jsonl"}
"""Files of what models really wrote."""


def made(language: str, path: tuple[str, ...], play: Any = oracle, **changes: Any) -> Trajectory:
    setup = msgspec.structs.replace(GenerationSetup(language, filters=tuple(FILTERS)), **changes)
    slot = Slot(f"{language}-habits-{len(path)}", path)
    hints = ScriptedAgents(scripted_templates(language))
    return drive(dialogue_episode(slot, tool_library(language), setup, hints), play)


@cache
def perfect(language: str, path: tuple[str, ...]) -> Dialogue:
    return dialogue_of(made(language, path))


def dialogue_of(trajectory: Trajectory) -> Dialogue:
    assert trajectory.extra["accepted"], trajectory.extra["attempts"]
    return msgspec.convert(trajectory.extra["dialogue"], Dialogue)


def said(dialogue: Dialogue) -> list[object]:
    """What everybody says, with what it means; JSON apart from how it is written."""
    return [(one.speaker, one.decision, one.observations) if one.decision or one.observations
            else (one.speaker, one.text) for one in dialogue.kept]  # fmt: skip


AROUND = [name for name, habit in HABITS.items() if not habit.refused and name not in ("clock_words", "opener")]


@pytest.mark.parametrize(("name", "language"), in_turn(AROUND, LANGUAGES))
@pytest.mark.parametrize("planner_answers", [True, False])
def test_a_habit_is_read_through(name: str, language: str, planner_answers: bool) -> None:
    """The dialogue is the one of perfect agents, word for word, whoever says the assistant's words."""
    for path in PATHS[: sized(1, 2)]:
        trajectory = made(language, path, noisy(0, 0, habits=name), attempts=1, planner_answers=planner_answers)
        wanted = made(language, path, planner_answers=planner_answers)
        assert said(dialogue_of(trajectory)) == said(dialogue_of(wanted))
        assert len(trajectory.steps) == len(wanted.steps)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["clock_words", "opener"])
def test_other_words_mean_the_same(name: str, language: str) -> None:
    changed = dialogue_of(made(language, PATHS[0], noisy(0, 0, habits=name), attempts=1))
    calls = [one.decision.actions for one in changed.kept if one.decision]
    assert calls == [one.decision.actions for one in perfect(language, PATHS[0]).kept if one.decision]


@pytest.mark.parametrize(("name", "reasons"), [("out_of_role", {"user", "agent"}), ("broken_off", {"user"})])
def test_what_cannot_be_read_through_is_refused(name: str, reasons: set[str]) -> None:
    trajectory = made("en", PATHS[0], noisy(0, 0, habits=name), attempts=1)
    (attempt,) = trajectory.extra["attempts"]
    assert attempt["failed"] in reasons


def test_who_is_asked_again_is_told_why() -> None:
    """The reason stands at the end of the same request; captures have the reply that could be read."""
    asked: list[Request] = []

    def play(request: Request) -> Reply:
        asked.append(request)
        reply = oracle(request)
        is_first = sum(one.messages[:-1] == request.messages[:-1] and one.role == request.role for one in asked) == 1
        return Reply("") if is_first and request.role in ("user", "agent", "checker") else reply

    trajectory = made("en", ("single", "multi"), play, attempts=1, planner_answers=False)
    again = [(a, b) for a, b in pairwise(asked) if a.role == b.role and a.messages != b.messages
             and a.messages[:-1] == b.messages[:-1]]  # fmt: skip
    assert {before.role for before, _ in again} >= {"user", "agent"}
    for before, after in again:
        demand, reason = before.messages[-1].content or "", after.messages[-1].content or ""
        assert reason.startswith(demand)
        assert "could not be used: it is empty." in reason[len(demand) :]
    answers = [line["answer"] for line in captures(trajectory, dialogue_of(trajectory))]
    assert "" not in answers
    alone = made("en", ("single", "multi"), planner_answers=False)
    assert len(answers) == len(list(captures(alone, dialogue_of(alone))))


def test_reasoning_is_kept_in_the_trajectory_and_in_no_request() -> None:
    trajectory = made("en", PATHS[0], noisy(0, 0, habits="think"), attempts=1)
    assert all(step.reply.reasoning for step in trajectory.steps)
    sent = [message.content or "" for step in trajectory.steps for message in step.messages]
    assert not any("<think>" in one for one in [*sent, *(step.reply.content or "" for step in trajectory.steps)])


def fragments(language: str) -> set[str]:
    """Words that habits write around what is said, in pieces that no encoding changes."""
    words = Wording(language)
    names = ("think", "lead_in", "remark", "next", "prose", "prose_after", "comment", "object")
    texts = [one for name in names for one in words.every(f"habit_{name}")]
    texts += [one for role in ("user", "agent") for one in words.every(f"habit_out_of_role_{role}")]
    pieces = {piece.strip() for text in texts for piece in text.replace('"', "\n").split("\n")}
    return {piece for piece in pieces - {"Task_Finish"} if len(piece) >= (8 if language == "zh" else 16)} | {
        "<think",
        "<|im_end",
    }


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_noisy_demonstration_leaves_no_junk_in_any_file(language: str, tmp_path: Path) -> None:
    """At realistic rates at least 95 % of the slots are accepted, and next to no attempt is rejected."""
    number = sized(24, 256)
    options = GenerationOptions(language=language, sample=number, seed=4)
    plan = plan_generation(
        options,
        NOISY_DEMO,
        None,
        tmp_path,
        lambda one: ScriptedAgents(scripted_templates(one)),
    )
    result = carry_out_generation(plan, concurrency=8)
    assert result.coverage.slots.produced >= 0.95 * number
    rejected = Counter(result.coverage.attempts.rejected)
    assert sum(rejected.values()) <= max(1, 0.03 * number), rejected
    raw = (tmp_path / "trajectories.jsonl").read_text(encoding="utf-8")
    assert sum(piece in raw for piece in fragments(language)) > 10
    for file in tmp_path.iterdir():
        text = "" if file.name in KEPT_APART else file.read_text(encoding="utf-8")
        found = [one for one in fragments(language) if one in text or json.dumps(one) in text]
        assert not found, (file.name, found)
