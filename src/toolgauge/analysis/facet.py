"""What a benchmark declares of its tables: ways to group tasks, and what is measured of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any

from msgspec import Struct

from toolgauge.judge.verdict import Verdict
from toolgauge.locale import Text

Measure = Callable[[Verdict], tuple[float, float]]
"""Of a verdict its hits and trials, hits <= trials: a rate is the sum of the ones over that of the others."""


def accuracy(verdict: Verdict) -> tuple[float, float]:
    """Task accuracy."""
    return verdict.correct, 1


def as_they_occur(values: Collection[str]) -> Iterable[str]:
    return values


class Facet(Struct, frozen=True, kw_only=True):
    """A way to group tasks: a table with a row per value, in metrics.json, the terminal, pages and comparisons.

    name: of the table; column: of details.csv, "" for none. of: the values of a task (of what the benchmark's `Plan`
    says of it): none, one or several. of_run: it reads what the run made of the task, not the data alone. rows: the
    rows of the table in their order, given the values that occur.
    measure: what is counted. title, note: the table's heading and a sentence about it; label: the heading of a row in
    a language; without them titles.py is asked. terminal: shown there too. fewest: rows with fewer scored tasks are
    left out.
    """

    name: str
    of: Callable[[Any], Iterable[str]]
    of_run: bool = False
    rows: Callable[[Collection[str]], Iterable[str]] = as_they_occur
    measure: Measure = accuracy
    title: Text | str = ""
    note: Text | str = ""
    label: Callable[[str, str], str] | None = None
    column: str = ""
    terminal: bool = False
    fewest: int = 0


def facet_columns(facets: Iterable[Facet]) -> list[str]:
    """The columns of details.csv that facets have."""
    return [facet.column for facet in facets if facet.column]


def facet_cells(facets: Iterable[Facet], subject: object) -> dict[str, object]:
    """Of a task what stands in them: its value, a list where there are several."""
    values = {facet.column: sorted(facet.of(subject)) for facet in facets if facet.column}
    return {
        column: values_of_task[0] if len(values_of_task) == 1 else values_of_task or None
        for column, values_of_task in values.items()
    }
