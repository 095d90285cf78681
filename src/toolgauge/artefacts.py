"""Structs that are kept in files, with room for what others declare beside their own fields.

A run.json has the fields of `Manifest`, and those of the options of the benchmark that was run; a model tells of
itself what every model tells, and what only it has. Such a file stays one flat object: what a Struct does not name
itself stands in `more`, and is written in its place.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar, get_args

import msgspec
from msgspec import UNSET, Struct
from msgspec.structs import fields

T = TypeVar("T", bound="Extensible")

DIGITS = 6
"""Behind the point, of numbers in files."""


class Extensible(Struct, frozen=True, kw_only=True):
    """Base of such Structs, each with a field `more: dict[str, object]`: what others declare, written where it stands.

    A field that is UNSET is not written.
    """


def written(value: Extensible) -> dict[str, object]:
    """The object that stands in the file."""
    content: dict[str, object] = {}
    for name in value.__struct_fields__:
        field = getattr(value, name)
        if name == "more":
            content.update(field)
        elif field is not UNSET:
            content[name] = _plain(field)
    return content


def read(content: Mapping[str, object], kind: type[T]) -> T:
    """The Struct that an object of a file says. Raises msgspec.ValidationError where a field is of another kind."""
    return msgspec.convert(_gathered(content, kind), kind)


def _plain(value: object) -> object:
    if isinstance(value, Extensible):
        return written(value)
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    plain: object = msgspec.to_builtins(value)
    return plain


def _gathered(content: Mapping[str, object], kind: type[Extensible]) -> dict[str, object]:
    """The object with what the kind does not name in `more`, in the objects inside it too.

    null where nothing may be null is as if the field was missing: older versions wrote it.
    """
    known = {field.name: field.type for field in fields(kind) if field.name != "more"}
    own = {
        name: _nested(value, known[name])
        for name, value in content.items()
        if name in known and not (value is None and type(None) not in get_args(known[name]))
    }
    return own | {"more": {name: value for name, value in content.items() if name not in known}}


def _nested(value: object, kind: object) -> object:
    inner = _extensible_in(kind)
    if inner is None or not isinstance(value, dict):
        return value
    if any(getattr(part, "__origin__", None) is dict for part in (kind, *get_args(kind))):
        return {key: _nested(part, inner) for key, part in value.items()}
    return _gathered(value, inner)


def _extensible_in(kind: object) -> type[Extensible] | None:
    """The kind itself, or the one inside of an optional field or a mapping."""
    if isinstance(kind, type) and issubclass(kind, Extensible):
        return kind
    return next((found for part in get_args(kind) if (found := _extensible_in(part)) is not None), None)
