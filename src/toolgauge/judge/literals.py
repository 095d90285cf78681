"""What must agree in two texts that are alike: numbers, dates, times, days, negations, operators and identifiers.

Similarity counts words, and one wrong word among ten is nothing to it; but 221 is not 222 Baker Street, and "do not
cancel" is not "cancel". Source: docs/rules.md#texts-that-are-alike.
"""

from __future__ import annotations

import datetime
import re
import unicodedata
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import NamedTuple

from toolgauge.data.meaning import MONTHS, Comparison, meaning
from toolgauge.judge.words import CHOICE, DAYS, NEGATION, NUMERALS, UNCOUNTED

_ENGLISH = "|".join(sorted((word for word in NUMERALS if word.isascii()), key=len, reverse=True))
_CHINESE = "".join(word for word in NUMERALS if not word.isascii())
_AND = "|".join(rf"(?<={scale})\sand\s" for scale in ("hundred", "thousand", "million", "billion"))
"""Three hundred and five is one number, twenty and thirty are two."""
_NUMERALS = re.compile(
    rf"\b(?:{_ENGLISH})(?:(?:[\s-]|{_AND})(?:{_ENGLISH})){{0,12}}\b|(?<![周期拜])[{_CHINESE}]{{1,20}}(?:分(?!钟))?",
    re.IGNORECASE,
)
_SCALES = frozenset(number for number in NUMERALS.values() if number >= 10 and str(number).strip("0") == "1")
_NUMERAL = re.compile(rf"{_ENGLISH}|[{_CHINESE}]", re.IGNORECASE)

_MONTH = "|".join(f"{month}|{month[:3]}" for month in MONTHS)
_DATE = re.compile(
    r"\d{4}([-/.])\d{1,2}\1\d{1,2}(?!\d)|(?:\d{4}年)?\d{1,2}月\d{1,2}[日号]"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? (?:{_MONTH})\b\.?(?:,? \d{{4}})?"
    rf"|\b(?:{_MONTH})\b\.? \d{{1,2}}(?:st|nd|rd|th)?(?![\d:])(?:,? \d{{4}})?",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"(?:凌晨|早上|上午|中午|下午|傍晚|晚上)?\d{1,2}[点时](?!间)(?:半|\d{1,2}分?)?"
    r"|(?<![\d:])\d{1,2}(?:(?::\d\d){0,2}\s?[ap]\.?m\b\.?|\s?o'clock|:\d\d(?![\d:]))",
    re.IGNORECASE,
)
_NIGHT = re.compile("([今明昨])晚上?")
"""今晚 is 今天晚上: the day is one thing, the hour's half another."""
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
    first, second = literals(made, is_code), literals(expected, is_code)
    kinds = (Disagreement(kind, getattr(first, kind), getattr(second, kind)) for kind in Literals._fields)
    return next((kind for kind in kinds if kind.made != kind.expected), None)


def literals(text: str, is_code: bool = False) -> Literals:
    """What a text says literally. A date that is read is no number too, and so on in the order of the fields.

    Negations are only counted ("not" and "n't" are the same), and a number 1 says no more than "a" does.
    """
    text = unicodedata.normalize("NFKC", text[:LONGEST].replace("，", ", ")).replace("’", "'")
    code = tuple(re.findall(r"\w+", text.lower())) if is_code else ()
    negations = ("not",) * len(NEGATION.findall(CHOICE.sub("", text.lower())))
    text, dates = _take(_DATE, _NUMERALS.sub(_in_digits, _NIGHT.sub(r"\1天晚上", text)), _date)
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


def _date(match: re.Match[str]) -> str:
    """Year (empty where none is told), month and day; as it is written where there is no such day."""
    written = match[0]
    if isinstance(date := meaning(Comparison.DATE, written), datetime.date):
        return f"{date.year}-{date.month}-{date.day}"
    for with_year in (f"2000年{written}", f"{written} 2000"):
        if isinstance(date := meaning(Comparison.DATE, with_year), datetime.date):
            return f"-{date.month}-{date.day}"
    return written


def _time(match: re.Match[str]) -> str:
    """On a clock of 24 hours; as it is written where it is none."""
    time = meaning(Comparison.TIME, match[0].lower().replace(" o'clock", ":00").replace("o'clock", ":00"))
    return f"{time[0]}:{time[1]:02}" if isinstance(time, tuple) else match[0]


def _in_digits(match: re.Match[str]) -> str:
    """A number written in words as digits; words that alone are mostly none stay as they are."""
    text = match[0].lower()
    if text in UNCOUNTED:
        return match[0]
    value = _value([NUMERALS[word] for word in _NUMERAL.findall(text)])
    return f"{value}分" if text.endswith("分") else str(value)


def _value(numerals: Sequence[int]) -> int:
    """Three hundred and twenty-one from 3, 100, 20, 1; 三百二十一 from 3, 100, 2, 10, 1; 二〇二五 from 2, 0, 2, 5."""
    scales = [number for number in numerals if number in _SCALES]
    if scales:
        scale = max(scales)
        place = numerals.index(scale)
        return (_value(numerals[:place]) or 1) * scale + _value(numerals[place + 1 :])
    if all(number < 10 for number in numerals):
        return int("".join(map(str, numerals)) or 0)
    return sum(numerals)
