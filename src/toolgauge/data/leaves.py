"""Values and texts made comparable: leaves of JSON with their paths, folded texts, and where a text holds a value."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from toolgauge.data.record import step
from toolgauge.languages import HAN, HAN_CHARACTERS, has_han

DEEPEST = 30
"""Levels of a JSON value that are looked at; model output may be nested without end."""
_SEPARATORS = re.compile(r"[\W_]+")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W\d_]{1,2}\b)?")
_HAN_APART = re.compile(f"([{HAN_CHARACTERS}]+)")
_FILLING = frozenset(
    {"a", "an", "and", "are", "as", "at", "be", "by", "for", "from", "i", "in", "is", "it", "its", "me", "my", "of"}
    | {"on", "or", "our", "so", "that", "the", "their", "them", "this", "to", "was", "we", "will", "with", "you"}
    | {"your", "please", "pls"}
)
"""Words that say nothing about where a text comes from."""


def leaves(value: object, path: str = "", depth: int = DEEPEST) -> Iterator[tuple[str, object]]:
    """Every scalar below a value with its path (`a.b`, `a[0]`); what is nested deeper than `depth` is left out."""
    if depth <= 0:
        return
    if isinstance(value, dict):
        for key, part in value.items():
            yield from leaves(part, f"{path}{step(key)}".lstrip("."), depth - 1)
    elif isinstance(value, list | tuple):
        for index, part in enumerate(value):
            yield from leaves(part, f"{path}[{index}]", depth - 1)
    else:
        yield path, value


def folded(text: str) -> str:
    """A text without case, blanks and punctuation; full-width letters as the usual ones."""
    return _SEPARATORS.sub("", unicodedata.normalize("NFKC", text).casefold())


def words(text: str) -> list[str]:
    """The words of a text that carry meaning, in lower case; of Chinese the pairs of neighbouring characters."""
    pieces: list[str] = []
    for match in _WORD.finditer(unicodedata.normalize("NFKC", text).casefold()):
        for part in _HAN_APART.split(match[0]):
            if HAN.match(part):
                pieces += [part[i : i + 2] for i in range(len(part) - 1)] or [part]
            elif part and part not in _FILLING:
                pieces.append(part)
    return pieces


def is_short(text: str) -> bool:
    """So short that it stands anywhere by chance: one or two letters or digits, one Chinese character."""
    plain = folded(text)
    return len(plain) < (2 if has_han(plain) else 3)


def quote_of(value: str, text: str) -> str | None:
    """The part of a text that says a value, apart from case, blanks and punctuation; None where it does not.

    Values in Latin letters and digits must be words of their own there: "on" does not stand in "London".
    """
    needle = folded(value)
    if not needle:
        return None
    positions, there = _unfolded(text)
    start = there.find(needle)
    while start >= 0:
        first, last = positions[start], positions[start + len(needle) - 1]
        if _is_apart(text, first, last):
            return text[first : last + 1]
        start = there.find(needle, start + 1)
    return None


_folded_sign = lru_cache(10_000)(folded)


@lru_cache(64)
def _unfolded(text: str) -> tuple[tuple[int, ...], str]:
    """A folded text, and the position of each of its characters in the text itself."""
    signs = [_folded_sign(char) for char in text]
    return tuple(index for index, sign in enumerate(signs) for _ in sign), "".join(signs)


def _is_apart(text: str, first: int, last: int) -> bool:
    """Does no letter of the same kind go on before or behind? A plural's s may."""
    before, behind = text[first - 1 : first], text[last + 1 : last + 2]
    if behind in ("s", "S") and text[last].isalpha() and not text[last + 2 : last + 3].isalnum():
        behind = ""
    return not (_joined(before, text[first]) or _joined(text[last], behind))


def _joined(left: str, right: str) -> bool:
    """Do two neighbouring characters belong to one word or number?"""
    if not (left and right):
        return False
    letters = left.isascii() and right.isascii() and left.isalpha() and right.isalpha()
    return letters or (left.isdigit() and right.isdigit())
