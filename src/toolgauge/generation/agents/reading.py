"""How replies of agents are read: bounded, tolerant of wrapping, strict about content."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

import msgspec

from toolgauge.annotation.dialogue import Speaker
from toolgauge.chat import Reply
from toolgauge.data.lines import MAX_DEPTH, within_depth

MOST_CHARACTERS = 200_000
"""A reply that is longer is not read."""
PREFIXES: dict[Speaker, tuple[str, ...]] = {
    Speaker.USER: ("user", "用户"),
    Speaker.PLANNER: ("planner", "规划者"),
    Speaker.TOOL: ("tool", "工具"),
    Speaker.AGENT: ("agent assistant", "agent", "assistant", "agent助手", "助手"),
    Speaker.PLANNER_CHECKER: ("checker_planner",),
    Speaker.TOOL_CHECKER: ("checker_tool",),
}
"""How speakers are announced in the papers' files; models put it in front of what they say."""

_STARS = r"\*{0,2}"
_FENCE = re.compile(r"```[ \t]*+[\w-]*+[ \t]*+\n(.*?)(?:\n[ \t]*+```|\Z)", re.DOTALL)
_OPENING = re.compile(r"```[ \t]*+(markdown|md)?(?:text)?[ \t]*+\n", re.IGNORECASE)
_JSON = json.JSONDecoder()


def _announced(names: tuple[str, ...]) -> str:
    """A pattern for a speaker's name at the beginning of a line, with either colon, in bold or not."""
    return rf"^[ \t]*+{_STARS}(?:{'|'.join(map(re.escape, names))}){_STARS}[ \t]*+[:：]{_STARS}[ \t]*+"


_ANYBODY = re.compile(_announced(tuple(name for names in PREFIXES.values() for name in names)), re.I | re.MULTILINE)
_SPEAKERS = {speaker: re.compile(_announced(names), re.I | re.MULTILINE) for speaker, names in PREFIXES.items()}


class Unreadable(Exception):
    """A reply that does not hold what was asked for; the text says why, in English, for people and logs."""


def text_of(reply: Reply) -> str:
    """What was said, without a speaker's name in front. Raises Unreadable for nothing, or far too much."""
    text = reply.content if isinstance(reply.content, str) else ""
    if len(text) > MOST_CHARACTERS:
        raise Unreadable(f"the reply has {len(text):,} characters")
    text = without_name(writable(text).strip())
    if not text:
        raise Unreadable("the reply is empty")
    return text


def without_name(text: str) -> str:
    """A text without a speaker's name in front."""
    found = _ANYBODY.match(text)
    return text[found.end() :].strip() if found else text


def writable(text: str) -> str:
    """A text that can be written as UTF-8: half characters (lone surrogates) become question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


def said_by(text: str, speaker: Speaker) -> str:
    """What one speaker says in a text: from the first announcement, or the beginning, to the next of anybody else."""
    found = _SPEAKERS[speaker].search(text)
    begun = found.end() if found else 0
    after = _ANYBODY.search(text, begun)
    return text[begun : after.start() if after else len(text)].strip()


def json_of(text: str) -> dict[str, object]:
    """The JSON object in a text: the last fenced block that is one, or the text itself, or what begins with its first
    brace. Raises Unreadable without one."""
    reason = "there is no JSON object"
    for candidate in _candidates(text):
        try:
            value: object = msgspec.json.decode(candidate)
        except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
            reason = str(error) if "{" in candidate else reason
            continue
        if isinstance(value, dict) and within_depth(value, MAX_DEPTH):
            return value
        reason = "it is no object, or nested too deeply"
    raise Unreadable(reason)


def _candidates(text: str) -> Iterator[str]:
    """Parts of a text that may be JSON, the likeliest first."""
    yield from reversed([found[1] for found in _FENCE.finditer(text)])
    first, last = text.find("{"), text.rfind("}")
    if 0 <= first < last:
        try:
            yield text[first : _JSON.raw_decode(text, first)[1]]
        except (ValueError, RecursionError):
            yield text[first : last + 1]
    yield text


def unfenced(text: str) -> str:
    """A text without a Markdown fence around the whole of it; fences inside it stay."""
    stripped = text.strip()
    opening = _OPENING.match(stripped)
    if not opening or not stripped.endswith("```") or len(stripped) < opening.end() + 3:
        return text
    inside = stripped[opening.end() : -3].strip()
    is_one = opening[1] or "```" not in inside
    return inside if is_one else text


def field(value: Mapping[str, object], *names: str) -> object:
    """The first of some keys that an object has, whatever the case of its letters. Raises Unreadable without any."""
    folded = {key.casefold().replace(" ", "_"): part for key, part in value.items()}
    for name in names:
        if name.casefold() in folded:
            return folded[name.casefold()]
    raise Unreadable(f"the object has no {names[0]}")
