"""Words by which a message shows that it is not whole alone.

What is bound in the message itself is no sure cue: a pronoun behind a clause that names something, "this" before a
colon. A "that" that may be a conjunction, "it" of the weather, and idioms are none at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum

from msgspec import Struct

from toolgauge.annotation.grounding.values import alike, words
from toolgauge.chat import Tool


class Lean(StrEnum):
    """POINTS: a word stands for something said before. LEAVES_OUT: the message says that a part is as before.
    FRAGMENT: it has no verb; whether it is whole depends on what there is to ask for."""

    POINTS = "points"
    LEAVES_OUT = "leaves_out"
    FRAGMENT = "fragment"


class Cue(Struct, frozen=True):
    """quote: the words; start: where they stand in the message. head: the phrase they begin ("that lunch with Ines").
    sure: False where they may as well mean something in the message itself."""

    lean: Lean
    quote: str
    start: int
    head: str = ""
    sure: bool = True


LONGEST = 1000
"""Characters of a message that are searched."""
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|[_\-.]+")


def cues_in(message: str, language: str) -> tuple[Cue, ...]:
    """The cues of a message in "en" or "zh", in their order."""
    from toolgauge.annotation.leaning import chinese, english

    found = (chinese if language == "zh" else english).cues(message[:LONGEST])
    return tuple(sorted(found, key=lambda cue: cue.start))


def reaches_back(message: str, language: str) -> str | None:
    """The words by which a message says that it goes back behind the last matter ("at the beginning", 最开始)."""
    from toolgauge.annotation.leaning import chinese, english

    found = (chinese if language == "zh" else english).FAR.search(message[:LONGEST])
    return found[0].strip() if found else None


def content_words(message: str, language: str) -> list[str]:
    """Its words that name something, in lower case; of Chinese the pairs of neighbouring characters."""
    from toolgauge.annotation.leaning import chinese, english

    if language == "zh":
        return [word for word in words(chinese.LIGHT.sub(" ", message[:LONGEST])) if len(word) > 1]
    return [word for word in words(message[:LONGEST]) if word not in english.LIGHT and not word.isdigit()]


def names_tool(message: str, tools: Iterable[Tool], language: str) -> str | None:
    """A word of the message that stands in the name or the description of a tool; None: nothing says what it is for."""
    known = {word for tool in tools for word in words(f"{_CAMEL.sub(' ', tool.name)} {tool.description}")}
    return next((word for word in content_words(message, language) if any(alike(word, one) for one in known)), None)
