"""The look of tables in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from toolgauge.visible import visible

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from toolgauge.analysis.notes import Note


def open_table(*headings: str) -> Table:
    """An empty table: a line under the headings and none around it."""
    from rich import box
    from rich.table import Table

    return Table(*headings, box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)


def headed_table(heading: str, ratio: int | None = 1) -> Table:
    """An empty table; its heading stands over the column of row headings, which takes its share of the room."""
    table = open_table()
    table.add_column(plain(heading, "bold cyan"), ratio=ratio)
    return table


def note_lines(notes: Sequence[Note]) -> list[tuple[str, str]]:
    """What stands beside a run's scores: lines and their styles."""
    return [(str(note.text), "yellow" if note.warns else "dim") for note in notes]


def plain(text: str, style: str = "") -> Text:
    """One line of text that is never read as markup."""
    from rich.text import Text

    return Text(visible(text), style)


def lines_of(*texts: str) -> Text:
    """Several lines in one cell."""
    from rich.text import Text

    return Text("\n").join(map(plain, texts))
