"""What must agree in two texts that are alike: numbers, dates, times, days, negations, operators and identifiers.

Similarity counts words, and one wrong word among ten is nothing to it; but 221 is not 222 Baker Street, and "do not
cancel" is not "cancel". Source: docs/rules.md#texts-that-are-alike.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import NamedTuple

from toolgauge.data.meaning import MONTHS
from toolgauge.judge.words import CHOICE, DAYS, NEGATION, NUMERALS, UNCOUNTED

_ENGLISH = "|".join(sorted((word for word in NUMERALS if word.isascii()), key=len, reverse=True))
_CHINESE = "".join(word for word in NUMERALS if not word.isascii())
_NUMERALS = re.compile(
    rf"\b(?:{_ENGLISH})(?:(?:[\s-]|\sand\s)(?:{_ENGLISH})){{0,12}}\b|(?<![周期拜])[{_CHINESE}]{{1,20}}(?:分(?!钟))?",
    re.IGNORECASE,
)
_SCALES = frozenset(number for number in NUMERALS.values() if number >= 10 and str(number).strip("0") == "1")
_NUMERAL = re.compile(rf"{_ENGLISH}|[{_CHINESE}]", re.IGNORECASE)

_MONTH = "|".join(f"{month}|{month[:3]}" for month in MONTHS)
_DATE = re.compile(
    r"(?P<y1>\d{4})(?P<mark>[-/.])(?P<m1>\d{1,2})(?P=mark)(?P<d1>\d{1,2})(?!\d)"
    r"|(?:(?P<y2>\d{4})年)?(?P<m2>\d{1,2})月(?P<d2>\d{1,2})[日号]?"
    rf"|\b(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<m3>{_MONTH})\b\.?(?:,? (?P<y3>\d{{4}}))?"
    rf"|\b(?P<m4>{_MONTH})\b\.? (?P<d4>\d{{1,2}})(?:st|nd|rd|th)?(?![\d:])(?:,? (?P<y4>\d{{4}}))?",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"(?P<part>凌晨|早上|早晨|上午|中午|下午|傍晚|晚上|今晚|明晚)?(?P<h1>\d{1,2})[点时](?!间)(?:(?P<half>半)|(?P<m1>\d{1,2})分?)?"
    r"|(?<![\d:])(?P<h2>\d{1,2})(?::(?P<m2>\d\d))?(?:\s?(?P<ap>[ap])\.?m\b\.?|\s?o'clock)"
    r"|(?<![\d:])(?P<h3>\d{1,2}):(?P<m3>\d\d)(?![\d:])",
    re.IGNORECASE,
)
_LATER = frozenset({"下午", "傍晚", "晚上", "今晚", "明晚", "p", "P"})
_DAY = re.compile(
    "|".join(sorted((rf"\b{word}\b" if word.isascii() else word for word in DAYS), key=len, reverse=True))
)
_NUMBER = re.compile(r"(?:(?<![\w.])-)?\d+(?:,\d{3}(?!\d))*(?:\.\d+)?")
_IDENTIFIER = re.compile(
    r"\b\w{2,10}://\S+|\b[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+"  # addresses
    r"|\b\d{1,64}(?:\.\d+){2,}|\b[a-z][a-z0-9-]{1,64}(?:\.[a-z0-9-]{2,64})+\b"  # 10.0.0.1, example.com, report.txt
    r"|(?<!\w)(?:[A-Za-z]:)?[~.]{0,2}[\\/][\w.-]+(?:[\\/][\w.-]+)*|\b\w{1,64}(?:[\\/][\w.-]+){2,}"  # paths
    r"|\b[A-Za-z]\w{0,64}_\w+|\b[A-Za-z]{1,64}\d\w*|\b\d{1,64}[A-Za-z]{1,64}\d\w*",  # order_id, SH77535
    re.ASCII,
)
_OPERATOR = re.compile(r"<=|>=|<>|!=|==|=>|->|&&|\|\||[<>=|]|(?<=[\w)])[+*^](?=[\w(])|(?<=\s)[+*/^](?=\s)", re.ASCII)
_CODE = re.compile(
    r"\bselect\b.{1,400}?\bfrom\b|\binsert\s+into\b|\bupdate\s+\w+\s+set\b|\bdelete\s+from\b|\w\([^()\n]{0,200}\)(?:\s*[;{]|\.\w)"
    r"|\b(?:def|function|class)\s+\w+\s*[({:]|\w\s*=\s*[^;\n]{1,80};|==|!=|=>|&&|\|\|",
    re.IGNORECASE | re.DOTALL | re.ASCII,
)
"""A text that is code: all of its words are identifiers."""


LONGEST = 20_000
"""Characters of a text in which literals are looked for."""


class Literals(NamedTuple):
    """What a text says literally, kind by kind, each in its order. code: the words of a text that is code."""

    dates: tuple[str, ...]
    times: tuple[str, ...]
    days: tuple[str, ...]
    numbers: tuple[str, ...]
    negations: tuple[str, ...]
    identifiers: tuple[str, ...]
    operators: tuple[str, ...]
    code: tuple[str, ...]


class Disagreement(NamedTuple):
    """kind: a field of `Literals`; made, expected: what the two texts have of it."""

    kind: str
    made: tuple[str, ...]
    expected: tuple[str, ...]


def disagreement(made: str, expected: str) -> Disagreement | None:
    """The first kind of literals in which two texts differ; None where they agree."""
    is_code = any(_CODE.search(text[:LONGEST]) for text in (made, expected))
    pairs = zip(Literals._fields, literals(made, is_code), literals(expected, is_code), strict=True)
    return next((Disagreement(kind, one, other) for kind, one, other in pairs if one != other), None)


def literals(text: str, is_code: bool = False) -> Literals:
    """What a text says literally. A date that is read is no number too, and so on in the order of the fields.

    Negations are only counted ("not" and "n't" are the same), and a number 1 says no more than "a" does.
    """
    text = unicodedata.normalize("NFKC", text[:LONGEST].replace("，", ", ")).replace("’", "'")
    code = tuple(re.findall(r"\w+", text.lower())) if is_code else ()
    negations = ("not",) * len(NEGATION.findall(CHOICE.sub("", text.lower())))
    text, dates = _take(_DATE, _NUMERALS.sub(_in_digits, text), _date)
    text, times = _take(_TIME, text, _time)
    text, identifiers = _take(_IDENTIFIER, text, lambda match: match[0].lower().rstrip("./"))
    text, days = _take(_DAY, text.lower(), lambda match: DAYS[match[0]])
    text, numbers = _take(_NUMBER, text, lambda match: f"{Decimal(match[0].replace(',', '')).normalize():f}")
    operators = tuple(_OPERATOR.findall(text))
    numbers = tuple(number for number in numbers if number != "1")
    return Literals(dates, times, days, numbers, negations, identifiers, operators, code)


def _take(pattern: re.Pattern[str], text: str, value: Callable[[re.Match[str]], str]) -> tuple[str, tuple[str, ...]]:
    """The text with a gap for each match, and the values of the matches."""
    matches = list(pattern.finditer(text))
    return pattern.sub(" _ ", text) if matches else text, tuple(map(value, matches))


def _parts(match: re.Match[str]) -> dict[str, str]:
    """The groups that matched, without the number of their notation."""
    return {name.rstrip("1234"): part for name, part in match.groupdict().items() if part is not None}


def _date(match: re.Match[str]) -> str:
    """Year (empty where none is told), month and day."""
    parts = _parts(match)
    month = parts["m"].lower()
    number = int(month) if month.isdigit() else 1 + [name[:3] for name in MONTHS].index(month[:3])
    return f"{parts.get('y', '')}-{number}-{int(parts['d'])}"


def _time(match: re.Match[str]) -> str:
    """On a clock of 24 hours."""
    parts = _parts(match)
    hour, minute = int(parts["h"]), 30 if "half" in parts else int(parts.get("m", 0))
    half = parts.get("part") or parts.get("ap")
    if half in _LATER and hour < 12:
        hour += 12
    elif half in ("凌晨", "a", "A") and hour == 12:
        hour = 0
    return f"{hour}:{minute:02}"


def _in_digits(match: re.Match[str]) -> str:
    """A number written in words as digits; words that alone are mostly none stay as they are."""
    text = match[0].lower()
    if text in UNCOUNTED:
        return match[0]
    value = _value([NUMERALS[word] for word in _NUMERAL.findall(text)])
    return f"{value}分" if text.endswith("分") else str(value)


def _value(numerals: Sequence[int]) -> int:
    """Three hundred and twenty-one from 3, 100, 20, 1; 三百二十一 from 3, 100, 2, 10, 1; 二〇二五 from 2, 0, 2, 5."""
    scale = max((number for number in numerals if number in _SCALES), default=0)
    if scale:
        place = numerals.index(scale)
        return (_value(numerals[:place]) or 1) * scale + _value(numerals[place + 1 :])
    if all(number < 10 for number in numerals):
        return int("".join(map(str, numerals)) or 0)
    return sum(numerals)
