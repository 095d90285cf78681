"""Calls whose arguments stand one by one between tags: GLM 4.5, Hunyuan 3, DeepSeek V3.2 and V4."""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec import Struct

from toolgauge.call_problems import CallProblem, UnreadCall
from toolgauge.models.dialects.dialect import Parsed
from toolgauge.models.dialects.reading import Reading

_GAP = re.compile(r"\s*+(?:\\n\s*+)*")
"""Between tags; some models write a line break as two characters."""


def _as_text(_key: re.Match[str], text: str) -> object:
    return text


class TaggedArgs(Struct, frozen=True):
    """A `Reader`. A call goes no further than the next opener, so that no text takes more than linear time.

    opener: announces one call, with the opening mark of the section where it is the first; name: what stands behind
    it, with the group "name"; key: the tag of an argument, with the group "key"; value_end: the tag behind its value;
    closer: of the call, with the closing mark of the section; value: what a value's text means, given the match of
    `key`; without it a text, for `typed`. Behind the name an object of JSON may stand instead.
    """

    opener: re.Pattern[str]
    name: re.Pattern[str]
    key: re.Pattern[str]
    value_end: re.Pattern[str]
    closer: re.Pattern[str]
    value: Callable[[re.Match[str], str], object] = _as_text

    def read(self, text: str) -> Parsed:
        reading = Reading(text)
        openers = list(self.opener.finditer(text))
        bounds = [opener.start() for opener in openers[1:]] + [len(text)]
        kept = 0
        for opener, bound in zip(openers, bounds, strict=False):
            try:
                end = self._take(reading, opener.end(), bound) if opener.start() >= kept else kept
            except UnreadCall as unread:
                reading.blame_mark(unread.problem, opener, kept)
                continue
            reading.say(text[kept : opener.start()])
            kept = end
        reading.say(text[kept:])
        return reading.result()

    def _take(self, reading: Reading, at: int, bound: int) -> int:
        """Take the call behind an opener; the place behind its closing marks. Raises UnreadCall."""
        text = reading.text
        name = self.name.match(text, at, bound)
        if name is None:
            raise UnreadCall(CallProblem.UNWRITTEN)
        arguments: dict[str, object] = {}
        at = name.end()
        if text[at : at + 1] == "{":
            arguments, at = reading.value(at)
            at = reading.skip(_GAP, at)
        while not (closed := self.closer.match(text, at, bound)):
            key = self.key.match(text, at, bound)
            end = self.value_end.search(text, key.end(), bound) if key else None
            if key is None or end is None:
                closed = self.closer.search(text, at, bound)
                raise UnreadCall(CallProblem.NO_VALUE if closed else CallProblem.CUT_OFF)
            arguments[key["key"].strip()] = self.value(key, text[key.end() : end.start()])
            at = reading.skip(_GAP, end.end())
        reading.take(name["name"], arguments)
        return closed.end()
