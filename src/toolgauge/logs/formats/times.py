"""When something was said: the times of logs as ISO 8601."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime


def first_time(keys: Iterable[str], *holders: Mapping[str, object]) -> str | None:
    """The first of these fields that holds a time."""
    return next((time for holder in holders for key in keys if (time := iso_time(holder.get(key)))), None)


def iso_time(value: object) -> str | None:
    """A time as ISO 8601: of a text in that form, or of seconds, milli-, micro- or nanoseconds since 1970.

    None for what is no time between 2000 and 2100.
    """
    if type(value) is str and value.isascii() and value.isdigit() and len(value) <= 20:
        value = int(value)
    try:
        if type(value) in (int, float) and value == value:  # noqa: PLR0124 - NaN
            seconds = float(value)  # type: ignore[arg-type]
            while abs(seconds) > 1e11:
                seconds /= 1000
            moment = datetime.fromtimestamp(seconds, UTC)
        elif type(value) is str and 10 <= len(value) <= 40:
            moment = datetime.fromisoformat(value)
        else:
            return None
    except (ValueError, OverflowError, OSError):
        return None
    return moment.isoformat(timespec="seconds") if 2000 <= moment.year <= 2100 else None


def seconds_of(value: object) -> float:
    """A time of any form as seconds since 1970; 0 where it is none. Milliseconds count: the order depends on them."""
    if type(value) in (int, float) or (type(value) is str and value.isdecimal()):
        number = float(value)  # type: ignore[arg-type]
        while abs(number) > 1e11:
            number /= 1000
        return number if number == number else 0.0  # noqa: PLR0124 - NaN
    if type(value) is not str or not 10 <= len(value) <= 40:
        return 0.0
    try:
        moment = datetime.fromisoformat(value)
        return moment.timestamp() if moment.tzinfo else moment.replace(tzinfo=UTC).timestamp()
    except (ValueError, OverflowError):
        return 0.0
