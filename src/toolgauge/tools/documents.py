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

from toolgauge.data.lines import MAX_LEVELS, within_depth
from toolgauge.errors import DataError, os_cause
from toolgauge.files import read_whole
from toolgauge.limits import MAX_VALUES, holds_more_values

MAX_YAML_BYTES = 32 << 20
"""The largest YAML file, which takes far longer to read than JSON."""

_BYTE = re.compile(r"\(byte (\d+)\)")
_INTEGER = re.compile(r"[-+]?\d{1,400}|0x[0-9a-fA-F]{1,300}|0o[0-7]{1,400}")
_NUMBER = re.compile(r"[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?")
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
        return _Builder(path).build(yaml.parse(text, Loader=loader))
    except UnicodeDecodeError as error:
        raise DataError("not UTF-8", path, data.count(b"\n", 0, error.start) + 1) from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        reason = getattr(error, "problem", None) or str(error).partition("\n")[0]
        raise DataError(f"neither JSON nor YAML: {reason}", path, mark.line + 1 if mark else None) from error


class _Open:
    """A container that is being filled: its value, the key that waits for a value, how many values it holds."""

    def __init__(self, value: Any, anchor: str | None) -> None:
        self.value, self.anchor, self.key, self.size = value, anchor, _NO_KEY, 1
        self.merged: list[dict[str, Any]] = []


_NO_KEY = object()


class _Builder:
    """Makes values of YAML events, with a stack of its own."""

    def __init__(self, path: Path | str) -> None:
        self.path, self.line, self.total = path, 0, 0
        self.stack: list[_Open] = []
        self.anchors: dict[str, tuple[Any, int]] = {}
        self.result: Any = None
        self.documents = 0

    def build(self, events: Iterator[Any]) -> Any:
        """The value of the first document. Raises DataError where there is more than one."""
        for event in events:
            self.line = event.start_mark.line + 1
            self._take(event)
        return self.result

    def _take(self, event: Any) -> None:
        kind = type(event).__name__
        if kind == "ScalarEvent":
            plain = event.implicit[0] and event.style in (None, "")
            self._put(_scalar(event.value) if plain else event.value, event.anchor)
        elif kind in ("MappingStartEvent", "SequenceStartEvent"):
            if len(self.stack) >= MAX_LEVELS:
                raise self._error(_too_deep())
            if event.anchor:
                self.anchors.pop(event.anchor, None)
            self.stack.append(_Open({} if kind[0] == "M" else [], event.anchor))
        elif kind in ("MappingEndEvent", "SequenceEndEvent"):
            self._close()
        elif kind == "AliasEvent":
            if event.anchor not in self.anchors:
                raise self._error(f"unknown or recursive alias *{event.anchor}")
            value, size = self.anchors[event.anchor]
            self._put(value, None, size)
        elif kind == "DocumentStartEvent":
            self.documents += 1
            if self.documents > 1:
                raise self._error("several YAML documents; keep one")

    def _close(self) -> None:
        done = self.stack.pop()
        for source in done.merged:
            done.value.update({key: part for key, part in source.items() if key not in done.value})
        self._put(done.value, done.anchor, done.size)

    def _put(self, value: object, anchor: str | None, size: int = 1) -> None:
        """A finished value goes where it belongs: into the open container, or it is the document."""
        if anchor:
            self.anchors[anchor] = value, size
        if not self.stack:
            self.result = value
            return
        top = self.stack[-1]
        top.size += size
        self.total += 1
        if top.size > MAX_VALUES or self.total > MAX_VALUES:
            raise self._error(f"more than {MAX_VALUES:,} values, including those repeated by aliases")
        if type(top.value) is list:
            top.value.append(value)
        elif top.key is _NO_KEY:
            top.key = self._key(value)
        else:
            self._fill(top, value)

    def _fill(self, top: _Open, value: Any) -> None:
        key, top.key = top.key, _NO_KEY
        if key == "<<":
            sources = value if type(value) is list else [value]
            top.merged += [source for source in sources if type(source) is dict]
        else:
            top.value[key] = value

    def _key(self, value: object) -> str:
        if type(value) in (dict, list):
            raise self._error("a key must be a string")
        if value is None or type(value) is bool:
            return {None: "null", True: "true", False: "false"}[value]
        return str(value)

    def _error(self, message: str) -> DataError:
        return DataError(message, self.path, self.line)


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
