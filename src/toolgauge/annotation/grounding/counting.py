"""Which of the numbers that a text holds can be the value of a counting parameter.

Years, ordinals, house numbers, pages and the digits of ids and telephone numbers count nothing, and "a" counts only
what stands behind it: "What a week!" orders no single thing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from toolgauge.annotation.grounding.numbers import NO_QUANTITY, SMALL_NAMES, numbers_in
from toolgauge.annotation.grounding.parameters import Parameter, ParameterKind
from toolgauge.annotation.grounding.values import alike

_LABELS = (
    r"page|room|chapter|version|line|row|floor|gate|platform|bus|channel|episode|season|apartment|flat|apt|suite|terminal"
    r"|highway|route|no|nr|house|building|grade|class|calendar week"
)
_LABELLED = re.compile(
    rf"(?<![a-z])(?P<of>{_LABELS})s?\.?\s?#?\d{{1,5}}(?!\d)|\d{{1,5}}\s?(?P<han>[号楼层室栋页路班])(?!人)"
)
_ORDINAL = re.compile(
    r"\d{1,4}(?:st|nd|rd|th)(?![a-z])|(?<![a-z])(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh"
    r"|twelfth)(?![a-z])|第\s?[\d一二三四五六七八九十百]{1,5}"
)
_YEAR = re.compile(r"(?<![a-z])(?:in|since|during|until|before|after)\s+(?:19|20)\d\d(?![\d.,]\d)|(?:19|20)\d\d\s?年")
_HOUSE = re.compile(
    r"(?<![\d.])\d{1,4}[a-z]?\s+(?:(?!for|in|on|at|of|to|the|and|from)[a-z]{1,20}\s){1,2}"
    r"(?:street|road|lane|avenue|boulevard|st\.|rd\.|ave)(?![a-z])"
    r"|(?:street|strasse|straße|road|lane|avenue|platz|allee)\s+\d{1,4}(?!\d)|[路街巷弄道]\s?\d{1,4}(?!\d)"
)
_PHONE = re.compile(r"(?<![\w.])(?:call|phone|text|ring|dial|tel|电话|致电|[打拨])[^\d\n]{0,20}\+?\d[\d ().-]{5,18}\d")
_CLOCK = re.compile(
    rf"(?<![a-z])(?:at|@)\s(?:\d{{1,2}}|{SMALL_NAMES})(?!\w|\.\d|\s?(?:dollars|euros|bucks|per|each|a\s|%|percent|[$€£]))"
    r"|(?:\d{1,2}|[一二两三四五六七八九十]{1,3})点(?![\d一二三四五六七八九])"
)
_MASKS = (
    (_CLOCK, re.compile(r"hour|minute|time")),
    (_ORDINAL, re.compile(r"index|position|rank|number|no$|row|line|place|day|date|week|month|page|round|grade|第")),
    (_YEAR, re.compile(r"year|date|since|start|end|from|年")),
    (_HOUSE, re.compile(r"street|house|address|门牌|地址")),
    (_PHONE, re.compile(r"phone|mobile|tel|电话")),
    (NO_QUANTITY, re.compile(r"hour|minute|time|day|month|year|date")),
)
"""What counts nothing, and the names of parameters for which it is a number all the same."""
_IDIOM = re.compile(
    r"(?<![a-z])(?:what|such|quite|rather|like|as|not|per|once|times)\s+an?\s"
    r"|(?<![a-z])an?\s+(?:lot|bit|few|little|while|moment|minute|second|hour|day|week|month|year|night|time|nice|great|good"
    r"|bad|long|hard|rough|busy|pity|shame|joke|mess|hurry|rush|pleasure|favou?r|try|look|hand|break|dream|problem|question)"
    r"(?![a-z])|一(?=[家到下些起样直定点会路边切旦向般共来看生身带])|[这那上下每头同唯统第万]一|一(?:周|天|年|月|夜|段|阵)"
)
"""Articles that count nothing."""
_ONE = re.compile(
    r"(?<![a-z])(?:an?|one|another)\s+((?:[a-z][a-z'-]{0,20}\s?){1,4})|一([^\W\d_])|(?:[来买订要拿加换租][了下]?)([个条只件张杯瓶份台本把块盒部辆间双])"
)
_BUYS = r"[买订要加换租]|下单|[这那]个|来[一个]"
_VERB = r"order|buy|add|put|get|take|want|need|book|reserve|give|send|ship|have|grab|find|cancel|return|play"
r"|make|create|open"
_SINGULAR = re.compile(
    rf"(?<![a-z])(?:{_VERB})\s+(?:me |us )?(?:(?P<it>(?:it|mine)(?![a-z])|(?:that|this)(?!\s?[a-z]))"
    r"|(?:the|this|that|my|your|her|his)\s+(?P<noun>(?:[a-z][a-z'-]{0,20}\s?){1,4}))"
)
_PART = re.compile(r"[^.!?;,。！？；，\n]+")
_ORDERED = re.compile(rf"(?<![a-z])(?:{_VERB}|like|pay|rent|hire)(?![a-z])|{_BUYS}")
_NOUN_ENDS = re.compile(r"\b(?:in|on|from|for|to|of|with|at|and|or|by|that|which|please|now|again|as)\b")
_SEVERAL = re.compile(r"些|们|几|多|都|各|全|所有|清单|列表")
_THIS = re.compile(r"(?:第[一二三四五六七八九十\d]{1,3}|[这那])[个条只件张杯瓶份台本把块盒部辆间家款]")
_BUYING = re.compile(_BUYS)
_GENERIC = re.compile(r"^(?:quantity|qty|count|amount|number|num|units?|pieces?|copies|items?)$|数量|件数|份数")
_ALONE = re.compile(r"(?<![a-z])(?:i|me|myself|i'm|my)(?![a-z])|我(?!们)")
_PERSONS = re.compile(r"adult|guest|passenger|people|person|travell?er|seat|pax|party|人")


def counted_in(text: str, parameter: Parameter) -> Iterator[tuple[float, str]]:
    """(number, words) of a text that may be this parameter's value."""
    text = unicodedata.normalize("NFKC", text).casefold()
    told = parameter.title
    for mask, exempt in _MASKS:
        if not exempt.search(told):
            text = mask.sub(" ; ", text)
    text = _LABELLED.sub(lambda found: found[0] if (found["of"] or found["han"]) in parameter.about else " ; ", text)
    text = _IDIOM.sub(" ; ", text)
    yield from numbers_in(text)


def counts(parameter: Parameter) -> bool:
    return ParameterKind.COUNT in parameter.kinds


def one_in(text: str, parameter: Parameter) -> str | None:
    """The words of a text that ask for a single thing: "a ticket", "buy it", 来一条; None where none do."""
    text = unicodedata.normalize("NFKC", text).casefold()
    generic = _GENERIC.search(parameter.title) is not None
    bare = _IDIOM.sub(" ; ", text)
    for one in _ONE.finditer(bare):
        nouns = _NOUN_ENDS.split(one[1] or "")[0].split()
        of_it = any(alike(noun, word) or word == f"{noun}s" for noun in nouns for word in parameter.about.split())
        if (
            (generic and _is_ordered(bare, one))
            or of_it
            or nouns[:1] == ["one"]
            or any(sign and sign in parameter.about for sign in one.groups()[1:])
        ):
            return one[0].strip()
    if generic and (found := _SINGULAR.search(text)):
        noun = _NOUN_ENDS.split(found["noun"] or "it")[0].strip()
        if noun and (noun.endswith("ss") or not noun.endswith("s")):
            return found[0].strip()
    if generic and (found := _THIS.search(text) or (None if _SEVERAL.search(text) else _BUYING.search(text))):
        return found[0]
    if _PERSONS.search(parameter.title) and (found := _ALONE.search(text)):
        return None if _several_persons(text) else found[0]
    return None


def _is_ordered(text: str, one: re.Match[str]) -> bool:
    """Does "a ..." stand where something is asked for, and not in another part ("After a quarrel, order beans")?"""
    parts = [(found.span(), _ORDERED.search(found[0])) for found in _PART.finditer(text)]
    own = next((asks for (start, end), asks in parts if start <= one.start() < end), None)
    return bool(own) or not any(asks for _, asks in parts)


def _several_persons(text: str) -> bool:
    return (
        re.search(r"\b(?:we|us|our|and|with|friends|family|both|tickets|seats)\b|我们|咱|和|一家|朋友", text)
        is not None
    )
