"""What holds for every workbook that is written: its limits, and that the same content gives the same bytes."""

from __future__ import annotations

import re
from datetime import datetime

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
