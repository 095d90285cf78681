"""Times of day that a text may mean, in digits and in words of both languages.

A bare number is a time only where it stands as one ("at 8", "7, please", "10到12点"), not where it counts something.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolgauge.annotation.grounding.numbers import SMALL_NAMES, numbers_in

DAY = 24 * 60
"""Minutes."""
_DATE = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}t?|\d{1,2}[-/.]\d{1,2}[-/.]\d{4}")
_HAN = "[零〇一二两三四五六七八九十]{1,3}"
_HALF = r"(?P<half>\s?[ap]\.?m(?![a-z])\.?|[ap](?![a-z]))"
_WITH_MINUTES = re.compile(rf"(?<![\d.:/-])(?P<hour>\d{{1,2}})\s?[:：]\s?(?P<minute>\d{{2}})(?!\d){_HALF}?")
_WITH_HALF = re.compile(
    rf"(?<![\w.:/])(?P<hour>\d{{1,2}}|{SMALL_NAMES})(?:[.h ](?P<minute>\d{{2}}|thirty|fifteen|forty[ -]five))?{_HALF}"
)
_SPAN = re.compile(
    r"(?<![\w.:/-])(?P<hour>\d{1,2})(?::(?P<minute>\d{2}))?\s?(?:-|–|to|until)\s?\d{1,2}(?::\d{2})?(?P<half>\s?[ap]\.?m(?![a-z]))"
)
"""2-3pm."""
_WITH_H = re.compile(r"(?<![\w.:/-])(?P<hour>\d{1,2})h(?P<minute>\d{2})(?!\w)")
_CHINESE = re.compile(
    rf"(?P<hour>\d{{1,2}}|{_HAN})\s*[点时](?!间)(?:钟|整)?"
    rf"(?:(?P<han>半|[一三]刻)|(?P<minute>\d{{1,2}}|{_HAN})(?:分|(?![\d个张位名人份件次天点])))?"
)
_CHINESE_RANGE = re.compile(rf"(?P<hour>\d{{1,2}}|{_HAN})\s*(?:[-–~]|到|至)\s*(?:\d{{1,2}}|{_HAN})\s*点")
_CHINESE_BARE = re.compile(r"(?:早上?|上午|中午|下午|晚上?|凌晨|夜里)(?P<hour>\d{1,2})(?![\d:：.点时个张位名人份])")
_CHINESE_TO = re.compile(
    rf"差\s*(?P<rest>[一三]刻|\d{{1,2}}分|{_HAN}分)钟?到?\s*(?P<hour>\d{{1,2}}|{_HAN})\s*点"
    rf"|(?P<hour2>\d{{1,2}}|{_HAN})\s*点差\s*(?P<rest2>[一三]刻|\d{{1,2}}分|{_HAN}分)"
)
_BARE = re.compile(
    rf"(?:(?P<after>\b(?:at|by|from|to|till?|until|before|after|around|about|between|and|or|@|say)\s+|(?<=\d)[-–]\s?|@\s?)"
    rf"|(?P<free>(?:^|[,;.!?(]\s?|\b(?:make it|it's|maybe|sure|ok|yes|yeah)\s+)))"
    rf"(?P<hour>[1-9]\d?|{SMALL_NAMES})(?:\.(?P<minute>\d{{2}})|[ ](?P<words>thirty|fifteen|forty[ -]five))?"
    r"(?=\s?(?:$|[,;.!?)\n](?!\d)|[–-]|o'?\s?clock|ish\b|"
    r"(?:in|on|at|to|till?|until|and|or|tonight|today|tomorrow|tmrw|this|next|sharp|please|pls|plz|then|for|if|with|is"
    r"|would|works?|should|sat|sun|mon|tue|wed|thu|fri)\b))",
    re.MULTILINE,
)
_PAST = re.compile(
    rf"\b(?P<part>half|(?:a )?quarter|five|ten|twenty(?:[ -]five)?|5|10|20|25)(?: min(?:ute)?s?)?"
    rf"\s+(?P<side>past|after|to|before|till?)\s+(?P<hour>\d{{1,2}}|{SMALL_NAMES})\b|\bhalf (?P<brit>{SMALL_NAMES})\b"
)
_FROM_AN_HOUR = re.compile(rf"\b(?:half|quarter) (?:past|after|to|before|till?) (?:\d{{1,2}}|{SMALL_NAMES})\b")
_EXACT = (
    (re.compile(r"\bnoon\b|\bmidday\b|正午|中午"), 720),
    (re.compile(r"\bmidnight\b|午夜|零点|半夜"), 0),
)
NAMED_TIME = re.compile(r"\bnoon\b|\bmidday\b|\bmidnight\b|正午|零点|午夜")
_PART = (
    (re.compile(r"morning|\d\s?am\b|breakfast|早|上午|清晨|凌晨"), 0, 12),
    (re.compile(r"lunch|\bnoon|中午|午饭|午餐"), 11, 14),
    (re.compile(r"afternoon|下午|午后"), 12, 18),
    (re.compile(r"evening|tonight|\bnight|dinner|supper|晚|夜|傍晚"), 16, 30),
)
_BEFORE_NOON = re.compile(r"(?:早|早上|清晨|上午|凌晨)\s*$")
_AFTER_NOON = re.compile(r"(?:下午|午后|傍晚)\s*$")
_EVENING = re.compile(r"(?:晚|晚上|今晚|夜里|当晚)\s*$")
_A_BIT = re.compile(r"[早晚快慢多少有好大小近远高低长短贵宜便差]一点(?![钟半])")
"""No time: 便宜一点."""
_IN_THE = re.compile(r"\s*(?:o'?\s?clock\s*)?(?:in the |at |this )(morning|afternoon|evening|night)")


def clock(hour: int, minute: int, half: str) -> int:
    """Minutes after midnight. half: "am", "pm", or nothing where the hour is of 24."""
    return (hour % 12 + (12 if half.startswith("p") else 0) if half else hour) * 60 + minute


def minutes_in(text: str) -> Iterator[tuple[int, str]]:
    """(minutes after midnight, words) of every time of day that a text may mean; a bare "8" is 8:00 and 20:00."""
    yield from clock_times(text)
    for pattern, minutes in _EXACT:
        yield from ((minutes, found[0]) for found in pattern.finditer(text.casefold()))


def clock_times(text: str) -> Iterator[tuple[int, str]]:
    """The same, of times that are named by an hour."""
    lowered = _DATE.sub(" ", text.casefold())
    for found in _PAST.finditer(lowered):
        yield from _past(found)
    lowered = _FROM_AN_HOUR.sub(" ", lowered)
    for pattern in (_WITH_MINUTES, _WITH_HALF, _SPAN, _WITH_H, _CHINESE, _CHINESE_RANGE, _CHINESE_BARE, _BARE):
        for found in pattern.finditer(lowered):
            yield from _times_meant(found, lowered)
    for found in _CHINESE_TO.finditer(lowered):
        hour, rest = found["hour"] or found["hour2"], found["rest"] or found["rest2"]
        yield from _twice(_whole(hour) * 60 - _han_minutes(rest.removesuffix("分")), found[0])


def _times_meant(found: re.Match[str], text: str) -> Iterator[tuple[int, str]]:
    """An hour as it can be meant: the words around it may say which half of the day, else it is one of both."""
    parts = found.groupdict()
    hour, quote = _whole(found["hour"]), found[0].strip(" ,;.!?(")
    minute = (
        _han_minutes(parts["han"]) if parts.get("han") else _whole(parts.get("minute") or parts.get("words") or "0")
    )
    if hour > 24 or minute > 59:
        return
    if _A_BIT.search(text, max(0, found.start() - 1), found.end() + 1):
        return
    half = (parts.get("half") or "").strip() or _half(found, text)
    if half and hour <= 12:
        yield clock(hour, minute, half), quote
    elif hour in (0, *range(13, 25)) or (found["hour"].startswith("0") and parts.get("minute")):
        yield hour % 24 * 60 + minute, quote
    else:
        yield from _twice(hour * 60 + minute, quote)


def _half(found: re.Match[str], text: str) -> str:
    """ "am" or "pm", as the words next to an hour say; else nothing."""
    before = text[max(0, found.start() - 4) : found.start("hour")]
    behind = _IN_THE.match(text, found.end())
    word = behind[1] if behind else ""
    hour = _whole(found["hour"])
    if _BEFORE_NOON.search(before) or word == "morning":
        return "am"
    if _AFTER_NOON.search(before) or word in ("afternoon", "evening"):
        return "pm"
    if _EVENING.search(before) or word == "night":
        return "am" if hour == 12 else "pm" if hour > 5 else ""
    return ""


def _twice(minutes: int, quote: str) -> Iterator[tuple[int, str]]:
    """A time of a clock with twelve hours, in both halves of the day."""
    yield minutes % DAY, quote
    yield (minutes + DAY // 2) % DAY, quote


def _past(found: re.Match[str]) -> Iterator[tuple[int, str]]:
    """ "half past seven", "ten to six"; "half seven" is 7:30."""
    if found["brit"]:
        yield from _twice(_whole(found["brit"]) * 60 + 30, found[0])
        return
    part = found["part"]
    away = 30 if part == "half" else 15 if part.endswith("quarter") else _whole(part)
    sign = 1 if found["side"] in ("past", "after") else -1
    if away < 60:
        yield from _twice(_whole(found["hour"]) * 60 + sign * away, found[0])


def _han_minutes(text: str) -> int:
    return {"半": 30, "一刻": 15, "三刻": 45}.get(text) or _whole(text)


def _whole(text: str) -> int:
    """A small whole number in digits or words."""
    if text.isdecimal():
        return int(text)
    return int(max((number for number, _ in numbers_in(text)), default=0))


def part_of_day(minutes: int, text: str) -> str | None:
    """The words of a text that speak of the part of the day a time lies in, or None.

    Only whole and half hours: who says "in the evening" leaves the hour open, but means no 19:40.
    """
    hour = minutes / 60
    for pattern, first, last in _PART if minutes % 30 == 0 else ():
        found = pattern.search(text.casefold())
        if found and (first <= hour <= last or first <= hour + 24 <= last):
            return found[0]
    return None
