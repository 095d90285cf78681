"""What models write instead of data: an ellipsis or words for a rest, and placeholders.

What belongs to data stays: "Wait..." in a message, a plot that breaks off, a preview, 等 in 等级 and at the end of
prose. A text that somebody said before is the caller's business.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolgauge.annotation.grounding.values import leaves
from toolgauge.languages import HAN_CHARACTERS

_DOTS = re.compile(r"\.{3}|…")
_THINGS = r"(?:items?|entries|entry|results?|rows?|records?|elements?|lines?|products?|messages?|files?|data|code)"
_GONE = r"(?:omitted|truncated|not shown|left out|follow)(?: for brevity)?"
_REST = re.compile(
    rf"(?:and )?(?:\d+|many|several|some) (?:more|others?|additional|remaining)(?: {_THINGS})?(?: {_GONE})?"
    rf"|and (?:more|others|the rest)|etc|and so (?:on|forth)|{_GONE}"
    rf"|(?:the )?(?:more|remaining|other|further|additional|rest of the) {_THINGS}(?: here| below| {_GONE})?"
    r"|(?:以下|其余|其他|其它|剩余|后续|此处)?[^，。；]{0,6}(?:省略|略去)[^，。；]{0,10}|(?:还有|另有)\d+[条个项家位部首件].{0,4}|等等",
    re.IGNORECASE,
)
"""A text that is nothing but words for what was left out."""
_MORE = re.compile(r"(?:and )?\d+ (?:more|others?|further) \w+|等\d+[人个条项位家]", re.IGNORECASE)
_EDGES = " \t\n.…,;:!*/#-_()[]{}<>\"'，。；：（）【】"
_LONGEST_REST = 80
_INSIDE = re.compile(
    r"\[(?:\.{3}|…)\]"
    r"|(?:^|[ \t])(?://|#|/\*|<!--|--)[ \t]*(?:(?:\.{3}|…)|(?:more|other|remaining|rest of|the rest)\b.{0,20}"
    r"\b(?:items|entries|results|rows|records|code|lines|here|below)\b)"
    r"|\b(?:omitted|truncated) for brevity\b",
    re.IGNORECASE | re.MULTILINE,
)
_HAN = rf"[{HAN_CHARACTERS}·\w]"
_LIST_WITH_REST = re.compile(r"[\w-]{1,20}(?:、[\w-]{1,20})+等[。.]?")
"""An enumeration and nothing else, with 等 for a rest."""
_ITEM_WITH_REST = re.compile(rf"{_HAN}{{1,8}}(?<![一二三四五六七八九十特头优高中初平同相不何上下次甲乙丙丁均对劣])等")

_NOBODY = re.compile(
    r"string|placeholder|lorem ipsum\b.*|foo(?:bar)?|sample (?:text|data|value|name)|example (?:text|data|value|name)"
    r"|some (?:text|value|string)|text here|your[ _-]\w+(?:[ -]\w+){0,2}[ -]?|(?:insert|enter) .{1,30} here|name here"
    r"|0?123456789\d?|13800138000|1381234\d{4}|张三|李四|某某.{0,4}|示例(?:文本|数据|内容|名称|地址)?|占位符?|测试(?:数据|文本)"
    r"|<[a-z]+(?:[ _-][a-z]+)*>|\{\{[^{}]*\}\}|\$\{[^{}]*\}|\[[a-z]+(?:[ _-][a-z]+)+\]",
    re.IGNORECASE | re.DOTALL,
)
"""A whole value that stands for one."""
_NOBODYS = re.compile(
    r"\b(?:user|name|email|mail|test|info|someone|example|your\w*|(?:john|jane)[._]?(?:doe|smith)?|zhangsan|lisi)\d*"
    r"@example\.(?:com|org|net)\b|https?://(?:www\.|api\.)?example\.(?:com|org|net)\b\S{0,80}"
    r"|\b(?:John|Jane) (?:Doe|Smith)\b|\b123 (?:Main|Fake|Example) St(?:reet|\.)?|\bAnytown\b"
    r"|\blorem ipsum\b|[X×]{2}(?:路|街|号|公司|市|先生|女士)",
    re.IGNORECASE,
)
"""Part of a value that no real thing has. Addresses of people and hosts below example.com
are chosen on purpose, for they harm nobody."""
_DESCRIBES = re.compile(
    r"(?:^|[._])(?:\w*type|format|kind|schema|dtype|tag|element|html|template|pattern)(?:\[\d+\])?\Z", re.I
)
"""Fields where "string" and "<p>" are values."""


def left_out(response: object) -> Iterator[tuple[str, str]]:
    """(path, words) of what stands in a result for something that was left out."""
    for path, value in leaves(response):
        if not isinstance(value, str):
            continue
        inside = _INSIDE.search(value)
        if _is_rest(value) or _LIST_WITH_REST.fullmatch(value):
            yield path or "response", value
        elif path.endswith("]") and (_ITEM_WITH_REST.fullmatch(value) or _is_rest_of_list(value)):
            yield path, value
        elif inside or _is_cut(value):
            yield path or "response", inside[0].strip() if inside else value


def _is_rest(value: str) -> bool:
    """Is a text nothing but an ellipsis, or words for what was left out?"""
    bare = value.strip(_EDGES)
    return bool(_DOTS.search(value)) if not bare else len(value) <= _LONGEST_REST and bool(_REST.fullmatch(bare))


def _is_rest_of_list(value: str) -> bool:
    """Is a member of a list a number of further members ("3 more notes", "… (12)")?"""
    bare = value.strip(_EDGES)
    is_counted = bool(_DOTS.match(value)) and len(value) <= _LONGEST_REST and any(map(str.isdigit, value))
    return is_counted or bool(_MORE.fullmatch(bare))


def _is_cut(value: str) -> bool:
    """Is it an id, an address or a key of which only the beginning is there? A word ("Wait...") is none."""
    bare = value.removesuffix("…").removesuffix("...")
    return (
        bare != value
        and len(bare) >= 8
        and bare.isascii()
        and not any(map(str.isspace, bare))
        and any(map(str.isdigit, bare))
    )


def stand_in(value: str, path: str) -> str:
    """The part of a value that is a placeholder; "" for none."""
    if _NOBODY.fullmatch(value.strip()) and not _DESCRIBES.search(path):
        return value
    found = _NOBODYS.search(value)
    return found[0] if found else ""
