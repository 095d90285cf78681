"""How the replies of a run ended: how many were cut off, filtered, or held nothing but reasoning."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from toolgauge.artefacts import DIGITS
from toolgauge.episode import ASSISTANT, Trajectory
from toolgauge.models.endings import Ending, Unfinished, ending_of, unfinished


class EndingCount(Struct, frozen=True):
    """Replies that ended in one way, the tasks in which one did, and the share of all replies, from 0 to 1."""

    replies: int = 0
    tasks: int = 0
    rate: float = 0.0


class Endings(Struct, frozen=True):
    """Of all replies of the measured model. unknown: replies of which nobody said how they ended."""

    replies: int = 0
    unknown: int = 0
    truncated: EndingCount = EndingCount()
    filtered: EndingCount = EndingCount()
    only_reasoning: EndingCount = EndingCount()

    @property
    def known(self) -> bool:
        """Whether it is recorded how any reply ended."""
        return self.unknown < self.replies or not self.replies

    def by_kind(self) -> dict[Unfinished, EndingCount]:
        return {kind: getattr(self, kind.value) for kind in Unfinished}


class EndingCounter:
    """Counts while trajectories stream by.

    told: a reply that names no finish reason is known to be whole, as those of built-in models are.
    """

    def __init__(self, told: bool = False) -> None:
        self._told = told
        self._replies = self._unknown = 0
        self._counts = dict.fromkeys(Unfinished, 0)
        self._tasks: dict[Unfinished, set[tuple[str, int]]] = {kind: set() for kind in Unfinished}

    def watch(self, trajectories: Iterable[Trajectory]) -> Iterator[Trajectory]:
        """The same trajectories, counted."""
        for trajectory in trajectories:
            self._add(trajectory)
            yield trajectory

    def _add(self, trajectory: Trajectory) -> None:
        for step in trajectory.steps:
            if step.role != ASSISTANT:
                continue
            self._replies += 1
            self._unknown += not self._told and ending_of(step.reply.finish_reason) is Ending.UNSAID
            kind = unfinished(step.reply)
            left = step.reply.problem is not None and step.reply.problem.of_the_server
            if kind and not left:  # else the server is at fault (interface.py)
                self._counts[kind] += 1
                self._tasks[kind].add((trajectory.task_id, step.task_index))

    def endings(self) -> Endings:
        """What was counted."""
        counts = {
            kind.value: EndingCount(number, len(self._tasks[kind]), round(number / self._replies, DIGITS))
            for kind, number in self._counts.items()
            if number
        }
        return Endings(self._replies, self._unknown, **counts)
