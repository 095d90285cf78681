"""Texts from other people's files, made fit to be shown. They are data, whatever they say."""

from __future__ import annotations

import re
import unicodedata

from toolgauge.languages import HAN

_KEY = re.compile(r"\b(?:sk|pk|gh[pousr]|xox[abp])[-_][A-Za-z0-9_-]{6,}|\bBearer\s+\S+", re.IGNORECASE)
_BLANKS = re.compile(r"[ \t]+")
_EMPTY_LINES = re.compile(r"\n{3,}")
_DEPRECATED = re.compile(
    r"\bDEPRECATED\b|(?i:^\W{0,3}deprecated\b|[(\[]deprecated[)\]]"
    r"|\b(?:this (?:tool|method|function|endpoint|operation)|it) (?:is|has been) (?:now )?deprecated)"
    r"|已(?:弃用|废弃|停用)|此(?:工具|接口)(?:即将)?(?:弃用|废弃)",
    re.MULTILINE,
)
_LETTER = re.compile(r"[^\W\d_]")


def tidy(text: object, limit: int) -> str:
    """A text without control and invisible characters, blanks single, cut at a word where it is longer than `limit`."""
    if type(text) is not str:
        return ""
    whole = text[: 8 * limit].replace("\r\n", "\n").replace("\r", "\n")
    kept = "".join(char if char in "\n\t" or not _hidden(char) else " " for char in whole)
    lines = "\n".join(line.rstrip() for line in _BLANKS.sub(" ", kept).split("\n"))
    plain = _EMPTY_LINES.sub("\n\n", lines).strip()
    if len(plain) <= limit:
        return plain
    head = plain[: limit - 1]
    cut = max(head.rfind(" "), head.rfind("\n"), head.rfind("。") + 1, head.rfind("，") + 1)
    return (head[:cut] if cut > limit // 2 else head).rstrip() + "…"


def unmarked(text: str, limit: int) -> str:
    """A text from outside as part of an error: one line, with anything that looks like a key masked."""
    return _KEY.sub("***", " ".join(tidy(text, limit).split()))


def language_of(text: str) -> str:
    """ "zh" where a tenth of the letters or more are Chinese, "en" otherwise."""
    letters = len(_LETTER.findall(text))
    return "zh" if letters and len(HAN.findall(text)) * 10 >= letters else "en"


def calls_itself_deprecated(text: str) -> bool:
    """Whether a title or description says that its tool should no longer be used; "lists deprecated keys" does not."""
    return _DEPRECATED.search(text[:20_000]) is not None


def hidden_characters(text: str) -> bool:
    """Whether a text has characters that people cannot see but a model reads (controls, directions, tags, private
    use)."""
    return any(_hidden(char) and char not in "\n\t\r" for char in text)


def _hidden(char: str) -> bool:
    return unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Cn") and char not in "\u200c\u200d"
