"""Reading files of JSON lines: a line at a time, every error with its file and line; checksums, and the languages."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from toolgauge.errors import DataError, UsageError, os_cause
from toolgauge.files import lines_within, open_regular
from toolgauge.limits import MAX_VALUES, holds_more_values

LANGUAGES = ("en", "zh")
MAX_DEPTH = 64
"""Levels of nesting that a data file may have; whatever walks over its values may recurse so deep."""

MAX_LEVELS = 200
"""Levels of nesting that any other document or schema may have."""

_BUFFER = 1 << 18
"""Bytes read at once: lines are long, and a small buffer doubles the time to find their ends."""
_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_PACKED = (b"\x1f\x8b", b"PK\x03\x04", b"\x28\xb5\x2f\xfd", b"BZh", b"\xfd7zXZ")
"""How gzip, zip, zstd, bzip2 and xz files begin."""
_TOO_DEEP = f"nested deeper than {MAX_DEPTH} levels"
_WRITER = json.JSONEncoder(ensure_ascii=False)
_SHALLOW = msgspec.json.Decoder(dict[str, msgspec.Raw])


def read_lines(path: Path | str) -> Iterator[tuple[int, Any]]:
    """The line number (from 1) and the JSON value of every line that is not blank; the file is read as it goes.

    Raises DataError where the file cannot be read, or a line is no JSON, no UTF-8 or nested deeper than MAX_DEPTH.
    """
    for number, text in numbered_lines(path):
        yield number, parse_line(text, path, number)


def numbered_lines(path: Path | str) -> Iterator[tuple[int, bytes]]:
    """The number (from 1) and the bytes of every line that is not blank, without a byte order mark."""
    try:
        with open_regular(path, buffering=_BUFFER) as file:
            for number, raw in enumerate(lines_within(file), 1):
                if number == 1 and raw.startswith(_UTF16):
                    raise DataError("UTF-16 file; save it as UTF-8", path)
                if number == 1 and raw.startswith(_PACKED):
                    raise DataError("compressed file; unpack it first", path)
                text = raw.removeprefix(_BOM) if number == 1 else raw
                if text and not text.isspace():
                    yield number, text
    except OSError as error:
        raise DataError(f"cannot read: {os_cause(error)}", path) from error


def parse_line(text: bytes | str, path: Path | str, number: int, skip: frozenset[str] = frozenset()) -> object:
    """The JSON value of one line; DataError as in `read_lines`, also where it has more than MAX_VALUES values.

    skip: keys of the line's object that are of no interest; they are left out, which saves most of their cost.
    """
    if holds_more_values(text if isinstance(text, bytes) else text.encode(errors="replace"), MAX_VALUES):
        raise DataError(f"more than {MAX_VALUES:,} values", path, number)
    try:
        value = _decode_without(text, skip) if skip else msgspec.json.decode(text)
    except RecursionError as error:
        raise DataError(_TOO_DEEP, path, number) from error
    except UnicodeDecodeError as error:
        raise DataError(f"not UTF-8 (byte {error.start})", path, number) from error
    except (msgspec.MsgspecError, ValueError) as error:
        raise DataError(_invalid_json(text, error), path, number) from error
    if not within_depth(value):
        raise DataError(_TOO_DEEP, path, number)
    return value


def within_depth(value: Any, limit: int = MAX_DEPTH) -> bool:
    """Is a JSON value nested at most `limit` levels deep? It is walked level by level, without recursion."""
    containers = (dict, list)
    level = [value] if type(value) in containers else []
    for _unused in range(limit):
        if not level:
            return True
        level = [
            part
            for node in level
            for part in (node.values() if type(node) is dict else node)
            if type(part) in containers
        ]
    return not level


def as_json(value: object) -> str:
    """A value as JSON, a few words in its place if it cannot be written so: a reply can hold anything."""
    try:
        return _WRITER.encode(value)
    except (TypeError, ValueError, RecursionError) as error:
        return f"(not representable as JSON: {type(error).__name__})"


def sha256_of(path: Path | str) -> str:
    """The sha256 of a file's content, as hexadecimal digits; DataError where it cannot be read."""
    try:
        with open_regular(path) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise DataError(f"cannot read: {os_cause(error)}", path) from error


def known_language(language: str) -> None:
    """UsageError unless it is one of the two."""
    if language not in LANGUAGES:
        raise UsageError(f"unknown language '{language}'; choose en or zh")


def _decode_without(text: bytes | str, skip: frozenset[str]) -> object:
    try:
        fields = _SHALLOW.decode(text)
    except msgspec.ValidationError:
        return msgspec.json.decode(text)  # not an object
    return {key: msgspec.json.decode(raw) for key, raw in fields.items() if key not in skip}


def _invalid_json(text: bytes | str, error: Exception) -> str:
    if not isinstance(text, str) and text.strip() in (b"[", b"{"):
        return "invalid JSON: every line must be a whole JSON object (JSON Lines, not pretty-printed JSON)"
    if isinstance(error, msgspec.DecodeError) and "truncated" in str(error):
        return "invalid JSON: the line ends too early"
    return f"invalid JSON: {error}"
