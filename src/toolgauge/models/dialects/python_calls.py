"""Python calls behind a mark, in one list or one behind the other: LFM2, Gemma, Gorilla OpenFunctions.

What lies between two marks is gone through once, and read as ACEBench's lists are (ace_dialect.py); nothing is ever
run. Line breaks in strings are taken as they are: some families' templates write them so.
"""

from __future__ import annotations

import re

from msgspec import Struct

from toolgauge.call_problems import CallProblem, UnreadCall
from toolgauge.models.dialects.ace import Undecodable, decode_exact
from toolgauge.models.dialects.ace_dialect import mended, take_call
from toolgauge.models.dialects.bounded import OPEN_STRING, STRING
from toolgauge.models.dialects.dialect import Parsed
from toolgauge.models.dialects.named_call import read_marked
from toolgauge.models.dialects.reading import Reading

_LINES = STRING.replace(r"\n\r", "")
"""A string literal, which may have line breaks in it."""
_STRING = re.compile(rf"{_LINES}|{OPEN_STRING}", re.DOTALL)
_ROUND = re.compile(rf"(?P<open>\()|(?P<close>\))|{_LINES}|(?P<quote>{OPEN_STRING})", re.DOTALL)
_SQUARE = re.compile(rf"(?P<open>\[)|(?P<close>\])|{_LINES}|(?P<quote>{OPEN_STRING})", re.DOTALL)
_BREAK = re.compile(r"\\.|[\n\r]", re.DOTALL)
_BREAKS = {"\n": "\\n", "\r": "\\r"}
_LIST = re.compile(r"\s*+\[")
_PRINT = re.compile(r"\s*+print\(")
BARE = re.compile(r"\s*+[^\s\[\](){},=:'\"<>`]++\(")
"""The beginning of a call."""


class PythonCalls(Struct, frozen=True):
    """A `CallReader`.

    mark: announces calls, in brackets or not; closer: what must stand behind them (the piece of text up to the next
    mark ends there, too, if it may); gap: what may stand between two calls without brackets.
    """

    mark: re.Pattern[str]
    closer: re.Pattern[str]
    gap: re.Pattern[str]

    def read(self, text: str) -> Parsed:
        return read_marked(text, self.mark, self._take)

    def _take(self, reading: Reading, at: int) -> int:
        following = self.mark.search(reading.text, max(at, 1))  # the beginning of a text may be a mark, once
        piece = reading.text[at : following.start() if following else None]
        written, end = _in_brackets(piece) if _LIST.match(piece) else _in_a_row(piece, self.gap)
        closer = self.closer.match(piece, end)
        if closer is None and not self._is_cut(piece, end):
            raise UnreadCall(CallProblem.BROKEN_LIST)
        decoded = decode_exact(mended(_STRING.sub(_on_one_line, f"[{written}]")))
        if isinstance(decoded, Undecodable) or not decoded:
            raise UnreadCall(CallProblem.BROKEN_LIST)
        before = len(reading.calls)
        try:
            for call in decoded:
                take_call(reading, call)
        except UnreadCall:
            del reading.calls[before:]
            raise
        if closer is None:
            reading.blame(CallProblem.CUT_OFF)
        return at + (closer.end() if closer else end)

    def _is_cut(self, piece: str, end: int) -> bool:
        """Does a call stand behind these that has no end?"""
        opening = BARE.match(piece, _skip(self.gap, piece, end))
        return opening is not None and not _behind(piece, opening.end(), _ROUND)


def _in_brackets(piece: str) -> tuple[str, int]:
    """What stands in the list with which a piece begins, and the place behind it; raises UnreadCall."""
    start = piece.index("[") + 1
    end = _behind(piece, start, _SQUARE)
    if not end:
        raise UnreadCall(CallProblem.CUT_OFF)
    return piece[start : end - 1], end


def _in_a_row(piece: str, gap: re.Pattern[str]) -> tuple[str, int]:
    """The calls with which a piece begins, with commas between, and the place behind them; raises UnreadCall."""
    found: list[str] = []
    end = 0
    at = _skip(gap, piece, 0)
    while opening := BARE.match(piece, at):
        closed = _behind(piece, opening.end(), _ROUND)
        if not closed:
            break
        found.append(_unprinted(piece[at:closed]))
        end, at = closed, _skip(gap, piece, closed)
        if at == end:
            break
    if not found:
        raise UnreadCall(CallProblem.CUT_OFF if opening or not piece.strip() else CallProblem.BROKEN_LIST)
    return ", ".join(found), end if opening else at


def _skip(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at


def _behind(piece: str, at: int, brackets: re.Pattern[str]) -> int:
    """Behind the bracket that closes the one before `at`; 0 without one. Brackets in strings are none."""
    depth = 1
    for token in brackets.finditer(piece, at):
        depth += (token.lastgroup == "open") - (token.lastgroup == "close")
        if depth == 0:
            return token.end()
        if token.lastgroup == "quote":
            return 0
    return 0


def _unprinted(call: str) -> str:
    """A call without the `print` around it."""
    printed = _PRINT.match(call)
    inner = call[printed.end() : -1] if printed else ""
    opening = BARE.match(inner)
    return inner if opening and _behind(inner, opening.end(), _ROUND) == len(inner.rstrip()) else call


def _on_one_line(string: re.Match[str]) -> str:
    """A string literal with its line breaks written out."""
    if string[0].startswith(('"""', "'''")):
        return string[0]
    return _BREAK.sub(lambda found: _BREAKS.get(found[0], found[0]), string[0])
