"""The figures that the complete public data sets must show.

Source: docs/files.md#what-the-complete-public-sets-hold.

All follow from published percentages and hold for WildToolBench and MMTB alike. The published histogram of tool calls
per task (772 tasks) is left out: it contradicts them, since at most 768 tasks are not small talk.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from toolgauge.benchmarks.dialogues.data.statistics import Statistics, measure
from toolgauge.data.session import Session

T = TypeVar("T", str, int)

SESSIONS = 256
TASK_TYPES = {
    "single_tool": 256,
    "parallel_tools": 156,
    "sequential_tools": 16,
    "mixed_tools": 84,
    "clarify": 256,
    "chat": 256,
}
SHAPES = {"parallel_tools": 157, "sequential_tools": 16, "mixed_tools": 84}
NODES = {"sequential_tools": 53, "mixed_tools": 544}
REFERENCES = {"first_turn": 256, "coreference": 349, "partial_information": 240, "long_range": 179}
TURNS = {4: 73, 5: 93, 6: 50, 7: 30, 8: 9, 9: 1}
PER_POSITION = 64
_ID = "wild_tool_bench_"


def is_full_public_set(sessions: Sequence[Session], flavour: str) -> bool:
    """Is this, by its size and its ids, one of the two public data sets as a whole?"""
    if len(sessions) != SESSIONS:
        return False
    return flavour == "mmtb" or all(session.id.startswith(_ID) for session in sessions)


def missed_totals(sessions: Sequence[Session], flavour: str) -> Iterator[str]:
    """What differs from the published figures; nothing for any other data set than the two public ones."""
    if not is_full_public_set(sessions, flavour):
        return
    found = measure(sessions)
    # MMTB's file only says "several tools"; its classes come from the graphs, clarify tasks apart.
    yield from _unlike("task types", found.task_types, TASK_TYPES)
    yield from _unlike("graph shapes", found.shapes, SHAPES)
    yield from _unlike("annotated nodes", {shape: found.nodes.get(shape, 0) for shape in NODES}, NODES)
    yield from _unlike("references", found.references, REFERENCES)
    if all(task.dialogue for session in sessions for task in session.tasks):
        # There are more sessions without a clarification (81) than with four turns: only the dialogues can tell.
        yield from _unlike("sessions by dialogue turns", found.turns, TURNS)
    yield from _sequences(sessions, found)


def _sequences(sessions: Sequence[Session], found: Statistics) -> Iterator[str]:
    """Each of the 4^4 sequences of kinds occurs once, so every kind stands 64 times at each position."""
    for position, kinds in enumerate(found.kinds_by_position):
        if any(count != PER_POSITION for count in kinds.values()) or len(kinds) != 4:
            yield (
                f"task types at turn {position + 1}: {', '.join(f'{key} {count}' for key, count in kinds.items())}; "
                f"published: {PER_POSITION} of each"
            )
    different = len({tuple(task.type.kind for task in session.tasks) for session in sessions})
    if different != SESSIONS:
        yield f"different sequences of task types: {different}; published: {SESSIONS}"


def _unlike(what: str, found: Mapping[T, int], published: Mapping[T, int]) -> Iterator[str]:
    for key in sorted(found.keys() | published.keys(), key=str):
        if found.get(key, 0) != published.get(key, 0):
            yield f"{what}, {key}: {found.get(key, 0)}; published: {published.get(key, 0)}"
