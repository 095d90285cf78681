"""Generations in which whole dialogues are rejected: the filter `multi_turn` objects to every later task at the end."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

from toolgauge.annotation.dialogue import Dialogue
from toolgauge.demo import LibraryAgents
from toolgauge.generation import episode
from toolgauge.generation.dialogue_options import GenerationOptions
from toolgauge.generation.filters import FilterVerdict, filter_verdicts
from toolgauge.generation.filters.filter import verdict
from toolgauge.generation.filters.multi_turn import NAME as MULTI_TURN
from toolgauge.generation.model_roles import Roles
from toolgauge.generation.spec import DEMO, carry_out_generation, plan_generation

PATHS = "single,multi; chat"


def rejected_generation(out: Path, paths: str | None = PATHS, lists: int = 9, **options: Any) -> None:
    """Make what `toolgauge generate --demo --attempts 2` makes with these options, with that objection to so many
    attempts at a slot, each over another tool list."""
    seen: dict[str, set[str]] = {}

    def judged(
        dialogue: Dialogue, ablations: Sequence[dict[str, object]], filters: Collection[str]
    ) -> tuple[FilterVerdict, ...]:
        verdicts = filter_verdicts(dialogue, ablations, filters)
        tried = seen.setdefault(dialogue.id, set())
        tried.add(dialogue.tool_list)
        if len(dialogue.tasks) < 2 or len(tried) > lists:
            return verdicts
        objection = verdict(MULTI_TURN, [{"task": len(dialogue.tasks) - 1, "path": "utterance"}])
        return (*(one for one in verdicts if one.gate != MULTI_TURN), objection)

    asked = GenerationOptions(paths=paths, attempts=2, **{"filters": ("default",), **options})
    plan = plan_generation(asked, Roles(DEMO), None, out, LibraryAgents)
    with patch.object(episode, "filter_verdicts", judged):
        carry_out_generation(plan, 4)
