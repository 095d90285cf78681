"""Calls that stand behind a mark; those whose names stand before the JSON of their arguments: DeepSeek, Kimi,
Functionary, GLM-4."""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec import Struct

from toolgauge.call_problems import CallProblem, UnreadCall
from toolgauge.models.dialects.dialect import Parsed
from toolgauge.models.dialects.reading import Reading


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
        return read_marked(text, self.mark, self._take)

    def _take(self, reading: Reading, at: int) -> int:
        head = self.head.match(reading.text, at)
        if head is None:
            if self.announced:
                raise UnreadCall(CallProblem.UNWRITTEN)
            return 0
        arguments, end = reading.value(head.end())
        reading.take(head["name"], arguments)
        return reading.skip(self.tail, end)


def read_marked(text: str, mark: re.Pattern[str], take: Callable[[Reading, int], int]) -> Parsed:
    """The calls behind marks, and what else a text says.

    take: takes the call that begins at a place and returns the place behind all of it; 0 where there is just text.
    Raises UnreadCall where a call should be and is none.
    """
    reading = Reading(text)
    kept = searched = 0
    while searched <= len(text) and (found := mark.search(text, searched)):
        searched = max(found.end(), found.start() + 1)
        try:
            end = take(reading, found.end())
        except UnreadCall as unread:
            reading.blame_mark(unread.problem, found, kept)
            continue
        if end:
            reading.say(text[kept : found.start()])
            kept = searched = end
    reading.say(text[kept:])
    return reading.result()
