"""gpt-oss (harmony): every message of the model names its channel and, for a call, to whom it goes.

The marks are special tokens, which many servers leave out of the text they return. Such a text is read where it can
mean nothing else: "analysisI look.assistantcommentary to=functions.f json{}". Marks after the models' chat template and
OpenAI's own renderer and parser (openai-harmony 0.0.8).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from toolgauge.call_problems import CallProblem, UnreadCall
from toolgauge.models.dialects.calls import Parsed, PlainCall, Result, write_json
from toolgauge.models.dialects.reading import Reading
from toolgauge.models.dialects.turns import after_thinking

MAX_HEADER = 1000
"""Characters of a message's header."""
_TOKEN = re.compile(r"<\|(start|channel|message|end|call|return)\|>")
_BEGIN = re.compile(r"\s*+(?:<\|(?:start|channel)\|>|to=functions\.)")
"""The prompt ends with the author of the first message, to which the recipient belongs."""
_CHANNEL = re.compile(r"<\|channel\|>\s*(\w+)")
_RECIPIENT = re.compile(r"\bto=([^\s<]+)")
_BLANK = re.compile(r"\s*+")
_NOBODY = {"assistant", "user", "all"}
"""Recipients that are no tools."""

_BARE = re.compile(
    r"(?P<author>\A\s*+(?:assistant)?|assistant)(?:"
    r"(?P<channel>analysis|commentary|final)"
    r"(?: to=functions\.(?P<to>[^\s{}<]{1,256}?)(?: (?:json|code)|(?<!json)) ?(?=\{))?"
    r"| ?to=functions\.(?P<early>[^\s{}<]{1,256}?)(?:analysis|commentary|final)(?: (?:json|code))? ?(?=\{))"
)
"""The header of a message whose marks are left out. A type glued to a name ("fjson{") could be a part of it."""
_GLUED = re.compile(r"[A-Z\d\"'“‘(*#\[]|[^\x00-\x7f]")
"""What a text begins with, behind the name of a channel, that is no word with the same beginning."""
_CALLING = re.compile(r"\s*+to=functions\.")


class _Place(Struct, frozen=True):
    """A header and where the text of its message begins, or a mark that ends one. start, end: of what stands here;
    closing: it is such a mark; broken: the header has no end."""

    start: int
    end: int
    channel: str = ""
    to: str = ""
    closing: bool = False
    broken: bool = False


def parse_harmony(text: str) -> Parsed:
    """What the text of a reply says, its channel of thinking included."""
    return _parse(text) if _BEGIN.match(text) else after_thinking(text, _parse)


def render_harmony(calls: Sequence[PlainCall]) -> str:
    return "".join(
        f"<|start|>assistant to=functions.{call.name}<|channel|>commentary <|constrain|>json<|message|>"
        f"{write_json(call.arguments)}<|call|>"
        for call in calls
    )


def harmony_results(results: Sequence[Result]) -> str:
    return "".join(
        f"<|start|>functions.{result.name} to=assistant<|channel|>commentary<|message|>{result.content}<|end|>"
        for result in results
    )


def _marked(text: str) -> Iterator[_Place]:
    """Headers and ends of messages by their marks."""
    begun = 0 if _CALLING.match(text) else -1
    for token in _TOKEN.finditer(text):
        if begun >= 0 and token.start() - begun > MAX_HEADER:
            begun = -1
        if token[1] in ("start", "channel"):
            begun = token.start() if begun < 0 else begun
        elif token[1] == "message":
            if begun >= 0:
                yield _header(text[begun : token.start()], begun, token.end())
            begun = -1
        else:
            if begun >= 0:
                yield _Place(begun, begun, broken=True)
            begun = -1
            yield _Place(token.start(), token.end(), closing=True)
    if begun >= 0:
        yield _Place(begun, begun, broken=True)


def _header(header: str, start: int, end: int) -> _Place:
    channel, to = _CHANNEL.search(header), _RECIPIENT.search(header)
    recipient = to[1] if to else ""
    return _Place(
        start,
        end,
        channel=channel[1] if channel else "final",
        to="" if recipient in _NOBODY else recipient.removeprefix("functions."),
    )


def _bare(text: str) -> list[_Place]:
    """Headers by their words, of a text that surely begins with one; none of another text."""
    headers = list(_BARE.finditer(text))
    if not headers or headers[0].start() > 0:
        return []
    first = headers[0]
    sure = first["author"].strip() or first["to"] or first["early"] or len(headers) > 1
    if not sure and (first["channel"] == "final" or not _GLUED.match(text, first.end())):
        return [_Place(0, 0, broken=True)] if _CALLING.match(text, first.end()) else []
    return [
        _Place(
            header.start(), header.end(), header["channel"] or "commentary", to=header["to"] or header["early"] or ""
        )
        for header in headers
    ]


def _parse(text: str) -> Parsed:
    """The messages of a text, in which no mark of thinking is looked for."""
    places = list(_marked(text)) or _bare(text)
    if not places:
        return Parsed(text)
    return _Turn(text).parse(places)


class _Turn:
    """A reply that is read message by message."""

    def __init__(self, text: str) -> None:
        self.reading = Reading(text, framed=True)
        self.at = 0
        self.channel = ""

    def parse(self, places: Sequence[_Place]) -> Parsed:
        text = self.reading.text
        for place in places:
            if place.start < self.at:  # within the arguments of a call
                continue
            raw = self.channel == "raw" and place.closing
            self._add(text[self.at : place.end if raw else place.start])
            self.at, self.channel = place.end, "" if place.closing else place.channel
            if place.to:
                self._call(place)
            elif place.broken:
                self._keep(place, CallProblem.CUT_OFF)
        self._add(text[self.at :])
        if self.channel == "analysis":
            self.reading.note(CallProblem.UNFINISHED_THINKING)
        return self.reading.parsed()

    def _call(self, place: _Place) -> None:
        try:
            arguments, end = self.reading.value(self.reading.skip(_BLANK, place.end))
            self.reading.add_call(place.to, arguments)
        except UnreadCall as unread:
            self._keep(place, unread.problem)
        else:
            self.at, self.channel = end, ""

    def _keep(self, place: _Place, problem: CallProblem) -> None:
        """Keep a message as text, marks and all."""
        self.at, self.channel = place.start, "raw"
        self.reading.note(problem)

    def _add(self, text: str) -> None:
        if self.channel == "analysis":
            self.reading.add_reasoning(text)
            return
        if _CALLING.match(text):
            self.reading.note(CallProblem.UNWRITTEN)
        self.reading.add_text(text)
