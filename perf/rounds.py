"""Measuring things in turns: A B A B ..., and comparing what was measured side by side.

Machines drift, so a ratio is taken within each round, and the median of the rounds counts; a time alone says little.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping
from statistics import median

Times = dict[str, list[float]]
"""Seconds by name, one per round."""


def in_turns(subjects: Mapping[str, Callable[[], object]], rounds: int) -> Times:
    """Wall time of each, round by round, after one round that does not count (first uses, disk cache)."""
    times: Times = {name: [] for name in subjects}
    for number in range(rounds + 1):
        for name, subject in subjects.items():
            gc.collect()
            began = time.perf_counter()
            subject()
            took = time.perf_counter() - began
            if number > 0:
                times[name].append(took)
    return times


def ratio(times: Times, name: str, yardstick: str) -> float:
    """The median over the rounds of one's time divided by the other's."""
    return median(one / other for one, other in zip(times[name], times[yardstick], strict=True))


def show(title: str, times: Times, yardstick: str, target: float | None = None) -> None:
    """A line per subject: the ratio to the yardstick, and milliseconds."""
    print(title + (f" (target: {target:g}x)" if target is not None else ""))
    for name, seconds in times.items():
        print(f"  {name:32} {ratio(times, name, yardstick):6.2f}x  {median(seconds) * 1000:9.1f} ms")
