"""Numbers that follow from the context: the same in other units, counts, sums, lengths of time, parts of a date.

Small whole numbers stand everywhere, and almost any of them is a sum or a product of others. So they follow only where
the words say so: "2 adults and 3 kids", "2 hours" where minutes are wanted, "two more", "in March".
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterable, Iterator

from toolgauge.annotation.grounding.context import LONGEST, Context, ValueSource
from toolgauge.annotation.grounding.counting import counts, one_in
from toolgauge.annotation.grounding.derivation_kinds import (
    BETWEEN,
    IN_ALL,
    MORE_OR_LESS,
    OTHER_UNITS,
    PART_OF_DATE,
    PART_OF_TIME,
    SEVERAL_NUMBERS,
    THERE_ARE,
)
from toolgauge.annotation.grounding.numbers import SMALL, SMALL_NAMES, is_small, numbers_in
from toolgauge.annotation.grounding.parameters import Parameter
from toolgauge.annotation.grounding.units import (
    amount_of,
    converted,
    degrees_in,
    units_named,
)
from toolgauge.data.record import step

LARGEST = 1e15
"""Numbers from here on follow from nothing."""
MOST_NUMBERS = 200
"""Of one text or result that are looked at."""
MOST_COUNTED = 6
"""Things that are counted one after the other and summed."""
PLACES = 4
"""Decimals to which a number is compared with what it may come from."""
_LASTING = re.compile(
    r"duration|length|lasting|how long|elapsed|minutes|hours|时长|多久|分钟|小时|持续|多长", re.IGNORECASE
)
_STAY = re.compile(r"night|\bdays?\b|duration|length|how long|天|晚|时长|多久|多长", re.IGNORECASE)
_PARTS = {
    "year": re.compile(r"\b(?:year|decade)\b|年份|年代"),
    "month": re.compile(r"\bmonth\b|月份"),
    "day": re.compile(r"\bday\b|几号|日期"),
    "weekday": re.compile(r"\bweekday\b|\bday of (?:the )?week\b|星期几|周几"),
    "hour": re.compile(r"\bhour\b|几点"),
    "minute": re.compile(r"\bminute\b"),
    "time": re.compile(r"\btime\b|时间"),
}
"""Parts of dates and times, as parameters are named that are one. Not "days" and "hours": those count."""
_HEAT = re.compile(r"temp|degree|celsius|fahrenheit|温|度", re.IGNORECASE)
_ALL = re.compile(
    r"\b(?:all|every|each|both|them|those|everyone|everybody|we|us)\b|都|全|每|各|所有|大家|这些|那些|一起|我们", re.I
)
_DIGITS = re.compile(r"\d{4}")
_DECADE = re.compile(
    r"(?<!\d)(\d{3}0)(?=s\b|'s\b|年代)|([二三四五六七八九1-9])(?:十|0)年代|decade\D{0,30}?(\d{4})|\b(twen|thir|for|fif|six|seven|eigh|nine)ties\b"
)
_TENS = ("twen", "thir", "for", "fif", "six", "seven", "eigh", "nine")
_MORE = re.compile(
    rf"\b(?P<n>\d{{1,3}}|{SMALL_NAMES})\s+(?:\w+\s+)?(?:more|extra|additional|fewer|less|higher|lower|warmer|cooler|later"
    rf"|earlier|longer|shorter|further)\b|\b(?:another|by|add|plus|minus|extra)\s+(?P<n2>\d{{1,3}}|{SMALL_NAMES})\b"
    r"|(?:[再多少加减高低增升降]了?|提前|推迟|延长|缩短|调[高低大小]|上调|下调)(?P<n3>\d{1,3}|[一二两三四五六七八九十]{1,3})"
)
_MEASURED = {
    kind: re.compile(words)
    for kind, words in {
        "time": r"duration|time|length|interval|delay|period|window|how long|ttl|frequency|时长|时间|间隔|多久|周期",
        "months": r"term|duration|period|期限|期数",
        "length": r"distance|length|height|width|radius|depth|range|size|高|长|宽|距离|半径|深",
        "weight": r"weight|mass|load|重|克",
        "volume": r"volume|capacity|容量|体积|amount",
        "money": r"amount|price|cost|budget|fee|total|limit|金额|价|费|预算|款",
        "data": r"size|limit|capacity|storage|大小|容量",
        "area": r"area|size|面积",
        "speed": r"speed|velocity|速",
        "count": r"quantity|count|number of|how many|数量|几|多少",
    }.items()
}
"""What is measured, as parameters name it that name no unit."""
_HUNDRED = re.compile(r"\b0\s?(?:-|–|to|~|到|至)\s?100\b|percent|%|百分|volume|brightness|音量|亮度")
_RECKONED = re.compile(
    r"\b(?:total|sum|altogether|in all|the rest|remaining|left over|difference|half|double|twice|triple|split"
    r"|average|each|per"
    r"|every|apiece|plus|minus|off|tip|tax|discount|times)\b|%\s?of|总|一共|共计|合计|平均|差额|剩|余下|倍|折|每|减去|一半|的\s?[\d.]+%",
    re.IGNORECASE,
)
"""Words of those who reckon."""
_TIMES = re.compile(
    r"\b(?:each|per|every|apiece|times|twice|daily|a day|a week)\b|每|各|乘|倍|一天|一周", re.IGNORECASE
)
_RANGE = re.compile(r"(?<![\d.-])(\d{1,4})\s?(?:-|–|~|to|till|until|through|到|至)\s?(\d{1,4})(?![\d.-])")
_KIN = (
    "wife|husband|partner|mother|mom|mum|father|dad|son|daughter|brother|sister|girlfriend|boyfriend|friend|boss"
    "|colleague"
)
_HAN_KIN = "老婆|老公|爱人|妻子|丈夫|妈妈?|爸爸?|儿子|女儿|孩子|朋友|男友|女友|同事|老板|室友|同学"
_COUNTED = re.compile(
    rf"\b(?P<en>\d{{1,3}}|an?|{SMALL_NAMES})\s+[a-z]{{2,}}"
    rf"|\b(?P<kin>my (?:{_KIN})|me|myself|i)\b|\b(?P<pair>my (?:parents|in-laws|grandparents))\b"
    r"|(?P<zh>\d{1,3}|[一二两三四五六七八九十]{1,3})\s*(?:个|位|名|大|小|张|间|份|件|成人|儿童|孩子)(?:大人|成人|小孩|孩子|儿童|老人)?"
    rf"|(?P<zhkin>我(?:{_HAN_KIN})|(?:{_HAN_KIN})|我自己|我)|(?P<zhpair>我?(?:爸妈|父母|爷爷奶奶|公婆))"
)
_JOINED = re.compile(
    r"[\u3400-\u9fff]{0,2}|(?:\s?[a-z]+|[\u3400-\u9fff]{1,3}?)?\s*"
    r"(?:,|，|、|&|\+|\band\b|\bplus\b|\bwith\b|和|加上?|带着?|跟|与|还有)+(?:\s*+and)?\s*+(?:my |the )?\s*+"
)
"""What stands between two things that are counted together."""


def derived_number(value: float, parameter: Parameter, context: Context) -> ValueSource | None:
    """A source that explains a number by something else, with a `reading` that says how; None where nothing does.

    parameter: its words say which units and which parts of a date are meant, and whether it counts something.
    """
    if abs(value) >= LARGEST:
        return None
    about = parameter.about
    ways: tuple[Callable[[], ValueSource | None], ...] = (
        lambda: _single(parameter, context) if value == 1 else None,
        lambda: _in_units(value, parameter, context),
        lambda: _in_hundredths(value, parameter, context),
        lambda: _of_date(value, about, context),
        lambda: _counted(value, parameter, context),
        lambda: _changed(value, parameter, context),
        lambda: _lasting(value, about, context),
        lambda: None if is_small(value) else _of_others(value, parameter, context),
    )
    return next((source for way in ways if (source := way())), None)


def _in_hundredths(value: float, parameter: Parameter, context: Context) -> ValueSource | None:
    """ "half" where a number up to 100 is wanted."""
    if not 0 < value < 100 or not _HUNDRED.search(parameter.about):
        return None
    found = (
        (one, share)
        for one in context.said
        for share in one.numbers
        if 0 < share < 1 and _rounds_to(value, 100 * share)
    )
    return next((one.source(one.numbers[share], "as a percentage") for one, share in found), None)


def _single(parameter: Parameter, context: Context) -> ValueSource | None:
    places = ((one, quote) for one in context.said if (quote := one_in(one.text[:LONGEST], parameter)))
    return next((one.source(quote, "one, as the words say") for one, quote in places), None)


def _rounds_to(value: float, number: float) -> bool:
    """Is a number this value, to as many decimals as the value has, or to tens or hundreds where they are near?"""
    if value == 0 or not abs(number) < LARGEST:
        return False
    decimals = next((n for n in range(PLACES) if round(value, n) == value), PLACES)
    near = abs(value) >= 100 and abs(value - number) <= abs(number) / 100
    return round(number, decimals) == value or (near and any(round(number, -n) == value for n in (1, 2)))


def _in_units(value: float, parameter: Parameter, context: Context) -> ValueSource | None:
    """ "2 hours" where minutes are wanted; of results also numbers whose name has a unit ("duration_minutes")."""
    wanted = units_named(parameter.about)
    named = {unit.kind for unit in wanted}
    kinds = named | {kind for kind, meant in _MEASURED.items() if meant.search(parameter.about)}
    open_kind = not counts(parameter) and not _HEAT.search(parameter.about)
    for one in context.items:
        for number, unit, quote in one.measures:
            told = unit.kind in named if unit.kind == "money" else unit.kind in kinds if kinds else open_kind
            if told and any(_rounds_to(value, other) for other in converted(number, unit, wanted)):
                return one.source(quote, OTHER_UNITS)
        if _HEAT.search(parameter.about) and not one.is_result:
            for number, quote in degrees_in(one.text[:LONGEST]):
                if _rounds_to(value, number):
                    return one.source(quote, OTHER_UNITS)
    return None


def same_unit(value: str, context: Context) -> ValueSource | None:
    """A unit by another of its names."""
    wanted = set(units_named(value))
    found = ((one, quote) for one in context.said for _, unit, quote in one.measures if unit in wanted)
    named = ((one, word) for one in context.said for word in one.words if wanted & {*units_named(word)})
    return next((one.source(quote, "the unit") for one, quote in (*found, *named)), None) if wanted else None


def derived_amount(value: str, context: Context) -> ValueSource | None:
    """A text that is an amount, said in other units: "PT36H" for a day and a half."""
    for number, unit in amount_of(value):
        for one in context.items:
            for told, other, quote in one.measures:
                sizes = ((size, told * other_size) for size in unit.sizes for other_size in other.sizes)
                if unit.kind == other.kind and any(_rounds_to(number, length / size) for size, length in sizes):
                    return one.source(quote, OTHER_UNITS)
    return None


def _of_date(value: float, about: str, context: Context) -> ValueSource | None:
    """Year, month, day, hour or minute of a day or time that is meant, where such a part is wanted."""
    wanted = {part for part, named in _PARTS.items() if named.search(about.casefold())}
    if not wanted or not float(value).is_integer():
        return None
    for one in context.items:
        for minutes, quote in one.minutes.items():
            if any(value == number for part, number in _of_clock(minutes) if part in wanted):
                return one.source(quote, PART_OF_TIME)
        for day, means in one.days.items():
            told = {"year"} if str(value) not in means.quote and _DIGITS.search(means.quote) else set()
            if any(value == number for part, number in _of_day(day) if part in wanted - told):
                return one.source(means.quote, PART_OF_DATE)
        for found in _DECADE.finditer(one.text) if "year" in wanted else ():
            tens = _TENS.index(found[4]) + 2 if found[4] else int(next(numbers_in(found[2] or "0"))[0])
            first = int(found[1] or found[3] or 0) or 1900 + 10 * tens
            if first <= value < first + 10:
                return one.source(found[0], PART_OF_DATE)
    today = any(value == number for part, number in _of_day(context.now.date()) if part in wanted)
    return ValueSource("clock", days=0) if today else None


def _of_day(day: datetime.date) -> Iterator[tuple[str, int]]:
    yield from (("year", day.year), ("month", day.month), ("day", day.day), ("weekday", day.isoweekday()))


def _of_clock(minutes: int) -> Iterator[tuple[str, int]]:
    hour, minute = divmod(minutes, 60)
    yield from (("hour", hour), ("minute", minute), ("time", hour * 100 + minute))


def _counted(value: float, parameter: Parameter, context: Context) -> ValueSource | None:
    """How many the user speaks of ("2 adults and 3 kids", "me and two friends", "twice a day for 7 days"), one of those
    from first to last ("seats 10 to 12"), or how many a list has where all of it is meant."""
    for one in context.said:
        for total, quote in _sums(one.text.casefold()[:LONGEST]):
            if total == value:
                return one.source(quote, IN_ALL)
        if _TIMES.search(one.text):
            counted = one.counted(parameter)
            factors = {number for number in list(counted)[:MOST_NUMBERS] if number > 1}
            if any(round(value / factor, 6) in factors for factor in factors):
                return one.source(counted[min(factors)], IN_ALL)
        for ends in _RANGE.finditer(one.text.casefold()[:LONGEST]):
            if int(ends[1]) < value < int(ends[2]) <= int(ends[1]) + SMALL:
                return one.source(ends[0], "one of those from first to last")
    if not _ALL.search(context.last_said):
        return None
    places = ((one, path) for one in context.results for path, count in _counts(one.content) if count == value)
    found = next(places, None)
    return found[0].source(found[1], THERE_ARE) if found else None


def _sums(text: str) -> Iterator[tuple[int, str]]:
    """What is counted one after the other, summed from everywhere to everywhere."""
    run: list[tuple[int, int, int]] = []
    for found in _COUNTED.finditer(text):
        if run and not _JOINED.fullmatch(text, run[-1][2], found.start()):
            run = []
        run = [*run[1 - MOST_COUNTED :], (_count(found), found.start(), found.end())]
        for first in range(len(run) - 1):
            part = run[first:]
            yield sum(count for count, _, _ in part), text[part[0][1] : part[-1][2]]


def _count(found: re.Match[str]) -> int:
    if found["pair"] or found["zhpair"]:
        return 2
    number = found["en"] or found["zh"]
    return int(max((value for value, _ in numbers_in(number)), default=1)) if number else 1


def _counts(value: object, path: str = "", depth: int = 4) -> Iterator[tuple[str, int]]:
    if isinstance(value, list):
        yield path, len(value)
    if isinstance(value, dict) and depth:
        for key, part in value.items():
            yield from _counts(part, f"{path}{step(key)}".lstrip("."), depth - 1)


def _changed(value: float, parameter: Parameter, context: Context) -> ValueSource | None:
    """So many more or less than a number before."""
    for one in context.said:
        for found in _MORE.finditer(one.text.casefold()[:LONGEST]):
            for number, _ in numbers_in(found["n"] or found["n2"] or found["n3"]):
                for other in context.items if number else ():
                    counted = other.counted(parameter)
                    before = [counted[start] for start in (value - number, value + number) if start in counted]
                    if any(other is not one or quote not in found[0] for quote in before):
                        return one.source(found[0], MORE_OR_LESS)
    return None


def _lasting(value: float, about: str, context: Context) -> ValueSource | None:
    """Minutes or hours from one time to another, nights or days from one day to another, named in one place."""
    for one in (*context.said, *context.results):
        if _LASTING.search(about):
            times = sorted(one.minutes)
            lengths = {(late - early) % 1440 for early in times for late in times if late != early}
            if value * 60 in lengths or value in lengths:
                return one.source(one.minutes[times[0]], BETWEEN)
        if _STAY.search(about):
            days = {day: means.quote for day, means in one.days.items()}
            for quote, length in _stays(days, context.now.date()):
                if value in (length, length + 1):
                    return one.source(quote, BETWEEN)
    return None


def _stays(days: dict[datetime.date, str], today: datetime.date) -> Iterator[tuple[str, int]]:
    """The shortest ways in days: from today to each day that is named, and from one to another by other words."""
    named: dict[str, list[datetime.date]] = {}
    for day, quote in days.items():
        named.setdefault(quote, []).append(day)
    for first, starts in named.items():
        if ahead := [day for day in starts if day >= today]:
            yield first, (min(ahead) - today).days
        for second, ends in named.items():
            ways = [(late - early).days for early in starts for late in ends if late > early]
            if first != second and ways:
                yield first, min(ways)


def _of_others(value: float, parameter: Parameter, context: Context) -> ValueSource | None:
    """A larger number that is a sum, difference, product or share of two numbers of one place, where one reckons."""
    if not any(_RECKONED.search(one.text) for one in context.said):
        return None
    for one in (*context.said, *context.results):
        numbers = dict(list(one.counted(parameter).items())[:MOST_NUMBERS])
        for number, place in numbers.items():
            rest: Iterable[float] = (value - number, number - value, value + number, value / number if number else 0.0)
            if any(round(other, 6) in numbers and round(other, 6) not in (0.0, 1.0, number) for other in rest):
                return one.source(place, SEVERAL_NUMBERS)
    return None
