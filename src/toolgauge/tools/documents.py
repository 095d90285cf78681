"""One JSON or YAML document from a file nobody vouches for: size, depth, references and types are bounded.

YAML is built from libyaml's events instead of by a loader: loaders recurse (a line of brackets overflows the C stack),
multiply what merge keys and aliases repeat, and read `on` and `2024-01-01` as something else than text. Plain scalars
mean what YAML 1.2's JSON schema says, which is what OpenAPI asks for.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from toolgauge.data.lines import MAX_LEVELS, within_depth
from toolgauge.errors import DataError, os_cause
from toolgauge.files import read_whole
from toolgauge.limits import MAX_VALUES, holds_more_values

MAX_YAML_BYTES = 32 << 20
"""The largest YAML file, which takes far longer to read than JSON."""

_BYTE = re.compile(r"\(byte (\d+)\)")
_INTEGER = re.compile(r"[-+]?\d{1,400}|0x[0-9a-fA-F]{1,300}|0o[0-7]{1,400}")
_NUMBER = re.compile(r"[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?")
_NOTHING: Any = object()
_WORDS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}


def read_document(path: Path | str) -> Any:
    """The value of a JSON or YAML file; objects have text keys. Raises DataError with file and line."""
    data = read_bytes(path)
    if data.lstrip()[:1] in (b"{", b"[") and Path(path).suffix.lower() not in (".yaml", ".yml"):
        return parse_json(data, path)
    try:
        return parse_json(data, path)  # YAML files often hold JSON, which is read fifty times faster
    except DataError:
        return parse_yaml(data, path)


def read_bytes(path: Path | str) -> bytes:
    """A file's content without a byte order mark. Raises DataError where it cannot be read or is too large."""
    try:
        data = read_whole(path)
    except OSError as error:
        raise DataError(f"cannot read: {os_cause(error)}", path) from error
    return data.removeprefix(b"\xef\xbb\xbf")


def parse_json(data: bytes, path: Path | str) -> Any:
    """The JSON value of a file's content; raises DataError with the line of an error, or over a limit."""
    if holds_more_values(data, MAX_VALUES):
        raise DataError(f"more than {MAX_VALUES:,} values", path)
    try:
        value = msgspec.json.decode(data)
    except RecursionError as error:
        raise DataError(_too_deep(), path) from error
    except UnicodeDecodeError as error:
        raise DataError("not UTF-8", path, data.count(b"\n", 0, error.start) + 1) from error
    except (msgspec.MsgspecError, ValueError) as error:
        place = _BYTE.search(str(error))
        at = min(int(place[1]), len(data)) if place else len(data)
        raise DataError(f"invalid JSON: {error}", path, data.count(b"\n", 0, at) + 1) from error
    if not within_depth(value, MAX_LEVELS):
        raise DataError(_too_deep(), path)
    return value


def parse_yaml(data: bytes, path: Path | str) -> Any:
    """The value of a YAML file's content, as JSON would have it. Raises DataError with the line."""
    import yaml

    if len(data) > MAX_YAML_BYTES:
        raise DataError(f"YAML file larger than {MAX_YAML_BYTES >> 20} MB; save it as JSON", path)
    try:
        text = data.decode()
        loader = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
        return _build(yaml.parse(text, Loader=loader), path)
    except UnicodeDecodeError as error:
        raise DataError("not UTF-8", path, data.count(b"\n", 0, error.start) + 1) from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        reason = getattr(error, "problem", None) or str(error).partition("\n")[0]
        raise DataError(f"neither JSON nor YAML: {reason}", path, mark.line + 1 if mark else None) from error


class _Open(Struct):
    """A container that is being filled. size: values in it, those repeated by aliases too; key: waits for its value;
    merged: what `<<` names."""

    value: Any
    anchor: str | None
    size: int = 1
    key: Any = _NOTHING
    merged: list[Any] = []

    @property
    def wants_key(self) -> bool:
        return isinstance(self.value, dict) and self.key is _NOTHING

    def add(self, value: Any, size: int) -> bool:
        """Put a finished value where it belongs; False where it cannot be a key."""
        self.size += size
        if self.wants_key:
            self.key = str(value)
            return not isinstance(value, dict | list)
        if isinstance(self.value, list):
            self.value.append(value)
        elif self.key == "<<":
            self.merged += [part for part in (value if isinstance(value, list) else [value]) if isinstance(part, dict)]
        else:
            self.value[self.key] = value
        self.key = _NOTHING
        return True


def _build(events: Iterator[Any], path: Path | str) -> Any:
    """The value of a document's events, made with a stack of its own."""
    stack: list[_Open] = []
    anchors: dict[str, tuple[Any, int]] = {}
    result: Any = None
    total = documents = 0
    for event in events:
        line, kind = event.start_mark.line + 1, type(event).__name__
        if kind in ("MappingStartEvent", "SequenceStartEvent"):
            if len(stack) >= MAX_LEVELS:
                raise DataError(_too_deep(), path, line)
            anchors.pop(event.anchor, None)
            stack.append(_Open({} if kind[0] == "M" else [], event.anchor))
        elif kind in ("ScalarEvent", "MappingEndEvent", "SequenceEndEvent", "AliasEvent"):
            value, size = _finished(event, stack, anchors)
            if value is _NOTHING:
                raise DataError(f"unknown or recursive alias *{event.anchor}", path, line)
            if not stack:
                result = value
            elif not stack[-1].add(value, size):
                raise DataError("a key must be a string", path, line)
            total += 1
            if max(total, stack[-1].size if stack else 0) > MAX_VALUES:
                raise DataError(f"more than {MAX_VALUES:,} values, including those repeated by aliases", path, line)
        elif kind == "DocumentStartEvent":
            documents += 1
            if documents > 1:
                raise DataError("several YAML documents; keep one", path, line)
    return result


def _finished(event: Any, stack: list[_Open], anchors: dict[str, tuple[Any, int]]) -> tuple[Any, int]:
    """The value that ends with an event and how many values it holds; _NOTHING for an alias of nothing."""
    kind = type(event).__name__
    if kind == "AliasEvent":
        return anchors.get(event.anchor, (_NOTHING, 1))
    if kind == "ScalarEvent":
        is_plain = event.implicit[0] and event.style in (None, "") and not (stack and stack[-1].wants_key)
        value, anchor, size = _scalar(event.value) if is_plain else event.value, event.anchor, 1
    else:
        done = stack.pop()
        value, anchor, size = done.value, done.anchor, done.size
        for source in done.merged:
            value |= {key: part for key, part in source.items() if key not in value}
    if anchor:
        anchors[anchor] = value, size
    return value, size


def _scalar(text: str) -> Any:
    """What a plain scalar means: null, true, false, a number, else the text itself."""
    if text in _WORDS:
        return _WORDS[text]
    if text[:1] in "-+.0123456789":
        if _INTEGER.fullmatch(text):
            return int(text, 0 if text[:2] in ("0x", "0o") else 10)
        if _NUMBER.fullmatch(text):
            number = float(text)
            return number if math.isfinite(number) else text
    return text


def _too_deep() -> str:
    return f"nested deeper than {MAX_LEVELS} levels"
