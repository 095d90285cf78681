"""One line of a data file while it is read: typed access to its fields, places inside it, errors that name file, line
and JSON path.

Places in annotations and corrections are JSON Pointers (RFC 6901), such as `/stay/check_in`. `argument_sources` has
paths of another notation: `stay.check_in` is `/stay/check_in`, `items[0].sku` is `/items/0/sku`
(docs/files.md#places-in-arguments).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from msgspec import Struct

from toolgauge.errors import DataError, placed

T = TypeVar("T")
P = ParamSpec("P")
Steps = tuple[str, ...]
"""A pointer taken apart: keys, and positions in arrays as they are written; () is the whole value."""

MAX_PROBLEMS = 1000
INDEX = re.compile("0|[1-9][0-9]{0,8}")
"""A position in an array, as a step."""
_KINDS: dict[type, str] = {
    str: "a string",
    list: "a list",
    dict: "an object",
    int: "an integer",
    float: "a number",
    bool: "a boolean",
    type(None): "null",
}
_MISSING = object()
_PLAIN = re.compile(r"[\w-]{1,60}")
_ESCAPE = re.compile("~(?![01])")
_SHOWN = 80


class Problem(Struct, frozen=True):
    """Something in a data file that does not hold. line: from 1; path: of the field inside the line."""

    file: str
    message: str
    line: int | None = None
    path: str | None = None

    @property
    def text(self) -> str:
        """The message behind its place."""
        return placed(self.message, self.file, self.line, self.path)

    def __str__(self) -> str:
        return self.text


class DataLine:
    """A line and its place. With `problems`, what cannot be read is noted there instead of being raised at once."""

    def __init__(self, file: Path | str, line: int, value: object, problems: list[DataError] | None = None) -> None:
        self.file, self.line, self.problems = file, line, problems
        if type(value) is not dict:
            raise self.error(f"the line must be an object, not {named(value)}")
        self.value: dict[str, object] = value

    def error(self, message: str, path: str | None = None) -> DataError:
        return DataError(message, self.file, self.line, path)

    def take(self, holder: Mapping[str, object], key: str, kind: type[T], path: str = "") -> T:
        """The field `key` of an object at `path`; DataError where it is missing or of another kind."""
        value = holder.get(key, _MISSING)
        if type(value) is kind:
            return value
        place = f"{path}.{key}" if path else key
        raise self.error("missing" if value is _MISSING else must_be(kind, value), place)

    def texts(self, key: str) -> list[str]:
        """A field of the line that is a list of texts."""
        values = self.take(self.value, key, list)
        for position, value in enumerate(values):
            if type(value) is not str:
                raise self.error(must_be(str, value), f"{key}[{position}]")
        return values

    def attempt(self, read: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | None:
        """What a reading function returns; None where it failed and problems are being collected."""
        try:
            return read(*args, **kwargs)
        except DataError as error:
            if self.problems is None:
                raise
            self.problems.append(error)
            return None

    def same_length(self, values: list[Any], key: str, expected: int, what: str | None = None) -> None:
        """DataError unless a list has one entry per task."""
        if len(values) != expected:
            entries = "entry" if len(values) == 1 else "entries"
            raise self.error(f"has {len(values)} {entries}, expected {expected}, one per {what or 'task'}", key)


def session_of(record: DataLine) -> str:
    """The id of a record; it may be a list of texts, joined without anything between."""
    value = record.value.get("id")
    if type(value) is list and value and all(type(part) is str for part in value):
        return "".join(value)
    return record.take(record.value, "id", str)


def parse_pointer(text: str) -> Steps:
    """The steps of a pointer; raises ValueError for what is none."""
    if text and not text.startswith("/"):
        raise ValueError("a JSON Pointer must begin with /")
    if _ESCAPE.search(text):
        raise ValueError("in a JSON Pointer, write ~0 for ~ and ~1 for /")
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in text.split("/")[1:])


def child(pointer: str, key: str | int) -> str:
    """The pointer of a member or item of what stands at a pointer."""
    return f"{pointer}/{str(key).replace('~', '~0').replace('/', '~1')}"


def find(value: object, steps: Steps) -> Any:
    """What stands at a place; raises LookupError where there is nothing."""
    for step in steps:
        if isinstance(value, dict):
            value = value[step]
        elif isinstance(value, list) and INDEX.fullmatch(step):
            value = value[int(step)]
        else:
            raise LookupError(step)
    return value


def put(value: object, steps: Steps, new: object) -> Any:
    """A copy with another value at a place, which need not exist in its object; raises LookupError where its holder
    is missing."""
    if not steps:
        return new
    step, rest = steps[0], steps[1:]
    if isinstance(value, dict):
        return {**value, step: put(value[step], rest, new) if rest else new}
    if isinstance(value, list) and INDEX.fullmatch(step):
        position = int(step)
        return [*value[:position], put(value[position], rest, new), *value[position + 1 :]]
    raise LookupError(step)


def step(key: str | int) -> str:
    """A key or index as one step of a JSON path; keys that are no plain words are quoted, long ones cut."""
    if isinstance(key, int):
        return f"[{key}]"
    return f".{key}" if _PLAIN.fullmatch(key) else f"[{shown(key)}]"


def shown(value: object) -> str:
    """A value of a data file for a message: a string in quotes, anything else as JSON; one line of bounded length and
    without control characters."""
    text = repr(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    text = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text[: _SHOWN + 1])
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def named(value: object) -> str:
    """The type of a JSON value in words: "a string", "an object"."""
    return _KINDS.get(type(value)) or str(type(value).__name__)


def must_be(kind: type, value: object) -> str:
    return f"must be {_KINDS[kind]}, not {named(value)}"
