"""Which calls come after which others by the planner's words (edges.py has the table of what speaks for an edge)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

_SAYS = (
    r"answer|reply|replies|respond|summari[sz]e|report|tell|present|inform|finish|conclude|explain|confirm|compare|combine"
    r"|give (?:the user|an answer)|let (?:the user|them)|get back"
)
_CLOSING = re.compile(
    r"[,;]?\s{0,3}\b(?:and\s{1,3})?(?:then|finally|afterwards|after that|next|lastly)\b,?\s{0,3}"
    r"(?:(?:I|we|the assistant)(?:['’]ll| will| can| shall)?\s{1,3})?(?:(?:finally|simply|just|directly)\s{1,3})?"
    rf"(?:{_SAYS})\b[^.;\n]*"
    r"|[，,；;]?\s{0,3}(?:再|然后|随后|接着|之后|最后|最终|完成后)(?:再|统一|直接)?(?:向用户|给用户|对用户)?"
    r"(?:回答|答复|回复|总结|汇总|告诉|告知|反馈|整理|说明|比较|对比)[^。；;\n]*",
    re.IGNORECASE,
)
"""What is said of the answer orders no calls."""
_ORDER = re.compile(
    r"\b(?:sequential(?:ly)?|serial(?:ly)?|one after (?:the other|another)|one by one|then|followed by"
    r"|subsequent(?:ly)?|after (?:that|this|it|which|both|all)|afterwards|thereafter|once\b.{1,80}?,|as soon as"
    r"|depend(?:s|ing|ent)? (?:up)?on|based on|(?:using|with|from|needs?|requires?) the (?:results?|output|outcome)"
    r"|before\s{1,3}\w+ing|wait(?:s|ing)? for|step 1|first\b.{1,200}?\b(?:next|after|second(?:ly)?|finally))(?!\w)"
    r"|串行|依次|先后|先.{1,80}?[再后]|然后|随后|接着|之后|依赖|根据.{0,30}结果|拿到.{0,30}[后再]|(?:完成|成功|返回|结束)后"
    r"|等.{1,30}?(?:完成|返回|结束|成功|结果)|下一步|最后(?:再|调用)|第一步|，再",
    re.IGNORECASE | re.DOTALL,
)
_FREE = re.compile(
    r"\bindependent(?:ly)?\b|\bin any order\b|\border (?:does(?: not|n't) matter|is irrelevant)|\bunrelated\b"
    r"|\bdo(?:es)?(?: not|n't) (?:depend|need (?:each|one) other)|\bno dependenc"
    r"|互不依赖|[相互]互独立|相互独立|互不影响|互不相关|顺序无关|顺序不限|不分先后|[没无]有?依赖|没有先后",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[.!?。！？;；\n]+(?=\s|$|[^\w.])|[。！？；\n]+")
_AFTER = re.compile(
    r"\b(?:after|once|when|based on|using|with the results?|as soon as|depends? on|follow(?:s|ing))\b|依赖|根据|基于",
    re.I,
)
_BEFORE = re.compile(r"\bbefore\b[\s\w]{0,12}$|[之以]?前先?$", re.IGNORECASE)
_MARK = re.compile(
    r"\bthen\b|\bfollowed by\b|\bafter(?:wards| that| this| which|\b)|\bnext\b|\bbefore\b|\bsubsequently\b|->|→"
    r"|再|然后|随后|接着|后|下一步",
    re.IGNORECASE,
)
_SERIAL = re.compile(
    r"\b(?:sequential(?:ly)?|serial(?:ly)?|one after (?:the other|another)|in this order)\b|串行|依次|先后",
    re.IGNORECASE,
)


class Order(IntEnum):
    """What words say about two calls: nothing, that the calls of a task come in steps, or that these two do."""

    NONE = 0
    STEPS = 1
    NAMED = 2


class TellingSentence(NamedTuple):
    """A sentence that may order calls. places: of the tools that it names; free: it says that order does not matter."""

    text: str
    places: dict[str, re.Match[str]]
    free: bool


def order_of(sentences: Iterable[TellingSentence], before: str, after: str) -> Order:
    """What somebody's words, read by `telling`, say about calls of two tools."""
    found = Order.NONE
    for sentence, places, free in sentences:
        both = before in places and after in places and before != after
        if free:
            if both or set(places) in ({before}, {after}):
                return Order.NONE
        elif both:
            found = Order.NAMED if _follows(sentence, places[before], places[after]) else found
        elif _orders(sentence) and (not places or before in places or after in places):
            found = found or Order.STEPS
    return found


def telling(words: Iterable[str], tools: Iterable[str]) -> list[TellingSentence]:
    """The sentences that may order calls. tools: the names of all tools that the task calls."""
    names = tuple(dict.fromkeys(tools))
    return [sentence for said in dict.fromkeys(words) for sentence in _telling(said, names)]


@lru_cache(maxsize=1024)
def _telling(said: str, tools: tuple[str, ...]) -> tuple[TellingSentence, ...]:
    return tuple(one for text in _SENTENCE.split(_CLOSING.sub("", said)) for one in _read(text, tools))


def _read(text: str, tools: tuple[str, ...]) -> Iterator[TellingSentence]:
    if not text.strip():
        return
    places = {name: place for name in tools if (place := _mention(name).search(text))}
    orders = _orders(text)
    free = not orders and _FREE.search(text) is not None
    if orders or free or len(places) > 1:
        yield TellingSentence(text, places, free)


def _orders(sentence: str) -> bool:
    return any(pattern.search(_FREE.sub("", sentence)) for pattern in (_ORDER, _BEFORE))


def are_free(words: Iterable[str]) -> bool:
    """Whether somebody says that the calls need not wait for each other, and says nothing of an order."""
    said = [_CLOSING.sub("", one) for one in words]
    return any(_FREE.search(one) for one in said) and not any(map(_orders, said))


@lru_cache(maxsize=1024)
def _mention(name: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?<![\w-]){re.escape(name).replace('_', '[_ ]')}(?![\w-]*[A-Za-z0-9])", re.IGNORECASE | re.ASCII
    )


def _follows(sentence: str, before: re.Match[str], after: re.Match[str]) -> bool:
    """Whether a sentence puts what it mentions at one place before what it mentions at another."""
    if _SERIAL.search(sentence):
        return before.start() < after.start()
    if before.start() < after.start():
        return _MARK.search(sentence[before.end() : after.start()]) is not None
    between, head = sentence[after.end() : before.start()], sentence[: after.start()]
    return _AFTER.search(between) is not None or _BEFORE.search(head) is not None
