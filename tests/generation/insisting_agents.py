"""Scripted agents whose later tasks are rejected whole: asked about one on its own, the planner comes to the same calls
every time, so that the filter `multi_turn` objects however often the task is made again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msgspec.structs import replace

from toolgauge.annotation.dialogue import Speaker
from toolgauge.chat import GoldHint, Reply
from toolgauge.demo import LibraryAgents
from toolgauge.generation.dialogue_options import GenerationOptions
from toolgauge.generation.filters.multi_turn import AGENT as ABLATION
from toolgauge.generation.model_roles import Roles
from toolgauge.generation.spec import DEMO, GenerationPlan, carry_out_generation, plan_generation
from toolgauge.generation.state import AgentRequest, DialogueState, HintProvider

PATHS = "single,multi; chat"


def insisting(language: str = "en", lists: int = 9) -> HintProvider:
    """In the first attempts, each of them over another tool list."""
    agents, begun = LibraryAgents(language), dict[str, set[str]]()

    def hints(state: DialogueState, ask: AgentRequest) -> GoldHint:
        hint = agents(state, ask)
        seen = begun.setdefault(state.record.key, set())
        seen.add(state.tool_list)
        if ask.agent == ABLATION and len(seen) <= lists:
            said = [entry.text for entry in state.standing if entry.speaker is Speaker.PLANNER]
            return replace(hint, reply=Reply(said[0]))
        return hint

    return hints


def insisting_plan(
    out: Path, paths: str | None = "single,multi; chat", lists: int = 9, **options: Any
) -> GenerationPlan:
    """What `toolgauge generate --demo` makes with these options, but by such agents; two attempts for each path."""
    asked = GenerationOptions(paths=paths, attempts=2, **{"filters": ("default",), **options})
    plan = plan_generation(asked, Roles(DEMO), None, out, LibraryAgents)
    return replace(plan, hints=insisting(plan.options.language, lists))


def rejected_generation(out: Path, **options: Any) -> tuple[str, ...]:
    """Make such a generation; returns the options with which the command line continues it."""
    plan = insisting_plan(out, **options)
    carry_out_generation(plan, 4)
    return ("--demo", "--paths", plan.options.paths or "", "--attempts", "2", "--out", str(out))
