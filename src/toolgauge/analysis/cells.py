"""Values as cells of a CSV file that a spreadsheet opens: no text becomes a formula, and what was added can be undone.
No text is obeyed by a terminal either: control characters other than tabs and line breaks stand as JSON writes them.

Texts come from models, data files and users. A spreadsheet takes a cell for a formula by its first character (OWASP,
"CSV Injection"), some after blanks, quotation marks or invisible characters that they leave out. Such a text gets an
apostrophe in front; so does one that begins with apostrophes before such a character, so that `original` is exact.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from math import isfinite
from pathlib import Path
from typing import TextIO

from toolgauge.data.lines import as_json
from toolgauge.files import replacing

_UNSEEN = r"'\"\s\x00-\x1f\x7f-\xa0\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff"
_DANGEROUS = rf"(?:[{_UNSEEN}]*[=+\-@＝＋－＠]|'*[\t\r\n])"
"""How a text begins that a spreadsheet may take for a formula."""
DEFUSED = f"^'({_DANGEROUS})"
"""A cell with the apostrophe in front, and what stands behind it; read by Python's `re` and by polars."""
_FORMULA = re.compile(_DANGEROUS)
_DEFUSED = re.compile(DEFUSED)
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_QUOTED = re.compile(r'[,"\r\n]')
_NUMBER = re.compile(r"-?\d{1,300}(?:\.\d{1,300})?(?:[eE][+-]?\d{1,3})?", re.ASCII)


def cell(value: object) -> str:
    """A value as a cell: None is empty, text is text, anything else JSON (so that numbers stay numbers). Control
    characters are written as \\u001b, in JSON too, where that means the same."""
    if value is None:
        return ""
    if type(value) is int or (type(value) is float and isfinite(value)):  # most cells are numbers
        return repr(value)
    if type(value) is bool:
        return "true" if value else "false"
    if not isinstance(value, str):
        return without_controls(as_json(value))
    text = without_controls(value)
    return "'" + text if _FORMULA.match(text) else text


def without_controls(text: str) -> str:
    """A text with its control characters, but for tabs and line breaks, as \\u001b."""
    if text.isprintable():  # nearly every cell, and tested faster
        return text
    return _CONTROLS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def original(text: str) -> str:
    """The text of which `cell` made this one."""
    return text[1:] if _DEFUSED.match(text) else text


def checked(text: str) -> str:
    """A cell of a file that anybody may have written, as `cell` would have made it; numbers are numbers."""
    return text if _NUMBER.fullmatch(text) else cell(original(text))


@contextmanager
def csv_file(path: Path) -> Iterator[TextIO]:
    """`files.replacing` for text: UTF-8 with a byte order mark, what spreadsheets need to read Chinese."""
    with replacing(path) as file:
        text = io.TextIOWrapper(file, "utf-8-sig", "backslashreplace", newline="")
        try:
            yield text
        finally:
            text.detach()  # flushes


def write_rows(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> None:
    """Write a CSV file of rows, values by column, whole or not at all. Raises StoreError if it cannot be written."""
    with csv_file(path) as file:
        file.write(line(columns))
        for row in rows:
            file.write(line(row.get(column) for column in columns))


def line(values: Iterable[object]) -> str:
    """A row of cells as `csv.writer` writes it (the dialect `excel`), in half the time: most cells are long texts."""
    cells = [cell(value) for value in values]
    return ",".join(['"' + text.replace('"', '""') + '"' if _QUOTED.search(text) else text for text in cells]) + "\r\n"


OPTIONS = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
MADE = datetime(2000, 1, 1)
"""In place of the time of writing: the same scores give the same bytes."""
UNREADABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""What XML 1.0 cannot hold."""
LONGEST = 32_767
"""Characters that a cell of a spreadsheet can hold; nothing longer is kept (the trajectory has it all)."""


def clipped(text: str) -> str:
    """A text that fits into a cell: spreadsheets count UTF-16 units."""
    if len(text) * 2 <= LONGEST:
        return text
    units = text.encode("utf-16-le", "surrogatepass")
    if len(units) <= 2 * LONGEST:
        return text
    return units[: 2 * LONGEST - 2].decode("utf-16-le", "ignore") + "…"
