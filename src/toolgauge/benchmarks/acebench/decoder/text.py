"""Where in a model's text the calls stand: bracket groups, reasoning, speech.

Source: docs/acebench.md#finding-the-calls; keys such as Q03: docs/acebench.md#scorings.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cached_property
from itertools import chain

from toolgauge.benchmarks.acebench.decoder.values import MAX_DEPTH

THINK, END_THINK = "<think>", "</think>"
MAX_GROUPS = 100
"""Bracket groups, from the end, among which the scoring `exact` looks for calls."""
_MAX_WORK = 500_000
"""Brackets and strings looked at before the rest of a text is left alone."""
_BRACKET = re.compile(r"[\[\]]")
_IN_GROUP = re.compile(r"[\[\]\"']")
_UNESCAPED = re.compile(r"\\.|(?P<mark>[\"'\n\r])", re.DOTALL)


def first_group(text: str) -> str | None:
    """The released rule: from the first `[` at depth 0 to the `]` that closes it, quotes not honoured (Q03)."""
    depth, start = 0, -1
    for bracket in _BRACKET.finditer(text):
        if bracket[0] == "[":
            if depth == 0:
                start = bracket.start()
            depth += 1
            continue
        depth -= 1
        if depth == 0 and start >= 0:
            return text[start : bracket.end()]
    return None


class _Strings:
    """Where the string literals of a text end, each found without reading it again.

    What is escaped in a literal does not depend on where it began: a literal begins behind a quote, so before or behind
    a whole row of backslashes.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        """Where quotes, three quotes and ends of lines stand that no backslash escapes."""
        places: dict[str, list[int]] = {mark: [] for mark in ("'", '"', "'''", '"""', "\n")}
        for found in _UNESCAPED.finditer(self._text):
            if mark := found["mark"]:
                at = found.start()
                places["\n" if mark == "\r" else mark].append(at)
                if mark in "'\"" and self._text.startswith(mark * 3, at):
                    places[mark * 3].append(at)
        return places

    def behind(self, at: int) -> int:
        """The place behind the literal that the quote at a place begins; -1 where it is never closed."""
        quote = self._text[at]
        if self._text.startswith(quote * 3, at):
            end = self._next(quote * 3, at + 3)
            if end < len(self._text):
                return end + 3
        end = self._next(quote, at + 1)
        return end + 1 if end < self._next("\n", at + 1) else -1

    def _next(self, mark: str, at: int) -> int:
        places = self._places[mark]
        found = bisect_left(places, at)
        return places[found] if found < len(places) else len(self._text)


class _Groups:
    """Where the brackets of a text are closed. What closes a bracket does not depend on those around it, so none is
    gone through twice."""

    def __init__(self, text: str) -> None:
        self._text, self._strings = text, _Strings(text)
        self._known: dict[int, tuple[int, int]] = {}
        self.work = 0

    def behind(self, start: int) -> int:
        """The place behind the bracket that closes the one at `start`; -1 where none does, or it is nested too deep."""
        if start not in self._known:
            self._known.update(dict.fromkeys(self._go_through(start), (-1, 0)))
        return self._known[start][0]

    def _go_through(self, start: int) -> list[int]:
        """Note what closes the brackets from one on, until that one is closed. Returns those that are never closed, and
        the strings that stand right in them: from there, nothing is closed."""
        opened: list[int] = []
        inside: list[int] = []  # the levels of brackets found within each
        strings: list[list[int]] = []  # right in each
        at = start
        while at >= 0 and (found := _IN_GROUP.search(self._text, at)) and self.work <= _MAX_WORK:
            mark, place, at = found[0], found.start(), found.end()
            self.work += 1
            if mark == "]":
                strings.pop()
                levels = inside.pop() + 1
                self._known[opened.pop()] = at if levels <= MAX_DEPTH else -1, levels
                if not opened:
                    break
                inside[-1] = max(inside[-1], levels)
            elif place in self._known:
                at, levels = self._known[place]
                inside[-1] = max(inside[-1], levels)
            elif mark == "[":
                opened.append(place)
                inside.append(0)
                strings.append([])
            else:
                strings[-1].append(place)
                at = self._strings.behind(place)
        return [*opened, *chain.from_iterable(strings)]


def complete_groups(text: str) -> list[str]:
    """The last MAX_GROUPS complete bracket groups, none inside another; brackets in strings are none.

    Prose is not read for quotes: a string can only open inside a bracket. A bracket that is never closed is skipped.
    """
    found: list[str] = []
    groups = _Groups(text)
    start = text.find("[")
    while start >= 0:
        end = groups.behind(start)
        if groups.work > _MAX_WORK:
            break
        if end >= 0:
            found.append(text[start:end])
        start = text.find("[", max(end, start + 1))
    return found[-MAX_GROUPS:]


def looks_like_calls(text: str) -> bool:
    """Whether a `[` and, later on the same line, a `]` stand in it; otherwise it is speech to the user."""
    for line in text.split("\n"):
        opened = line.find("[")
        if opened >= 0 and line.find("]", opened) >= 0:
            return True
    return False


def strip_reasoning(text: str) -> str:
    """The text without its <think> blocks; an unfinished block goes to the end of the text.

    A `</think>` that nothing opened (servers that put the opening mark into the prompt) ends a block that began with
    the text.
    """
    if THINK not in text and END_THINK not in text:
        return text
    kept: list[str] = []
    position = 0
    first_end = text.find(END_THINK)
    if first_end >= 0 and not 0 <= text.find(THINK) < first_end:
        position = first_end + len(END_THINK)
    while True:
        start = text.find(THINK, position)
        if start < 0:
            kept.append(text[position:])
            break
        kept.append(text[position:start])
        end = text.find(END_THINK, start)
        if end < 0:
            break
        position = end + len(END_THINK)
    return "".join(kept)
