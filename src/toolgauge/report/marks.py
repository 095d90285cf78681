"""What pages and exported files draw: dots with intervals, cells coloured by value, points and lines in a plane.

    numbers -> a Scale (where they stand) -> typed charts -> SVG

Everything is placed when it is made, in percent of the width: a drawing fits any page, nothing moves while one loads,
and no script is needed. Colours and shapes come from the classes of assets/marks.css, so light, dark and print follow
from the variables of assets/base.css; files (`figures.py`) carry the same rules with the light colours. A drawing
inside a row is hidden from screen readers, for its numbers are text in the same row. Texts are escaped here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import pairwise

from markupsafe import Markup, escape
from msgspec import Struct

from toolgauge.visible import tell_unseen

FEW = 10
"""A rate of fewer tasks is marked, or folded."""
MOST_STEPS = 5
"""Steps between the ends of a scale at most: so many labels have room on a phone."""
LEAST = {1: 1e-6, 100: 0.01}
"""The shortest reach of a scale, by what its numbers are multiplied by to be shown: a point of percent."""
EASY_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
PLANE_HEIGHT = 300
"""Of a plane in pixels; its width is what there is."""
NAME_HEIGHT = 15
"""Of a point's name in pixels."""
LONGEST_NAME = 26
"""Characters of a point's name: the half of a phone's width."""


class Tick(Struct, frozen=True):
    """at: its place, 0 to 100; text: its label."""

    at: float
    text: str


class Scale(Struct, frozen=True):
    """From `low` to `high` (low < high), in the unit of the numbers."""

    low: float
    high: float
    ticks: tuple[Tick, ...] = ()

    @property
    def steps(self) -> int:
        """From tick to tick: all are of one length."""
        return len(self.ticks) - 1

    def at(self, value: float) -> float:
        """The place of a number, from 0 to 100; what lies beyond an end stands at the end."""
        return _place(value, self.low, self.high)


def rate_scale(rates: Iterable[float | None], whole: bool = False) -> Scale:
    """For rates from 0 to 1 and the ends of their intervals, labelled in percent. It begins at 0 and ends behind the
    highest; whole: at 100%. None stands for a number that is not there."""
    highest = 1.0 if whole else max((rate for rate in rates if rate is not None), default=1.0)
    return _rounded(highest, 100)


def number_scale(numbers: Iterable[float]) -> Scale:
    """For amounts from 0 on: dollars, seconds, tokens."""
    return _rounded(max(numbers, default=1.0), 1)


def step_scale(names: Sequence[str]) -> Scale:
    """For names in their order: the first stands at 0, the next at 1, each in the middle of its part of the scale."""
    low, high = -0.5, len(names) - 0.5
    return Scale(low, high, tuple(Tick(_place(number, low, high), name) for number, name in enumerate(names)))


def _rounded(highest: float, times: int) -> Scale:
    """From 0 to the next labelled number from `highest` on, with at most MOST_STEPS steps of a length that is easily
    read."""
    highest = max(highest, LEAST[times])
    rough = highest / MOST_STEPS
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in EASY_STEPS if factor * power >= rough * (1 - 1e-9))
    last = math.ceil(highest / step - 1e-9)
    end, shown = last * step, step * times
    digits = next((places for places in range(12) if abs(round(shown, places) - shown) < 1e-9 * shown), 12)
    labels = (f"{number * shown:,.{digits}f}" for number in range(last + 1))
    return Scale(0.0, end, tuple(Tick(_place(number * step, 0.0, end), label) for number, label in enumerate(labels)))


def _place(value: float, low: float, high: float) -> float:
    return round(100 * min(1.0, max(0.0, (value - low) / (high - low))), 2)


class Kind(StrEnum):
    """Whose number it is; each has its shape and colour. first, second: of two lines, or of two runs."""

    OWN = "own"
    PUBLISHED = "published"
    BUILTIN = "builtin"
    FIRST = "first"
    SECOND = "second"


class DotMark(Struct, frozen=True):
    """A number and its interval (None: none is known), in the unit of the scale. computed: the interval is ours, of a
    published number."""

    value: float
    interval: tuple[float, float] | None = None
    kind: Kind = Kind.OWN
    computed: bool = False


def ends_of(marks: Iterable[DotMark]) -> Iterator[float]:
    """What a scale must hold: the numbers and the ends of their intervals."""
    return (end for mark in marks for end in (mark.value, *(mark.interval or ())))


class DotRow(Struct, frozen=True):
    """A row: its heading (in words), what stands as text beside the drawing, its marks.

    link: where the heading leads, "" for nowhere; note: small text below the heading (pages only); more: more behind
    the value, such as the interval. about: the counts on hover. rank: its place, in charts that rank; apart: a line
    above sets it apart from the rows before.
    """

    heading: str
    marks: tuple[DotMark, ...]
    text: str = ""
    more: str = ""
    link: str = ""
    note: str = ""
    about: str = ""
    rank: str = ""
    apart: bool = False


class DotChart(Struct, frozen=True):
    """Rows on one scale, drawn as a table. caption: what it shows; heading, measure: of its columns; ranks: of the
    places of its rows, "" where they have none."""

    caption: str
    heading: str
    measure: str
    scale: Scale
    rows: tuple[DotRow, ...]
    ranks: str = ""


class HeatCell(Struct, frozen=True):
    """text: what stands in it, "" where there is nothing; share: how strong its colour is, 0 to 1; link: "" for none;
    about: what it counts, in words, on hover and for screen readers. few: it rests on few tasks."""

    text: str = ""
    share: float = 0.0
    link: str = ""
    about: str = ""
    few: bool = False


class HeatRow(Struct, frozen=True):
    heading: str
    cells: tuple[HeatCell, ...]


class HeatTable(Struct, frozen=True):
    """caption: what it shows; corner: what its rows are; columns: their headings, as many as each row has cells.

    Without columns rows may differ in length: the cells of each share the whole width (files only).
    """

    caption: str
    corner: str
    columns: tuple[str, ...]
    rows: tuple[HeatRow, ...]

    @property
    def few(self) -> bool:
        """Most of its numbers rest on few tasks."""
        filled = [cell for row in self.rows for cell in row.cells if cell.text]
        return 2 * sum(cell.few for cell in filled) > len(filled)


class Point(Struct, frozen=True):
    """name: in words; x, y: in the units of the scales; interval: of y. kind: whose it is."""

    name: str
    x: float
    y: float
    interval: tuple[float, float] | None = None
    kind: Kind = Kind.OWN


class PlacedPoint(Struct, frozen=True):
    """A point with its name. label: the name in short, "" where none has room; down: by how many pixels the middle of
    the name stands below the point's; left: the name ends before the point."""

    point: Point
    label: str = ""
    down: int = 0
    left: bool = False


class Scatter(Struct, frozen=True):
    """Points in a plane. caption: what it shows, its name for screen readers; x_title, y_title: what the axes measure.
    curves: the points of each of these kinds are joined by a line, which has that name."""

    caption: str
    x_title: str
    y_title: str
    x: Scale
    y: Scale
    points: tuple[PlacedPoint, ...]
    curves: tuple[tuple[Kind, str], ...] = ()


Chart = DotChart | HeatTable | Scatter


def scatter_of(caption: str, titles: tuple[str, str], scales: tuple[Scale, Scale], points: Sequence[Point]) -> Scatter:
    """Points with names that do not cover one another. titles, scales: of x and y."""
    return Scatter(caption, *titles, *scales, tuple(_placed(points, *scales)))


def _placed(points: Sequence[Point], x: Scale, y: Scale) -> Iterator[PlacedPoint]:
    """The points from above to below, names of those to the right of the middle to their left; a name is moved down as
    far as the names above it on its side need, and left out where that is below the plane."""
    free = {True: 0.0, False: 0.0}
    for point in sorted(points, key=lambda point: (-point.y, point.x)):
        left = x.at(point.x) > 50
        own = PLANE_HEIGHT * (1 - y.at(point.y) / 100)
        middle = max(own, free[left] + NAME_HEIGHT / 2)
        if middle + NAME_HEIGHT / 2 > PLANE_HEIGHT + NAME_HEIGHT:
            yield PlacedPoint(point, left=left)
        else:
            free[left] = middle + NAME_HEIGHT / 2
            yield PlacedPoint(point, shortened(point.name, LONGEST_NAME), round(middle - own), left)


def shortened(text: str, longest: int = 120) -> str:
    """On one line, at most so many characters: models and classes are named by others, at any length."""
    line = " ".join(text[: 4 * longest].split())
    return line if len(line) <= longest else line[: longest - 1] + "…"


def element(tag: str, *inside: str, **attributes: object) -> Markup:
    """An element of SVG or HTML. inside: texts, which are escaped, and other elements; attributes: "_" stands for "-",
    one at the end is left out, and so are attributes that are None."""
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{_escaped(value) if isinstance(value, str) else value}"'
        for name, value in attributes.items()
        if value is not None
    )
    content = "".join(map(_escaped, inside))
    return Markup(f"<{tag}{written}>{content}</{tag}>" if content else f"<{tag}{written}/>")  # noqa: S704 - escaped


def _escaped(text: str) -> str:
    return text if isinstance(text, Markup) else str(escape(tell_unseen(text)))


def shapes() -> Markup:
    """Once on a page or in a file: a dot (own; the second of a pair), a ring (the first), a diamond (published), a
    square (built-in)."""
    drawn = [element("circle", id=f"mark-{kind}", class_=f"mark-{kind}", r=4.4) for kind in ("own", "second", "first")]
    diamond = element("path", id="mark-published", class_="mark-published", d="M0-4.8 4.8 0 0 4.8-4.8 0z")
    square = element("rect", id="mark-builtin", class_="mark-builtin", x=-3.6, y=-3.6, width=7.2, height=7.2)
    defined = element("defs", *drawn, diamond, square)
    return element("svg", defined, class_="shapes", width=0, height=0, aria_hidden="true")


def key_mark(kind: str, **place: object) -> Markup:
    """A shape with its interval, for a legend."""
    line = element("line", class_=f"span-{kind}", x1=2, x2=26, y1=7, y2=7)
    mark = element("use", href=f"#mark-{kind}", x=14, y=7)
    return element("svg", line, mark, class_="marks", width=28, height=14, aria_hidden="true", **place)


def axis(scale: Scale, **place: object) -> Markup:
    """The labels of a scale, above the column that holds `dots`."""
    labels = (element("text", tick.text, x=f"{tick.at}%", y="80%") for tick in scale.ticks)
    return element("svg", *labels, class_="marks axis", aria_hidden="true", **place)


def dots(row: DotRow, scale: Scale, lined: bool = True, **place: object) -> Markup:
    """The drawing of one row; its numbers stand as text in the same row. lined: with the lines of its scale, by a rule
    of the page. place: attributes of the drawing, x, y, width and height where no page places it."""
    drawn = []
    for mark in row.marks:
        if mark.interval:
            low, high = (f"{scale.at(end)}%" for end in mark.interval)
            look = f"span-{mark.kind}{' computed' if mark.computed else ''}"
            drawn.append(element("line", class_=look, x1=low, x2=high, y1="50%", y2="50%"))
        drawn.append(element("use", href=f"#mark-{mark.kind}", x=f"{scale.at(mark.value)}%", y="50%"))
    look = f"marks steps-{scale.steps}" if lined else "marks"
    return element("svg", *drawn, class_=look, aria_hidden="true", **place)


def pair_dots(a: float | None, b: float | None, scale: Scale) -> Markup:
    """Two runs in one row: a ring and a dot, and the line between them."""
    drawn = ""
    if a is not None and b is not None:
        drawn = f'<line class="pair" x1="{scale.at(a)}%" x2="{scale.at(b)}%" y1="50%" y2="50%"/>'
    for kind, rate in ((Kind.FIRST, a), (Kind.SECOND, b)):
        if rate is not None:
            drawn += f'<use href="#mark-{kind}" x="{scale.at(rate)}%" y="50%"/>'
    return Markup(f'<svg class="marks steps-{scale.steps}" aria-hidden="true">{drawn}</svg>')  # noqa: S704 - numbers


def grid(scale: Scale) -> Iterator[Markup]:
    """The lines of a scale from left to right."""
    places = (f"{tick.at}%" for tick in scale.ticks)
    return (element("line", class_="grid", x1=place, x2=place, y1=0, y2="100%") for place in places)


def plane(scatter: Scatter, **place: object) -> Markup:
    """The plane of a scatter: the lines and labels of both scales, the points, their names where they have room."""
    drawn = []
    for tick in scatter.y.ticks:
        height = _down(tick.at)
        label = element("text", tick.text, class_="of-y", x=-6, y=4)
        drawn.append(element("line", class_="grid", x1=0, x2="100%", y1=height, y2=height))
        drawn.append(element("svg", label, class_="at", x=0, y=height))
    drawn.extend(() if scatter.curves else grid(scatter.x))
    drawn.extend(
        element("svg", element("text", tick.text, y=17), class_="at", x=f"{tick.at}%", y="100%")
        for tick in scatter.x.ticks
    )
    for kind, _name in scatter.curves:
        ends = [_at(scatter, placed.point) for placed in scatter.points if placed.point.kind == kind]
        drawn.extend(
            element("line", class_=f"span-{kind} joined", x1=x1, y1=y1, x2=x2, y2=y2)
            for (x1, y1), (x2, y2) in pairwise(ends)
        )
    names = []
    for placed in scatter.points:
        point, (x, y) = placed.point, _at(scatter, placed.point)
        if point.interval:
            low, high = (_down(scatter.y.at(end)) for end in point.interval)
            drawn.append(element("line", class_=f"span-{point.kind}", x1=x, x2=x, y1=low, y2=high))
        mark = element("use", href=f"#mark-{point.kind}")
        drawn.append(element("svg", mark, element("title", point.name), class_="at", x=x, y=y))
        if placed.label:
            look, beside = ("name left", -9) if placed.left else ("name", 9)
            name = element("text", placed.label, class_=look, x=beside, y=placed.down + 4)
            names.append(element("svg", name, class_="at", x=x, y=y))
    labelled = {"role": "img", "aria_label": scatter.caption, "height": PLANE_HEIGHT}
    return element("svg", *drawn, *names, class_="marks", **(labelled | place))


def _at(scatter: Scatter, point: Point) -> tuple[str, str]:
    return f"{scatter.x.at(point.x)}%", _down(scatter.y.at(point.y))


def _down(at: float) -> str:
    """A place of a scale that goes up, from above."""
    return f"{round(100 - at, 2)}%"
