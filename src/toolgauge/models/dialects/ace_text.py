"""Where in a model's text the calls stand: bracket groups, reasoning, speech.

Source: docs/acebench.md#finding-the-calls; keys such as Q03: docs/acebench.md#readings.
"""

from __future__ import annotations

import re

from toolgauge.models.dialects.bounded import MAX_DEPTH, STRING

THINK, END_THINK = "<think>", "</think>"
MAX_GROUPS = 100
"""Bracket groups, from the end, among which the exact reading looks for calls."""
_MAX_WORK = 500_000
"""Brackets, strings and thousands of characters looked at before the rest of a text is left alone."""
_BRACKET = re.compile(r"[\[\]]")
_IN_GROUP = re.compile(rf"[\[\]]|{STRING}|[\"']", re.DOTALL)


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


def complete_groups(text: str) -> list[str]:
    """The last MAX_GROUPS complete bracket groups, none inside another; brackets in strings are none.

    Prose is not read for quotes: a string can only open inside a bracket. A bracket that is never closed is skipped.
    """
    groups: list[str] = []
    work = _MAX_WORK
    start = text.find("[")
    while start >= 0:
        end, used = _closing(text, start)
        work -= used
        if work < 0:
            break
        if end >= 0:
            groups.append(text[start:end])
        start = text.find("[", max(end, start + 1))
    return groups[-MAX_GROUPS:]


def _closing(text: str, start: int) -> tuple[int, int]:
    """Behind the bracket that closes the one at `start`, -1 without one; and the work it took."""
    depth = work = 0
    for token in _IN_GROUP.finditer(text, start):
        mark = token[0]
        work += 1 + len(mark) // 1000
        if mark == "[":
            depth += 1
            if depth > MAX_DEPTH:
                return -1, work
        elif mark == "]":
            depth -= 1
            if depth == 0:
                return token.end(), work
        elif len(mark) == 1:  # a quote that no other one closes
            return -1, work + _line_length(text, token.start()) // 1000
    return -1, work + (len(text) - start) // 1000


def _line_length(text: str, start: int) -> int:
    end = text.find("\n", start)
    return (len(text) if end < 0 else end) - start


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
