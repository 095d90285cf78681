"""A labelled set of pairs of calls: must the second wait for the first? Written by hand, in both languages, with the
planner's words as evidence; `measure` counts what annotation/ finds of them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import msgspec
from msgspec import Struct

from tests.generation.dialogues import calls, closes, dialogue, results, user
from toolgauge.annotation.dialogue import Action
from toolgauge.annotation.graph import annotate
from toolgauge.chat import Json

CASES = Path(__file__).parent / "edge_cases.jsonl"


class EdgeCase(Struct, frozen=True):
    """A task. steps: calls that are made together, each with tool, arguments and result; edges: what waits for what."""

    language: str
    say: str
    plan: str
    steps: list[list[tuple[str, Json, Json]]]
    edges: list[tuple[int, int]]

    @property
    def pairs(self) -> Iterator[tuple[int, int]]:
        """Calls of different steps, in their order."""
        step = [number for number, made in enumerate(self.steps) for _ in made]
        return ((one, other) for one, other in combinations(range(len(step)), 2) if step[one] < step[other])


class Found(Struct):
    """right: edges that are labelled and found; kept and labelled: all that are."""

    right: int = 0
    kept: int = 0
    labelled: int = 0
    pairs: int = 0

    @property
    def precision(self) -> float:
        return self.right / self.kept

    @property
    def recall(self) -> float:
        return self.right / self.labelled


def edge_cases() -> list[EdgeCase]:
    return [msgspec.json.decode(line, type=EdgeCase) for line in CASES.read_bytes().splitlines()]


def found_edges(case: EdgeCase) -> set[tuple[int, int]]:
    """What waits for what in the annotation of a case, directly or not."""
    turns = [
        [
            calls(*(Action(name, arguments) for name, arguments, _ in step), plan=case.plan),
            results(*(r for *_, r in step)),
        ]
        for step in case.steps
    ]
    (task,) = annotate(dialogue([user(case.say), *turns, closes(".")], language=case.language)).tasks
    return closed({(before, call.index) for call in task.calls if call.is_tool for before in call.after})


def closed(edges: set[tuple[int, int]]) -> set[tuple[int, int]]:
    while more := {(one, end) for one, middle in edges for start, end in edges if middle == start} - edges:
        edges = edges | more
    return edges


def measure(cases: list[EdgeCase]) -> Found:
    total = Found()
    for case in cases:
        found, labelled = found_edges(case), closed(set(case.edges))
        total.right += len(found & labelled)
        total.kept += len(found)
        total.labelled += len(labelled)
        total.pairs += len(list(case.pairs))
    return total
