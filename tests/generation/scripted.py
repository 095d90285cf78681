"""Generations played by scripted agents, with replies of single agents changed on the way."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from toolgauge.chat import Json, Reply, Request
from toolgauge.demo import ScriptedAgents
from toolgauge.episode import Trajectory, drive
from toolgauge.generation.checks import CHECKS
from toolgauge.generation.dialogue import Dialogue
from toolgauge.generation.episode import Attempt, attempts_of, dialogue_episode
from toolgauge.generation.options import GenerationOptions
from toolgauge.generation.setup import GenerationSetup, Slot
from toolgauge.generation.spec import GenerationPlan, plan_generation
from toolgauge.models.builtin.models import BuiltinModel, oracle
from toolgauge.runs.roles import Role
from toolgauge.tools.toollist import ToolList, tool_library

Play = Callable[[Request], Reply]
LANGUAGES = ("en", "zh")


def made(
    path: tuple[str, ...],
    play: Play = oracle,
    language: str = "en",
    key: str = "k",
    pool: tuple[ToolList, ...] | None = None,
    **setup: Any,
) -> Trajectory:
    """The slot of a path, played without a run directory; one attempt, all checks, unless `setup` says otherwise."""
    settings = {"checks": tuple(CHECKS), "attempts": 1, "vague": 0.0, **setup}
    episode = dialogue_episode(
        Slot(f"{language}-{key}", path), pool or tool_library(language), GenerationSetup(language=language, **settings),
        ScriptedAgents(language),
    )  # fmt: skip
    return drive(episode, play)


def attempt_of(trajectory: Trajectory) -> Attempt:
    """The last attempt."""
    return attempts_of(trajectory)[-1]


def dialogue_of(trajectory: Trajectory) -> Dialogue:
    """The accepted dialogue."""
    attempt = attempt_of(trajectory)
    assert attempt.failed is None, (attempt.failed, attempt.evidence)
    return attempt.dialogue


def agents_of(trajectory: Trajectory) -> list[str]:
    return [step.agent for step in trajectory.steps]


def changing(schema: str, change: Callable[[Json], object], times: int = 100) -> Play:
    """The scripted replies of one form (`JudgeReply`, `PlannerReply`, ...), of which the first `times` are changed:
    `change` works on the object in place, or returns another reply's text."""
    left = [times]

    def play(request: Request) -> Reply:
        reply = oracle(request)
        if left[0] and request.reply_schema is not None and request.reply_schema.name == schema:
            left[0] -= 1
            value = json.loads(reply.content or "")
            other = change(value)
            return replace(reply, content=other if isinstance(other, str) else json.dumps(value, ensure_ascii=False))
        return reply

    return play


def demo_plan(out: Path, roles: dict[str, Role] | None = None, **options: Any) -> GenerationPlan:
    """A generation that is played by scripted agents."""
    return plan_generation(GenerationOptions(**options), "builtin/oracle", None, out, ScriptedAgents, roles)


def played(plan: GenerationPlan, play: Play) -> GenerationPlan:
    """The plan with everybody played by a function."""
    members = dict.fromkeys(plan.models.members, BuiltinModel("builtin/test", play))
    return replace(plan, models=replace(plan.models, members=members))


def lines(file: Path) -> list[Any]:
    return [json.loads(line) for line in file.read_bytes().splitlines()]
