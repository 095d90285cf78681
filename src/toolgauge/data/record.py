"""One line of a data file while it is read: typed access to its fields, errors that name file, line and JSON path."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from toolgauge.errors import DataError

T = TypeVar("T")
P = ParamSpec("P")

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
_SHOWN, _REASON = 80, 160


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
    """The id of a session's record; MMTB's may be a list of texts, joined without anything between, as the public
    analysis does."""
    value = record.value.get("id")
    if type(value) is list and value and all(type(part) is str for part in value):
        return "".join(value)
    return record.take(record.value, "id", str)


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


def short_reason(text: str) -> str:
    """A validator's message, which may repeat the value: one line of bounded length, without control characters."""
    text = "".join(one if one.isprintable() else " " for one in text[: 4 * _REASON])
    return text if len(text) <= _REASON else text[: _REASON - 1] + "…"
