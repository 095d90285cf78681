"""Points in a plane with their names beside them, such as accuracy against cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from toolgauge.report.marks.dots import Kind
from toolgauge.report.marks.scale import Scale

HEIGHT = 300
"""Of the plane in pixels; its width is what there is."""
LINE = 15
"""The height of a name in pixels."""
LONGEST_NAME = 26
"""Characters of a name: the half of a phone's width."""
MIDDLE = 50.0
"""Names of points to the right of the middle stand to their left."""


class Point(Struct, frozen=True):
    """name: in words; x, y: in the units of the scales; interval: of y. kind: whose it is; link: "" for none."""

    name: str
    x: float
    y: float
    interval: tuple[float, float] | None = None
    kind: Kind = Kind.OWN
    link: str = ""


class Placed(Struct, frozen=True):
    """A point with its name. label: the name in short, "" where none has room; down: by how many pixels the middle of
    the name stands below the point's; left: the name ends before the point."""

    point: Point
    label: str
    down: int = 0
    left: bool = False


class Scatter(Struct, frozen=True):
    """caption: what it shows, its name for screen readers; x_title, y_title: what the axes measure."""

    caption: str
    x_title: str
    y_title: str
    x: Scale
    y: Scale
    points: tuple[Placed, ...]
    height: int = HEIGHT


def scatter_of(caption: str, titles: tuple[str, str], scales: tuple[Scale, Scale], points: Sequence[Point]) -> Scatter:
    """Points with names that do not cover one another. titles, scales: of x and y."""
    x, y = scales
    return Scatter(caption, *titles, x, y, tuple(_placed(points, x, y)))


def _placed(points: Sequence[Point], x: Scale, y: Scale) -> Iterator[Placed]:
    """The points from above to below; a name is moved down as far as the names above it on its side need, and left
    out where that is below the plane."""
    free = {True: 0.0, False: 0.0}
    for point in sorted(points, key=lambda one: (-one.y, one.x)):
        left = x.at(point.x) > MIDDLE
        own = HEIGHT * (1 - y.at(point.y) / 100)
        middle = max(own, free[left] + LINE / 2)
        if middle + LINE / 2 > HEIGHT + LINE:
            yield Placed(point, "", left=left)
        else:
            free[left] = middle + LINE / 2
            yield Placed(point, _short(point.name), round(middle - own), left)


def _short(name: str) -> str:
    line = " ".join(name[: 4 * LONGEST_NAME].split())
    return line if len(line) <= LONGEST_NAME else line[: LONGEST_NAME - 1] + "…"
