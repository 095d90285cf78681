"""Dots with their intervals, a row each, on one scale."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from toolgauge.report.marks.scale import Scale


class Kind(StrEnum):
    """Whose number it is; each has its shape and colour. first, second: the two runs of a comparison."""

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


class DotRow(Struct, frozen=True):
    """A row: its heading (in words), what stands as text beside the drawing, its marks.

    link: where the heading leads, "" for nowhere; note: small text below the heading, more: more behind the value, such
    as the interval or counts. Two marks of the kinds first and second are joined by a line. about: the counts on hover.
    few: it rests on few tasks and is drawn faint. rank: its place, in charts that rank; apart: a line above sets it
    apart from the rows before.
    """

    heading: str
    marks: tuple[DotMark, ...]
    text: str = ""
    more: str = ""
    link: str = ""
    note: str = ""
    about: str = ""
    few: bool = False
    rank: str = ""
    apart: bool = False

    @property
    def paired(self) -> bool:
        return {mark.kind for mark in self.marks} >= {Kind.FIRST, Kind.SECOND}


class DotChart(Struct, frozen=True):
    """Rows on one scale, drawn as a table. caption: what it shows; heading, measure: of its columns; ranks: of the
    places of its rows, "" where they have none."""

    caption: str
    heading: str
    measure: str
    scale: Scale
    rows: tuple[DotRow, ...]
    ranks: str = ""
