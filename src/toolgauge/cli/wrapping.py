"""Chinese text in rich's tables: lines break between characters, too, and not only at blanks."""

from __future__ import annotations

import re

from rich.cells import cell_len, chop_cells
from rich.containers import Lines
from rich.text import Text

_WIDE = "\u2e80-\u9fff\uf900-\ufaff\uff00-\uff60"
_OPENING, _CLOSING = "（“《【〔", "，。、；：？！）”》】〕…"
_UNITS = re.compile(rf"[{_OPENING}]*(?:[{_WIDE}]|[^\s{_WIDE}“”…]+)[{_CLOSING}]*\s*|\S\s*|\s+")
"""What stays together: a character with the punctuation around it, or a word."""


class ChineseText(Text):
    """Text that is wrapped as Chinese is; blanks are still the places where words of other languages part."""

    @classmethod
    def of(cls, text: Text) -> ChineseText:
        made = cls(text.plain, style=text.style, end=text.end)
        made.spans = text.spans
        return made

    def wrap(self, console: object, width: int, **_: object) -> Lines:  # noqa: ARG002 - rich gives its console
        lines = Lines()
        for line in self.split(allow_blank=True):
            parts = line.divide(breaks(line.plain, width))
            for part in parts:
                part.rstrip_end(width)
            lines.extend(parts)
        return lines


def breaks(text: str, width: int) -> list[int]:
    """The places where a line begins anew, so that none is wider than so many cells."""
    found: list[int] = []
    taken = 0
    for unit in _UNITS.finditer(text):
        size = cell_len(unit[0].rstrip())
        if taken and taken + size > width:
            found.append(unit.start())
            taken = 0
        if size > width:
            *full, rest = chop_cells(unit[0], width)
            ends = [sum(map(len, full[: count + 1])) for count in range(len(full))]
            found += [unit.start() + end for end in ends]
            taken = cell_len(rest)
        else:
            taken += cell_len(unit[0])
    return found
