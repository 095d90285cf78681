"""Tool definitions as they are sent: JSON Schema's type names instead of those in the public data files
(docs/rules.md#what-the-model-is-sent)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import msgspec

from toolgauge.chat import Json
from toolgauge.data.lines import MAX_DEPTH
from toolgauge.data.references import resolve_references

Flavour = Literal["wildtoolbench", "mmtb"]
Words = Literal["wildtoolbench", "mmtb", "any"]
"""Which names of types are understood: one data set's, or any file's, with Python's (`dict`, `list(string)`)."""

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
"""What a declared type means, JSON Schema's names and Python's (ACEBench's files have them)."""

_PLAIN_NAMES = {"float": "number", "interger": "integer"}
"""`float` is WildToolBench's word for number; the misspelling stands in its public Chinese tool list."""
_MMTB_NAMES = _PLAIN_NAMES | {
    "int": "integer",
    "complex_string": "string",
    "String": "string",
    "UUID": "string",
    "list of dictionaries": "object",
}
_SCHEMA = (
    "items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedItems",
    "unevaluatedProperties",
)  # fmt: skip
_SCHEMA_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems", "items")
_SCHEMA_MAPS = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")


def normalise_schema(schema: object, flavour: Words = "wildtoolbench") -> Json:
    """A parameter schema with JSON Schema's type names; everything that is no type name stays as it is.

    Works on the structure, so that a parameter called "type" or an enum member "float" is left alone. What is no schema
    at all (no object) becomes the schema of an object without properties. References are followed (references.py).
    """
    if not isinstance(schema, dict):
        return {"type": "object", "properties": {}}
    normal: Json = rewrite(resolve_references(schema)[0], _RENAMING[flavour])
    if flavour != "wildtoolbench" and "properties" not in normal:
        normal = {"type": "object", **normal, "properties": {}}
    return normal


def closed(schema: object, depth: int = MAX_DEPTH) -> Any:
    """The schema with `additionalProperties: false` in every object that lists properties and does not say itself."""
    if not isinstance(schema, dict) or depth <= 0:
        return schema
    return rewrite(schema, lambda part: part, depth, also=_close)


def _close(part: Json) -> dict[str, object]:
    if isinstance(part.get("properties"), dict) and "additionalProperties" not in part:
        return {**part, "additionalProperties": False}
    return part


def rewrite(
    schema: object,
    rename: Callable[[dict[str, object]], dict[str, object]],
    depth: int = MAX_DEPTH,
    also: Callable[[dict[str, object]], dict[str, object]] | None = None,
) -> Any:
    """Apply a change to a schema and every schema inside it."""
    if not isinstance(schema, dict) or depth <= 0:
        return schema
    changed = rename(schema)
    parts: dict[str, object] = {}
    for key, value in changed.items():
        if key in _SCHEMA_MAPS and isinstance(value, dict):
            parts[key] = {name: rewrite(part, rename, depth - 1, also) for name, part in value.items()}
        elif key in _SCHEMA and isinstance(value, dict):
            parts[key] = rewrite(value, rename, depth - 1, also)
        elif key in _SCHEMA_LISTS and isinstance(value, list):
            parts[key] = [rewrite(part, rename, depth - 1, also) for part in value]
        else:
            parts[key] = value
    return also(parts) if also else parts


def _wildtoolbench(schema: Json) -> dict[str, object]:
    kind = schema.get("type")
    if isinstance(kind, str):
        return {**schema, "type": _PLAIN_NAMES[kind]} if kind in _PLAIN_NAMES else schema
    if isinstance(kind, list):
        return {**schema, "type": [_PLAIN_NAMES.get(one, one) if isinstance(one, str) else one for one in kind]}
    return schema


def _mmtb(schema: Json) -> dict[str, object]:
    kind = schema.get("type")
    if not isinstance(kind, str):
        return _wildtoolbench(schema)
    if "enum" in kind:
        members = _members(kind.partition("enum")[2])
        return {**schema, "type": "string"} | ({"enum": members} if members and "enum" not in schema else {})
    first = kind.partition("|")[0].strip()
    return {**schema, "type": _MMTB_NAMES.get(first, first)}


def _anybody(schema: Json) -> dict[str, object]:
    kind = schema.get("type")
    if not isinstance(kind, str) or kind not in TYPES:
        return _mmtb(schema)
    parts = {key: value for key, value in schema.items() if key != "type"}
    if kind == "list(enum)" and isinstance(parts.get("enum"), list):
        parts["items"] = {"type": "string", "enum": parts.pop("enum")}
    return TYPES[kind] | parts


_RENAMING = {"wildtoolbench": _wildtoolbench, "mmtb": _mmtb, "any": _anybody}


def _members(text: str) -> list[str]:
    """The members in what follows the word enum: `["a", "b"]`, `('a', 'b')`, `: a | b`."""
    inner = text.strip(" :=\t")
    if inner.startswith("["):
        try:
            listed = msgspec.json.decode(inner[: inner.rfind("]") + 1])
            return [one if isinstance(one, str) else str(one) for one in listed]
        except (msgspec.MsgspecError, RecursionError):
            pass  # written with other quotes
    separator = "," if "," in inner else "|"
    names = (part.strip(" \t\"'`“”‘’()[]{}<>") for part in inner.split(separator))
    return [name for name in names if name]
