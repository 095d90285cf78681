"""Which mistakes are made in which kinds of tasks: failed tasks counted by both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from toolgauge.analysis.error_analysis.cases import Case
from toolgauge.data.session import KINDS

DIMENSIONS = ("kind", "category", "position")
"""By what tasks are told apart, the first that a benchmark has (`Case.places`)."""


class Crossing(Struct, frozen=True):
    """dimension: one of DIMENSIONS. scored: tasks by place, those of `KINDS` in their order, others in that of the
    data; failed: by mistake, the most frequent first, then by place, where there are any."""

    dimension: str
    scored: dict[str, int]
    failed: dict[str, dict[str, int]]


def crossing(cases: Sequence[Case]) -> Crossing | None:
    """The table of scored tasks; None where nothing failed, or where nothing tells the tasks apart."""
    for dimension in DIMENSIONS:
        placed = [(case, name) for case in cases for kind, name in case.places if kind == dimension]
        places = list(dict.fromkeys(name for _case, name in placed))
        if len(places) < 2:
            continue
        places.sort(key=lambda name: KINDS.index(name) if name in KINDS else len(KINDS))
        scored = Counter(name for _case, name in placed)
        failed: dict[str, Counter[str]] = {}
        for case, name in placed:
            if case.mistake:
                failed.setdefault(case.mistake, Counter())[name] += 1
        ordered = sorted(failed, key=lambda mistake: (-failed[mistake].total(), mistake))
        table = {one: {name: failed[one][name] for name in places if failed[one][name]} for one in ordered}
        return Crossing(dimension, {name: scored[name] for name in places}, table) if table else None
    return None
