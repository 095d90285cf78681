"""How a value follows from the context: the `reading` of a source that is not the value itself, in words."""

from __future__ import annotations

OTHER_UNITS = "in other units"
PART_OF_DATE = "part of a date"
PART_OF_TIME = "part of a time"
IN_ALL = "how many in all"
THERE_ARE = "how many there are"
MORE_OR_LESS = "more or less than before"
BETWEEN = "the time between two moments"
SEVERAL_NUMBERS = "reckoned from several numbers"
COUNTED_FROM = "counted from"
"""With a day behind it."""
COUNTED_TIME = "a time counted from another one"
TIME_OF_DAY = "a time of that part of the day"

_LOOSE = (IN_ALL, THERE_ARE, MORE_OR_LESS, BETWEEN, SEVERAL_NUMBERS, COUNTED_FROM, COUNTED_TIME, TIME_OF_DAY)


def is_loose(derivation: str) -> bool:
    """Could another value have followed as well? Then a reviewer should see it."""
    return derivation.startswith(_LOOSE)
