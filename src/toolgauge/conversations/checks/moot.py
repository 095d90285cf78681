"""Values without a source that prove nothing: whoever calls may choose them, or know them.

Each rule costs recall (perf/checks_quality.py); without it, calls of careful assistants were found fault with.
"""

from __future__ import annotations

import math
import re

from toolgauge.annotation.grounding.context import LONGEST, Context, is_plain
from toolgauge.annotation.grounding.dates import days_in
from toolgauge.annotation.grounding.parameters import Parameter, ParameterKind
from toolgauge.annotation.grounding.points import point_of
from toolgauge.annotation.grounding.times import minutes_in
from toolgauge.annotation.stand_ins import stand_in
from toolgauge.languages import has_han

_CHOSEN = re.compile(
    r"\b(?:rating|score|severity|level|effectiveness|depth|zoom|priority|intensity|importance|confidence|quality"
    r"|satisfaction|limit|top [kn]|page size|per page|frequency|interval|time ?out|retries"
    r"|(?:max(?:imum)?|num|n|number of|total) ?(?:count|results|items|rows|matches|hits)|results|recency(?: days)?"
    r"|lookback|window|chunk|batch|offset|width|height|tokens|temperature|delay|sleep|wait|context|lines?)\b"
    r"|评分|得分|等级|级别|水平|程度|深度|优先级|强度|效果|满意度|重要性|缩放|频率|间隔|超时|重试|返回数量|每页",
)
"""Numbers by which whoever calls grades what was said, or chooses how much comes back."""
_DIGITS = re.compile(r"(?<![\d.])\d+(?:\.\d+)?")
COMMON, SMALL = 100, 10
"""Whole numbers below stand anywhere by chance, and follow from any two."""
MOST_NUMBERS = 40
"""Of what the user said, that are reckoned with."""
_NUMBERED = re.compile(r"([A-Za-z]{3,20})[ _-]?\d{1,2}|(\d{1,5}) ?[A-Za-z]{1,3}")
LONGEST_HAN = 4
"""Chinese characters of a word."""
_SEARCHED = re.compile(r"\b(?:query|queries|q|search|keywords?|question|prompt|topic|terms?)$")
_PROGRAM = re.compile(
    r"[;{}][^\S\n]*$|^[^\S\n]*(?:def|class|import|from|return|function|const|let|var|for|while|export|#include|<\w+)\b"
    r"|\w\([^)\n]{0,300}\)[^\S\n]*$"
    r"|=>|&&|\|\||\s\|\s|^[^\S\n]*(?:cd|ls|cat|git|python3?|pip|npm|node|curl|echo|grep|find|make|docker|sudo|mkdir|rm)\s",
    re.MULTILINE | re.IGNORECASE,
)
_WORKS = re.compile(
    r"\b(?:code|command|cmd|script|sql|expression|formula|patch|diff|old str|new str|old string|new string)$"
)


def is_moot(value: object, parameter: Parameter, context: Context, has_clock: bool) -> bool:
    """May a value have come about in a way that nobody can check?"""
    if not isinstance(value, str):
        chosen = _CHOSEN.search(parameter.about) is not None
        return chosen or (isinstance(value, int | float) and is_plain(value) and _is_reckoned(value, context))
    if stand_in(value, parameter.name):
        return False
    if ParameterKind.FILE in parameter.kinds or is_work(value, parameter) or is_timed(value, context, has_clock):
        return True  # files and pages may be known or guessed, and are looked for
    if parameter.is_strict or ParameterKind.PLACE in parameter.kinds:
        return False
    return _is_worded(value, parameter) or _is_numbered(value, context)


def is_work(value: str, parameter: Parameter) -> bool:
    """Is it a program, a command, or several lines of something? Its numbers and names are its author's."""
    return _WORKS.search(parameter.title) is not None or _PROGRAM.search(value[:LONGEST]) is not None


def is_timed(value: str, context: Context, has_clock: bool) -> bool:
    """Is it a day or a time, which may count from a clock that the log does not tell?"""
    if has_clock:
        return False
    return point_of(value) is not None or any(days_in(value[:200], context.now)) or any(minutes_in(value[:200]))


def _is_worded(value: str, parameter: Parameter) -> bool:
    """Another word for what was said, or words to search for."""
    if _SEARCHED.search(parameter.title):
        return "@" not in value
    is_word = not any(char.isdigit() or char in "@/_" for char in value) and len(value.split()) == 1
    return is_word and (len(value) <= LONGEST_HAN or not has_han(value))


def _is_reckoned(value: float, context: Context) -> bool:
    """Does a number stand somewhere as it is, or follow from two that the user said?"""
    is_rare = isinstance(value, float) or abs(value) >= COMMON
    if is_rare and any(str(value) in _DIGITS.findall(one.text[:LONGEST]) for one in context.items):
        return True
    said = list(dict.fromkeys(number for one in context.said for number in one.numbers))[:MOST_NUMBERS]
    return abs(value) >= SMALL and any(
        math.isclose(value, result)
        for one in said
        for other in said
        for result in (one + other, one - other, one * other)
    )


def _is_numbered(value: str, context: Context) -> bool:
    """A word or a number that was said, with a number or a unit behind it: resistor2, 10m."""
    found = _NUMBERED.fullmatch(value)
    return found is not None and any(context.holds(part) for part in found.groups() if part)
