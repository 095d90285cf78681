"""The JSON objects of a log: a file of JSON lines, read as it goes, one JSON document, read whole, or a CSV export.

A line that cannot be used is a finding, and the next one is read: nothing else is lost.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

import msgspec

from toolgauge.data.lines import parse_line
from toolgauge.data.record import DataLine, named
from toolgauge.errors import DataError, os_cause
from toolgauge.files import open_regular, read_whole
from toolgauge.limits import MAX_FILE_BYTES, MAX_LINE_BYTES, MAX_VALUES, holds_more_values
from toolgauge.logs.conversation import LeftOut, left_out
from toolgauge.logs.text_calls import decoded

MAX_DOCUMENT_VALUES = 2 * MAX_VALUES
"""Of a document of many conversations: where each of its elements is takes memory; what they hold is counted again."""
_BLOCK = 1 << 20
_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_PACKED = (b"\x1f\x8b", b"PK\x03\x04", b"\x28\xb5\x2f\xfd", b"BZh", b"\xfd7zXZ")
"""How gzip, zip, zstd, bzip2 and xz files begin."""
_MESSAGE_KINDS = (
    "human", "ai", "system", "tool", "function_call", "function_call_output", "custom_tool_call", "constructor",
    "reasoning", "TextMessage", "ToolCallRequestEvent", "ToolCallExecutionEvent", "ToolCallSummaryMessage",
    "ThoughtEvent",
)  # fmt: skip


def records(path: Path, longest: int = MAX_LINE_BYTES) -> Iterator[DataLine | LeftOut]:
    """The objects of a file, each with its line (from 1); an array of messages is one object with `messages`."""
    try:
        if path.suffix.lower() == ".csv":
            yield from _csv_rows(path)
            return
        lines = _lines(path, longest)
        first = next(lines, None)
        if first is None:
            return
        if isinstance(first, LeftOut) or _is_begun(first[1]):
            document = _document(path)
            if document is not None:
                yield from document
                return
            if not isinstance(first, LeftOut) and first[1].strip() in (b"[", b"{"):
                yield LeftOut(str(path), "cannot read: the JSON document is damaged, too large or nested too deeply")
                return
        yield from _parsed(path, first)
        for piece in lines:
            yield from _parsed(path, piece)
    except OSError as error:
        yield LeftOut(str(path), f"cannot read: {os_cause(error)}")


def _lines(path: Path, longest: int) -> Iterator[tuple[int, bytes] | LeftOut]:
    """The lines that are not blank; one of more than `longest` bytes, and a file that is no text, is passed over."""
    number = 0
    with open_regular(path, buffering=_BLOCK) as file:
        while raw := file.readline(longest + 1):
            number += 1
            if number == 1 and raw.startswith((*_UTF16, *_PACKED)):
                is_packed = not raw.startswith(_UTF16)
                text = "compressed file; unpack it first" if is_packed else "UTF-16 file; save it as UTF-8"
                yield LeftOut(str(path), text)
                return
            if len(raw) > longest:
                while raw and not raw.endswith(b"\n"):
                    raw = file.readline(_BLOCK)
                yield LeftOut(str(path), f"line longer than {longest >> 20} MB", number)
            elif not raw.isspace():
                yield number, raw.removeprefix(_BOM) if number == 1 else raw


def _is_begun(text: bytes) -> bool:
    """Is this the first line of a document that goes on?"""
    if text.lstrip()[:1] not in (b"[", b"{"):
        return False
    try:
        msgspec.json.decode(text, type=msgspec.Raw)
    except msgspec.DecodeError as error:
        return "truncated" in str(error)
    except (ValueError, RecursionError):
        return False
    return False


def _document(path: Path) -> Iterator[DataLine | LeftOut] | None:
    """The objects of a file that is one JSON document; None where it is none."""
    try:
        content = read_whole(path, MAX_FILE_BYTES).removeprefix(_BOM)
        if content.lstrip()[:1] != b"[":
            whole = msgspec.json.decode(content, type=msgspec.Raw)
            return _parsed(path, (1, bytes(whole)))
        if holds_more_values(content, MAX_DOCUMENT_VALUES):
            return iter([LeftOut(str(path), f"more than {MAX_DOCUMENT_VALUES:,} values")])
        elements = msgspec.json.decode(content, type=list[msgspec.Raw])
    except (OSError, ValueError, RecursionError):
        return None
    return _elements(path, content, elements)


def _elements(path: Path, content: bytes, elements: list[msgspec.Raw]) -> Iterator[DataLine | LeftOut]:
    """The elements of an array with their lines. An array of messages is one conversation."""
    first = bytes(elements[0]) if elements else b""
    if elements and len(first) <= MAX_LINE_BYTES and _is_message(decoded(first.decode("utf-8", "replace"))):
        yield from _parsed(path, (1, content))
        return
    at, number = 0, 1
    for element in elements:
        text = bytes(element)
        begin = content.index(text, at)
        number += content.count(b"\n", at, begin)
        yield from _parsed(path, (number, text))
        at, number = begin + len(text), number + text.count(b"\n")


def _parsed(path: Path, piece: tuple[int, bytes] | LeftOut) -> Iterator[DataLine | LeftOut]:
    """The objects of one line, or of one element of a document."""
    if isinstance(piece, LeftOut):
        yield piece
        return
    number, text = piece
    try:
        value = parse_line(text, path, number)
    except DataError as error:
        yield left_out(error)
        return
    if type(value) is list and value and all(map(_is_message, value)):
        value = {"messages": value}
    for element in value if type(value) is list else [value]:
        if type(element) is dict:
            yield DataLine(path, number, element)
        else:
            yield LeftOut(str(path), f"must be an object, not {named(element)}", number)


def _is_message(value: object) -> bool:
    if type(value) is not dict:
        return False
    return type(value.get("role")) is str or value.get("type") in _MESSAGE_KINDS


def _csv_rows(path: Path) -> Iterator[DataLine | LeftOut]:
    """The rows of a CSV file as objects; cells that are JSON are what they say."""
    content = read_whole(path, MAX_FILE_BYTES).removeprefix(_BOM)
    previous = csv.field_size_limit(MAX_LINE_BYTES)
    try:
        rows = csv.DictReader(io.StringIO(content.decode("utf-8", "replace"), newline=""), restkey="", restval="")
        for row in rows:
            cells = {str(key): _cell(value) for key, value in row.items() if type(value) is str and value}
            yield DataLine(path, rows.line_num, dict(cells))
    except csv.Error:
        yield LeftOut(str(path), "cannot read: damaged CSV")
    finally:
        csv.field_size_limit(previous)


def _cell(value: str) -> object:
    if value[:1] in ("{", "[", '"'):
        inner = decoded(value)
        return value if inner is None else inner
    return value
