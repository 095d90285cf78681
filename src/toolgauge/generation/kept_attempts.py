"""The attempts at a slot with all that was said in them."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct, convert

from toolgauge.annotation.dialogue import Dialogue
from toolgauge.chat import Usage
from toolgauge.episode import Step, Trajectory
from toolgauge.generation.attempts import Attempt, attempts_of
from toolgauge.generation.filters.filter import FilterVerdict


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
    def numbered(self) -> Iterator[tuple[int, Step]]:
        """Its steps with their numbers in the trajectory."""
        return enumerate(self.steps, self.first)

    @property
    def usage(self) -> Usage:
        return sum((step.reply.usage for step in self.steps), Usage())


class _Said(Struct, frozen=True):
    dialogue: Dialogue | None = None
    gates: tuple[FilterVerdict, ...] = ()


def kept_attempts(trajectory: Trajectory) -> Iterator[KeptAttempt]:
    """All attempts at a slot, one after the other; the last one ends with the trajectory."""
    listed, first = trajectory.extra.get("attempts", []), 0
    for number, attempt in enumerate(attempts_of(trajectory)):
        is_last = number == len(listed) - 1
        said = convert(trajectory.extra if is_last else listed[number], _Said)
        end = len(trajectory.steps) if is_last else attempt.steps
        yield KeptAttempt(number, attempt, first, trajectory.steps[first:end], said.dialogue, said.gates)
        first = end
