"""Calls whose names stand before the JSON of their arguments, behind a mark: DeepSeek, Kimi, Functionary, GLM-4."""

from __future__ import annotations

import re

from msgspec import Struct

from toolgauge.models.dialects.dialect import Parsed
from toolgauge.models.dialects.reading import Reading

UNWRITTEN = "no name and arguments where a call is announced (was the reply cut off?)"


class Named(Struct, frozen=True):
    """A `Reader`.

    mark: announces one call; head: what stands between the mark and the JSON of the arguments, with the group "name";
    tail: what may stand behind them. announced: the mark is never anything else, so that what cannot be read behind it
    is a problem; otherwise it is only one where the head stands there too. The marks of sections belong to the first
    call's mark and the last call's tail.
    """

    mark: re.Pattern[str]
    head: re.Pattern[str]
    tail: re.Pattern[str]
    announced: bool = True

    def read(self, text: str) -> Parsed:
        reading = Reading(text)
        kept = searched = 0
        while searched <= len(text) and (mark := self.mark.search(text, searched)):
            searched = max(mark.end(), mark.start() + 1)
            end = self._call(reading, mark.end())
            if end:
                reading.say(text[kept : mark.start()])
                kept = searched = reading.skip(self.tail, end)
        reading.say(text[kept:])
        return reading.result()

    def _call(self, reading: Reading, at: int) -> int:
        """Take the call behind a mark; the place behind its JSON, 0 where there is none."""
        head = self.head.match(reading.text, at)
        if head is None:
            if self.announced:
                reading.blame(UNWRITTEN)
            return 0
        try:
            arguments, end = reading.value(head.end())
            reading.take(head["name"], arguments)
        except ValueError as problem:
            reading.blame(str(problem))
            return 0
        return end
