"""Facts in a text that somebody composed: addresses, ids, numbers, dates, times and names that nobody gave.

How a text is worded is its author's business; what it claims is not.
"""

from __future__ import annotations

import itertools
import math
import re
import unicodedata
from collections.abc import Iterator, Sequence

from toolgauge.annotation.grounding.contacts import telephone
from toolgauge.annotation.grounding.context import LONGEST, Context
from toolgauge.annotation.grounding.dates import dates_in
from toolgauge.annotation.grounding.derivations import derived_number
from toolgauge.annotation.grounding.moments import date_or_time
from toolgauge.annotation.grounding.numbers import numbers_in
from toolgauge.annotation.grounding.parameters import Parameter
from toolgauge.annotation.grounding.points import point_of
from toolgauge.annotation.grounding.times import clock_times
from toolgauge.annotation.grounding.values import words

MOST_NUMBERS = 30
"""Of a text, that are looked at for what adds up."""
SHORTEST_PHONE = 7
"""Digits."""
MOST = 5
"""Facts without a source that are named."""
_MAIL = re.compile(r"[\w.+-]{1,60}@[\w-]{1,60}(?:\.[\w-]{1,60}){1,4}", re.ASCII)
_ADDRESS = re.compile(r"https?://[^\s\"'<>()\]，。]{1,500}", re.ASCII)
_PHONE = re.compile(r"(?<![\w./-])\+?\(?\d{2,5}\)?(?:[ -]\d{3,5}){1,4}(?![\w-])|(?<!\d)1[3-9]\d{9}(?!\d)", re.ASCII)
_ID = re.compile(
    r"#\d{2,12}(?![\w])|(?<![\w.])[A-Za-z]{1,12}[-_]?\d[\w-]{0,30}|(?<![\w.])\d{1,12}[A-Za-z-][\w-]{0,30}", re.ASCII
)
_DATE = re.compile(
    r"\d{4}[-/.年]\s?\d{1,2}[-/.月]\s?\d{1,2}日?|\d{1,2}月\d{1,2}[日号]"
    r"|(?:\d{1,2}(?:st|nd|rd|th)?\s+(?:of\s+)?)?\b(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]{0,6}\.?"
    r"\s+\d{1,2}(?:st|nd|rd|th)?(?:,?\s+\d{4})?|\d{1,2}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:jan|feb|mar|apr|may|june?|july?|aug"
    r"|sept?|oct|nov|dec)[a-z]{0,6}(?:\s+\d{4})?",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"(?<![\d:])\d{1,2}(?:[:：]\d{2}){1,2}\s?(?:[ap]\.?m\b)?|(?<!\d)\d{1,2}\s?[ap]m\b|\d{1,2}点(?:\d{1,2}分|半)?", re.I
)
_NUMBER = re.compile(r"(?<![A-Za-z\d_.])\d[\d,]*(?:\.\d+)?(?:\s?(?:%|[万千百亿])|k\b)?")
_PLAIN = re.compile(r"[\d,]{1,20}(?:\.\d{1,6})?")
_LISTED = re.compile(
    r"^\s{0,8}\(?\d{1,2}[.)、:：](?=\s|[^\W\d])|\b(?:step|part|phase|section|option|point|item|chapter|stage)\s\d{1,2}\b"
    r"|第\s?\d{1,2}\s?[步点条项]|[步骤]\s?\d{1,2}",
    re.MULTILINE | re.IGNORECASE,
)
"""Numbers that only list."""
_BLANK = re.compile(r"\[[^\]\n]{1,40}\]|<[^>\n]{1,40}>|\{[^}\n]{1,40}\}|【[^】\n]{1,20}】")
"""[Your Name]: left to be filled in."""
_NAME = re.compile(
    r"(?:(?<=[a-z,;:&] )|(?<=\b(?:Hi|To|By) )|(?<=\b(?:Mrs|Mr\.|Ms\.|Dr\.|Sir) )|(?<=\b(?:Mr|Ms|Dr) )"
    r"|(?<=\bDear )|(?<=\bHello ))"
    r"(?P<name>[A-Z][a-zà-ÿ'’]{1,20}(?:[ -][A-Z][a-zà-ÿ'’]{1,20}){0,3})"
)
_SIGNED = re.compile(r"\n[ \t]{0,4}([A-Z][a-zà-ÿ]{1,20}(?: [A-Z][a-zà-ÿ]{1,20}){0,2})\s*$")
_HAN_NAME = re.compile(
    r"[赵钱孙李周吴郑王冯陈蒋沈韩杨朱秦许何吕张孔曹严金魏陶姜谢邹喻苏潘葛范彭鲁马方俞袁柳史唐薛雷贺倪汤罗郝安常于傅齐康"
    r"余顾孟黄萧尹姚邵汪毛戴宋庞熊纪舒项祝董梁杜阮蓝闵季贾江童颜郭梅林钟徐邱骆高夏蔡田樊胡万卢丁邓石崔龚程邢裴陆翁段侯"
    r"宁甘武刘叶白蒲赖乔谭温庄晏柴阎易廖耿文匡欧沃利师聂敖冷辛饶曾关查游][\u4e00-\u9fff]{0,2}?"
    r"(?:先生|女士|小姐|经理|医生|老师|主任|教授|师傅|总监|律师|同学|队长)"
)
_NO_NAMES = re.compile(
    r"i|i'\w{1,2}|ok|okay|best|kind|warm|regards?|dear|sir|madam|team|hello|hi|hey|thanks?|cheers|sincerely|yours|please|re|fwd"
    r"|note|reminder|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july|august|september"
    r"|october|november|december|christmas|easter|english|chinese|internet|web|wifi|mrs?|ms|dr|the|an?|and|or|of|in|on|to|for"
    r"|with|good|morning|afternoon|evening|all|everyone|everybody|colleagues|friends"
)
_TECHNICAL = re.compile(
    r"(?:[a-z]\d|\d[a-z]|[a-z]{2,8}-?(?:8|16|32|64|128|256)|mp[34]|\d{1,4}(?:px|em|pt|vw|vh|ms|st|nd|rd|th|d|x|k))",
    re.I,
)
"""utf8, h1, 2d, mp3, 12px: words of the trade."""
_SUM = re.compile(r"[-+*/\d.()\s%^,×÷=]+|[a-z]{2,6}\([-+*/\d.()\s%^,]+\)")
_PROGRAM = frozenset(map(float, range(101))) | {128.0, 255.0, 256.0, 365.0, 512.0, 1000.0, 1024.0, 3600.0}
_ROUND = frozenset({0.0, 1.0, 2.0, 3.0, 10.0, 12.0, 24.0, 60.0, 100.0, 365.0, 1000.0})
"""Numbers that any sum has; a program or a query chooses more."""
_CAPITALS = re.compile(r"\b[A-Za-z]{3,}")
_NOTHING = Parameter()


def facts_without_source(text: str, context: Context, code: bool = False) -> tuple[str, ...]:
    """The facts in a text that the context does not give, at most MOST. code: a program or a query, without names."""
    text = unicodedata.normalize("NFKC", text[:LONGEST])
    return tuple(itertools.islice(dict.fromkeys(_facts(text, context, code)), MOST))


def _facts(text: str, context: Context, code: bool) -> Iterator[str]:
    """One kind after the other; what was read as one is not read as another."""
    kinds = (
        (_MAIL, _is_there),
        (_ADDRESS, _is_there),
        *(() if code else ((_PHONE, _is_called),)),
        (_LISTED, _is_nothing),
    )
    kinds += ((_DATE, _is_day), *(() if code else ((_TIME, _is_time),)), (_ID, _is_id))
    for pattern, is_given in kinds:
        yield from (found[0] for found in pattern.finditer(text) if not is_given(found[0], context))
        text = pattern.sub(" ; ", text)
    numbers = [found[0] for found in _NUMBER.finditer(text)]
    yield from (one for one in numbers if not _is_known(one, context, code, text) and not _is_total(one, numbers))
    if not code:
        yield from _names(_BLANK.sub(" ; ", text), context)


def _is_there(address: str, context: Context) -> bool:
    return context.holds(address.rstrip(".,;/"))


def _is_called(number: str, context: Context) -> bool:
    return sum(map(str.isdigit, number)) < SHORTEST_PHONE or telephone(number, context) is not None


def _is_nothing(_mark: str, _context: Context) -> bool:
    return True


def _is_day(date: str, context: Context) -> bool:
    days = {means.day for means in dates_in(date, context.now.date())}
    return not days or any(day in context.days() or day == context.now.date() for day in days)


def _is_time(time: str, context: Context) -> bool:
    meant = {minutes for minutes, _ in clock_times(time)}
    return not meant or any(minutes in one.minutes for minutes in meant for one in context.items)


def _is_id(name: str, context: Context) -> bool:
    moment = point_of(name) is not None and date_or_time(name, context) is not None
    return moment or _TECHNICAL.fullmatch(name) is not None or context.holds(name)


def _is_known(number: str, context: Context, code: bool, text: str) -> bool:
    """Did anybody say a number, or does it follow from what was said? Code counts from nought and up to the next."""
    for value, _ in numbers_in(number):
        near = {value, value * 100, value / 100}
        if code and value <= 100:
            near |= {value - 1, value + 1, round((value - 1) * 100, 6)}  # 1.15 adds 15%
        if code and value in (_ROUND if _SUM.fullmatch(text) else _PROGRAM):
            return True
        if any(one in item.numbers for one in near for item in context.items):
            return True
        if not code and derived_number(value, _NOTHING, context):
            return True
    return False


def _is_total(number: str, numbers: Sequence[str]) -> bool:
    """Is a number of a text the sum of two or more numbers that stand in a row in it ("Total 3,185.85")?"""
    if not _PLAIN.fullmatch(number):
        return False
    values = [_plain(one) for one in numbers[:MOST_NUMBERS] if one != number and _PLAIN.fullmatch(one)]
    sums = (math.fsum(values[first:end]) for first in range(len(values)) for end in range(first + 2, len(values) + 1))
    return any(math.isclose(total, _plain(number), abs_tol=0.005) for total in sums)


def _plain(number: str) -> float:
    return float(number.replace(",", ""))


def _names(text: str, context: Context) -> Iterator[str]:
    """Names of people and things; in a heading, where most words have a capital, there is no telling."""
    letters = _CAPITALS.findall(text)
    if sum(word[0].isupper() for word in letters) * 2 <= len(letters):
        for found in itertools.chain(_NAME.finditer(text), _SIGNED.finditer(text)):
            new = [word for word in words(found[1]) if not _NO_NAMES.fullmatch(word) and not context.has_word(word)]
            if new:
                yield found[1]
    for found in _HAN_NAME.finditer(text):
        if not context.holds(found[0]) and not context.holds(found[0][:2]):
            yield found[0]
