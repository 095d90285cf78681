"""How replies of agents are read: bounded, tolerant of how models write, strict about content.

What somebody says is cleaned in speech.py; here is what all agents share, and the JSON of planner, tools and checker.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from toolgauge.chat import Reply
from toolgauge.data.lines import MAX_DEPTH, within_depth
from toolgauge.generation.agents.blocks import indented
from toolgauge.generation.agents.lenient_json import mended_json
from toolgauge.generation.agents.reasoning import without_reasoning
from toolgauge.generation.prompts import texts

MOST_CHARACTERS = 200_000
"""A reply that is longer is not read."""
WORK = 8
"""Characters that are read in search of objects, per character of the text."""
_BRACE = re.compile(r"[{｛]")
_BRACES = re.compile(r"[{}｛｝]")
_BRACES_AND_TEXTS = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*(?:"|(?P<open>\\?\Z))|[{}｛｝]', re.DOTALL)
_DEEPEST_TEXT = 3
"""How often an object may be written as JSON text inside JSON text."""


class Unreadable(Exception):
    """A reply that does not hold what was asked for.

    code: of the reason, a key of prompts/unreadable.<language>.json; values: what fills it in. As text it is English,
    for people and logs; `said` is for the agent, who is asked once more.
    """

    def __init__(self, code: str, /, **values: object) -> None:
        self.code, self.values = code, values
        super().__init__(self.said("en"))

    def said(self, language: str) -> str:
        """The reason in the language of the dialogue, "en" or "zh"."""
        return texts("unreadable", language)[self.code].format(**self.values)


def text_of(reply: Reply) -> str:
    """What was said, without reasoning. Raises Unreadable for nothing, or far too much."""
    reply = without_reasoning(reply)
    text = reply.content if isinstance(reply.content, str) else ""
    if len(text) > MOST_CHARACTERS:
        raise Unreadable("too_long", count=len(text))
    text = writable(text).strip()
    if not text:
        raise Unreadable("only_reasoning" if reply.reasoning else "empty")
    return text


def writable(text: str) -> str:
    """A text that can be written as UTF-8: half characters (lone surrogates) become question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


class JsonFound(NamedTuple):
    """An object in a text. source: how it stands there, None where that is no strict JSON."""

    value: dict[str, object]
    source: str | None

    def text(self, value: object = None) -> str:
        """The object as a fenced block: as it was written, or as strict JSON. value: stands in its place."""
        source = self.source
        if source is None or value is not None:
            source = indented(value or self.value)
        return f"```json\n{source}\n```"


def json_of(text: str, *keys: str) -> dict[str, object]:
    """The value of `json_found`."""
    return json_found(text, *keys).value


def json_found(text: str, *keys: str) -> JsonFound:
    """The JSON object in a text. Raises Unreadable without one.

    keys: what the object should have, spelled in any case. Of several objects the last one with all of them is it; if
    none has, those that have some of them are one together. Without keys it is the last one that holds anything.
    """
    found = objects_in(text)
    wanted = {folded_key(key) for key in keys}
    whole = [one for one in found if one.value and wanted <= _folded(one.value).keys()]
    if whole:
        return whole[-1]
    parts = [one for one in found if wanted & _folded(one.value).keys()]
    if len(parts) > 1 and wanted <= {key for one in parts for key in _folded(one.value)}:
        return JsonFound({key: value for one in parts for key, value in one.value.items()}, None)
    return parts[-1] if parts else found[-1]


def objects_in(text: str) -> list[JsonFound]:
    """The JSON objects that stand in a text one behind the other, at least one. Raises Unreadable without any."""
    found: list[JsonFound] = []
    reason: Unreadable | None = None
    for segment in _segments(text):
        try:
            found.append(_read(segment))
        except Unreadable as error:
            reason = error
    if not found:
        raise reason or Unreadable("no_object")
    return found


def _read(text: str) -> JsonFound:
    """A text that is one JSON object, strictly or nearly."""
    source: str | None = text.strip("\n")
    try:
        value: object = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        source = None
        try:
            value = msgspec.json.decode(mended_json(text))
        except (msgspec.DecodeError, RecursionError, UnicodeError):
            raise Unreadable("broken_json", why=str(error)) from None
    if not isinstance(value, dict) or not within_depth(value, MAX_DEPTH):
        raise Unreadable("nested")
    return JsonFound(value, source)


def _segments(text: str) -> Iterator[str]:
    """Parts of a text from an opening brace to the one that closes it, and the rest where none does."""
    place, work, found = 0, WORK * len(text), False
    while work > 0 and (opening := _BRACE.search(text, place)):
        end = _end_of_object(text, opening.start())
        work -= (end or len(text)) - opening.start()
        if end is not None:
            found = True
            yield text[opening.start() : end]
        elif not found:
            yield text[opening.start() :]
        place = end or opening.end()


def _end_of_object(text: str, start: int) -> int | None:
    """Behind the brace that closes the one at `start`; braces inside texts do not count."""
    depth = 0
    for token in _braces(text, start):
        depth += {"{": 1, "｛": 1, "}": -1, "｝": -1}.get(token[0], 0)
        if not depth:
            return token.end()
    return None


def _braces(text: str, start: int) -> Iterator[re.Match[str]]:
    """The braces outside of texts, and texts. A quotation mark that nothing closes begins no text."""
    for token in _BRACES_AND_TEXTS.finditer(text, start):
        if token["open"] is not None:
            yield from _BRACES.finditer(text, token.start())
        else:
            yield token


def object_in(value: object) -> object:
    """An object or a list that was written as JSON text; any other value as it is."""
    for _ in range(_DEEPEST_TEXT):
        if not isinstance(value, str) or value.strip()[:1] not in ("{", "["):
            break
        try:
            inside: object = msgspec.json.decode(mended_json(value))
        except (msgspec.DecodeError, RecursionError, UnicodeError):
            break
        if not isinstance(inside, dict | list) or not within_depth(inside, MAX_DEPTH):
            break
        value = inside
    return value


def folded_key(key: str) -> str:
    """A key apart from case and blanks."""
    return key.strip().casefold().replace(" ", "_")


def _folded(value: Mapping[str, object]) -> dict[str, object]:
    return {folded_key(key): part for key, part in value.items()}


def field(value: Mapping[str, object], *names: str) -> object:
    """The first of some keys that an object has, whatever the case of its letters. Raises Unreadable without any."""
    folded = _folded(value)
    for name in names:
        if folded_key(name) in folded:
            return folded[folded_key(name)]
    raise Unreadable("no_key", key=names[0])


def one_of(said: str, yes: Sequence[str], no: Sequence[str]) -> bool | None:
    """True or False for a word of one of two lists, whatever stands around it; None for any other."""
    word = said.strip().strip(".。!！*\"'“”").casefold()
    return True if word in yes else False if word in no else None
