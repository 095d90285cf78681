"""Tool definitions as they are sent: JSON Schema's type names instead of those in data files
(docs/rules.md#what-the-model-is-sent)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from toolgauge.chat import Json
from toolgauge.data.lines import MAX_DEPTH
from toolgauge.data.references import DEFINITIONS, LISTS, MAPS, SINGLE, resolve_references

Rewrite = Callable[[Json], Json]
"""Makes another one of a schema, without those inside it."""

TYPES: dict[str, dict[str, object]] = {
    "string": {"type": "string"},
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "boolean": {"type": "boolean"},
    "array": {"type": "array"},
    "object": {"type": "object"},
    "null": {"type": "null"},
    "str": {"type": "string"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "bool": {"type": "boolean"},
    "list": {"type": "array"},
    "tuple": {"type": "array"},
    "dict": {"type": "object"},
    "any": {},
    "enum": {},
    "list(string)": {"type": "array", "items": {"type": "string"}},
    "list(enum)": {"type": "array", "items": {"type": "string"}},
    "objectArray": {"type": "array", "items": {"type": "object"}},
}
"""What a declared type means, JSON Schema's names and Python's."""
_PLAIN = {"float": "number", "interger": "integer"}
"""The misspelling stands in a public list of Chinese tools."""
_UNTIDY = _PLAIN | {"int": "integer", "String": "string", "UUID": "string"}


def closed(schema: object) -> Any:
    """The schema with `additionalProperties: false` in every object that lists properties and does not say itself."""
    return rewrite(schema, _close)


def renamed(schema: Json, names: Mapping[str, str]) -> Json:
    """A schema with other names of its type, or of each of its types."""
    kind = schema.get("type")
    if isinstance(kind, str):
        return {**schema, "type": names[kind]} if kind in names else schema
    if isinstance(kind, list):
        return {**schema, "type": [names.get(name, name) if isinstance(name, str) else name for name in kind]}
    return schema


def plain_types(schema: Json) -> Json:
    """Types by JSON Schema's names, and `float`: as files of sessions have them."""
    return renamed(schema, _PLAIN)


def untidy_types(schema: Json, names: Mapping[str, str] = _UNTIDY) -> Json:
    """Types that say more than a name: `a | b`, `enum['a', 'b']`, `string enum (a, b)`. names: what others mean."""
    kind = schema.get("type")
    if not isinstance(kind, str):
        return renamed(schema, names)
    if "enum" in kind:
        members = _members(kind.partition("enum")[2])
        return {**schema, "type": "string"} | ({"enum": members} if members and "enum" not in schema else {})
    first = kind.partition("|")[0].strip()
    return {**schema, "type": names.get(first, first)}


def any_types(schema: Json) -> Json:
    """Types as anybody writes them: JSON Schema's names, Python's (`dict`, `list(string)`), untidy ones."""
    kind = schema.get("type")
    if not isinstance(kind, str) or kind not in TYPES:
        return untidy_types(schema)
    parts = {key: value for key, value in schema.items() if key != "type"}
    if kind == "list(enum)" and isinstance(parts.get("enum"), list):
        parts["items"] = {"type": "string", "enum": parts.pop("enum")}
    return TYPES[kind] | parts


class Flavour(Struct, frozen=True):
    """How a data set writes parameter schemas."""

    rename: Rewrite
    """Makes of a schema one with JSON Schema's type names."""
    with_properties: bool = False
    """Whether one without properties gets an empty list of them."""


PLAIN, ANY = Flavour(plain_types), Flavour(any_types, with_properties=True)


def normalise_schema(schema: object, flavour: Flavour = PLAIN) -> Json:
    """A parameter schema with JSON Schema's type names; everything that is no type name stays as it is.

    Works on the structure, so that a parameter called "type" or an enum member "float" is left alone. What is no schema
    at all (no object) becomes the schema of an object without properties. References are followed (references.py).
    """
    if not isinstance(schema, dict):
        return {"type": "object", "properties": {}}
    normal: Json = rewrite(resolve_references(schema)[0], flavour.rename)
    if flavour.with_properties and "properties" not in normal:
        normal = {"type": "object", **normal, "properties": {}}
    return normal


def _close(part: Json) -> Json:
    if isinstance(part.get("properties"), dict) and "additionalProperties" not in part:
        return {**part, "additionalProperties": False}
    return part


def rewrite(schema: object, change: Rewrite, depth: int = MAX_DEPTH) -> Any:
    """Apply a change to a schema and then to every schema inside it."""
    if not isinstance(schema, dict) or depth <= 0:
        return schema
    parts: Json = {}
    for key, value in change(schema).items():
        if key in (*MAPS, *DEFINITIONS) and isinstance(value, dict):
            parts[key] = {name: rewrite(part, change, depth - 1) for name, part in value.items()}
        elif key in SINGLE and isinstance(value, dict):
            parts[key] = rewrite(value, change, depth - 1)
        elif key in (*LISTS, "items") and isinstance(value, list):
            parts[key] = [rewrite(part, change, depth - 1) for part in value]
        else:
            parts[key] = value
    return parts


def _members(text: str) -> list[str]:
    """The members in what follows the word enum: `["a", "b"]`, `('a', 'b')`, `: a | b`."""
    inner = text.strip(" :=\t")
    if inner.startswith("["):
        try:
            listed = msgspec.json.decode(inner[: inner.rfind("]") + 1])
            return [member if isinstance(member, str) else str(member) for member in listed]
        except (msgspec.MsgspecError, RecursionError):
            pass  # written with other quotes
    separator = "," if "," in inner else "|"
    names = (part.strip(" \t\"'`“”‘’()[]{}<>") for part in inner.split(separator))
    return [name for name in names if name]
