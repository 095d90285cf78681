"""Dates that a text may mean, seen from a dialogue's clock.

Generous on purpose: "next Friday" is two days to different people, "the 5th" one in each month around. What no reading
of what was said gives is what a reviewer must see.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Iterator
from itertools import islice

from msgspec import Struct

from toolgauge.annotation.grounding.numbers import numbers_in
from toolgauge.data.meaning import MONTHS

Day = datetime.date
ONE = datetime.timedelta(days=1)
WEEK = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")

_MONTH = (
    r"(?P<month>" + "|".join(f"{name[:3]}(?:{name[3:]})?" if name[3:] else name for name in MONTHS) + r"|sept)\b\.?"
)
_NTH = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?\b"
_YEAR = r"(?:,?\s*(?P<year>\d{4}))?"
_DATES = (
    re.compile(r"(?P<year>\d{4})\s?[-/.年]\s?(?P<month>\d{1,2})\s?[-/.月]\s?(?P<day>\d{1,2})(?!\d)"),
    re.compile(r"(?<![\d.:])(?P<day>\d{1,2})[-/.](?P<month>\d{1,2})[-/.](?P<year>\d{4})(?!\d)"),
    re.compile(r"(?<![\d.:])(?P<month>\d{1,2})[-/.](?P<day>\d{1,2})[-/.](?P<year>\d{4})(?!\d)"),
    re.compile(r"(?<![\d.:/-])(?P<month>\d{1,2})[/.-](?P<day>\d{1,2})(?![\d/.:-])"),
    re.compile(r"(?<![\d.:/-])(?P<day>\d{1,2})[/.-](?P<month>\d{1,2})(?![\d/.:-])"),
    re.compile(rf"\b{_MONTH}\s*(?:the\s*)?{_NTH}{_YEAR}"),
    re.compile(rf"(?<!\d){_NTH}\s*(?:of\s*)?{_MONTH}{_YEAR}"),
    re.compile(r"(?<!\d)(?:(?P<year>\d{4})\s?年\s?)?(?P<month>\d{1,2})\s?月\s?(?:(?P<day>\d{1,2})\s?[日号]?)"),
)
_DAY_ALONE = re.compile(r"(?<![\d.:])(\d{1,2})(?:st|nd|rd|th|\s?[号日])")
_MONTH_ALONE = re.compile(rf"\b{_MONTH}{_YEAR}|(?P<number>\d{{1,2}})\s?月")
_HAN_DATE = re.compile(r"(?:([一二三四五六七八九十]{1,2})月)?(?:份)?([一二三四五六七八九十]{1,3})[号日]")
_NEAR = tuple(
    (re.compile(words), away)
    for away, words in (
        (
            0,
            r"\b(?:today|tonight|now|currently|this (?:morning|afternoon|evening|noon))\b"
            r"|今[天日晚早]|现在|当[前天]|此刻|这会儿",
        ),
        (
            1,
            r"\b(?:tomorrow|tmrw|tmr|tmw|tomo|2moro|2mrw|following day|next day|day after)\b"
            r"|明[天日晚早]|次日|第二天|转天",
        ),
        (2, r"\bday after (?:tomorrow|tmrw)\b|后天"),
        (3, r"大后天"),
        (-1, r"\b(?:yesterday|last night|yday|day before|previous day|overnight)\b|昨[天日晚早]|前一天"),
        (-2, r"\bday before yesterday\b|前[天日]"),
        (-3, r"大前天"),
    )
)
_WEEKDAY = re.compile(
    r"\b(?P<en>mon|tue|wed|thu|fri|sat|sun)(?:s|r|rs|day|sday|nesday|rsday|urday|urs)?s?\b|(?:周|星期|礼拜)(?P<zh>[一二三四五六日天])"
)
_WEEKEND = re.compile(r"\bweekends?\b|周末|双休日")
_SPAN = re.compile(
    r"(?<![a-z])(?P<en>days?|nights?|weeks?|fortnights?|months?|years?|quarters?|hours?|hrs?|h|min(?:ute)?s?)(?![a-z])"
    r"|(?<=[\d一二两三四五六七八九十百半几个整])\s?(?P<zh>天|晚|日|周|星期|礼拜|个?月|年|个?季度|个?小时|分钟)"
)
_BESIDE_DAY = re.compile(r"day (?:after tomorrow|before yesterday)\b")
"""No length: the day after tomorrow."""
_ARTICLE = re.compile(r"(?<![a-z])(?:an?|the|this|that|next|last)\s$")
_ROUND = {
    "week": re.compile(r"(?<!\ba )(?<!\bone )\bweek\b|[本这上下]个?(?:周|星期|礼拜)(?![一二三四五六日天])|weekly"),
    "month": re.compile(r"\bmonth|[本这上下]个?月|月[底初末中]|一个月|billing|statement"),
    "quarter": re.compile(r"\bquarter|季度|\bq[1-4]\b"),
    "year": re.compile(r"\byear|\bannual|今年|去年|明年|全年|年[底初末]|一年"),
}
_BEYOND = re.compile(r"before last|after next|上上|下下|再[上下]")
"""Words for the week or month but one."""
_DAYS_OF = {"day": 1, "night": 1, "week": 7, "fortnight": 14, "天": 1, "晚": 1, "日": 1, "周": 7, "星期": 7, "礼拜": 7}
_FEASTS = {
    (12, 24): r"christmas eve|平安夜",
    (12, 25): r"christmas|xmas|圣诞",
    (12, 31): r"new year'?s eve|跨年|除夕",
    (1, 1): r"new year|元旦|新年",
    (10, 31): r"halloween|万圣",
    (2, 14): r"valentine|情人节",
    (3, 8): r"women'?s day|妇女节",
    (5, 1): r"may day|labou?r day|劳动节|五一",
    (6, 1): r"children'?s day|儿童节|六一",
    (7, 4): r"independence day|fourth of july",
    (10, 1): r"national day|国庆|十一",
}
"""Feasts on a fixed day: (month, day) and what they are called."""
_MOVABLE = {
    ((3, 22), (4, 25)): r"\beaster|复活节",
    ((4, 4), (4, 6)): r"清明",
    ((5, 8), (5, 14)): r"mother'?s day|母亲节",
    ((5, 25), (5, 31)): r"memorial day",
    ((5, 25), (6, 25)): r"端午|dragon boat",
    ((6, 15), (6, 21)): r"father'?s day|父亲节",
    ((9, 1), (9, 7)): r"labou?r day",
    ((9, 7), (10, 8)): r"中秋|mid-autumn",
    ((11, 22), (11, 29)): r"thanksgiving|black friday|感恩节|黑色星期五",
    ((1, 20), (2, 21)): r"春节|除夕|大年|过年|chinese new year|lunar new year|spring festival",
    ((2, 4), (3, 7)): r"元宵",
}
"""Other feasts: the first and the last day on which they can be."""


class Means(Struct, frozen=True):
    """A day that a text may mean, and the words that say so. written: as a date, not by its distance from the clock."""

    day: Day
    quote: str
    written: bool = False


def days_in(text: str, now: datetime.datetime) -> Iterator[Means]:
    """Every day that a text may mean."""
    lowered = text.casefold()
    today = now.date()
    yield from _written(lowered, today)
    for pattern, away in _NEAR:
        yield from (Means(today + away * ONE, found[0]) for found in pattern.finditer(lowered))
    yield from _weekdays(lowered, today)
    yield from _away(lowered, today)
    yield from _rounds(lowered, today)
    for (month, day), words in _FEASTS.items():
        if found := re.search(words, lowered):
            yield from (Means(Day(today.year + year, month, day), found[0]) for year in (-1, 0, 1))
    for (first, last), words in _MOVABLE.items():
        for found in islice(re.finditer(words, lowered), 1):
            for start in (Day(today.year + year, *first) for year in (-1, 0, 1)):
                days = (Day(start.year, *last) - start).days
                yield from (Means(start + day * ONE, found[0]) for day in range(days + 1))


def _written(text: str, today: Day) -> Iterator[Means]:
    """Dates with a day and a month, and days of the month alone, in the year (or the month) around the clock."""
    yield from dates_in(text, today)
    alone = [(int(found[1]), found[0]) for found in _DAY_ALONE.finditer(text)]
    for found in _HAN_DATE.finditer(text):
        day = _small(found[2])
        if found[1]:
            yield from _valid([today.year + one for one in (-1, 0, 1)], [_small(found[1])], day, found[0])
        alone.append((day, found[0]))
    months = {_month(found["month"] or found["number"]) for found in _MONTH_ALONE.finditer(text)}
    months |= {(today.month + away - 1) % 12 + 1 for away in (-2, -1, 0, 1, 2)}
    for day, quote in alone:
        yield from _valid([today.year + one for one in (-1, 0, 1)], sorted(months), day, quote)
    for listed in re.finditer(r"(\d{1,2})(?:st|nd|rd|th|号|日)?\s?(?:-|–|to|n|and|&|,|、|到|至|和)\s?(\d{1,2})", text):
        for day in (int(listed[1]), int(listed[2])):
            yield from _valid([today.year + one for one in (-1, 0, 1)], sorted(months), day, listed[0])


def dates_in(text: str, today: Day) -> Iterator[Means]:
    """Dates with a day and a month, in every way in which they can be read."""
    for pattern in _DATES:
        for found in pattern.finditer(text.casefold()):
            parts = found.groupdict()
            years = [int(parts["year"])] if parts.get("year") else [today.year + one for one in (-1, 0, 1)]
            yield from _valid(years, [_month(parts["month"])], int(parts["day"]), found[0])


def _valid(years: Iterable[int], months: Iterable[int], day: int, quote: str) -> Iterator[Means]:
    for year in years:
        for month in months:
            try:
                yield Means(Day(year, month, day), quote.strip(), True)
            except ValueError:
                continue


def _month(name: str) -> int:
    if name.isdecimal():
        return int(name)
    return next(number for number, month in enumerate(MONTHS, 1) if month.startswith(name.strip(".")[:3]))


def _small(signs: str) -> int:
    return int(next(iter(number for number, _ in numbers_in(signs)), 0))


def _weekdays(text: str, today: Day) -> Iterator[Means]:
    """A weekday: the last one, the next one, and the one after; a weekend: both its days."""
    for found in _WEEKDAY.finditer(text):
        yield from _around(weekday_number(found["en"] or found["zh"]), today, found[0])
    for found in _WEEKEND.finditer(text):
        for number in (4, 5, 6):
            yield from _around(number, today, found[0])


def weekday_number(name: str) -> int:
    """From 0 for Monday. name: its first three letters, or 一 to 六, 日 or 天."""
    days = WEEK if name.isascii() else "一二三四五六日"
    return days.index(name.replace("天", "日"))


def _around(weekday: int, today: Day, quote: str) -> Iterator[Means]:
    monday = today - today.weekday() * ONE
    for week in (-2, -1, 0, 1, 2):
        yield Means(monday + (7 * week + weekday) * ONE, quote)


def _away(text: str, today: Day) -> Iterator[Means]:
    """So many days, weeks, months or years from today, in both directions."""
    for number, unit, quote in spans_in(text):
        yield from _from(today, number, unit, quote)


def spans_in(text: str) -> Iterator[tuple[float, str, str]]:
    """(number, unit, words) of every length of time that a text speaks of; one of it, where no number stands there."""
    text = text.casefold()
    for found in _SPAN.finditer(text):
        if _BESIDE_DAY.match(text, found.start()):
            continue
        before = text[max(0, found.start() - 16) : found.start()]
        one = {1.0} if _ARTICLE.search(before) else set()
        for number in {number for number, _ in numbers_in(before)} | one or {1.0}:
            if 0 < number < 5000:
                unit = found["en"] or found["zh"].removeprefix("个")
                yield number, unit, f"{before[-12:]}{found[0]}".strip()


def moved(day: Day, number: float, unit: str) -> set[Day]:
    """The days that lie so many units before and after a day, or one less."""
    return {means.day for means in _from(day, number, unit, "")}


def _from(day: Day, number: float, unit: str, quote: str) -> Iterator[Means]:
    single = unit.removesuffix("s")
    for sign in (-1, 1):
        if single in _DAYS_OF:
            away = round(number * _DAYS_OF[single])
            for less in (0, 1):  # "for three days" ends on the third
                if there := _shifted(day, sign * (away - less)):
                    yield Means(there, quote)
        elif single in ("month", "月", "quarter", "季度", "year", "年"):
            months = round(number * {"quarter": 3, "季度": 3, "year": 12, "年": 12}.get(single, 1))
            month = add_months(day, sign * months)
            yield from (Means(near, quote) for less in (0, 1) if month and (near := _shifted(month, -sign * less)))


def _shifted(day: Day, days: int) -> Day | None:
    try:
        return day + days * ONE
    except OverflowError:
        return None


def add_months(day: Day, months: int) -> Day | None:
    """The same day so many months on, or the last one of a shorter month; None outside the calendar."""
    count = day.year * 12 + day.month - 1 + months
    year, month = divmod(count, 12)
    if not 1 <= year <= 9998:
        return None
    last = (Day(year + (month == 11), (month + 1) % 12 + 1, 1) - ONE).day
    return Day(year, month + 1, min(day.day, last))


def _rounds(text: str, today: Day) -> Iterator[Means]:
    """First and last days of the weeks, months, quarters and years that a text speaks of."""
    if found := _ROUND["week"].search(text):
        monday = today - today.weekday() * ONE
        for week in (-2, -1, 0, 1, 2) if _BEYOND.search(text) else (-1, 0, 1):
            yield from (Means(monday + (7 * week + day) * ONE, found[0]) for day in (-1, 0, 4, 5, 6, 7))
    months: dict[tuple[int, int], str] = {}
    for found in _MONTH_ALONE.finditer(text):
        number = _month(found["month"] or found["number"])
        years = [int(found["year"])] if found["year"] else [today.year + one for one in (-1, 0, 1)]
        months |= {(year, number): found[0] for year in years}
    if found := _ROUND["month"].search(text):
        reach = (-2, -1, 0, 1, 2) if _BEYOND.search(text) else (-1, 0, 1)
        around = [add_months(today.replace(day=1), one) for one in reach]
        months |= {(day.year, day.month): found[0] for day in around if day}
    if found := _ROUND["quarter"].search(text):
        months |= {(today.year + year, month): found[0] for year in (-1, 0, 1) for month in range(1, 13)}
    named = {int(found[0]): found[0] for found in re.finditer(r"(?<!\d)(?:19|20)\d\d(?!\d)", text)}
    if found := _ROUND["year"].search(text):
        named |= {today.year + one: found[0] for one in (-1, 0, 1)}
    months |= {(year, month): quote for year, quote in named.items() for month in (1, 12)}
    for (year, month), quote in months.items():
        if not 1 <= month <= 12:
            continue
        first = Day(year, month, 1)
        following = add_months(first, 1)
        yield Means(first, quote)
        if following:
            yield from (Means(following - ONE, quote), Means(following, quote))
