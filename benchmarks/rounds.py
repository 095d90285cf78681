"""Measuring things in turns: A B A B ..., each time with its garbage collected before, and the medians compared.

Machines drift, so a ratio is taken from measurements made side by side; a time alone says little.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Mapping

Times = dict[str, float]
"""Median seconds by name."""


def in_turns(subjects: Mapping[str, Callable[[], object]], rounds: int) -> Times:
    """Median wall time of each, after one round that does not count (first uses, disk cache)."""
    times: dict[str, list[float]] = {name: [] for name in subjects}
    for counted in range(-1, rounds):
        for name, subject in subjects.items():
            gc.collect()
            began = time.perf_counter()
            subject()
            took = time.perf_counter() - began
            if counted >= 0:
                times[name].append(took)
    return {name: statistics.median(measured) for name, measured in times.items()}


def show(title: str, times: Times, yardstick: str, target: float | None = None) -> None:
    """A line per subject: milliseconds, and the ratio to the yardstick."""
    print(title)
    for name, seconds in times.items():
        print(f"  {name:32} {seconds * 1000:9.1f} ms  {seconds / times[yardstick]:6.2f}x")
    if target is not None:
        print(f"  (target: {target:g}x {yardstick})")
