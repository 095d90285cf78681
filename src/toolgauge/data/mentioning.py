"""Does a text mention a fact? What counts: docs/rules.md#facts-in-replies."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from decimal import Decimal

from toolgauge.data.acceptance import Fact
from toolgauge.languages import HAN, has_han

LONGEST = 100_000
"""Characters of a reply that are searched."""
MAX_WORDING = 1000
"""Characters of a wording; longer ones are never found, which `data check` says."""
_NUMBER = re.compile(r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?", re.ASCII)
_DASHES = ("-", "\u2212")
_JOINING = (".", ",", ":")
_MARKS = str.maketrans("", "", "*`_")
"""Emphasis of Markdown, which may stand inside a fact."""


class Said:
    """A text in which facts are looked up."""

    def __init__(self, text: str) -> None:
        self.text = _folded(text[:LONGEST])
        self.dense = "".join(self.text.split())
        self.numbers = frozenset(_numbers(self.text))

    def mentions(self, fact: Fact) -> bool:
        """Whether any wording of the fact is there."""
        return any(self._has(wording) for wording in fact)

    def _has(self, wording: str | int | float) -> bool:
        if not isinstance(wording, str):
            return Decimal(str(wording)) in self.numbers
        wanted = _folded(wording)
        text = self.dense if has_han(wanted) else self.text
        wanted = "".join(wanted.split()) if has_han(wanted) else wanted
        return any(_is_whole(text, start, start + len(wanted)) for start in _places(text, wanted))


def _folded(text: str) -> str:
    """Without case, widths of characters, emphasis, and with single blanks."""
    text = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(text.translate(_MARKS).split())


def _places(text: str, wanted: str) -> Iterator[int]:
    start = text.find(wanted) if 0 < len(wanted) <= MAX_WORDING else -1
    while start >= 0:
        yield start
        start = text.find(wanted, start + 1)


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether a piece of a text is no part of a longer word or number; Chinese is written without gaps."""
    before, first, last, behind = text[start - 1 : start], text[start], text[end - 1], text[end : end + 1]
    if (_in_word(first) and _in_word(before)) or (_in_word(last) and _in_word(behind)):
        return False
    return not (last.isdigit() and behind in (".", ",") and text[end + 1 : end + 2].isdigit())


def _in_word(character: str) -> bool:
    return character.isalnum() and HAN.match(character) is None


def _numbers(text: str) -> Iterator[Decimal]:
    """The numbers of a text, none of them part of an id such as FA-12 or BK4471."""
    for found in _NUMBER.finditer(text):
        start = found.start()
        before, further = text[start - 1 : start], text[start - 2 : start - 1] if start > 1 else ""
        end = found.end()
        if _in_word(before) or (before in _JOINING and further.isdigit()):
            continue
        if text[end : end + 1] == ":" and text[end + 1 : end + 2].isdigit():
            continue  # a time
        negative = before in _DASHES
        number = Decimal(found[0].replace(",", ""))
        if not (negative and _in_word(further)):
            yield -number if negative else number
        elif further.isdigit():
            yield number  # the second of a range such as 12-14
