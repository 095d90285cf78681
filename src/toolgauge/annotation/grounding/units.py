"""Lengths of time, distances, weights and the like that a text speaks of, and the same in other units."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

from msgspec import Struct

from toolgauge.annotation.grounding.numbers import numbers_in
from toolgauge.languages import has_han

_DAY = 86_400.0
_TABLE: dict[str, tuple[tuple[str, tuple[float, ...]], ...]] = {
    "time": (
        ("seconds?|secs?|s|秒钟?", (1,)),
        ("milliseconds?|ms|毫秒", (0.001,)),
        ("minutes?|mins?|min|分钟|分", (60,)),
        ("刻钟", (900,)),
        ("hours?|hrs?|h|小时|钟头", (3600,)),
        ("days?|daily|天|日(?!元)", (_DAY,)),
        ("nights?|晚", (_DAY,)),
        ("weeks?|wks?|weekly|周|星期|礼拜", (7 * _DAY,)),
        ("fortnights?", (14 * _DAY,)),
        ("months?|monthly|个?月", (30 * _DAY, 31 * _DAY, 28 * _DAY, 29 * _DAY)),
        ("quarters?|季度?", (90 * _DAY, 91 * _DAY, 92 * _DAY)),
        ("years?|yrs?|yearly|年", (365 * _DAY, 366 * _DAY, 360 * _DAY)),
    ),
    "months": (("months?|个?月", (1,)), ("quarters?|季度?", (3,)), ("years?|yrs?|年", (12,)), ("decades?", (120,))),
    "length": (
        ("millimet(?:er|re)s?|mm|毫米", (0.001,)),
        ("centimet(?:er|re)s?|cm|厘米|公分", (0.01,)),
        ("met(?:er|re)s?|m|米", (1,)),
        ("kilomet(?:er|re)s?|kms?|公里|千米", (1000,)),
        ("miles?|mi|英里", (1609.344,)),
        ("foot|feet|ft|英尺", (0.3048,)),
        ("inch(?:es)?|英寸", (0.0254,)),
        ("yards?|yd", (0.9144,)),
    ),
    "weight": (
        ("milligram(?:me)?s?|mg|毫克", (0.001,)),
        ("gram(?:me)?s?|g|克", (1,)),
        ("kilo(?:gram(?:me)?)?s?|kgs?|公斤|千克", (1000,)),
        ("斤", (500,)),
        ("两", (50,)),
        ("pounds?|lbs?|磅", (453.592,)),
        ("ounces?|oz|盎司", (28.3495,)),
        ("tons?|tonnes?|吨", (1e6,)),
    ),
    "volume": (
        ("millilit(?:er|re)s?|ml|毫升", (1,)),
        ("lit(?:er|re)s?|l|升", (1000,)),
        ("gallons?|加仑", (3785.41,)),
        ("cups?|杯", (240, 236.588)),
    ),
    "money": (
        ("cents?|pence|美分|分", (1,)),
        ("角|毛", (10,)),
        ("dollars?|bucks|euros?|pounds?|usd|eur|gbp|cny|yuan|[$€£¥]|元|块|美元|欧元|美金", (100,)),
    ),
    "data": (
        ("kb|kib", (1, 1.0)),
        ("mb|mib|megs?|兆", (1024, 1000)),
        ("gb|gib|gigs?", (1024**2, 1e6)),
        ("tb|tib", (1024**3, 1e9)),
    ),
    "count": (("pieces?|units?|个|只", (1,)), ("dozens?|打", (12,)), ("pairs?|对|双", (2,))),
}
"""Per kind of thing its units: what they are called in both languages, and how large they are (some vary)."""
_DEGREES = re.compile(r"(-?\d{1,4}(?:\.\d{1,2})?)\s*(?:°|degrees?|度|℃|℉|[cf]\b|celsius|fahrenheit)")
_NUMBER = re.compile(
    r"(?:(?<![\d.,])[-−]?\d[\d,]*(?:\.\d+)?\s?(?:k|thousand|million|万|千|百|亿)?|\d{1,3}/\d{1,4}|\d{1,4}个半"
    r"|[零〇一二两俩仨三四五六七八九十百千万半几每上下本这过近]{1,12}(?:个半?|多)?"
    r"|(?<![a-z])(?:(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty"
    r"|fifty|sixty|ninety|hundred|thousand|half|quarter|couple|dozen|and|of|per|every|each|last|past|next|this|coming"
    r"|whole|full)[\s-]+){1,6})"
    r"[\s-]{0,2}(?:more |full |whole |extra |further |个|整|多)?$"
)
"""A number at the end of a text, as it stands before a unit."""
WINDOW = 48
"""Characters before a unit in which its number stands."""
_BESIDE = re.compile(r"\s+and\s+a\s+(half|quarter)\b|半")


class MeasureUnit(Struct, frozen=True):
    """A unit: the kind of thing it measures, and its size in that kind's smallest one."""

    kind: str
    sizes: tuple[float, ...]


def _named(names: str) -> re.Pattern[str]:
    """A unit's names in a text: Latin ones as words of their own, behind digits too."""
    latin = "|".join(name for name in names.split("|") if not has_han(name))
    han = "|".join(name for name in names.split("|") if has_han(name))
    parts = (rf"(?<![a-z])(?:{latin})(?![a-z])" if latin else "", rf"(?:{han})" if han else "")
    return re.compile("|".join(part for part in parts if part))


_UNITS = tuple((_named(names), MeasureUnit(kind, sizes)) for kind, rows in _TABLE.items() for names, sizes in rows)


def measures_in(text: str) -> Iterator[tuple[float, MeasureUnit, str]]:
    """(number, unit, words) of everything measured that a text speaks of; "the past week" is one week."""
    text = unicodedata.normalize("NFKC", text).casefold()
    for name, unit in _UNITS:
        for found in name.finditer(text):
            number = _NUMBER.search(text[max(0, found.start() - WINDOW) : found.start()])
            if number:
                more = _BESIDE.match(text, found.end())
                part = 0.0 if more is None else 0.25 if more[1] == "quarter" else 0.5
                for value in {value for value, _ in numbers_in(number[0])} or {1.0}:
                    if value:
                        yield value + part, unit, f"{number[0]}{found[0]}{more[0] if more else ''}".strip()


def units_named(text: str) -> tuple[MeasureUnit, ...]:
    """The units that a parameter's name and description speak of."""
    text = text.casefold()
    return tuple(unit for name, unit in _UNITS if name.search(text))


def converted(number: float, unit: MeasureUnit, wanted: Iterable[MeasureUnit]) -> Iterator[float]:
    """An amount in other units of its kind: in those that are wanted, in any where none of its kind is."""
    fitting = [one for one in wanted if one.kind == unit.kind] or [one for _, one in _UNITS if one.kind == unit.kind]
    for other in fitting:
        if other != unit:
            yield from (number * size / other_size for size in unit.sizes for other_size in other.sizes)


def degrees_in(text: str) -> Iterator[tuple[float, str]]:
    """Temperatures that a text speaks of, in the other scale."""
    for found in _DEGREES.finditer(text.casefold()):
        degrees = float(found[1])
        yield degrees * 9 / 5 + 32, found[0].strip()
        yield (degrees - 32) * 5 / 9, found[0].strip()
