"""How much of a process's time strangers' schemas and patterns may take altogether.

A single check has limits of its own; a file of a million calls, each just within them, would still take days. So the
time of slow checks is counted: two seconds for a start, then a tenth of the time that the process computes. Beyond it
only checks that are certain to be quick are made, and the others cannot be decided.
"""

from __future__ import annotations

import threading
import time

START, SHARE = 2.0, 0.1
"""Seconds of processor time, and the part of the process's own."""


class Allowance:
    """Processor time for slow checks, shared by the threads of a process."""

    def __init__(self, start: float = START, share: float = SHARE) -> None:
        self._start, self._share = start, share
        self._spent = 0.0
        self._lock = threading.Lock()

    def charge(self, seconds: float) -> None:
        """Count the time of a slow check."""
        with self._lock:
            self._spent += seconds

    def left(self) -> bool:
        """Whether another slow check may be made."""
        return self._spent < self._start + self._share * time.process_time()


ALLOWANCE = Allowance()
