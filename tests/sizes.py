"""How much a test does: `make test` takes as much as finds a defect soon, `make test-long` everything."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

LONG = os.environ.get("TOOLGAUGE_LONG_TESTS", "") not in ("", "0")


def sized(usual: int, long: int) -> int:
    """A number of examples, repetitions or cases: `usual` in `make test`, `long` in `make test-long`."""
    return long if LONG else usual


def in_turn(rows: Iterable[str], columns: Sequence[str]) -> list[tuple[str, str]]:
    """Pairs: in `make test` each row with one of the columns, in turn; in `make test-long` all."""
    return [
        (row, column)
        for number, row in enumerate(rows)
        for place, column in enumerate(columns)
        if LONG or number % len(columns) == place
    ]
