"""Which mistakes are made in which kinds of tasks: failed tasks counted by both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from toolgauge.analysis.error_analysis.cases import Case
from toolgauge.analysis.error_analysis.places import Places
from toolgauge.data.session import KINDS

DIMENSIONS = ("kind", "category", "position")
"""By what tasks are told apart, the first that a benchmark has (`Case.places`)."""


class Crossing(Struct, frozen=True):
    """dimension: one of DIMENSIONS. scored: tasks by place, those of `KINDS` in their order, others in that of the
    data; failed: by mistake, the most frequent first, then by place, where there are any."""

    dimension: str
    scored: dict[str, int]
    failed: dict[str, dict[str, int]]


def crossing(cases: Sequence[Case], places: Places) -> Crossing | None:
    """The table of scored tasks, in their places; None where nothing failed, or where nothing tells the tasks apart."""
    for dimension in DIMENSIONS:
        placed = {name: numbers for (kind, name), numbers in places.members.items() if kind == dimension}
        if len(placed) < 2:
            continue
        names = sorted(placed, key=lambda name: KINDS.index(name) if name in KINDS else len(KINDS))
        failed: dict[str, Counter[str]] = {}
        for name in names:
            for number in placed[name]:
                if mistake := cases[number].mistake:
                    failed.setdefault(mistake, Counter())[name] += 1
        ordered = sorted(failed, key=lambda mistake: (-failed[mistake].total(), mistake))
        table = {one: {name: failed[one][name] for name in names if failed[one][name]} for one in ordered}
        return Crossing(dimension, {name: len(placed[name]) for name in names}, table) if table else None
    return None
