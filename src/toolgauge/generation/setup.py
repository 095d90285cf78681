"""What a generation is asked for, and the slots it consists of: one dialogue each."""

from __future__ import annotations

import msgspec
from msgspec import Struct, field

from toolgauge.generation.agents.patterns import WorkedExample

REFERENCE_SHARES = {"partial_information": 0.45, "coreference": 0.31, "long_range": 0.24}
"""How later tasks lean on the dialogue in published data."""
YEAR = 2024
"""The year of dialogues by scripted agents."""


class Scenario(Struct, frozen=True):
    """What a dialogue is to be like, from the user's own logs: all of it free text, all of it optional.

    utterances: what real users said, as seeds. tools: ids or names of the tool lists it goes with (none: any).
    """

    id: str
    persona: str = ""
    situation: str = ""
    style: str = ""
    utterances: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()


class Slot(Struct, frozen=True):
    """One dialogue to be made. path: the kinds of its tasks; number: which of the path's dialogues, from 0.

    opening: a reviewed session to be continued (its tasks come first), as its record.
    """

    key: str
    path: tuple[str, ...]
    number: int = 0
    scenario: Scenario | None = None
    opening: dict[str, object] | None = None


class SetupRecord(Struct, frozen=True, kw_only=True):
    """How dialogues are made; what may not change when a generation is continued, as run.json says it."""

    attempts: int = 3
    """Dialogues that are begun per slot, each with another tool list, before the slot is given up."""
    tries: int = 3
    """Of the planner and of the tools per turn, and of every answer that cannot be used."""
    turn_cap: int = 100
    """Requests per task."""
    vague: float = 0.25
    """How often the user answers a question without saying what was asked."""
    candidates: bool = False
    """Of every task there are several proposals, all kept for review."""
    shares: dict[str, float] = field(default_factory=lambda: dict(REFERENCE_SHARES))
    """Mixture of references of later tasks."""
    checks: tuple[str, ...] = ()
    """Names of those that a dialogue must pass (checks.py)."""
    ablation: bool = False
    """Later tasks are planned once more from their message alone."""
    accept_flagged: bool = False
    """What the judge objects to is kept, with a mark."""
    repairs: int = 2
    """How often a part of one task is made again."""
    year: int = YEAR
    """That dialogues are set in."""


class GenerationSetup(SetupRecord, frozen=True, kw_only=True):
    """How dialogues are made, with what stands elsewhere in run.json.

    language: "en" or "zh", of what is said. examples: what guides later tasks (none: our own). planner_answers: the
    planner words what the user gets to read, as it plays the assistant as well.
    """

    language: str = "en"
    seed: int = 0
    examples: tuple[WorkedExample, ...] = ()
    planner_answers: bool = True

    @property
    def recorded(self) -> SetupRecord:
        return msgspec.convert(self, SetupRecord, from_attributes=True)
