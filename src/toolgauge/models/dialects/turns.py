"""What of a text is this turn's, and what of that is thinking, before calls are looked for in it.

A server stops at the mark that ends a turn. Where it does not (another template than the model's, a base model), the
model goes on and plays the user or the tool: what it writes there is not what it had to say.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec.structs import replace

from toolgauge.call_problems import CallProblem
from toolgauge.models.dialects.calls import Parsed
from toolgauge.models.endings import MARK

THINK = r"<think(?::[\w-]{1,32})?>", r"</think(?::[\w-]{1,32})?>"
"""Patterns of the common marks of thinking; Hunyuan 3 has a word of its own in them."""


def after_thinking(
    text: str, read: Callable[[str], Parsed], marks: tuple[str, str] = THINK, call_mark: str = ""
) -> Parsed:
    """What `read` finds behind the thinking with which a reply begins; without thinking, in all of it.

    own: patterns of a family's own marks of thinking; the common ones are looked for where a text has none of them. A
    closing mark alone ends a block too, for servers and templates that put the opening one into the prompt, unless the
    text reads as calls and nothing else: then the mark belongs to an argument. Models forget the closing mark when they
    call: where there is none, `call_mark` (a pattern) ends the block if nothing but calls follows.
    """
    begun = re.match(rf"\s*+(?:{marks[0]})", text)
    if not begun and not re.search(marks[1], text):
        marks = THINK
        begun = re.match(rf"\s*+(?:{marks[0]})", text)
    start = begun.end() if begun else 0
    closed = re.compile(marks[1]).search(text, start)
    if closed is None:
        return _broken_off(text[start:], read, call_mark) if begun else read(text)
    if not begun:
        whole = read(text)
        if whole.calls and whole.content is None and whole.problem is None:
            return whole
    parsed = read(text[closed.end() :])
    thoughts = "\n".join(part for part in (text[start : closed.start()].strip(), parsed.reasoning) if part)
    return replace(parsed, content=(parsed.content or "").strip() or None, reasoning=thoughts or None)


def _broken_off(thought: str, read: Callable[[str], Parsed], call_mark: str) -> Parsed:
    """Thinking without its closing mark: ended by calls, or not at all."""
    mark = re.search(call_mark, thought) if call_mark else None
    parsed = read(thought[mark.start() :]) if mark else Parsed()
    if mark and parsed.calls and parsed.content is None and parsed.problem is None:
        return replace(parsed, reasoning=thought[: mark.start()].strip() or None)
    return Parsed(None, (), thought.strip() or None, CallProblem.UNFINISHED_THINKING)


MOST_MARKS = 8
"""Marks at which the end of a turn is looked for."""


def this_turn(text: str, read: Callable[[str], Parsed]) -> Parsed:
    """What `read` finds in a text up to the end of the turn; it never sees the mark that ends it.

    A mark in an argument of a call or in thinking belongs there: the whole text is calls and nothing else, or the text
    up to the mark is broken, and up to a later one, or to its end, it is not. Behind the first result that the model
    invented no call is read; what is said there stays text.
    """
    marks = list(MARK.finditer(text))
    if not marks:
        return read(text)
    parsed = read(text)
    if parsed.calls and not (parsed.content or parsed.problem):
        return parsed
    first = parsed = read(text[: marks[0].start()])
    number = 0
    while parsed.problem and number < min(len(marks), MOST_MARKS):
        number += 1
        parsed = read(text[: marks[number].start()] if number < len(marks) else text)
    if parsed.problem:  # broken all the same
        parsed, number = first, 0
    if number == len(marks) or marks[number]["end"]:
        return parsed
    end = next((mark.start() for mark in marks[number:] if mark["end"]), len(text))
    rest = text[marks[number].start() : end].strip()
    return replace(parsed, content=f"{parsed.content.rstrip()}\n{rest}" if parsed.content else rest)
