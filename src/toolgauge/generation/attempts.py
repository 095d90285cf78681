"""What became of the attempts at a dialogue, as the trajectory of its slot keeps them."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from msgspec import UNSET, Struct, UnsetType, convert

from toolgauge.episode import Trajectory

MOST_EVIDENCE = 2000
"""Characters that are kept of the reason for a rejection or a repair."""
SAID = ("dialogue", "gates")
"""What a trajectory's `extra` holds of the last attempt, and each earlier attempt of itself."""


class Redone(StrEnum):
    """What of a task is made again: the user's message and all behind it, or a decision and all behind it."""

    REQUEST = "request"
    DECISION = "decision"


class Repair(Struct, frozen=True):
    """A fault in a task that was mended by making a part of it again.

    task: its number, from 0; reason: as that of a rejection ("path", "gate:multi_turn"), with the evidence. first, end:
    the steps of the trajectory that were thrown away, the last one not included.
    """

    task: int
    reason: str
    evidence: str
    redone: Redone
    first: int
    end: int


class Attempt(Struct, frozen=True):
    """steps: of all attempts so far, the next one begins there. failed: why it was rejected, with the evidence."""

    tool_list: str | None = None
    tasks: int | None = None
    steps: int = 0
    failed: str | UnsetType = UNSET
    evidence: str | UnsetType = UNSET
    repairs: tuple[Repair, ...] = ()


def thrown_away(repairs: Iterable[Repair]) -> frozenset[int]:
    """The numbers of the steps that repairs threw away; those of one repair may lie within those of the next."""
    return frozenset(number for one in repairs for number in range(one.first, one.end))


def attempts_of(trajectory: Trajectory) -> list[Attempt]:
    return convert(trajectory.extra.get("attempts", []), list[Attempt])
