"""Which samples are given to which worker of a cluster, and what becomes of them when one dies. No I/O."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable

from toolgauge.benchmarks.benchmark import Sample

MOST_DEATHS = 3
"""Samples that were under way when so many workers died are not tried again."""


class WorkQueue:
    """Samples that wait, and those under way by worker. Workers are known by numbers."""

    def __init__(self, samples: Iterable[Sample]) -> None:
        self._waiting = deque(samples)
        self._suspects: deque[Sample] = deque()
        """Samples that the next death would give up: each is tried alone, so that no other one shares the blame."""
        self._under_way: dict[int, dict[str, Sample]] = {}
        self._deaths: Counter[str] = Counter()

    @property
    def open(self) -> bool:
        """Is anything waiting or under way?"""
        return bool(self._waiting or self._suspects or any(self._under_way.values()))

    def held(self, worker: int) -> int:
        """How many samples a worker has."""
        return len(self._under_way.get(worker, ()))

    def take(self, worker: int, slots: int) -> list[Sample]:
        """The samples that a worker with so many slots gets now.

        While much is waiting that is half as many more than it can have, so that it need not wait for the next.
        """
        held = self._under_way.setdefault(worker, {})
        if any(self._is_suspect(key) for key in held):
            return []
        reserve = slots // 2 if len(self._waiting) > 2 * slots * max(1, len(self._under_way)) else 0
        given = [self._waiting.popleft() for _ in range(min(slots + reserve - len(held), len(self._waiting)))]
        if not given and not held and self._suspects:
            given = [self._suspects.popleft()]
        held.update((sample.key, sample) for sample in given)
        return given

    def ended(self, worker: int, key: str) -> Sample | None:
        """A worker's sample is over; None where it has none of that key."""
        return self._under_way.get(worker, {}).pop(key, None)

    def lost(self, worker: int) -> list[Sample]:
        """A worker died: its samples wait again, before the others; returns those that are given up."""
        given_up = []
        for sample in reversed(self._under_way.pop(worker, {}).values()):
            self._deaths[sample.key] += 1
            if self._deaths[sample.key] >= MOST_DEATHS:
                given_up.append(sample)
            elif self._is_suspect(sample.key):
                self._suspects.appendleft(sample)
            else:
                self._waiting.appendleft(sample)
        return given_up

    def under_way(self) -> list[Sample]:
        """Takes away and returns what the workers have."""
        samples = [sample for held in self._under_way.values() for sample in held.values()]
        self._under_way.clear()
        return samples

    def rest(self) -> list[Sample]:
        """Takes away and returns what still waits, the first time or again."""
        samples = [*self._waiting, *self._suspects]
        self._waiting.clear()
        self._suspects.clear()
        return samples

    def _is_suspect(self, key: str) -> bool:
        return self._deaths[key] >= MOST_DEATHS - 1


def even_shares(total: int, workers: int) -> list[int]:
    """A number as even parts, none of them 0: fewer parts than workers where it is small."""
    workers = max(1, min(workers, total))
    return [total // workers + (number < total % workers) for number in range(workers)]
