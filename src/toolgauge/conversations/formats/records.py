"""The JSON objects of a log: a file of JSON lines, read as it goes, or one JSON document, read whole.

A line that cannot be used is a finding, and the next one is read: nothing else is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from toolgauge.conversations.conversation import Conversation
from toolgauge.conversations.formats.found import Finds, Rejected, Remark, left_out, rejected
from toolgauge.data.lines import parse_line
from toolgauge.data.record import DataLine, named
from toolgauge.errors import DataError, os_cause
from toolgauge.files import open_regular, read_whole
from toolgauge.limits import MAX_FILE_BYTES, MAX_LINE_BYTES, MAX_VALUES, holds_more_values

MAX_DOCUMENT_VALUES = 2 * MAX_VALUES
"""Of a document of many conversations: where each of its elements is takes memory; what they hold is counted again."""
_BLOCK = 1 << 20
_SUFFIXES = (".json", ".jsonl", ".ndjson", ".log", ".txt")
_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_PACKED = (b"\x1f\x8b", b"PK\x03\x04", b"\x28\xb5\x2f\xfd", b"BZh", b"\xfd7zXZ")
"""How gzip, zip, zstd, bzip2 and xz files begin."""


class Line(Struct, frozen=True):
    """A line of a file that is not blank, or an element of a document. number: from 1; offset: of its first byte."""

    path: Path
    number: int
    offset: int
    text: bytes


def numbered(path: Path, longest: int = MAX_LINE_BYTES) -> Iterator[Line | Rejected]:
    """The lines of a file. One of more than `longest` bytes is passed over, and so is a file that is no text at all."""
    number = offset = 0
    try:
        with open_regular(path, buffering=_BLOCK) as file:
            while raw := file.readline(longest + 1):
                number += 1
                begin, offset = offset, offset + len(raw)
                if number == 1 and raw.startswith((*_UTF16, *_PACKED)):
                    yield left_out(_no_text(raw), path)
                    return
                if len(raw) > longest:
                    while raw and not raw.endswith(b"\n"):
                        raw = file.readline(_BLOCK)
                        offset += len(raw)
                    yield left_out(f"line longer than {longest >> 20} MB", path, number)
                elif not raw.isspace():
                    yield Line(path, number, begin, raw.removeprefix(_BOM) if number == 1 else raw)
    except OSError as error:
        yield left_out(f"cannot read: {os_cause(error)}", path, number or None)


def pieces(path: Path) -> Iterator[Line | Rejected]:
    """What a file consists of: its lines, or the elements of the one JSON document that it is."""
    lines = numbered(path)
    for first in lines:
        if isinstance(first, Rejected) or _is_begun(first.text):
            try:
                document = _document(path)
            except (OSError, ValueError, RecursionError) as error:
                if isinstance(first, Line) and first.text.strip() in (b"[", b"{"):  # a document, and a bad one
                    why = os_cause(error) if isinstance(error, OSError) else str(error)
                    yield left_out(f"cannot read: {why}", path)
                    return
            else:
                yield from document
                return
        yield first
        break
    yield from lines


def values(path: Path) -> Iterator[DataLine | Rejected]:
    """The objects of a file. An array in a line is an object per element; an array of messages is a conversation."""
    for piece in pieces(path):
        if isinstance(piece, Rejected):
            yield piece
        else:
            yield from parsed(piece)


def parsed(line: Line) -> Iterator[DataLine | Rejected]:
    """The objects of one line."""
    try:
        value = parse_line(line.text, line.path, line.number)
    except DataError as error:
        yield rejected(error)
        return
    yield from _spread(line.path, line.number, value)


def each(paths: Iterable[Path], read: Callable[[DataLine], Iterable[Conversation | Remark]]) -> Finds:
    """The conversations that a function makes of the objects of files; what it raises becomes a finding."""
    for path in paths:
        for record in values(path):
            if isinstance(record, Rejected):
                yield record
                continue
            try:
                yield from read(record)
            except DataError as error:
                yield rejected(error)


def made_id(record: DataLine) -> str:
    """The name of a conversation that has none: its file and line."""
    file = Path(record.file)
    name = file.stem if file.suffix.lower() in _SUFFIXES else file.name  # half an address would not be redacted
    return f"{name}-{record.line}"


def _no_text(raw: bytes) -> str:
    return "UTF-16 file; save it as UTF-8" if raw.startswith(_UTF16) else "compressed file; unpack it first"


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


def _document(path: Path) -> Iterable[Line | Rejected]:
    """The elements of a file that is one JSON document. Raises OSError, ValueError, RecursionError where it is none."""
    content = read_whole(path, MAX_FILE_BYTES).removeprefix(_BOM)
    elements = [msgspec.json.decode(content, type=msgspec.Raw)]
    if content.lstrip()[:1] == b"[":
        if holds_more_values(content, MAX_DOCUMENT_VALUES):
            return [left_out(f"more than {MAX_DOCUMENT_VALUES:,} values", path)]
        elements = msgspec.json.decode(content, type=list[msgspec.Raw])
    return elements_of(path, content, elements)


def elements_of(path: Path, content: bytes, elements: Sequence[msgspec.Raw]) -> Iterator[Line]:
    """The elements of a document that was read whole, with their places; they are in its order."""
    place, number, shift = 0, 1, _size_of(path) - len(content)
    for element in elements:
        text = bytes(element)
        begin = content.index(text, place)
        number += content.count(b"\n", place, begin)
        yield Line(path, number, begin + shift, text)
        place, number = begin + len(text), number + text.count(b"\n")


def _spread(path: Path, number: int, value: object) -> Iterator[DataLine | Rejected]:
    if type(value) is dict:
        yield DataLine(path, number, value)
    elif type(value) is list and value and all(_is_message(one) for one in value):
        yield DataLine(path, number, {"messages": value})
    elif type(value) is list:
        for one in value:
            if type(one) is dict:
                yield DataLine(path, number, one)
            else:
                yield left_out(f"must be an object, not {named(one)}", path, number)
    else:
        yield left_out(f"the line must be an object, not {named(value)}", path, number)


def _is_message(value: object) -> bool:
    return type(value) is dict and type(value.get("role")) is str


def _size_of(path: Path) -> int:
    """Bytes of a file; 0 where nobody can tell."""
    try:
        return path.stat().st_size
    except OSError:
        return 0
