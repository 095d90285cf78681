"""What a check of data finds."""

from __future__ import annotations

from msgspec import Struct

from toolgauge.errors import placed

MAX_PROBLEMS = 1000


class Problem(Struct, frozen=True):
    """Something in a data file that does not hold. line: from 1; path: of the field inside the line."""

    file: str
    message: str
    line: int | None = None
    path: str | None = None

    @property
    def text(self) -> str:
        """The message behind its place."""
        return placed(self.message, self.file, self.line, self.path)

    def __str__(self) -> str:
        return str(self.text)
