"""Scales: from a number to its place, in percent of the width (or height) of a drawing."""

from __future__ import annotations

import math
from collections.abc import Iterable

from msgspec import Struct

MOST_STEPS = 5
"""Steps between the ends of a scale at most: so many labels have room on a phone."""
LEAST = {1: 1e-6, 100: 0.01}
"""The shortest reach of a scale, by what its numbers are multiplied by to be shown: a point of percent."""
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


class Tick(Struct, frozen=True):
    """at: its place, 0 to 100; text: its label; zero: the line from which differences are read."""

    at: float
    text: str
    zero: bool = False


class Scale(Struct, frozen=True):
    """From `low` to `high` (low < high), in the unit of the numbers."""

    low: float
    high: float
    ticks: tuple[Tick, ...] = ()

    @property
    def steps(self) -> int:
        """From tick to tick: all are of one length."""
        return len(self.ticks) - 1

    def at(self, value: float) -> float:
        """The place of a number, from 0 to 100; what lies beyond an end stands at the end."""
        return _place(value, self.low, self.high)


def rate_scale(rates: Iterable[float | None], whole: bool = False) -> Scale:
    """For rates from 0 to 1 and the ends of their intervals, labelled in percent. It begins at 0 and ends behind the
    highest; whole: at 100%. None stands for a number that is not there."""
    highest = 1.0 if whole else max((rate for rate in rates if rate is not None), default=1.0)
    return _nice(0.0, highest, 100)


def difference_scale(differences: Iterable[float | None]) -> Scale:
    """For differences of rates from -1 to 1, labelled in points with their signs; 0 is on it and marked."""
    known = [one for one in differences if one is not None]
    low, high = min([0.0, *known]), max([0.0, *known])
    return _nice(low, high, 100, signed=True)


def number_scale(numbers: Iterable[float | None]) -> Scale:
    """For amounts from 0 on: dollars, seconds, tokens."""
    return _nice(0.0, max((one for one in numbers if one is not None), default=1.0), 1)


def _nice(low: float, high: float, times: int, signed: bool = False) -> Scale:
    """Ends at the next labelled number outside, with at most MOST_STEPS steps of a length that is easily read."""
    high = max(high, low + LEAST[times])
    rough = (high - low) / MOST_STEPS
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in _STEPS if factor * power >= rough * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    ends = first * step, last * step
    shown = step * times
    digits = next((places for places in range(12) if abs(round(shown, places) - shown) < 1e-9 * shown), 12)
    ticks = tuple(
        Tick(_place(number * step, *ends), _label(number * shown, digits, signed), signed and number == 0)
        for number in range(first, last + 1)
    )
    return Scale(*ends, ticks)


def _label(value: float, digits: int, signed: bool) -> str:
    text = f"{value:,.{digits}f}"
    if signed and float(text.replace(",", "")):
        text = ("+" if value > 0 else "") + text
    return text.replace("-", "−")


def _place(value: float, low: float, high: float) -> float:
    return round(100 * min(1.0, max(0.0, (value - low) / (high - low))), 2)
