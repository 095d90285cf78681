"""What a check of data finds."""

from __future__ import annotations

from msgspec import Struct

from toolgauge.locale import Text

MAX_PROBLEMS = 1000


class Problem(Struct, frozen=True):
    """Something in a data file that does not hold. line: from 1; path: of the field inside the line."""

    file: str
    message: Text
    line: int | None = None
    path: str | None = None

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{place}: {self.path}: {self.message}" if self.path else f"{place}: {self.message}"
