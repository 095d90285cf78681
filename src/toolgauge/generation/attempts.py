"""What became of the attempts at a dialogue, as the trajectory of its slot keeps them."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import UNSET, Struct, UnsetType, convert

from toolgauge.annotation.dialogue import Dialogue
from toolgauge.chat import Usage
from toolgauge.episode import Step, Trajectory
from toolgauge.generation.filters.filter import FilterVerdict

SAID = ("dialogue", "gates")
"""What a trajectory's `extra` holds of the last attempt, and each earlier attempt of itself."""


class Attempt(Struct, frozen=True):
    """steps: of all attempts so far, the next one begins there. failed: why it was rejected, with the evidence."""

    tool_list: str | None = None
    tasks: int | None = None
    steps: int = 0
    failed: str | UnsetType = UNSET
    evidence: str | UnsetType = UNSET


class KeptAttempt(Struct, frozen=True):
    """An attempt with all that was said in it. number: from 0; first: how many steps of the trajectory are before it.

    steps: its own. dialogue: as far as it got, None where a version made it that kept only the last one; gates: the
    verdicts that it came to.
    """

    number: int
    attempt: Attempt
    first: int
    steps: tuple[Step, ...]
    dialogue: Dialogue | None
    gates: tuple[FilterVerdict, ...]

    @property
    def usage(self) -> Usage:
        return sum((step.reply.usage for step in self.steps), Usage())


class _Said(Struct, frozen=True):
    dialogue: Dialogue | None = None
    gates: tuple[FilterVerdict, ...] = ()


def attempts_of(trajectory: Trajectory) -> list[Attempt]:
    return convert(trajectory.extra.get("attempts", []), list[Attempt])


def kept_attempts(trajectory: Trajectory) -> Iterator[KeptAttempt]:
    """All attempts at a slot, one after the other; the last one ends with the trajectory."""
    listed, first = trajectory.extra.get("attempts", []), 0
    for number, attempt in enumerate(attempts_of(trajectory)):
        is_last = number == len(listed) - 1
        said = convert(trajectory.extra if is_last else listed[number], _Said)
        end = len(trajectory.steps) if is_last else attempt.steps
        yield KeptAttempt(number, attempt, first, trajectory.steps[first:end], said.dialogue, said.gates)
        first = end
