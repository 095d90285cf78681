"""What a cue is: words by which a message shows that it is not whole alone."""

from __future__ import annotations

import re
from enum import StrEnum

from msgspec import Struct


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


def any_of(*ways: str) -> re.Pattern[str]:
    """A pattern that finds any of these, in capital and small letters."""
    return re.compile("|".join(ways), re.IGNORECASE)
