"""What became of the attempts at a dialogue, as the trajectory of its slot keeps them."""

from __future__ import annotations

from msgspec import UNSET, Struct, UnsetType, convert

from toolgauge.episode import Trajectory

SAID = ("dialogue", "gates")
"""What a trajectory's `extra` holds of the last attempt, and each earlier attempt of itself."""


class Attempt(Struct, frozen=True):
    """steps: of all attempts so far, the next one begins there. failed: why it was rejected, with the evidence."""

    tool_list: str | None = None
    tasks: int | None = None
    steps: int = 0
    failed: str | UnsetType = UNSET
    evidence: str | UnsetType = UNSET


def attempts_of(trajectory: Trajectory) -> list[Attempt]:
    return convert(trajectory.extra.get("attempts", []), list[Attempt])
