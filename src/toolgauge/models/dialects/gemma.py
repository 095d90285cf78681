"""FunctionGemma and Gemma 4: `call:NAME{key:value,...}` between marks, with marks around every text.

Declarations and results are written in the same notation. It has no escapes: a text that holds one of the marks is
written as JSON, which is read as well, and so are words from which the server left out the marks, and texts in single
quotes (vLLM issue 51284).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from msgspec import Struct

from toolgauge.call_problems import CallProblem, UnreadCall
from toolgauge.chat import Tool
from toolgauge.models.dialects.calls import Parsed, PlainCall, Result, write_json
from toolgauge.models.dialects.reading import Reading, Scanner, parse_marked

_NAME = r"[^\s{}<|:]++"
_HEAD = re.compile(rf"\s*+call:\s*+(?P<name>{_NAME})\s*+\{{")
_PLAIN_KEY = re.compile(r"[^\W\d]\w*")
_WORD = re.compile(r"[^,:{}\[\]\"<|]++")
_BARE = re.compile(r"[^,{}\[\]\"<|]++")
_JSON_TEXT = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*"', re.DOTALL)
_SINGLE = re.compile(r"'(?:[^'\\]|\\.|'(?!\s*+[,:}\]]))*+'(?=\s*+[,:}\]])", re.DOTALL)
"""A text in single quotes, behind which the value ends."""
_JSON_WORD = re.compile(r"-?\d[\d.eE+-]*|true|false|null")


class GemmaNotation(Struct, frozen=True):
    """The marks of one family: pairs around calls, tools and results; quote: on both sides of a text."""

    call: tuple[str, str]
    tool: tuple[str, str]
    result: tuple[str, str]
    quote: str

    def parse(self, text: str) -> Parsed:
        """Where the first mark was left out, a text that begins with a call is one."""
        opener = re.compile(rf"{re.escape(self.call[0])}|\A(?=\s*+call:{_NAME}\{{)")
        return parse_marked(text, opener, self._take)

    def _take(self, reading: Reading, at: int) -> int:
        following = reading.text.find(self.call[0], at)
        piece = reading.text[at : following if following >= 0 else None]
        head = _HEAD.match(piece)
        if head is None:
            raise UnreadCall(CallProblem.UNWRITTEN)
        scan = _GemmaScanner(piece, head.end(), self.quote)
        reading.add_call(head["name"], scan.arguments(1))
        scan.takes(self.call[1])
        return at + scan.at

    def render(self, calls: Sequence[PlainCall]) -> str:
        return "".join(self._between(self.call, f"call:{call.name}{self.value(call.arguments)}") for call in calls)

    def tools(self, tools: Sequence[Tool]) -> str:
        """Declarations, in the notation's own order and with the types' names in capitals."""
        declared = (
            (tool.name, {"description": tool.description, "parameters": _in_capitals(tool.parameters)})
            for tool in tools
        )
        return "".join(self._between(self.tool, f"declaration:{name}{self.value(what)}") for name, what in declared)

    def results(self, results: Sequence[Result]) -> str:
        return "".join(
            self._between(self.result, f"response:{result.name or 'unknown'}{self.value({'value': result.content})}")
            for result in results
        )

    def value(self, value: object) -> str:
        """A value in the notation, keys in the order of the alphabet; JSON's numbers and words as they are."""
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, Mapping):
            return f"{{{','.join(f'{self._key(key)}:{self.value(value[key])}' for key in sorted(value))}}}"
        if isinstance(value, list | tuple):
            return f"[{','.join(map(self.value, value))}]"
        return write_json(value)

    def _key(self, key: str) -> str:
        return key if _PLAIN_KEY.fullmatch(key) else self._text(key)

    def _text(self, text: str) -> str:
        if self.quote in text or self.call[0] in text:
            return write_json(text).replace("<", "\\u003c")
        return f"{self.quote}{text}{self.quote}"

    def _between(self, marks: tuple[str, str], text: str) -> str:
        return f"{marks[0]}{text}{marks[1]}"


def _in_capitals(schema: object) -> object:
    """A schema with the names of its types in capitals, as the families' templates write them."""
    if isinstance(schema, Mapping):
        return {
            key: value.upper() if key == "type" and isinstance(value, str) else _in_capitals(value)
            for key, value in schema.items()
        }
    return [_in_capitals(item) for item in schema] if isinstance(schema, list) else schema


class _GemmaScanner(Scanner):
    """What is written behind the name of a call. Its methods raise UnreadCall."""

    def __init__(self, text: str, at: int, quote: str) -> None:
        super().__init__(text, at)
        self._quote = quote

    def arguments(self, depth: int) -> dict[str, object]:
        """The object whose opening bracket stands before this place."""
        arguments: dict[str, object] = {}
        while not self.takes("}"):
            if arguments:
                self.expect(",")
            text = self._text()
            key = self.match(_WORD).strip() if text is None else text
            self.expect(":")
            arguments[key] = self._value(depth)
        return arguments

    def _value(self, depth: int) -> object:
        self.check_depth(depth)
        if (text := self._text()) is not None:
            return text
        if self.takes("{"):
            return self.arguments(depth + 1)
        if self.takes("["):
            return self._items(depth)
        word = self.match(_BARE).strip()
        if not word:
            raise self.unreadable()
        if word == "None":  # of templates that write a null so
            return None
        if not _JSON_WORD.fullmatch(word):
            return word
        try:
            number: object = json.loads(word)
        except json.JSONDecodeError:
            return word
        except ValueError:
            raise UnreadCall(CallProblem.LONG_NUMBER) from None
        return number

    def _items(self, depth: int) -> list[object]:
        items: list[object] = []
        while not self.takes("]"):
            if items:
                self.expect(",")
            items.append(self._value(depth + 1))
        return items

    def _text(self) -> str | None:
        """The text that stands here, in marks or quotes; None for anything else."""
        if self.takes(self._quote):
            end = self.text.find(self._quote, self.at)
            if end < 0:
                raise UnreadCall(CallProblem.CUT_OFF)
            text, self.at = self.text[self.at : end], end + len(self._quote)
            return text
        if single := self.match(_SINGLE):
            return re.sub(r"\\(['\\])", r"\1", single[1:-1])
        if not self.text.startswith('"', self.at):
            return None
        literal = self.match(_JSON_TEXT)
        if not literal:
            raise UnreadCall(CallProblem.CUT_OFF)
        try:
            return str(json.loads(literal, strict=False))
        except ValueError:
            raise self.unreadable() from None
