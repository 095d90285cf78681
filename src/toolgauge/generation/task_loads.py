"""What tasks take, by their place in the dialogue and their kind; slots take what their tasks do."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from msgspec import Struct, field

from toolgauge.generation.setup import Slot

FEW, FEW_ERROR, UNSEEN, MOST_ERROR = 4, 0.5, 0.3, 0.9
"""Of fewer finished dialogues than that their scatter says nothing, and this is the error; the error of a sort of task
that was not seen; the largest that is told."""


class Load(Struct, frozen=True):
    """What one thing takes, on average."""

    requests: float = 0.0
    input: float = 0.0
    output: float = 0.0
    cached: float = 0.0

    def __add__(self, other: Load) -> Load:
        return Load(
            self.requests + other.requests,
            self.input + other.input,
            self.output + other.output,
            self.cached + other.cached,
        )

    def times(self, factor: float) -> Load:
        return Load(self.requests * factor, self.input * factor, self.output * factor, self.cached * factor)

    @property
    def tokens(self) -> float:
        return self.input + self.output


Loads = dict[str, Load]
"""By role, or by model."""
Spoken = Iterable[tuple[int, str, Load]]
"""Requests, each with the number of its task and the role that was asked."""


class Cell(Struct):
    """Tasks of one sort: how many there were, and what they took together."""

    tasks: int = 0
    loads: Loads = field(default_factory=dict)


class Evidence:
    """What tasks took, by their place in the dialogue and their kind; where there was none, by kind, or of all."""

    def __init__(self) -> None:
        self._cells: dict[tuple[int | None, str | None], Cell] = {}
        self._totals: list[tuple[Slot, float]] = []

    @property
    def slots(self) -> int:
        return len(self._totals)

    def add(self, slot: Slot, spoken: Spoken) -> None:
        """A slot with all that was asked for it."""
        by_task: dict[int, Loads] = {task: {} for task in _made(slot)}
        for task, role, load in spoken:
            loads = by_task.get(task, {})
            loads[role] = loads.get(role, Load()) + load
        for task, loads in by_task.items():
            for name in _names(task, slot.path[task]):
                cell = self._cells.setdefault(name, Cell())
                cell.tasks += 1
                for role, load in loads.items():
                    cell.loads[role] = cell.loads.get(role, Load()) + load
        total = sum(load.tokens for loads in by_task.values() for load in loads.values())
        self._totals.append((slot, total))

    def expected(self, slot: Slot) -> Loads:
        """What a slot takes."""
        loads: Loads = {}
        for task in _made(slot):
            cell = next(self._cells[name] for name in _names(task, slot.path[task]) if name in self._cells)
            for role, load in cell.loads.items():
                loads[role] = loads.get(role, Load()) + load.times(1 / cell.tasks)
        return loads

    def range(self, left: Sequence[Slot]) -> tuple[float, float]:
        """The least and the most that slots may take, as shares of what is expected: two standard errors of their sum,
        and more where tasks are left of a sort that was not seen."""
        expected = sum(map(self._tokens, left))
        tasks = [(task, slot.path[task]) for slot in left for task in _made(slot)]
        if not expected:
            return 1.0, 1.0
        unseen = sum(name not in self._cells for name in tasks) / len(tasks)
        misses = [total - self._tokens(slot) for slot, total in self._totals]
        deviation = math.sqrt(sum(miss * miss for miss in misses) / max(1, len(misses) - 1))
        error = 2 * deviation * math.sqrt(len(left) + len(left) ** 2 / len(misses)) / expected
        share = min(MOST_ERROR, (error if len(misses) >= FEW else FEW_ERROR) + UNSEEN * unseen)
        return 1 - share, 1 + share

    def _tokens(self, slot: Slot) -> float:
        return sum(load.tokens for load in self.expected(slot).values())


def _made(slot: Slot) -> range:
    """The numbers of the tasks that are made; those before them are given."""
    return range(slot.first_made, len(slot.path))


def _names(task: int, kind: str) -> tuple[tuple[int | None, str | None], ...]:
    """The sorts of a task, the closest first."""
    return (task, kind), (None, kind), (None, None)
