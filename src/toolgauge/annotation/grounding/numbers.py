"""The numbers that a text speaks of, in digits and in words of both languages."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import pairwise

SMALL = 31
"""Whole numbers up to this are so common that they stand anywhere by chance."""
SMALL_NAMES = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_DIGITS = re.compile(
    r"(?<![^\W\u3400-\u9fff])(?<!\.)[#$€£¥]?([-−]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|(?:[-−] ?)?\d+(?:\.\d+)?)\s?"
    r"(k\b|m\b|bn\b|thousand|million|billion|%|万亿|百万|千万|[百千万亿半])?"
)
_INSIDE = re.compile(r"\d+(?:\.\d+)?")
_GROUPED = re.compile(r"(?<![\d,.])\d{1,2}(?:,\d{3}){1,5}(?![\d])")
"""1,250 holds no 250; 200,210,215 may be three numbers."""
_SHARE = re.compile(
    r"(?<![a-z])(?P<many>an?|one|two|three|four|\d)[\s-]+(?P<part>third|quarter|fifth|tenth)s?(?![a-z])"
    r"|(?P<below>百|[二三四五六七八九十\d]{1,3})分之(?P<above>[零一二两三四五六七八九十百点半\d.]{1,9})"
    r"|(?P<tenths>[一二两三四五六七八九]|\d)成(?P<half>半)?(?!\w*[员为])"
    r"|(?P<off>[一二三四五六七八九]|\d(?:\.\d)?)(?P<more>[一二三四五六七八九])?折"
)
_PARTS = {"third": 3, "quarter": 4, "fifth": 5, "tenth": 10}
_HALF_OF = re.compile(
    r"(?<![a-z])(?:(?:(?P<whole>[a-z]{3,9}|\d{1,4}) and a )?half(?: an?)?|(?P<quarter>an? quarter(?: of)? an?))"
    r"[ -](?P<scale>hundred|thousand|million|billion|dozen)(?![a-z])"
)
"""half a million, two and a half thousand."""
_AND_MORE = re.compile(r"(?<![\d.])(?P<many>\d{1,4})(?P<scale>[万千百])(?P<rest>\d)(?![\d.万千百])")
"""3万5: 35,000."""
_DOZENS = re.compile(r"(?<![a-z])(?P<many>[a-z]{3,9}|\d{1,3}) dozen")
_COINS = re.compile(
    r"(?P<whole>\d{1,7}|[零一二两三四五六七八九十百千万]{1,12})[块元](?P<tenths>[一二三四五六七八九]|\d)(?![\d十百千万块元个条])"
)
"""八块五: 8.5."""
_FRACTION = re.compile(r"(?<![\d/.])(\d{1,3})/([1-9]\d{0,3})(?![\d/.])")
_SOUTH_OR_WEST = re.compile(r"(?:西经|南纬)[^\d]?(\d{1,3}(?:\.\d{1,9})?)|(\d{1,3}(?:\.\d{1,9})?)\s?°?\s?[sw](?![a-z])")
NO_QUANTITY = re.compile(
    r"\d{4}[-/.年]\s?\d{1,2}[-/.月]\s?\d{1,2}日?(?:t\d{2})?|\d{1,2}[-/.]\d{1,2}[-/.]\d{4}|\d{1,2}[:：]\d{2}(?:[:：]\d{2})?"
    r"|(?<![a-z])(?!top|last|first|next|under|over|no|nr)(?:[a-z]{2,}[-_#]?|[a-z][-_#])\d[a-z\d_-]*|(?<![a-z\d])[a-z]\d{3}[a-z\d_-]*"
    r"|(?<!\d)\+?\d{2,}(?:[-.]\d{2,}){2,}"
    r"|(?:周|星期|礼拜)[一二三四五六]"
)
"""Dates, times of day, ids, telephone numbers, weekdays: digits that count nothing."""
_SCALES = {
    "k": 1e3, "m": 1e6, "bn": 1e9, "thousand": 1e3, "million": 1e6, "billion": 1e9,
    "百": 1e2, "千": 1e3, "万": 1e4, "百万": 1e6, "千万": 1e7, "亿": 1e8, "万亿": 1e12,
}  # fmt: skip

_ENGLISH = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
    "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
_ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9,
    "tenth": 10, "eleventh": 11, "twelfth": 12,
}  # fmt: skip
_BIG = {"hundred": 100.0, "thousand": 1e3, "million": 1e6, "billion": 1e9}
_WORDS = {
    "single": 1, "once": 1, "solo": 1, "alone": 1, "myself": 1, "both": 2, "couple": 2, "pair": 2,
    "twice": 2, "double": 2, "triple": 3, "dozen": 12, "half": 0.5, "quarter": 0.25, "fortnight": 14,
    "weekend": 2,
}  # fmt: skip
_CHINESE_DIGITS = {sign: number for number, sign in enumerate("零一二三四五六七八九")} | {
    "〇": 0,
    "两": 2,
    "俩": 2,
    "仨": 3,
}
_CHINESE_SCALES = {"十": 10, "百": 100, "千": 1000}
_CHINESE = re.compile(r"[零〇一二三四五六七八九十百千万亿两俩仨半]{1,24}")
_CHINESE_DECIMAL = re.compile(
    r"([零〇一二三四五六七八九十百千万两]{1,12})点([零〇一二三四五六七八九]{1,12})(?![个位张份件人杯条间台名])"
)


def numbers_in(text: str) -> Iterator[tuple[float, str]]:
    """(number, the words that say it), in no order; a phrase may be read in several ways."""
    text = unicodedata.normalize("NFKC", text).casefold()
    for found in _DIGITS.finditer(text):
        value = _float(found[1])
        yield value, found[0].strip()
        if found[2] in _SCALES:
            yield value * _SCALES[found[2]], found[0].strip()
        elif found[2] == "%":
            yield value / 100, found[0].strip()
        elif found[2] == "半":
            yield value + 0.5, found[0].strip()
    for found in _INSIDE.finditer(_GROUPED.sub(" ", text)):
        yield _float(found[0]), found[0]
    for found in _SOUTH_OR_WEST.finditer(text):
        yield -_float(found[1] or found[2]), found[0]
    for found in _FRACTION.finditer(text):
        share = int(found[1]) / int(found[2])
        yield from ((round(share, places), found[0]) for places in (2, 3, 4, 16))
    yield from _shares(text)
    yield from _scaled(text)
    yield from _in_english(_HALF_OF.sub(" ; ", text))
    yield from _in_chinese(text)


def quantities_in(text: str) -> Iterator[tuple[float, str]]:
    """The same without small numbers that are only parts of dates, times and ids."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    for number, quote in numbers_in(folded):
        if abs(number) > SMALL:
            yield number, quote
    for number, quote in numbers_in(NO_QUANTITY.sub(" ; ", folded)):
        if abs(number) <= SMALL:
            yield number, quote


def is_small(value: float) -> bool:
    """A number that stands anywhere by chance."""
    return abs(value) <= SMALL and float(value).is_integer()


def _float(digits: str) -> float:
    return float(digits.replace(",", "").replace("−", "-").replace(" ", "")) if len(digits) < 40 else 0.0


def _shares(text: str) -> Iterator[tuple[float, str]]:
    """Two thirds, 三分之一, 百分之三点五, 三成, 八折: as shares, and in hundredths."""
    for found in _SHARE.finditer(text):
        if found["part"]:
            share = _told(found["many"]) / _PARTS[found["part"]]
        elif found["below"]:
            below = 100.0 if found["below"] == "百" else _told(found["below"])
            share = _told(found["above"]) / below if below else 0.0
        elif found["tenths"]:
            share = _told(found["tenths"]) / 10 + (0.05 if found["half"] else 0.0)
            yield from ((round(rest, 4), found[0]) for rest in (1 - share, 100 - 100 * share))
        else:
            share = _told(found["off"]) / 10 + (_told(found["more"]) / 100 if found["more"] else 0.0)
            yield from ((round(rest, 4), found[0]) for rest in (1 - share, 100 - 100 * share))
        yield from ((round(part, places), found[0]) for part in (share, 100 * share) for places in (2, 3, 4, 9))


def _scaled(text: str) -> Iterator[tuple[float, str]]:
    """Half a million, three dozen, 3万5, 八块五."""
    for found in _HALF_OF.finditer(text):
        many = 0.25 if found["quarter"] else 0.5 + (_told(found["whole"]) if found["whole"] else 0.0)
        yield many * (12.0 if found["scale"] == "dozen" else _BIG[found["scale"]]), found[0]
    for found in _DOZENS.finditer(text):
        yield 12 * _told(found["many"]), found[0]
    for found in _AND_MORE.finditer(text):
        size = _SCALES[found["scale"]]
        yield int(found["many"]) * size + int(found["rest"]) * size / 10, found[0]
    for found in _COINS.finditer(text):
        yield round(_told(found["whole"]) + _told(found["tenths"]) / 10, 1), found[0]


def _told(words: str) -> float:
    """A number in digits, or in one word of either language; one where it is none."""
    if words[0].isdigit():
        return float(words) if words.replace(".", "", 1).isdecimal() else 1.0
    if decimal := _CHINESE_DECIMAL.fullmatch(words):
        return float(f"{_chinese(decimal[1]):.0f}.{''.join(str(_CHINESE_DIGITS[sign]) for sign in decimal[2])}")
    return float(_ENGLISH.get(words, _chinese(words) if _CHINESE.fullmatch(words) else 1.0))


def _in_english(text: str) -> Iterator[tuple[float, str]]:
    """Single words, and runs of them: "twenty-five", "two hundred and fifty", "an hour and a half"."""
    for run in re.finditer(r"[a-z]+(?:[\s-]+[a-z]+)*", text):
        phrase: list[str] = []
        for word in re.split(r"[\s-]+", run[0]):
            if word in _WORDS:
                yield float(_WORDS[word]), word
            if word in _ORDINALS:
                yield float(_ORDINALS[word]), word
            if word in _ENGLISH or word in _BIG or (word == "and" and phrase and phrase[-1] in _BIG):
                phrase.append(word)
                continue
            yield from _phrase(phrase)
            phrase = []
        yield from _phrase(phrase)
    if "half" in text:
        for number in re.finditer(r"\b([a-z]{1,12}|\d{1,9})\s+(?:and a half|\w{1,20} and a half)", text):
            whole = _ENGLISH.get(number[1], 1 if number[1] in ("a", "an") else _WORDS.get(number[1]))
            if whole is None and number[1].isdigit():
                whole = int(number[1])
            if whole is not None:
                yield whole + 0.5, number[0]


def _phrase(phrase: list[str]) -> Iterator[tuple[float, str]]:
    if not phrase:
        return
    total = current = 0.0
    is_one = any(word in _BIG for word in phrase) or any(
        _ENGLISH[tens] >= 20 and 0 < _ENGLISH[rest] < 10 for tens, rest in pairwise(phrase)
    )  # "twenty-five" says no 20, "seven thirty" says both
    for word in phrase:
        if word in _ENGLISH:
            current += _ENGLISH[word]
            if not is_one:
                yield float(_ENGLISH[word]), word
        elif word in _BIG:
            current = max(current, 1) * _BIG[word]
            if _BIG[word] > 100:
                total, current = total + current, 0.0
    yield total + current, " ".join(phrase)


def _in_chinese(text: str) -> Iterator[tuple[float, str]]:
    for found in _CHINESE_DECIMAL.finditer(text):
        decimals = "".join(str(_CHINESE_DIGITS[sign]) for sign in found[2])
        yield float(f"{_chinese(found[1]):.0f}.{decimals}"), found[0]
    for found in _CHINESE.finditer(_CHINESE_DECIMAL.sub(" ; ", text)):
        run = found[0]
        yield _chinese(run), run
        if run == "一半":
            yield 0.5, run
        if "半" in run:
            yield _chinese(run.replace("半", "")) + 0.5, run
        if all(sign in _CHINESE_DIGITS for sign in run):
            yield float("".join(str(_CHINESE_DIGITS[sign]) for sign in run)), run
            for sign in run:
                yield float(_CHINESE_DIGITS[sign]), sign
    for found in re.finditer(r"([一两三])刻钟", text):
        yield 15.0 * _CHINESE_DIGITS[found[1]], found[0]
    if re.search(r"\d个?半|个半|两个半", text):
        for found in re.finditer(r"(\d{1,9}|[一二两三四五六七八九十]{1,4})个半", text):
            whole = float(found[1]) if found[1].isdecimal() else _chinese(found[1])
            yield whole + 0.5, found[0]


def _chinese(run: str) -> float:
    """二百五十 is 250, 一万二 12,000 or so; 半 alone is a half."""
    if run == "半":
        return 0.5
    total = section = digit = 0.0
    last = 1.0
    for sign in run:
        if sign in _CHINESE_DIGITS:
            digit = _CHINESE_DIGITS[sign]
            last = 1.0 if sign in "零〇" else last
        elif sign in _CHINESE_SCALES:
            last = float(_CHINESE_SCALES[sign])
            section, digit = section + (digit or 1) * last, 0.0
        elif sign in "万亿":
            last = 1e4 if sign == "万" else 1e8
            total, section, digit = (total + section + digit) * last, 0.0, 0.0
    return total + section + digit * (last / 10 if last > 10 else 1)
