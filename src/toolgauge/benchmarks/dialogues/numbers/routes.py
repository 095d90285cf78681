"""Numbers for two figures of MMTB that are no rates of a table: the triangle of routes and the variance by layer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import product

from toolgauge.analysis.numbers import RouteNumbers
from toolgauge.benchmarks.dialogues.numbers.task_frame import Outcomes, TaskFrame
from toolgauge.data.session import KINDS

LONGEST_ROUTE = 4
_ALMOST_NOTHING = 1e-5  # MMTB's divisor of the variance is count - 1 + 1e-5

Route = tuple[str, ...]


def routes(columns: TaskFrame, outcomes: Outcomes) -> list[list[float | None]]:
    """Lists of 4, 16, 64 and 256 accuracies: one per sequence of kinds that ends with the task itself.

    Sequences stand in lexicographic order with single < multi < clarify < chat; None where no task was scored.
    """
    means = _means(columns, outcomes, own=True)
    return [[means.get(route) for route in routes_of(length)] for length in range(1, LONGEST_ROUTE + 1)]


def route_counts(columns: TaskFrame, outcomes: Outcomes) -> list[list[tuple[int, int]]]:
    """For each number of `routes` the tasks that are right and all that are scored."""
    groups = _groups(columns, outcomes, own=True)
    counts = {route: (int(sum(values)), len(values)) for route, values in groups.items()}
    return [[counts.get(route, (0, 0)) for route in routes_of(length)] for length in range(1, LONGEST_ROUTE + 1)]


def routes_of(length: int) -> Iterator[Route]:
    """All sequences of so many kinds, in the order of `routes`."""
    return product(KINDS, repeat=length)


def layer_variance(columns: TaskFrame, outcomes: Outcomes) -> dict[str, float | None]:
    """Number of tasks before -> variance of the accuracies of all sequences of kinds before; None without any."""
    means = _means(columns, outcomes, own=False)
    variances: dict[str, float | None] = {}
    for length in range(1, LONGEST_ROUTE):
        values = [mean for route, mean in means.items() if len(route) == length]
        if not values:
            variances[str(length)] = None
            continue
        middle = sum(values) / len(values)
        squares = sum((value - middle) ** 2 for value in values)
        variances[str(length)] = squares / (len(values) - 1 + _ALMOST_NOTHING)
    return variances


def figures(columns: TaskFrame, outcomes: Outcomes) -> RouteNumbers:
    """All of it; rates are rounded to six digits."""
    triangle = [[_rounded(value) for value in row] for row in routes(columns, outcomes)]
    variances = {length: _rounded(value) for length, value in layer_variance(columns, outcomes).items()}
    return RouteNumbers(triangle, route_counts(columns, outcomes), variances)


def _means(columns: TaskFrame, outcomes: Outcomes, own: bool) -> dict[Route, float]:
    """Accuracy per sequence of kinds, the task's own included or not."""
    return {route: sum(values) / len(values) for route, values in _groups(columns, outcomes, own).items()}


def _groups(columns: TaskFrame, outcomes: Outcomes, own: bool) -> dict[Route, list[float]]:
    """1.0 or 0.0 per scored task, by its sequence of kinds."""
    groups: dict[Route, list[float]] = defaultdict(list)
    for route, scored, correct in zip(columns.routes, outcomes.scored, outcomes.correct, strict=True):
        if scored:
            groups[route if own else route[:-1]].append(float(correct))
    return groups


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)
