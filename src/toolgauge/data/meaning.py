"""Values by what they mean: "8:00" and "08:00" are one time, "2025/3/14" and "2025-03-14" one date, "3.0" is 3; and
does a text mention a fact (docs/rules.md#facts-in-replies)?

Only notations that mean one thing are read. `03/04/2025` may be in March or in April and is no date here.
"""

from __future__ import annotations

import datetime
import re
import unicodedata
from collections.abc import Iterator
from decimal import Decimal
from enum import StrEnum

from toolgauge.languages import HAN, has_han

Fact = tuple[str | int | float, ...]
"""A fact that a reply must mention: texts and numbers, any one of which will do."""
LONGEST = 60
"""Characters of a text that is read as a time, a date or a number."""
LONGEST_REPLY = 100_000
"""Characters of a reply that are searched for facts."""
MAX_WORDING = 1000
"""Characters of a wording; longer ones are never found, which `data check` says."""


class Comparison(StrEnum):
    """How the values at a place are compared, where an annotation says so. EQUAL: letter for letter, numbers by value;
    TEXT: a text whose wording alone counts, not each number in it; ANY: not at all; SET: an array whose order is of no
    importance; the others: by what the values mean."""

    EQUAL = "equal"
    TEXT = "text"
    ANY = "any"
    SET = "set"
    TIME = "time"
    DATE = "date"
    DATETIME = "datetime"
    NUMBER = "number"


_NUMBER = re.compile(r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?", re.ASCII)
_TIME = re.compile(r"(\d{1,2})(?::(\d{2})(?::(\d{2})(?:\.0+)?)?)? ?(?:(a|p)\.?m\.?)?", re.ASCII)
_CHINESE_TIME = re.compile(
    r"(凌晨|早上|上午|中午|下午|傍晚|晚上|晚)? ?(\d{1,2})(?:[点时](?:(半)|(\d{1,2})分?|整)?|:(\d{2}))", re.ASCII
)
_AFTER_NOON = frozenset({"下午", "傍晚", "晚上", "晚"})
_DATE = re.compile(
    r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})|(\d{4})年(\d{1,2})月(\d{1,2})[日号]|(\d{4})(\d{2})(\d{2})", re.ASCII
)
_WORDED_DATE = re.compile(
    r"(?:(\d{1,2})(?:st|nd|rd|th)? (?:of )?)?([a-z]{3,9})[.,]? (?:(\d{1,2})(?:st|nd|rd|th)?,? )?(\d{4})", re.ASCII
)
MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_MONTH_NUMBERS = {name: number for number, month in enumerate(MONTHS, 1) for name in (month, month[:3], month[:4])}
_ZONE = re.compile(r"(z|[+-]\d{2}:?\d{2})$", re.ASCII)
_PARTED = re.compile("[t ]|(?<=[日号])")
_NUMBER_INSIDE = re.compile(r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?", re.ASCII)
_DASHES = ("-", "\u2212")
_JOINING = (".", ",", ":")
_MARKS = str.maketrans("", "", "*`_")
"""Emphasis of Markdown, which may stand inside a fact."""


def same_meaning(comparison: Comparison, first: object, second: object) -> bool:
    """Whether two values mean the same; a value that cannot be read means nothing but itself."""
    mine, theirs = meaning(comparison, first), meaning(comparison, second)
    if mine is None or theirs is None:
        return type(first) is type(second) and bool(first == second)
    return bool(mine == theirs)


def meaning(comparison: Comparison, value: object) -> object:
    """What a value means, comparable with `==`; None where it is not of that kind."""
    if comparison is Comparison.NUMBER:
        return _number(value)
    if not isinstance(value, str) or len(value) > LONGEST:
        return None
    text = " ".join(unicodedata.normalize("NFKC", value).lower().split())
    if comparison is Comparison.TIME:
        return _time(text)
    if comparison is Comparison.DATE:
        return _date(text)
    return _datetime(text) if comparison is Comparison.DATETIME else None


def _number(value: object) -> Decimal | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return Decimal(value)
    if isinstance(value, float):
        number = Decimal(repr(value))
        return number if number.is_finite() else None
    if isinstance(value, str) and len(value) <= LONGEST:
        text = unicodedata.normalize("NFKC", value).strip()
        return Decimal(text.replace(",", "")) if text.isascii() and _NUMBER.fullmatch(text) else None
    return None


def _time(text: str) -> tuple[int, int, int] | None:
    """Hour, minute and second; a bare hour is only one with am, pm or 点 beside it."""
    if match := _TIME.fullmatch(text):
        hours, minutes, seconds, half = match.groups()
        if minutes is None and half is None:
            return None
        hour = int(hours)
        if half is not None:
            if not 1 <= hour <= 12:
                return None
            hour = hour % 12 + (12 if half == "p" else 0)
        return _clock(hour, int(minutes or 0), int(seconds or 0))
    if match := _CHINESE_TIME.fullmatch(text):
        part, hours, half, minutes, digits = match.groups()
        hour = int(hours)
        if part in ("晚上", "晚") and hour == 12:
            return None  # the midnight at either end of the day
        if (part in _AFTER_NOON and hour < 12) or (part == "中午" and hour < 3):
            hour += 12
        elif part == "凌晨" and hour == 12:
            hour = 0
        return _clock(hour, 30 if half else int(minutes or digits or 0), 0)
    return None


def _clock(hour: int, minute: int, second: int) -> tuple[int, int, int] | None:
    return (hour, minute, second) if hour < 24 and minute < 60 and second < 60 else None


def _date(text: str) -> datetime.date | None:
    if match := _DATE.fullmatch(text):
        groups = [part for part in match.groups() if part is not None and part.isdecimal()]
        return _day(*map(int, groups))
    if match := _WORDED_DATE.fullmatch(text):
        before, name, behind, year = match.groups()
        month = _MONTH_NUMBERS.get(name)
        if month is not None and (before is None) != (behind is None):
            return _day(int(year), month, int(before or behind))
    return None


def _day(year: int, month: int, day: int) -> datetime.date | None:
    try:
        return datetime.date(year, month, day)
    except ValueError:
        return None


def _datetime(text: str) -> tuple[datetime.date, tuple[int, int, int], str] | None:
    """Date, time and zone ("" where none is told: that is no zone, not UTC)."""
    zone = ""
    if (match := _ZONE.search(text)) and ":" in text[: match.start()]:
        zone, text = match[1].replace(":", ""), text[: match.start()].strip()
        zone = "+0000" if zone in ("z", "-0000") else zone
    for place in (match.start() for match in _PARTED.finditer(text)):
        date, time = _date(text[:place].rstrip(" ,")), _time(text[place:].lstrip("t "))
        if date is not None and time is not None:
            return date, time, zone
    return None


class Said:
    """A text in which facts are looked up."""

    def __init__(self, text: str) -> None:
        self.text = _folded(text[:LONGEST_REPLY])
        self.dense = "".join(self.text.split())
        self.numbers = frozenset(_numbers(self.text))

    def mentions(self, fact: Fact) -> bool:
        """Whether any wording of the fact is there."""
        return any(self._has(wording) for wording in fact)

    def _has(self, wording: str | int | float) -> bool:
        if not isinstance(wording, str):
            return Decimal(str(wording)) in self.numbers
        needle = _folded(wording)
        text = self.dense if has_han(needle) else self.text
        needle = "".join(needle.split()) if has_han(needle) else needle
        return any(_is_whole(text, start, start + len(needle)) for start in _places(text, needle))


def _folded(text: str) -> str:
    """Without case, widths of characters, emphasis, and with single blanks."""
    text = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(text.translate(_MARKS).split())


def _places(text: str, needle: str) -> Iterator[int]:
    start = text.find(needle) if 0 < len(needle) <= MAX_WORDING else -1
    while start >= 0:
        yield start
        start = text.find(needle, start + 1)


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether a piece of a text is no part of a longer word or number; Chinese is written without gaps."""
    before, first, last, behind = text[start - 1 : start], text[start], text[end - 1], text[end : end + 1]
    if (_in_word(first) and _in_word(before)) or (_in_word(last) and _in_word(behind)):
        return False
    return not (last.isdigit() and behind in (".", ",") and text[end + 1 : end + 2].isdigit())


def _in_word(character: str) -> bool:
    return character.isalnum() and HAN.match(character) is None


def _numbers(text: str) -> Iterator[Decimal]:
    """The numbers of a text, none of them part of an id such as FA-12 or BK4471."""
    for match in _NUMBER_INSIDE.finditer(text):
        start = match.start()
        before, further = text[start - 1 : start], text[start - 2 : start - 1] if start > 1 else ""
        end = match.end()
        if _in_word(before) or (before in _JOINING and further.isdigit()):
            continue
        if text[end : end + 1] == ":" and text[end + 1 : end + 2].isdigit():
            continue  # a time
        negative = before in _DASHES
        number = Decimal(match[0].replace(",", ""))
        if not (negative and _in_word(further)):
            yield -number if negative else number
        elif further.isdigit():
            yield number  # the second of a range such as 12-14
