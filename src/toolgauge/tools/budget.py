"""The time and the bytes that one import may take, over all its operations together."""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec

from toolgauge.chat import Tool
from toolgauge.limits import IMPORT_BYTES, IMPORT_SECONDS

_LOOK = 256
"""Schemas between two looks at the clock."""


class OverBudget(Exception):
    """An import exceeds its budget; text: which."""

    def __init__(self, text: str) -> None:
        self.text = text
        super().__init__(text)


class Budget:
    """What an import has left, from the moment this is made. `clock`: seconds, for tests."""

    def __init__(self, seconds: float = IMPORT_SECONDS, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds, self._clock = seconds, clock
        self._until = clock() + seconds
        self._steps = self._size = 0

    def step(self) -> None:
        """Count one more converted schema. Raises OverBudget."""
        self._steps += 1
        if self._steps % _LOOK == 0:
            self.check()

    def check(self) -> None:
        """Raises OverBudget where the time is up."""
        if self._clock() > self._until:
            raise OverBudget(f"converting its schemas takes more than {self._seconds:g} s")

    def made(self, tool: Tool) -> None:
        """One tool more is kept. Raises OverBudget."""
        self._size += len(msgspec.json.encode(tool.parameters))
        if self._size > IMPORT_BYTES:
            raise OverBudget(f"its tools are larger than {IMPORT_BYTES >> 20} MB in total")
