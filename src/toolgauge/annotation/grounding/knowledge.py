"""What one may know without having been told: codes, places, translations, the first page, none.

Nothing is checked there but what can be: codes of currencies and languages against the names of those that were spoken
of (CLDR), coordinates against those that results gave.
"""

from __future__ import annotations

import re
from functools import lru_cache

from babel import Locale
from babel.numbers import get_territory_currencies

from toolgauge.annotation.grounding.context import LONGEST, Context, ValueSource
from toolgauge.annotation.grounding.parameters import Parameter, ParameterKind
from toolgauge.annotation.grounding.values import alike, words
from toolgauge.languages import has_han

KNOWLEDGE = "knowledge"
_CODE = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z]{2,4})?|[A-Z]{4}")
_PLACE = re.compile(
    r"(?:^|\s)(?:lat(?:itude)?|lon(?:g(?:itude)?)?|lng|coordinates|coords|utc ?offset|time ?zone)$|经度"
    r"|纬度|坐标"
)
"""Names of parameters that say where a place lies."""
_COORDINATES = re.compile(r"[-+\d.,;°'\" NSEW]+|[A-Z][A-Za-z_]+/[A-Za-z_]+")
_COORDINATE = re.compile(r"(?:^|[\W_])(lat|lon|lng|latitude|longitude)[^.\[\]]*$", re.IGNORECASE)
_NONE = re.compile(r"\b(?:no|none|not|without|zero|free|never|nothing)\b|n't\b|不|没|无|免|零|别", re.IGNORECASE)
_ZONE = re.compile(r"[A-Z][A-Za-z_]+/[A-Z][A-Za-z_]+|UTC[+-]?\d*|GMT[+-]?\d*")
_HERE = re.compile(
    r"\b(?:my (?:place|home|house|area|location|city|town|street)|here|near me|around me|nearby|where i (?:am|live))\b"
    r"|我家|我这|我的位置|我们这|本地",
    re.IGNORECASE,
)
_CAPITAL = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+|[在到去][\u4e00-\u9fff]{2}")
_RANGE = re.compile(r"(?<![\d.])(\d{1,4})\s?(?:-|–|to|~|到|至)\s?(\d{1,4})(?!\d|\.\d)")
_COLOUR = re.compile(r"#(?:[0-9A-Fa-f]{3}){1,2}")
_COLOURS = re.compile(
    r"\b(?:red|green|blue|yellow|orange|purple|violet|pink|brown|black|white|gr[ae]y|cyan|magenta|teal|navy|gold|silver|beige)"
    r"|[红绿蓝黄橙紫粉棕黑白灰青金银]色?|深色|浅色"
)
_LANDS = re.compile(r"countr|land|nation|culture|language|region|cuisine|国家|国籍|语言|地区|文化")
_ESTIMATED = re.compile(r"\bestimat|预计|估计")
_NEUTRAL = re.compile(r"(?:rate|factor|scale|multiplier|speed|ratio)$")
_NOBODY = frozenset({"john doe", "jane doe", "john smith", "jane smith", "alice", "bob", "your name"})
_PLACEHOLDERS = frozenset({"user", "current", "default", "unknown", "test", "sample", "example", "me", "id", "none"})
_OTHER_CURRENCY = {
    "CNY": "rmb yuan 人民币 块 元",
    "GBP": "pound quid £ 英镑",
    "USD": "dollar buck $ 美金 美元",
    "EUR": "euro € 欧",
    "HKD": "港币",
    "TWD": "台币",
    "JPY": "日币 日圆",
    "KRW": "韩币",
}
_CURRENCY_SIGNS = {"¥": ("CNY", "JPY"), "$": ("USD", "CAD", "AUD", "HKD", "SGD", "NZD"), "€": ("EUR",), "£": ("GBP",)}
_FROM_HERE = re.compile(r"source|from|input|original|detect|源|原")
_USUAL = {
    **dict.fromkeys(("path", "dir", "directory", "folder"), ("folder", r"\.|\./|/|~")),
    "base": ("branch", r"main|master"),
    "branch": ("branch", r"main|master"),
    "ref": ("branch", r"main|master|HEAD"),
    "remote": ("remote", r"origin"),
}
"""Values that are usual where nothing else is said, by the last word of a parameter's name."""
_SIZES = {"S": "small 小", "M": "medium 中", "L": "large big 大", "XL": "extra 特大 加大"}
_STATE = re.compile(r"[A-Z]{2}")
_LETTERS = re.compile(r"(?<![A-Za-z])[A-Z]{2,4}(?![A-Za-z])")
_CODED = re.compile(
    r"unit|size|format|sort|order|mode|level|status|grade|class|gender|单位|尺码|格式|排序|模式|等级|级别"
)
"""What else is often said in two or three letters."""
_STOCK = re.compile(r"\d{6}(?:\.[A-Z]{2})?|\d{4,5}\.[A-Z]{2}|[A-Z]{2}\d{6}")
_UTMOST = re.compile(r"\b(?:full|max(?:imum)?|all the way up|loudest|brightest|completely|entirely)\b|最[大高亮]|满|全")
_LEAST = re.compile(r"\b(?:off|mute|min(?:imum)?|all the way down|silent|quietest|darkest)\b|最[小低暗]|静音|关")


def known(note: str) -> ValueSource:
    return ValueSource(KNOWLEDGE, note=note)


def worldly(value: object, parameter: Parameter, language: str, context: Context) -> ValueSource | None:
    """The source of a value that follows from no words; None where one cannot know it either."""
    if _PLACE.search(parameter.title) and (not isinstance(value, str) or _COORDINATES.fullmatch(value)):
        return known("of a place that was named") if _is_placed(value, parameter, context) else None
    if not isinstance(value, str):
        return _number(value, parameter, context)
    if not value.strip() or value.casefold() in ("none", "无"):
        return known("an empty text")
    if _COLOUR.fullmatch(value) and any(_COLOURS.search(one.text.casefold()) for one in context.items):
        return known("a colour that was named")
    if _LANDS.search(parameter.about) and not parameter.is_strict and _is_land_or_language(value):
        return known("the land or language of what was named")
    usual = _USUAL.get(parameter.title.split()[-1] if parameter.title else "")
    if usual and re.fullmatch(usual[1], value):
        return known(f"the usual {usual[0]}")
    if value in _SIZES and any(context.has_word(word) or word in context.last_said for word in _SIZES[value].split()):
        return known("a size that was named")
    if _ZONE.fullmatch(value):
        return known("a code for what was named")
    if _STOCK.fullmatch(value) and re.search(r"ticker|symbol|stock|股票", parameter.about):
        return known("a code for what was named")
    if _CODE.fullmatch(value) and (ParameterKind.CODE in parameter.kinds or _CODED.search(parameter.about)):
        return known("a code for what was named") if _is_named(value, parameter, context) else None
    return _translated(value, parameter, language, context)


def _number(value: object, parameter: Parameter, context: Context) -> ValueSource | None:
    if value in (0, 1) and ParameterKind.PAGE in parameter.kinds:
        return known("from the beginning")
    if value == 0 and any(_NONE.search(one.text) for one in context.said):
        return known("none, as the words say")
    if _ESTIMATED.search(parameter.about) and isinstance(value, int) and 0 < value <= 100:
        return known("an estimate")
    if _is_bound(value, parameter, context):
        return known("the end of the range")
    if value == 1 and (ParameterKind.COUNT not in parameter.kinds or _NEUTRAL.search(parameter.title)):
        return known("one, where nothing else is said")
    return None


def _is_bound(value: object, parameter: Parameter, context: Context) -> bool:
    """The largest or smallest value that is allowed, where nothing but a limit is wanted, or all of it."""
    found = _RANGE.search(parameter.description)
    least, most = (found[1], found[2]) if found else (parameter.schema.get("minimum"), parameter.schema.get("maximum"))
    last = context.last_said
    if (str(value) == str(most) and _UTMOST.search(last)) or (str(value) == str(least) and _LEAST.search(last)):
        return True
    named = parameter.title.split()
    ends = {"max": "maximum", "maximum": "maximum", "min": "minimum", "minimum": "minimum"}
    return any(word in named and parameter.schema.get(bound) == value for word, bound in ends.items()) or (
        bool(named and named[0] in ends)
        and any(str(value) in found.groups() for found in _RANGE.finditer(parameter.description))
    )


def _is_placed(value: object, parameter: Parameter, context: Context) -> bool:
    """Can coordinates be known? They lie on the globe, are not the speaker's own, and are those that results gave."""
    if isinstance(value, int | float) and abs(value) > (
        90 if "lat" in parameter.title or "纬" in parameter.about else 180
    ):
        return False
    given = [
        leaf
        for one in context.results
        for path, leaf in one.leaves
        if _COORDINATE.search(path) and isinstance(leaf, float)
    ]
    if given and isinstance(value, float):
        return any(round(leaf, places) == value for leaf in given for places in range(1, 6))
    last = context.last_said[:LONGEST]
    return not (_HERE.search(last) and not _CAPITAL.search(last) and not context.results and len(context.said) == 1)


def _is_named(value: str, parameter: Parameter, context: Context) -> bool:
    """Was a currency or language with this code spoken of? True as well where none was, or where it is no such code."""
    text = " ".join(one.text[:LONGEST] for one in context.items).casefold()
    if "currenc" in parameter.about or "货币" in parameter.about:
        found = _named_currencies(text)
        return value.upper() not in _currencies("en") or not found or value.upper() in found
    if ("language" in parameter.about or "语言" in parameter.about) and not _FROM_HERE.search(parameter.title):
        code = value.casefold().replace("_", "-").split("-")[0]
        names = {one for tongue in ("en", "zh") for one, name in _languages(tongue).items() if _stands(name, text)}
        return not names or code in names
    return True


def _stands(name: str, text: str) -> bool:
    return name in text and (has_han(name) or re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None)


def _named_currencies(text: str) -> set[str]:
    found = {code for sign, codes in _CURRENCY_SIGNS.items() if sign in text for code in codes}
    told = set(words(text))
    for tongue in ("en", "zh"):
        for code, name in _currencies(tongue).items():
            last = name.split()[-1]
            if (has_han(name) and name in text) or any(alike(last, word) for word in told if word[:3] == last[:3]):
                found.add(code)
    found |= {code for code, names in _OTHER_CURRENCY.items() for name in names.split() if name in text}
    if found:
        for tongue in ("en", "zh"):
            found |= {
                money
                for land, name in _lands(tongue).items()
                if name in text
                for money in get_territory_currencies(land)
            }
    return found


@lru_cache(2)
def _currencies(language: str) -> dict[str, str]:
    return {code: str(name).casefold() for code, name in Locale(language).currencies.items() if code.isascii()}


@lru_cache(2)
def _languages(language: str) -> dict[str, str]:
    return {code: str(name).casefold() for code, name in Locale(language).languages.items() if len(code) == 2}


@lru_cache(2)
def _lands(language: str) -> dict[str, str]:
    return {
        code: str(name).casefold()
        for code, name in Locale(language).territories.items()
        if len(code) == 2 and code.isalpha()
    }


def _translated(value: str, parameter: Parameter, language: str, context: Context) -> ValueSource | None:
    """The same in another language: not an id or an address, and no name that goes beyond the one that was said."""
    kinds = parameter.kinds & {
        ParameterKind.CONTACT,
        ParameterKind.CREDENTIAL,
        ParameterKind.FILE,
        ParameterKind.PATTERN,
    }
    if kinds or any(char.isdigit() or char == "@" for char in value) or not any(char.isalpha() for char in value):
        return None
    foreign = has_han(value) if language == "en" else not has_han(value)
    if ParameterKind.PLACE in parameter.kinds and (
        _is_local(value) or _is_in_land(value, context) or _is_abbreviated(value, context)
    ):
        return known("the place's own name, or the land it lies in")
    if not foreign or (ParameterKind.ID in parameter.kinds and _PLACEHOLDERS & set(words(value))):
        return None
    if value.casefold() in _NOBODY:
        return None
    said = [word for word in words(value) if context.has_word(word)] if ParameterKind.PERSON in parameter.kinds else []
    return None if said else known("a translation of what was said")


def _is_local(value: str) -> bool:
    return not value.isascii() and not has_han(value)


def _is_land_or_language(value: str) -> bool:
    wanted = value.casefold()
    return any(wanted in table(tongue).values() for tongue in ("en", "zh") for table in (_lands, _languages))


def _is_in_land(value: str, context: Context) -> bool:
    """A place that was said, and behind it the name or code of a land: "Oslo, Norway"."""
    place, _, land = value.replace("，", ",").rpartition(",")
    lands = {
        name for tongue in ("en", "zh") for pair in _lands(tongue).items() for name in (pair[1], pair[0].casefold())
    }
    return (land.strip().casefold() in lands or _STATE.fullmatch(land.strip()) is not None) and (
        context.holds(place) or _is_abbreviated(place, context)
    )


def _is_abbreviated(place: str, context: Context) -> bool:
    """Was a place said by its first letters: SF, NYC?"""
    letters = "".join(word[0] for word in place.split())
    if len(letters) < 2 or not letters.isupper():
        return False
    return any(token.startswith(letters) for one in context.said for token in _LETTERS.findall(one.text[:LONGEST]))
