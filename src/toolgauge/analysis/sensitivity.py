"""How much the reading matters: for every two readings, which tasks one calls right and the other does not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from toolgauge.chat import Json

EXAMPLES = 20
"""Task ids that are listed for each two readings."""


class Judged(NamedTuple):
    """A scored task: its kind (of ACEBench its category), and by reading whether it is right."""

    task_id: str
    kind: str
    correct: Mapping[str, bool]


def sensitivity(judged: Sequence[Judged], readings: Sequence[str]) -> list[Json]:
    """`sensitivity` of metrics.json: an object for every two readings, in their order."""
    return [_pair(judged, one, other) for one, other in combinations(readings, 2)]


def differences(pairs: Iterable[Json], readings: Sequence[str]) -> dict[str, dict[str, int]]:
    """`differences` of metrics.json: for every two readings, in how many tasks their labels differ."""
    counts: dict[str, dict[str, int]] = {reading: {} for reading in readings}
    for pair in pairs:
        one, other = pair["readings"]
        counts[one][other] = counts[other][one] = pair["differ"]
    return counts


def _pair(judged: Iterable[Judged], one: str, other: str) -> Json:
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
            differing.append({"task_id": task.task_id, "correct_in": right})
    return {
        "readings": [one, other],
        "compared": compared,
        "differ": len(differing),
        "correct_only_in": {name: sum(counts[name] for counts in kinds.values()) for name in (one, other)},
        "by_kind": {
            kind: {"compared": counts["compared"], "correct_only_in": {one: counts[one], other: counts[other]}}
            for kind, counts in kinds.items()
        },
        "tasks": differing[:EXAMPLES],
    }
