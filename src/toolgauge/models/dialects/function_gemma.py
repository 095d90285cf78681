"""FunctionGemma and Gemma 4: `call:NAME{key:value,...}` between marks, with marks around every text.

Declarations and results are written in the same notation. It has no escapes: a text that holds one of the marks is
written as JSON, which is read as well, and so are words from which the server left out the marks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from msgspec import Struct

from toolgauge.call_problems import CallProblem, UnreadCall
from toolgauge.chat import Tool
from toolgauge.models.dialects.dialect import MAX_DEPTH, Parsed, PlainCall, Result
from toolgauge.models.dialects.family import Family, write_json
from toolgauge.models.dialects.format_spec import FormatSpec
from toolgauge.models.dialects.named_call import read_marked
from toolgauge.models.dialects.reading import Reading
from toolgauge.models.dialects.tag_json import VARIANT

_NAME = r"[^\s{}<|:]++"
_HEAD = re.compile(rf"\s*+call:\s*+(?P<name>{_NAME})\s*+\{{")
_PLAIN_KEY = re.compile(r"[^\W\d]\w*")
_WORD = re.compile(r"[^,:{}\[\]\"<|]++")
_BARE = re.compile(r"[^,{}\[\]\"<|]++")
_JSON_TEXT = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*"', re.DOTALL)
_JSON_WORD = re.compile(r"-?\d[\d.eE+-]*|true|false|null")
_SPACE = re.compile(r"\s*+")


class Notation(Struct, frozen=True):
    """The marks of one family: pairs around calls, tools and results; quote: on both sides of a text."""

    call: tuple[str, str]
    tool: tuple[str, str]
    result: tuple[str, str]
    quote: str

    def read(self, text: str) -> Parsed:
        """See `CallReader`. Where the first mark was left out, a text that begins with a call is one."""
        opener = re.compile(rf"{re.escape(self.call[0])}|\A(?=\s*+call:{_NAME}\{{)")
        return read_marked(text, opener, self._take)

    def _take(self, reading: Reading, at: int) -> int:
        following = reading.text.find(self.call[0], at)
        piece = reading.text[at : following if following >= 0 else None]
        head = _HEAD.match(piece)
        if head is None:
            raise UnreadCall(CallProblem.UNWRITTEN)
        scan = _Scan(piece, head.end(), self.quote)
        reading.take(head["name"], scan.arguments(1))
        scan.takes(self.call[1])
        return at + scan.at

    def calls(self, calls: Sequence[PlainCall]) -> str:
        return "".join(_between(self.call, f"call:{call.name}{self.written(call.arguments)}") for call in calls)

    def tools(self, tools: Sequence[Tool]) -> str:
        """Declarations, in the notation's own order and with the types' names in capitals."""
        said = (
            (tool.name, {"description": tool.description, "parameters": _in_capitals(tool.parameters)})
            for tool in tools
        )
        return "".join(_between(self.tool, f"declaration:{name}{self.written(what)}") for name, what in said)

    def results(self, results: Sequence[Result]) -> str:
        return "".join(
            _between(self.result, f"response:{result.name or 'unknown'}{self.written({'value': result.content})}")
            for result in results
        )

    def written(self, value: object) -> str:
        """A value in the notation, keys in the order of the alphabet; JSON's numbers and words as they are."""
        if isinstance(value, str):
            return self._quoted(value)
        if isinstance(value, Mapping):
            return f"{{{','.join(f'{self._key(key)}:{self.written(value[key])}' for key in sorted(value))}}}"
        if isinstance(value, list | tuple):
            return f"[{','.join(map(self.written, value))}]"
        return write_json(value)

    def _key(self, key: str) -> str:
        return key if _PLAIN_KEY.fullmatch(key) else self._quoted(key)

    def _quoted(self, text: str) -> str:
        if self.quote in text or self.call[0] in text:
            return write_json(text).replace("<", "\\u003c")
        return f"{self.quote}{text}{self.quote}"


def _between(marks: tuple[str, str], text: str) -> str:
    return f"{marks[0]}{text}{marks[1]}"


def _in_capitals(schema: object) -> object:
    """A schema with the names of its types in capitals, as the families' templates write them."""
    if isinstance(schema, Mapping):
        return {
            key: value.upper() if key == "type" and isinstance(value, str) else _in_capitals(value)
            for key, value in schema.items()
        }
    return [_in_capitals(item) for item in schema] if isinstance(schema, list) else schema


class _Scan:
    """Goes once through what is written behind the name of a call. Its methods raise UnreadCall."""

    def __init__(self, text: str, at: int, quote: str) -> None:
        self.text, self.at, self._quote = text, at, quote

    def takes(self, mark: str) -> bool:
        """Goes behind a mark and the blanks before it, if they stand here."""
        self._match(_SPACE)
        found = self.text.startswith(mark, self.at)
        self.at += len(mark) * found
        return found

    def arguments(self, depth: int) -> dict[str, object]:
        """The object whose opening bracket stands before this place."""
        found: dict[str, object] = {}
        while not self.takes("}"):
            if found:
                self._expect(",")
            key = self._text() if self._at_text() else self._match(_WORD).strip()
            self._expect(":")
            found[key] = self._value(depth)
        return found

    def _list(self, depth: int) -> list[object]:
        found: list[object] = []
        while not self.takes("]"):
            if found:
                self._expect(",")
            found.append(self._value(depth))
        return found

    def _value(self, depth: int) -> object:
        if depth > MAX_DEPTH:
            raise UnreadCall(CallProblem.TOO_DEEP)
        if self._at_text():
            return self._text()
        if self.takes("{"):
            return self.arguments(depth + 1)
        if self.takes("["):
            return self._list(depth + 1)
        word = self._match(_BARE).strip()
        if not word:
            raise self._unreadable()
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

    def _at_text(self) -> bool:
        self._match(_SPACE)
        return self.text.startswith((self._quote, '"'), self.at)

    def _text(self) -> str:
        if self.takes(self._quote):
            end = self.text.find(self._quote, self.at)
            if end < 0:
                raise UnreadCall(CallProblem.CUT_OFF)
            text, self.at = self.text[self.at : end], end + len(self._quote)
            return text
        written = self._match(_JSON_TEXT)
        if not written:
            raise UnreadCall(CallProblem.CUT_OFF)
        try:
            return str(json.loads(written, strict=False))
        except ValueError:
            raise self._unreadable() from None

    def _match(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return found[0] if found else ""

    def _expect(self, mark: str) -> None:
        if not self.takes(mark):
            raise self._unreadable()

    def _unreadable(self) -> UnreadCall:
        return UnreadCall(CallProblem.NO_VALUE if self.text[self.at :].strip() else CallProblem.CUT_OFF)


_FUNCTION_GEMMA = Notation(
    ("<start_function_call>", "<end_function_call>"),
    ("<start_function_declaration>", "<end_function_declaration>"),
    ("<start_function_response>", "<end_function_response>"),
    "<escape>",
)
_GEMMA4 = Notation(
    ("<|tool_call>", "<tool_call|>"), ("<|tool>", "<tool|>"), ("<|tool_response>", "<tool_response|>"), '<|"|>'
)

FUNCTION_GEMMA = Family(
    "functiongemma",
    "FunctionGemma",
    FormatSpec("functiongemma", _FUNCTION_GEMMA, _FUNCTION_GEMMA.tools, _FUNCTION_GEMMA.calls, _FUNCTION_GEMMA.results),
    models=(r"functiongemma-270m-it" + VARIANT, r"functiongemma(-270m)?" + VARIANT),
    stop=("<start_function_response>",),
)

GEMMA4 = Family(
    "gemma4",
    "Gemma 4",
    FormatSpec(
        "gemma4",
        _GEMMA4,
        _GEMMA4.tools,
        _GEMMA4.calls,
        _GEMMA4.results,
        call_mark=_GEMMA4.call[0],
        thought=("<|channel>thought", "<channel|>"),
    ),
    models=(r"gemma-4-e?\d+b(-a\d+b)?-it(-qat)?" + VARIANT, r"gemma4-e?\d+b(-a\d+b)?(-it)?(-qat)?" + VARIANT),
    stop=("<|tool_response>",),
)
