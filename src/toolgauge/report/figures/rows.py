"""Rows of metrics.json as the data of charts. Their fields have fixed names; what people read is always a value."""

from __future__ import annotations

from collections.abc import Iterable

from toolgauge.analysis.numbers import Rate
from toolgauge.chat import Json

LONGEST_NAME = 120
"""Characters of a name that a chart is given: models and classes are named by others, at any length."""


def rate_row(name: str, entry: Rate | None) -> Json | None:
    """name, value, low, high (rates from 0 to 1), shown, interval and counts (texts); None where there is no value."""
    if entry is None or entry.value is None:
        return None
    bounds = entry.ci95
    low, high = bounds or (None, None)
    return {
        "name": shortened(name),
        "value": entry.value,
        "shown": in_percent(entry.value),
        "low": low,
        "high": high,
        "interval": f"{100 * bounds[0]:.1f} – {100 * bounds[1]:.1f}" if bounds else "–",
        "counts": f"{count_text(entry.correct)} / {count_text(entry.total)}",
    }


def rate_rows(entries: Iterable[tuple[str, Rate | None]]) -> list[Json]:
    """The rows that have a value; names are made different, for each is one place on an axis."""
    rows = [row for name, entry in entries if (row := rate_row(name, entry)) is not None]
    taken: set[str] = set()
    for row in rows:
        wanted, number = row["name"], 1
        while row["name"] in taken:
            number += 1
            row["name"] = f"{wanted} ({number})"
        taken.add(row["name"])
    return rows


def in_percent(value: float) -> str:
    """As tables show it: a browser would round 56.25 up."""
    return f"{100 * value:.1f}%"


def in_points(difference: float) -> str:
    """A difference of rates in percentage points, with its sign; what rounds to nothing has none."""
    shown = f"{100 * difference:+.1f}".replace("-", "−")
    return "0.0" if shown in ("+0.0", "−0.0") else shown


def shortened(text: str) -> str:
    """On one line, at most LONGEST_NAME characters."""
    line = " ".join(text[: 4 * LONGEST_NAME].split())
    return line if len(line) <= LONGEST_NAME else line[: LONGEST_NAME - 1] + "…"


def count_text(number: float) -> str:
    """A count for people; ACEBench's may be fractions."""
    return f"{number:,.0f}" if number == int(number) else f"{number:,.1f}"
