"""Thinking blocks: set apart from what a reply says before calls are looked for in it."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from toolgauge.call_problems import CallProblem
from toolgauge.models.dialects.dialect import Parsed

THINK = ("<think>", "</think>")


def marks_of(text: str, own: tuple[str, str]) -> tuple[str, str]:
    """The marks of thinking in a text: a family's own, or the common ones where it has none of these."""
    return own if own[1] in text or text.lstrip().startswith(own[0]) else THINK


def after_thinking(
    text: str, read: Callable[[str], Parsed], marks: tuple[str, str] = THINK, call_mark: str = ""
) -> Parsed:
    """What `read` finds behind the thinking with which a reply begins; without thinking, in all of it.

    A closing mark alone ends a block too, for servers and templates that put the opening one into the prompt, unless
    the text reads as calls and nothing else: then the mark belongs to an argument. Models forget the closing mark when
    they call: where there is none, `call_mark` ends the block if nothing but calls follows.
    """
    opening, closing = marks
    start = text.lstrip()
    if start.startswith(opening):
        thought, closed, rest = start[len(opening) :].partition(closing)
        if not closed:
            return _broken_off(thought, read, call_mark)
    else:
        thought, closed, rest = text.partition(closing)
        if not closed:
            return read(text)
        whole = read(text)
        if whole.calls and whole.content is None and whole.problem is None:
            return whole
    said = read(rest)
    thoughts = "\n".join(part for part in (thought.strip(), said.reasoning) if part)
    return replace(said, content=(said.content or "").strip() or None, reasoning=thoughts or None)


def _broken_off(thought: str, read: Callable[[str], Parsed], call_mark: str) -> Parsed:
    """Thinking without its closing mark: ended by calls, or not at all."""
    before, mark, rest = thought.partition(call_mark) if call_mark else (thought, "", "")
    said = read(mark + rest) if mark else Parsed()
    if said.calls and said.content is None and said.problem is None:
        return replace(said, reasoning=before.strip() or None)
    return Parsed(None, (), thought.strip() or None, CallProblem.UNFINISHED_THINKING)
