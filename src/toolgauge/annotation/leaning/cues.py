"""Words by which a message shows that it is not whole alone.

What is bound in the message itself is no sure cue: a pronoun behind a clause that names something, "this" before a
colon. A "that" that may be a conjunction, "it" of the weather, and idioms are none at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec.structs import replace

from toolgauge.annotation.grounding.values import alike, words
from toolgauge.annotation.leaning import chinese, english
from toolgauge.annotation.leaning.cue import Cue
from toolgauge.chat import Tool

LONGEST = 1000
"""Characters of a message that are searched."""
_SENTENCE = re.compile(r"[.!?](?=\s)|[。！？]")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|[_\-.]+")


def cues_in(message: str, language: str) -> tuple[Cue, ...]:
    """The cues of a message in "en" or "zh", in their order."""
    found = (chinese if language == "zh" else english).cues(message[:LONGEST])
    quoted = (replace(cue, quote=message[cue.start : cue.start + len(cue.quote)]) for cue in found)
    return tuple(sorted(quoted, key=lambda cue: cue.start))


def reaches_back(message: str, language: str) -> str | None:
    """The words by which a message says that it goes back behind the last matter ("at the beginning", 最开始)."""
    found = (chinese if language == "zh" else english).FAR.search(message[:LONGEST])
    return found[0].strip() if found else None


def content_words(message: str, language: str) -> list[str]:
    """Its words that name something, in lower case; of Chinese the pairs of neighbouring characters."""
    if language == "zh":
        return [word for word in words(chinese.LIGHT.sub(" ", message[:LONGEST])) if len(word) > 1]
    return [word for word in words(message[:LONGEST]) if word not in english.LIGHT and not word.isdigit()]


def names_tool(message: str, tools: Iterable[Tool], language: str) -> str | None:
    """A word of the message that stands in the name or the description of a tool; None: nothing says what it is for."""
    known = {word for tool in tools for word in words(f"{_CAMEL.sub(' ', tool.name)} {tool.description}")}
    return next((word for word in content_words(message, language) if any(alike(word, one) for one in known)), None)


def goes_on_whole(message: str, cue: Cue, cues: Iterable[Cue], language: str) -> bool:
    """Does a sentence behind the cue name things and lean on nothing? Then that one may be what the user wants."""
    end = _SENTENCE.search(message, cue.start, LONGEST)
    if end is None or any(other.start >= end.end() for other in cues):
        return False
    return len(content_words(message[end.end() : LONGEST], language)) > 1
