"""A table whose cells are coloured by their values."""

from __future__ import annotations

from msgspec import Struct


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
    link: str = ""


class HeatTable(Struct, frozen=True):
    """caption: what it shows; corner: what its rows are; columns: their headings, as many as each row has cells."""

    caption: str
    corner: str
    columns: tuple[str, ...]
    rows: tuple[HeatRow, ...]
