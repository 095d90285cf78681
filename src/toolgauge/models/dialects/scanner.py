"""A place in a text that a model wrote in a notation of values of its own, and how to go on from it."""

from __future__ import annotations

import re

from toolgauge.call_problems import CallProblem, UnreadCall
from toolgauge.models.dialects.calls import MAX_DEPTH


class Scanner:
    """Goes through a text once. space: what may stand before any mark; broken: the problem of what cannot be read."""

    space = re.compile(r"\s*+")
    broken = CallProblem.NO_VALUE

    def __init__(self, text: str, at: int = 0) -> None:
        self.text, self.at = text, at

    def match(self, pattern: re.Pattern[str]) -> str:
        """What the pattern matches here, which is gone behind; "" where nothing does."""
        match = pattern.match(self.text, self.at)
        self.at = match.end() if match else self.at
        return match[0] if match else ""

    def takes(self, mark: str) -> bool:
        """Goes behind a mark and the blanks before it, if they stand here."""
        self.match(self.space)
        here = self.text.startswith(mark, self.at)
        self.at += len(mark) * here
        return here

    def expect(self, mark: str) -> None:
        """Raises UnreadCall where the mark does not stand here."""
        if not self.takes(mark):
            raise self.unreadable()

    def unreadable(self) -> UnreadCall:
        self.match(self.space)
        return UnreadCall(CallProblem.CUT_OFF if self.at >= len(self.text) else self.broken)

    def check_depth(self, depth: int) -> None:
        if depth > MAX_DEPTH:
            raise UnreadCall(CallProblem.TOO_DEEP)
