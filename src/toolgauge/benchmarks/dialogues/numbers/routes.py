"""Numbers for two figures of MMTB that are no rates of a table: the triangle of routes and the variance by layer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import product

from toolgauge.analysis.numbers import RouteNumbers
from toolgauge.analysis.table import Sheet
from toolgauge.artefacts import DIGITS
from toolgauge.data.session import KINDS

LONGEST_ROUTE = 4
_ALMOST_NOTHING = 1e-5  # MMTB's divisor of the variance is count - 1 + 1e-5

Route = tuple[str, ...]


def route_numbers(sheet: Sheet) -> RouteNumbers:
    """Rates are rounded to six digits.

    routes: lists of 4, 16, 64 and 256 accuracies, one per sequence of kinds that ends with the task itself, in
    lexicographic order with single < multi < clarify < chat; None where no task was scored. route_counts: of each the
    tasks that are right and all that are scored. layer_variance: number of tasks before -> the variance of the
    accuracies of all sequences of kinds before; None without any.
    """
    groups, before = _groups(sheet, own=True), _means(_groups(sheet, own=False))
    means, lengths = _means(groups), range(1, LONGEST_ROUTE + 1)
    return RouteNumbers(
        [[_rounded(means.get(route)) for route in routes_of(length)] for length in lengths],
        [[_counts(groups.get(route, [])) for route in routes_of(length)] for length in lengths],
        {str(length): _rounded(_variance(before, length)) for length in lengths[:-1]},
    )


def routes_of(length: int) -> Iterator[Route]:
    """All sequences of so many kinds, in the order of `routes`."""
    return product(KINDS, repeat=length)


def _groups(sheet: Sheet, own: bool) -> dict[Route, list[float]]:
    """1.0 or 0.0 per scored task, by its sequence of kinds, the task's own included or not."""
    groups: dict[Route, list[float]] = defaultdict(list)
    for one, scored, correct in zip(sheet.table.subjects, sheet.scored, sheet.right, strict=True):
        if scored:
            groups[one.route if own else one.route[:-1]].append(float(correct))
    return groups


def _means(groups: dict[Route, list[float]]) -> dict[Route, float]:
    return {route: sum(values) / len(values) for route, values in groups.items()}


def _counts(values: list[float]) -> tuple[int, int]:
    return int(sum(values)), len(values)


def _variance(means: dict[Route, float], length: int) -> float | None:
    values = [mean for route, mean in means.items() if len(route) == length]
    if not values:
        return None
    middle = sum(values) / len(values)
    return sum((value - middle) ** 2 for value in values) / (len(values) - 1 + _ALMOST_NOTHING)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS)
