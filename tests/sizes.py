"""How much a test does: `make test` takes as much as finds a defect soon, `make test-long` everything."""

from __future__ import annotations

import os

LONG = os.environ.get("TOOLGAUGE_LONG_TESTS", "") not in ("", "0")


def sized(usual: int, long: int) -> int:
    """A number of examples, repetitions or cases: `usual` in `make test`, `long` in `make test-long`."""
    return long if LONG else usual
