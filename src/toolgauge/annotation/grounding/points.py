"""Texts that are nothing but a date, a month, a time, or a date with a time, in the usual ways to write them."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct

from toolgauge.data.meaning import LONGEST, Comparison, meaning

_WEEKDAY = re.compile(
    r"^(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,?\s+|^(?:周|星期)[一二三四五六日天][,，]?\s*",
    re.I,
)
_NUMERIC = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4})(?:[ ,]+(\S.*))?")
_MONTH = re.compile(r"(?P<year>\d{4})[-/.年](?P<month>\d{1,2})月?|(?P<month2>\d{1,2})[-/](?P<year2>\d{4})")
_WORDED_MONTH = re.compile(r"([A-Za-z]{3,9})[.,]?\s+(\d{4})")
_CLOSED = re.compile(r"24:00(?::00)?$")
_BETWEEN = re.compile(r"\s?(?:/|\bto\b|\buntil\b|–|—|~|至|到|\s-\s)\s?", re.IGNORECASE)


class DatePoint(Struct, frozen=True):
    """A date, a month, a time of day, or a date with a time; missing parts are None."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    minutes: int | None = None

    @property
    def date(self) -> datetime.date | None:
        try:
            return datetime.date(self.year, self.month, self.day) if self.year and self.month and self.day else None
        except ValueError:
            return None


def point_of(value: object) -> DatePoint | None:
    """A text that is nothing but a date or a time; None for anything else. Of 05/07/2016 the first reading."""
    return next(iter(points_of(value)), None)


def points_of(value: object) -> tuple[DatePoint, ...]:
    """All readings of such a text: 05/07/2016 is in July, or in May."""
    return _points_of(value) if isinstance(value, str) and len(value) <= LONGEST else ()


@lru_cache(maxsize=4096)
def _points_of(value: str) -> tuple[DatePoint, ...]:
    return tuple(_readings(_CLOSED.sub("00:00", _WEEKDAY.sub("", value.strip()))))


def _readings(text: str) -> Iterator[DatePoint]:
    moment = meaning(Comparison.DATETIME, text)
    if isinstance(moment, tuple):
        yield _point(moment[0], _minutes(moment[1]))
    elif isinstance(day := meaning(Comparison.DATE, text), datetime.date):
        yield _point(day, None)
    elif (minutes := _minutes(meaning(Comparison.TIME, text))) is not None:
        yield DatePoint(minutes=minutes)
    elif found := _NUMERIC.fullmatch(text):
        minutes = _minutes(meaning(Comparison.TIME, found[5])) if found[5] else None
        if found[5] is None or minutes is not None:
            for day, month in ((int(found[1]), int(found[3])), (int(found[3]), int(found[1]))):
                point = DatePoint(int(found[4]), month, day, minutes)
                if point.date:
                    yield point
    else:
        yield from _months(text)


def _point(day: datetime.date, minutes: int | None) -> DatePoint:
    return DatePoint(day.year, day.month, day.day, minutes)


def _minutes(time: object) -> int | None:
    return time[0] * 60 + time[1] if isinstance(time, tuple) else None


def _months(text: str) -> Iterator[DatePoint]:
    if found := _MONTH.fullmatch(text):
        year, month = int(found["year"] or found["year2"]), int(found["month"] or found["month2"])
        if 1 <= month <= 12:
            yield DatePoint(year, month)
    elif found := _WORDED_MONTH.fullmatch(text):
        first = meaning(Comparison.DATE, f"1 {found[1]} {found[2]}")
        if isinstance(first, datetime.date):
            yield DatePoint(first.year, first.month)


def ends_of(value: str) -> tuple[str, str] | None:
    """The two ends of a text that is a span of dates or times ("2025-03-15/2025-03-16", "9:00 - 10:30")."""
    if len(value) > 2 * LONGEST:
        return None
    for mark in _BETWEEN.finditer(value):
        first, last = value[: mark.start()], value[mark.end() :]
        if point_of(first) and point_of(last):
            return first, last
    return None
