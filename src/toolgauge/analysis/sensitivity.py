"""How much the scoring matters: for every two scorings, which tasks one calls right and the other does not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from toolgauge.analysis.table import RunTable

EXAMPLES = 20
"""Task ids that are listed for each two scorings."""


class OnlyIn(Struct, frozen=True, kw_only=True):
    """Of one kind of task: how many are compared, and how many of them each of the two scorings alone calls right."""

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


def sensitivity(table: RunTable) -> list[ScoringPair]:
    """A pair for every two scorings, in their order."""
    return [_pair(table, first, second) for first, second in combinations(table.scorings, 2)]


def differences(pairs: Iterable[ScoringPair], scorings: Sequence[str]) -> dict[str, dict[str, int]]:
    """For every two scorings, in how many tasks their labels differ."""
    counts: dict[str, dict[str, int]] = {scoring: {} for scoring in scorings}
    for pair in pairs:
        first, second = pair.scorings
        counts[first][second] = counts[second][first] = pair.differ
    return counts


def _pair(table: RunTable, first: str, second: str) -> ScoringPair:
    kinds: dict[str, Counter[str]] = {}
    differing = []
    for score, kind in zip(table.scores, table.kinds, strict=True):
        if score is not None and first in score.scorings and second in score.scorings:
            counts = kinds.setdefault(kind, Counter())
            counts.update(compared=1)
            if score.scorings[first].correct != score.scorings[second].correct:
                right = first if score.scorings[first].correct else second
                counts[f"in {right}"] += 1
                differing.append(Differing(score.task_id, right))
    by_kind = {
        kind: OnlyIn(
            compared=counts["compared"], correct_only_in={name: counts[f"in {name}"] for name in (first, second)}
        )
        for kind, counts in kinds.items()
    }
    return ScoringPair(
        scorings=(first, second),
        compared=sum(kind.compared for kind in by_kind.values()),
        differ=len(differing),
        correct_only_in={
            name: sum(kind.correct_only_in[name] for kind in by_kind.values()) for name in (first, second)
        },
        by_kind=by_kind,
        tasks=differing[:EXAMPLES],
    )
