"""Values that are dates, times, weekdays or schedules, from what was said and the clock."""

from __future__ import annotations

import datetime
import itertools
import re

from toolgauge.annotation.grounding.context import LONGEST, Context, ContextItem, ValueSource
from toolgauge.annotation.grounding.dates import WEEK, Means, dates_in, moved, spans_in, weekday_number
from toolgauge.annotation.grounding.derivation_kinds import COUNTED_FROM, COUNTED_TIME, TIME_OF_DAY
from toolgauge.annotation.grounding.parameters import Parameter, ParameterKind
from toolgauge.annotation.grounding.points import DatePoint, ends_of, points_of
from toolgauge.annotation.grounding.times import part_of_day
from toolgauge.annotation.grounding.values import quote_of

_WEEKDAY = re.compile(
    r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?s?|(?:周|星期|礼拜)(?P<zh>[一二三四五六日天])"
)
_CRON = re.compile(r"[\d*/,-]+ [\d*/,-]+ [\d*/,?L-]+ [\w*/,-]+ [\w*/,?#-]+")
_WORKDAYS = re.compile(r"weekday|work(?:ing)? ?day|business day|工作日|周一到周五|周一至周五")
_UNTIL = re.compile(r",?\s?(?:-|–|~|\bto\b|\btill?\b|\buntil\b|\bthrough\b|到|至)\s?(?:the\s)?")
MOST_DATES = 40
"""Readings of dates in one text that are paired."""
LONGEST_SPAN = 31
"""Days."""
_ROUGH = re.compile(
    r"\d|\bweek(?!end)|month|year|quarter|周(?![一二三四五六日末天])|月|年|季|ly\b|billing|statement|星期(?![一二三四五六日天])"
)
FORTNIGHT = 14
"""Days around the clock in which a day is called by its weekday."""
_PERIOD = re.compile(
    r"(?:(?P<year>\d{4})[- ]?)?(?:W(?:EEK )?(?P<week>\d{1,2})|Q(?P<quarter>[1-4]))(?:[- ](?P<year2>\d{4}))?"
)
_FIRST, _LAST = 10**8, 10**13
"""Seconds, or milliseconds, that are a moment of our days."""

Source = ValueSource | None


def date_or_time(value: object, context: Context) -> Source:
    """A date, a month, or a time, from what was said and the clock."""
    return next((source for point in points_of(value) if (source := _at(point, context))), None)


def _at(point: DatePoint, context: Context) -> Source:
    time = _time(point.minutes, context) if point.minutes is not None else None
    if point.year is None:
        return time
    if point.minutes is not None and time is None:
        return None
    days = context.days()
    wanted = point.date
    if wanted is None:
        fitting = [day for day in (context.now.date(), *days) if (day.year, day.month) == (point.year, point.month)]
        return _of_day(fitting[0], days, context) if fitting else None
    if wanted in days:
        return _of_day(wanted, days, context)
    away = (wanted - context.now.date()).days
    if away == 0:
        return ValueSource("clock", days=0)
    if source := _from_first_to_last(wanted, context):
        return source
    spans = {(number, unit) for one in context.said for number, unit, _ in spans_in(one.text[:LONGEST])}
    for day in days:
        if any(wanted in moved(day, number, unit) for number, unit in spans):
            return ValueSource("clock", days=away, reading=f"{COUNTED_FROM} {day.isoformat()}")
    return None


def _from_first_to_last(day: datetime.date, context: Context) -> Source:
    """One of the days between two that were named as the ends of a span."""
    for one in context.said:
        text = one.text[:LONGEST].casefold()
        named = [*itertools.islice(dates_in(text, context.now.date()), MOST_DATES)] if _UNTIL.search(text) else []
        for first, last in itertools.permutations(named, 2):
            near = first.day < day < last.day and (last.day - first.day).days <= LONGEST_SPAN
            if near and _UNTIL.fullmatch(text.partition(first.quote)[2].partition(last.quote)[0]):
                return one.source(first.quote, "one of the days from first to last")
    return None


def _of_day(day: datetime.date, days: dict[datetime.date, tuple[ContextItem, Means]], context: Context) -> ValueSource:
    away = (day - context.now.date()).days
    if day not in days:
        return ValueSource("clock", days=away)
    one, means = days[day]
    if means.written or one.is_result:
        return one.source(means.quote, f"the day {day.isoformat()}")
    quote = quote_of(means.quote, one.text) or means.quote
    return ValueSource("clock", days=away, quote=quote)


def _time(minutes: int, context: Context) -> Source:
    for one in context.by_weight:
        if minutes in one.minutes:
            return one.source(one.minutes[minutes], f"{minutes // 60:02d}:{minutes % 60:02d}")
    for one in context.said:
        if not one.names_hours and (quote := part_of_day(minutes, one.text)):
            return one.source(quote, TIME_OF_DAY)
    clock = context.now.hour * 60 + context.now.minute
    spoken = {time for one in (*context.said, *context.results) for time in one.minutes} | {clock}
    lengths = {round(length) for one in context.said for length in one.lengths}
    if minutes in (0, 1439, clock, *lengths) or any(abs(minutes - time) in lengths for time in spoken):
        return ValueSource("clock", days=0, reading=COUNTED_TIME)
    return None


def span(value: str, context: Context) -> Source:
    """Two dates or times in one text."""
    ends = ends_of(value)
    found = [date_or_time(end, context) for end in ends] if ends else []
    return found[0] if found and all(found) else None


def period(value: str, context: Context) -> Source:
    """A week or a quarter of a year by its number: 2025-W14, Q3 2025."""
    found = _PERIOD.fullmatch(value.strip().upper())
    if not found:
        return None
    number, is_week = int(found["week"] or found["quarter"]), found["week"] is not None
    year = int(found["year"] or found["year2"] or context.now.year)
    try:
        first = datetime.date.fromisocalendar(year, number, 1) if is_week else datetime.date(year, 3 * number - 2, 1)
    except ValueError:
        return None
    for one in context.said:
        told = re.search(rf"\b(?:w|week|q|quarter)\s?{number}\b|第?\s?{number}\s?(?:周|季度)", one.text.casefold())
        if told or first in one.days:
            return one.source(told[0] if told else one.days[first].quote, "the week" if is_week else "the quarter")
    return None


def moment_of(value: float, parameter: Parameter, context: Context) -> Source:
    """Unix time: a day and a time that are meant, in some zone."""
    if ParameterKind.STAMP not in parameter.kinds or not _FIRST <= value < _LAST:
        return None
    seconds = value / 1000 if value >= _FIRST * 100 else value
    moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds)
    for hours in (0, *range(1, 15), *range(-1, -13, -1)):
        there = moment + datetime.timedelta(hours=hours)
        point = DatePoint(there.year, there.month, there.day, there.hour * 60 + there.minute)
        if there.second == 0 and (source := _at(point, context)):
            return source
    return None


def weekdays(value: str, context: Context) -> Source:
    """Weekdays that were named or are meant: "Tue, Sat"."""
    names = [_WEEKDAY.fullmatch(part.strip().casefold()) for part in re.split(r"[,，、;/&\s]+", value) if part.strip()]
    if not names or len(names) > 7 or not all(names):
        return None
    meant = {
        day.isoweekday(): (one, means)
        for day, (one, means) in context.days().items()
        if not means.written and not _ROUGH.search(means.quote) and abs((day - context.now.date()).days) <= FORTNIGHT
    }
    for one in context.said:
        if found := _WORKDAYS.search(one.text.casefold()):
            meant |= {number: (one, Means(context.now.date(), found[0])) for number in range(1, 6)}
    days = [weekday_number(found["zh"] or found[0][:3]) + 1 for found in names if found]
    if all(day in meant for day in days):
        one, means = meant[days[0]]
        return one.source(means.quote, "the weekday")
    return None


def is_cron(value: str) -> bool:
    """Five fields of times and days."""
    return len(value) <= 60 and _CRON.fullmatch(value.strip()) is not None


def cron(value: str, context: Context) -> ValueSource | None:
    """A cron expression whose times, days and steps were said."""
    minute, hour, day, month, weekday = value.casefold().split()
    told: set[int] = {time for one in context.said for time in one.minutes}
    numbers = {int(number) for one in context.said for number in one.numbers if abs(number) < 1000}
    if minute.isdecimal() and hour.isdecimal():
        right = int(hour) * 60 + int(minute) in told
    else:
        right = all(int(part) in numbers | {0} for part in re.findall(r"\d+", f"{minute} {hour}"))
    right &= all(int(part) in numbers for part in re.findall(r"\d+", f"{day} {month}"))
    text = " ".join(one.text for one in context.said)
    if not right or not _weekdays_said(weekday, text.casefold(), context):
        return None
    return next(
        (one.source(quote, "as a schedule") for one in context.said for quote in one.minutes.values()), None
    ) or (ValueSource("composed", note="put together from what was said"))


def _weekdays_said(field: str, text: str, context: Context) -> bool:
    if field in ("*", "?"):
        return True
    if _WORKDAYS.search(text):
        return field in ("1-5", "mon-fri")
    said = {means.day.isoweekday() for one in context.said for means in one.days.values() if not means.written}
    days = [part for part in re.findall(r"\d|[a-z]{3}", field) if part.isdecimal() or part in WEEK]
    return {int(day) % 7 or 7 if day.isdecimal() else weekday_number(day) + 1 for day in days} <= said
