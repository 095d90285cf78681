"""How much the scoring matters: for every two scorings, which tasks one calls right and the other does not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from msgspec import Struct

EXAMPLES = 20
"""Task ids that are listed for each two scorings."""


class Judged(NamedTuple):
    """A scored task: its kind (of ACEBench its category), and by scoring whether it is right."""

    task_id: str
    kind: str
    correct: Mapping[str, bool]


class OnlyIn(Struct, frozen=True, kw_only=True):
    """compared: tasks; correct_only_in: how many of them each of the two scorings alone calls right."""

    compared: int
    correct_only_in: dict[str, int]


class Differing(Struct, frozen=True):
    task_id: str
    correct_in: str


class ScoringPair(Struct, frozen=True, kw_only=True):
    """Two scorings of the same tasks; by_kind: the same counts for each kind of task; tasks: the first `EXAMPLES`."""

    scorings: tuple[str, str]
    compared: int
    differ: int
    correct_only_in: dict[str, int]
    by_kind: dict[str, OnlyIn]
    tasks: list[Differing]


def sensitivity(judged: Sequence[Judged], scorings: Sequence[str]) -> list[ScoringPair]:
    """A pair for every two scorings, in their order."""
    return [_pair(judged, one, other) for one, other in combinations(scorings, 2)]


def differences(pairs: Iterable[ScoringPair], scorings: Sequence[str]) -> dict[str, dict[str, int]]:
    """For every two scorings, in how many tasks their labels differ."""
    counts: dict[str, dict[str, int]] = {scoring: {} for scoring in scorings}
    for pair in pairs:
        one, other = pair.scorings
        counts[one][other] = counts[other][one] = pair.differ
    return counts


def _pair(judged: Iterable[Judged], one: str, other: str) -> ScoringPair:
    compared, differing = 0, []
    kinds: dict[str, dict[str, int]] = {}
    for task in judged:
        if one not in task.correct or other not in task.correct:
            continue
        compared += 1
        counts = kinds.setdefault(task.kind, {"compared": 0, one: 0, other: 0})
        counts["compared"] += 1
        if task.correct[one] != task.correct[other]:
            right = one if task.correct[one] else other
            counts[right] += 1
            differing.append(Differing(task.task_id, right))
    return ScoringPair(
        scorings=(one, other),
        compared=compared,
        differ=len(differing),
        correct_only_in={name: sum(counts[name] for counts in kinds.values()) for name in (one, other)},
        by_kind={
            kind: OnlyIn(compared=counts["compared"], correct_only_in={one: counts[one], other: counts[other]})
            for kind, counts in kinds.items()
        },
        tasks=differing[:EXAMPLES],
    )
