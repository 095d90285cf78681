"""How replies of agents are read: bounded, tolerant of wrapping, strict about content."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from toolgauge.chat import Json, Reply
from toolgauge.data.lines import MAX_DEPTH, within_depth

MOST_CHARACTERS = 200_000
"""A reply that is longer is not read."""
PREFIXES = (
    "user", "planner", "tool", "agent assistant", "agent", "checker_planner", "checker_tool",
    "用户", "agent助手", "助手", "规划者", "工具",
)  # fmt: skip
"""How speakers are announced in the papers' files; models put it in front of what they say."""

_PREFIX = re.compile(rf"^\s*(?:{'|'.join(re.escape(name) for name in PREFIXES)})\s*[:：]\s*", re.IGNORECASE)
_FENCE = re.compile(r"```[ \t]*([\w-]*)[ \t]*\n(.*?)(?:\n[ \t]*```|\Z)", re.DOTALL)


class Unreadable(Exception):
    """A reply that does not hold what was asked for; the text says why, in English, for people and logs."""


def text_of(reply: Reply) -> str:
    """What was said, without a speaker's name in front. Raises Unreadable for nothing, or far too much."""
    text = reply.content or ""
    if len(text) > MOST_CHARACTERS:
        raise Unreadable(f"the reply has {len(text):,} characters")
    text = _PREFIX.sub("", text, count=1).strip()
    if not text:
        raise Unreadable("the reply is empty")
    return text


def json_of(text: str) -> Json:
    """The JSON object in a text: the last fenced block that is one, or the text itself, or what stands between its
    first and last brace. Raises Unreadable where there is none."""
    blocks = [found[2] for found in _FENCE.finditer(text)]
    candidates = [*reversed(blocks), text]
    if "{" in text and "}" in text:
        candidates.append(text[text.index("{") : text.rindex("}") + 1])
    reason = "there is no JSON object"
    for candidate in candidates:
        try:
            value: Any = msgspec.json.decode(candidate)
        except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
            reason = str(error) if "{" in candidate else reason
            continue
        if isinstance(value, dict) and within_depth(value, MAX_DEPTH):
            return value
        reason = "it is no object, or nested too deeply"
    raise Unreadable(reason)


def unfenced(text: str) -> str:
    """A text without a Markdown fence around the whole of it."""
    found = re.fullmatch(r"\s*```[ \t]*(?:markdown|md|text)?[ \t]*\n(.*?)\n?\s*```\s*", text, re.DOTALL)
    return found[1].strip() if found else text


def field(value: Json, *names: str) -> Any:
    """The first of some keys that an object has, whatever the case of its letters. Raises Unreadable without any."""
    folded = {key.casefold().replace(" ", "_"): part for key, part in value.items()}
    for name in names:
        if name.casefold() in folded:
            return folded[name.casefold()]
    raise Unreadable(f"the object has no {names[0]}")
