"""Texts that whoever calls composes, and patterns, queries and paths that are made of what was said.

A text that a tool wants written (a mail, a note, a commit message, code) has no source and needs none: its source is
`composed`. What it claims is checked (facts.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolgauge.annotation.grounding.context import LONGEST, Context, ContextItem, ValueSource
from toolgauge.annotation.grounding.facts import MOST, facts_without_source
from toolgauge.annotation.grounding.moments import date_or_time
from toolgauge.annotation.grounding.parameters import Parameter, ParameterKind
from toolgauge.annotation.grounding.points import point_of
from toolgauge.annotation.grounding.values import quote_of, words
from toolgauge.languages import HAN, has_han

COMPOSED = "composed"
LONG_WORDS, LONG_HAN = 8, 20
"""Words, or Chinese characters, of a text so long that it was surely written for the call."""
LABEL_WORDS = 2
_KINDS_OF_FILES = {
    "markdown": "md", "python": "py", "notebook": "ipynb", "javascript": "js jsx", "typescript": "ts tsx",
    "yaml": "yml", "text": "txt",
    "image photo picture 图 照片": "jpg jpeg png svg gif webp", "rust": "rs", "ruby": "rb",
    "excel spreadsheet 表格": "xlsx csv", "word 文档": "docx", "c++": "cpp", "shell bash 脚本": "sh", "html": "htm",
    "config 配置": "cfg toml ini conf", "audio music song 音乐 音频": "mp3 wav", "video 视频": "mp4 mov",
    "archive 压缩": "zip tar gz", "latex": "tex", "slides powerpoint presentation 幻灯片": "pptx", "logs 日志": "log",
    "kotlin": "kt", "golang": "go", "c#": "cs",
}  # fmt: skip
_EXTENSIONS = {ending: called.split() for called, endings in _KINDS_OF_FILES.items() for ending in endings.split()}
"""What files of a kind are called."""
_ENDINGS = frozenset({"json", "csv", "html", "css", "pdf", "xml", "yaml", "java", "c", "h"})
_COMMON_HAN = frozenset("的了我你他她它是在有和不一个这那就也要好吗呢请把给为与及到对上下中人日月年时")
_SYNTAX = frozenset(
    {"http", "https", "www", "true", "false", "null", "and", "or", "not", "i", "s", "w", "d", "b", "p", "x"}
)
_CODE = re.compile(
    r"\b(?:select|insert|update|delete)\b.{0,500}\b(?:from|into|set)\b|^[-+*/\d.()\s%^]+$|[a-z_]\(.{0,500}\)|[;{}]\s*$",
    re.IGNORECASE | re.DOTALL,
)
_OPERATOR = re.compile(r"(?<!\w)-?[a-z_]{2,20}:[^\s/]")
"""Of the query languages of mail and code search: `from:ana after:2025/03/10`."""
_IN_PATTERNS = re.compile(r"\[[^\]\n]{0,100}\]|\\[a-zA-Z]|\{\d{0,4},?\d{0,4}\}|\(\?[a-z:=!<]{1,3}")
"""Sets, classes and counts of regular expressions."""
_LITERAL = re.compile(r"'([^'\n]{1,200})'|\"([^\"\n]{1,200})\"")
_CAPITALS = re.compile(r"(?<![\w'\"])[A-Z][A-Z_]+(?![\w'\"(])")
_PATH = re.compile(r"(?<![\w:/.])(?:~|\.{1,2})?(?:/[\w.-]{1,100}){1,12}")
_USUAL_PATHS = re.compile(r"/?(?:tmp|dev|null|usr|bin|etc|env|local|opt)(?:/|$)")
_KEYWORDS = re.compile(
    r"SELECT|FROM|WHERE|AND|OR|NOT|IN|IS|NULL|I?LIKE|BETWEEN|GROUP|ORDER|BY|HAVING|LIMIT|OFFSET|JOIN|LEFT|RIGHT|INNER|OUTER"
    r"|FULL|ON|AS|ASC|DESC|DISTINCT|COUNT|SUM|AVG|MIN|MAX|CASE|WHEN|THEN|ELSE|END|UNION|ALL|EXISTS|INSERT|INTO|VALUES|UPDATE"
    r"|SET|DELETE|CREATE|TABLE|DATE|EXTRACT|YEAR|MONTH|DAY|INTERVAL|CAST|COALESCE|UPPER|LOWER|WITH|OVER|PARTITION|TRUE|FALSE"
    r"|INTEGER|INT|TEXT|REAL|BLOB|VARCHAR|CHAR|DECIMAL|NUMERIC|BOOLEAN|TIMESTAMP|SERIAL|PRIMARY|FOREIGN|KEY|UNIQUE|DEFAULT"
    r"|CHECK|REFERENCES|AUTO_?INCREMENT|INDEX|VIEW|DROP|ALTER|ADD|COLUMN|IF|CURRENT_(?:DATE|TIMESTAMP)|ROUND|DESCRIBE|SHOW"
    r"|NOW|CURRENT|DATE_TRUNC|STRFTIME|EMPTY|TO|MATCH|RETURN|URL|HTTP|GET|POST|JSON|API"
)


def composed(value: str, parameter: Parameter, context: Context) -> ValueSource | None:
    """The source of a text that was written for the call; `unsaid` in it where it claims what nobody said."""
    is_shape = parameter.is_shape and len(value.split()) == 1
    searched = parameter.title in ("query", "q", "search", "filter") and _OPERATOR.search(value) is not None
    if is_shape or not (searched or parameter.is_composed or _is_long(value, parameter)):
        return None
    if not _is_about_it(value, parameter, context):
        return None
    code = searched or ParameterKind.PATTERN in parameter.kinds or _CODE.search(value[:LONGEST]) is not None
    found = dict.fromkeys(facts_without_source(value, context, code=code))
    if code:
        found |= dict.fromkeys(_claims(value[:LONGEST], context))
    return ValueSource(COMPOSED, note="written for the call", unsaid=tuple(found)[:MOST])


def _is_about_it(value: str, parameter: Parameter, context: Context) -> bool:
    """Has a short text a word in common with what was said? A long one, and a query, need none."""
    if ParameterKind.PATTERN in parameter.kinds or _is_long(value, parameter):
        return True
    return any(context.has_word(part) or (has_han(part) and context.holds(part)) for part in words(value)) or any(
        sign in one.folded for sign in HAN.findall(value) for one in context.said if sign not in _COMMON_HAN
    )


def _is_long(value: str, parameter: Parameter) -> bool:
    """Is it so long that nobody can have meant it to be a name or a place?"""
    if (
        parameter.is_strict
        or parameter.title.endswith("name")
        or ParameterKind.PLACE in parameter.kinds
        or ParameterKind.INPUT in parameter.kinds
        or parameter.schema.keys() & {"enum", "pattern", "format"}
    ):
        return False
    return len(value.split()) >= LONG_WORDS or len(HAN.findall(value)) >= LONG_HAN


def _claims(code: str, context: Context) -> Iterator[str]:
    """Names in a query or a command: literals with signs or capitals in them, words in capitals, paths."""
    for found in _LITERAL.finditer(code):
        text = found[1] or found[2]
        if "%" in text or (text.isalpha() and text.islower()):
            continue
        if not (date_or_time(text, context) if point_of(text) else _is_said(text, context)):
            yield text
    for found in _CAPITALS.finditer(_LITERAL.sub(" ", code)):
        if not _KEYWORDS.fullmatch(found[0]) and not _is_said(found[0], context):
            yield found[0]
    for found in _PATH.finditer(code):
        if not _USUAL_PATHS.match(found[0]) and not _is_said(found[0], context):
            yield found[0]


def _is_said(text: str, context: Context) -> bool:
    """Is every word of a text given, in any order, or a number or date that follows?"""
    return all(_is_given(word, context) for word in words(text)) or (
        not re.search("[^\\W\\d]", text) and not facts_without_source(text, context)
    )


def _is_given(word: str, context: Context) -> bool:
    known = _EXTENSIONS.get(word, [])
    if word in _SYNTAX or context.has_word(word) or any(context.has_word(one) for one in known):
        return True
    if has_han(word) or any(has_han(one) for one in known):
        return any(sign in item.folded for sign in (word, *known) if has_han(sign) for item in context.items)
    return word.isdecimal() and len(word) < 16 and any(float(word) in item.numbers for item in context.items)


def put_together(value: str, context: Context) -> ValueSource | None:
    """A pattern, path or address all of whose words were given, apart from its signs: `**/*.md`, notes/plan.txt."""
    parts = list(dict.fromkeys(part for part in words(_IN_PATTERNS.sub(" ", value[:LONGEST])) if part not in _SYNTAX))
    if not parts and _IN_PATTERNS.search(value):
        return ValueSource(COMPOSED, note="a pattern without words")
    if not parts or not all(_is_given(part, context) for part in parts):
        return None
    for one in context.by_weight:
        for part in (parts[0], *_EXTENSIONS.get(parts[0], [])):
            if one.has_word(part) or (has_han(part) and part in one.folded):
                return one.source(_place(part, one), "put together from these words")
    return ValueSource(COMPOSED, note="put together from what was said")


def file_named(value: str, context: Context) -> ValueSource | None:
    """A file that was named without its ending, where no other ending was given."""
    stem, _, ending = value.rpartition(".")
    if not stem or ending.casefold() not in {*_EXTENSIONS, *_ENDINGS}:
        return None
    last = re.split(r"[/\\]", stem)[-1].casefold()
    if any(f"{last}." in one.text.casefold() for one in context.items):
        return None
    return put_together(stem, context)


def _place(part: str, one: ContextItem) -> str:
    return "" if one.is_result else quote_of(part, one.text) or part


def label(value: str, parameter: Parameter) -> ValueSource | None:
    """A kind or a tag in a word or two: whoever calls sorts what was said."""
    plain = not any(char.isdigit() or char in "@/\\" for char in value) and value == value.casefold()
    if ParameterKind.LABEL in parameter.kinds and plain and len(value.split()) <= LABEL_WORDS and 0 < len(value) <= 24:
        return ValueSource(COMPOSED, note="a label for what was said")
    return None
