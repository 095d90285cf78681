"""Calls written as Python writes them, in a list or one behind the other: Llama 3.2 and 4, ToolACE, LFM2, Gemma.

A reader of literals of our own: nothing is parsed as a program, nothing is ever run. It takes what Python has no place
for: words of Python as names (`from='Oslo'`), names with hyphens, JSON's true, false and null, line breaks in strings.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Sequence

from msgspec import Struct

from toolgauge.call_problems import CallProblem, UnreadCall
from toolgauge.limits import PYTHON_PARSER
from toolgauge.models.dialects.calls import Parsed, PlainCall
from toolgauge.models.dialects.reading import Reading, Scanner, parse_marked

_NAME = r"[^\s\[\](){},=:'\"<>`]++"
_WRITABLE = re.compile(_NAME)
_CALL = re.compile(rf"(?P<name>{_NAME})\(")
_PRINTED = re.compile(rf"print\(\s*+(?={_NAME}\()")
_KEY = re.compile(rf"({_NAME})\s*+=(?!=)")
_STRING = re.compile(
    r'[rRuU]?(?:"""[^"\\]*+(?:(?:\\.|"(?!""))[^"\\]*+)*"""'
    r"|'''[^'\\]*+(?:(?:\\.|'(?!''))[^'\\]*+)*'''"
    r'|"(?!"")[^"\\]*+(?:\\.[^"\\]*+)*"'
    r"|'(?!'')[^'\\]*+(?:\\.[^'\\]*+)*')",
    re.DOTALL,
)
_OPEN_STRING = re.compile(r"[rRuU]?[\"']")
_BREAK = re.compile(r"\\.|[\n\r\0]", re.DOTALL)
_BREAKS = {"\n": "\\n", "\r": "\\r", "\0": "\\0"}
_NUMBER = re.compile(r"[+-]?+(?:(?:0|[1-9][\d_]*+)(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?+(?![\w.])")
_WORD = re.compile(r"[^\W\d]\w*+")
_WORDS = {"True": True, "true": True, "False": False, "false": False, "None": None, "null": None}
_LIST = re.compile(rf"\[(?=\s*+{_NAME}\()")
"""The beginning of a list of calls."""
_ESCAPE = re.compile(r"_x([0-9a-f]{1,6})_")
_EMPTY = "_x_"

Calls = list[tuple[str, dict[str, object]]]


class _PythonScanner(Scanner):
    """Its methods raise UnreadCall."""

    space = re.compile(r"(?:\s++|#[^\n]*+)*+")
    broken = CallProblem.BROKEN_LIST

    def calls(self) -> Calls:
        """The list whose opening bracket stands before this place; at least one call."""
        calls: Calls = []
        positional = False
        while True:
            name, arguments, by_place = self.call()
            calls.append((name, arguments))
            positional = positional or by_place
            if self.takes("]"):
                break
            self.expect(",")
            if self.takes("]"):
                break
        if positional:
            raise UnreadCall(CallProblem.POSITIONAL)
        return calls

    def row(self, gap: re.Pattern[str]) -> tuple[Calls, bool]:
        """Calls one behind the other, and whether the last one is cut off behind others; at least one."""
        calls: Calls = []
        end = self.at
        while True:
            self.match(gap)
            if not _CALL.match(self.text, self.at):
                break
            try:
                printed = self.match(_PRINTED)
                name, arguments, by_place = self.call()
                if printed:
                    self.expect(")")
            except UnreadCall as unread:
                if not calls or unread.problem is not CallProblem.CUT_OFF:
                    raise
                self.at = end
                return calls, True
            if by_place:
                attribute = self.text.startswith(".", self.at)
                raise UnreadCall(CallProblem.BROKEN_LIST if attribute else CallProblem.POSITIONAL)
            calls.append((name, arguments))
            end = self.at
        if not calls:
            raise self.unreadable()
        return calls, False

    def call(self, depth: int = 1) -> tuple[str, dict[str, object], bool]:
        """A call's name, its arguments by their names, and whether there are others."""
        self.match(self.space)
        head = _CALL.match(self.text, self.at)
        if head is None:
            cut = _WRITABLE.fullmatch(self.text, self.at)
            raise UnreadCall(CallProblem.CUT_OFF) if cut else self.unreadable()
        self.at = head.end()
        arguments: dict[str, object] = {}
        by_place = False
        while not self.takes(")"):
            if arguments or by_place:
                self.expect(",")
                if self.takes(")"):
                    break
            self.match(self.space)
            if key := _KEY.match(self.text, self.at):
                self.at = key.end()
                if (name := _unescaped(key[1])) in arguments:
                    raise UnreadCall(self.broken)
                arguments[name] = self.value(depth)
            else:
                self.value(depth)
                by_place = True
        return _unescaped(head["name"]), arguments, by_place

    def value(self, depth: int) -> object:
        self.check_depth(depth)
        self.match(self.space)
        if _OPEN_STRING.match(self.text, self.at):
            return self.string()
        if self.takes("["):
            return self.items("]", depth)[0]
        if self.takes("("):
            items, listed = self.items(")", depth)
            return items if listed or not items else items[0]
        if self.takes("{"):
            return self.object(depth)
        if number := self.match(_NUMBER):
            return _number(number.replace("_", ""))
        word = self.match(_WORD)
        if not word:
            raise self.unreadable()
        return _WORDS.get(word, word)

    def string(self) -> str:
        """A text, and what is joined to it by standing next to it."""
        parts = []
        while literal := self.match(_STRING):
            parts.append(_text(literal))
            self.match(self.space)
        if not parts or _OPEN_STRING.match(self.text, self.at):
            self.at = len(self.text)
            raise UnreadCall(CallProblem.CUT_OFF)
        return "".join(parts)

    def items(self, closing: str, depth: int) -> tuple[list[object], bool]:
        """The values up to a bracket, and whether there is a comma."""
        items: list[object] = []
        comma = False
        while not self.takes(closing):
            if items and not comma:
                raise self.unreadable()
            items.append(self.value(depth + 1))
            comma = self.takes(",")
        return items, comma or len(items) > 1

    def object(self, depth: int) -> dict[str, object]:
        members: dict[str, object] = {}
        comma = True
        while not self.takes("}"):
            if not comma:
                raise self.unreadable()
            key = self.value(depth + 1)
            self.expect(":")
            if isinstance(key, list | dict):
                raise UnreadCall(self.broken)
            members[key if isinstance(key, str) else str(key)] = self.value(depth + 1)
            comma = self.takes(",")
        return members


def _text(literal: str) -> str:
    """What a string literal means; line breaks in it are taken as they are."""
    if not literal.startswith(("r", "R")):
        literal = _BREAK.sub(lambda match: _BREAKS.get(match[0], match[0]), literal)
    elif literal[1:4] not in ("'''", '"""') and "\n" in literal:
        return literal[2:-1]
    try:
        with PYTHON_PARSER, warnings.catch_warnings():  # of strange escapes
            warnings.simplefilter("ignore")
            return str(ast.literal_eval(literal))
    except (SyntaxError, ValueError, MemoryError):
        raise UnreadCall(CallProblem.BROKEN_LIST) from None


def _number(literal: str) -> int | float:
    try:
        return int(literal)
    except ValueError:
        if literal.lstrip("+-").isdigit():
            raise UnreadCall(CallProblem.LONG_NUMBER) from None
        return float(literal)


def add_calls(reading: Reading, calls: Calls) -> None:
    """All calls of a list; none where one cannot be taken. Raises UnreadCall."""
    before = len(reading.calls)
    try:
        for name, arguments in calls:
            reading.add_call(name, arguments)
    except UnreadCall:
        del reading.calls[before:]
        raise


def parse_lists(text: str, otherwise: Callable[[str], Parsed] | None = None) -> Parsed:
    """The calls of every list of calls in a text, and what else it says. otherwise: reads a text that holds none."""
    reading = Reading(text)
    emitted = searched = 0
    while opener := _LIST.search(text, searched):
        scan = _PythonScanner(text, opener.end())
        try:
            calls = scan.calls()
            if text.startswith("(", scan.at):  # a link of Markdown
                searched = scan.at
                continue
            add_calls(reading, calls)
        except UnreadCall as unread:
            reading.note(unread.problem)
            searched = max(scan.at, opener.end())
            continue
        reading.add_text(text[emitted : opener.start()])
        emitted = searched = scan.at
    reading.add_text(text[emitted:])
    listed = reading.parsed()
    if listed.calls or otherwise is None:
        return listed
    other = otherwise(text)
    return other if other.calls or not listed.problem else listed


class MarkedCalls(Struct, frozen=True):
    """Python calls behind a mark, in a list or one behind the other. closer: what must stand behind them (the piece of
    text up to the next mark ends there, too, if it may); gap: what may stand between two calls without brackets."""

    mark: re.Pattern[str]
    closer: re.Pattern[str]
    gap: re.Pattern[str]

    def parse(self, text: str) -> Parsed:
        return parse_marked(text, self.mark, self._take)

    def _take(self, reading: Reading, at: int) -> int:
        following = self.mark.search(reading.text, at)
        scan = _PythonScanner(reading.text[at : following.start() if following else None])
        calls, cut = (scan.calls(), False) if scan.takes("[") else scan.row(self.gap)
        closer = self.closer.match(scan.text, scan.at)
        if closer is None and not cut:
            raise UnreadCall(CallProblem.BROKEN_LIST)
        add_calls(reading, calls)
        if cut:
            reading.note(CallProblem.CUT_OFF)
        return at + (closer.end() if closer and not cut else scan.at)


def render_python(calls: Sequence[PlainCall]) -> str:
    """Calls as one list."""
    return f"[{', '.join(map(render_call, calls))}]"


def render_call(call: PlainCall) -> str:
    arguments = ", ".join(f"{_escaped(key)}={_source(value)}" for key, value in call.arguments.items())
    return f"{_escaped(call.name)}({arguments})"


def _source(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_source, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_source(key)}: {_source(item)}' for key, item in value.items())}}}"
    return repr(value)


def _escaped(name: str) -> str:
    """A name as it is written: as it is, unless it would not be read back; then every character but letters, and the
    first one, by its number."""
    if _WRITABLE.fullmatch(name) and not _ESCAPE.search(name) and name != _EMPTY:
        return name
    if not name:
        return _EMPTY
    return "".join(
        char if number and char.isascii() and char.isalpha() else f"_x{ord(char):x}_"
        for number, char in enumerate(name)
    )


def _unescaped(name: str) -> str:
    if name == _EMPTY:
        return ""
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)) if int(match[1], 16) < 0x110000 else match[0], name)
