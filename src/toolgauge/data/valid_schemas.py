"""ACEBench's parameter descriptions as valid JSON Schema, for endpoints that check what they are sent.

Type names of Python become those of JSON Schema (`dict`, `list`, `float`, `list(string)` ...). A keyword whose value
JSON Schema does not allow is left out; keywords it does not know are mere annotations and stay.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

from toolgauge.chat import Json
from toolgauge.data.lines import MAX_DEPTH
from toolgauge.data.references import LISTS, MAPS, SINGLE, resolve_references
from toolgauge.data.schemas import TYPES

_BOUNDS = {"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}


def native_schema(parameters: object) -> dict[str, object]:
    """The schema of a function's arguments, an object; anything that is no schema becomes one without properties."""
    schema = normalised(resolve_references(parameters)[0])
    return {**schema, "type": "object", "properties": schema.get("properties", {})}


def normalised(schema: object, depth: int = MAX_DEPTH) -> Json:
    """A valid schema that says what this one means; {}, which allows everything, for what is no schema at all."""
    if type(schema) is not dict or depth <= 0:
        return {}
    parts = _typed({key: value for key, value in schema.items() if key not in _DROPPED and not key.startswith("$")})
    result: Json = {}
    for key, value in parts.items():
        if key in _SCHEMAS:
            _put(result, key, value, depth - 1)
        elif key not in _ALLOWED or _ALLOWED[key](value):
            result[key] = value
    # Endpoints insist that arrays say what they hold, and that only properties that exist are required.
    if result.get("type") == "array" and "items" not in result:
        result["items"] = {}
    if "required" in result and "properties" in result:
        result["required"] = [name for name in result["required"] if name in result["properties"]]
    return result


def _typed(schema: Mapping[str, object]) -> dict[str, object]:
    """With JSON Schema's names of types, and with bounds that an older draft gave as true or false."""
    declared = schema.get("type")
    meaning = _meaning(declared)
    parts = {key: value for key, value in schema.items() if key != "type"}
    if declared == "list(enum)" and type(parts.get("enum")) is list:
        meaning = {"type": "array", "items": {"enum": parts.pop("enum")}}
    for key, bound in _BOUNDS.items():
        if parts.get(key) is True and bound in parts:
            parts[key] = parts.pop(bound)
    return meaning | parts


def _meaning(declared: object) -> dict[str, object]:
    if type(declared) is str:
        return TYPES.get(declared, {})
    if type(declared) is list:
        names = [TYPES[name].get("type") for name in declared if type(name) is str and name in TYPES]
        if names and len(names) == len(declared) and None not in names:
            return {"type": list(dict.fromkeys(names))}
    return {}


def _put(result: Json, key: str, value: object, depth: int) -> None:
    """Add a keyword that holds schemas, where it is well formed."""
    form = _SCHEMAS[key]
    if form is bool and type(value) is bool:
        result[key] = value
    elif form is dict and type(value) is dict:
        result[key] = {name: normalised(part, depth) for name, part in value.items()}
    elif form is list and type(value) is list and value:
        result[key] = [normalised(part, depth) for part in value]
    elif key == "items" and type(value) is list:
        if value:
            result["prefixItems"] = [normalised(part, depth) for part in value]
    elif form is bool and type(value) is dict:
        result[key] = normalised(value, depth)


def _number(value: Any) -> bool:
    """Within the range of a double: whatever compares values may turn them into one."""
    return type(value) in (int, float) and abs(value) <= sys.float_info.max


def _count(value: object) -> bool:
    return type(value) is int and value >= 0


def _text(value: object) -> bool:
    return type(value) is str


def _names(value: object) -> bool:
    return type(value) is list and all(map(_text, value)) and len(set(value)) == len(value)


def _list(value: object) -> bool:
    return type(value) is list


def _truth(value: object) -> bool:
    return type(value) is bool


_SCHEMAS: dict[str, type] = {
    **dict.fromkeys((*SINGLE, "contentSchema"), bool),
    **dict.fromkeys(LISTS, list),
    **dict.fromkeys(MAPS, dict),
}
"""Keywords that hold schemas: one (or true or false), a list of them, an object of them."""

_ALLOWED: dict[str, Callable[[Any], bool]] = {
    **dict.fromkeys(("title", "description", "format", "pattern", "contentEncoding", "contentMediaType"), _text),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _number),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"), _count),
    **dict.fromkeys(("minContains", "maxContains"), _count),
    **dict.fromkeys(("uniqueItems", "deprecated", "readOnly", "writeOnly"), _truth),
    **dict.fromkeys(("enum", "examples"), _list),
    "multipleOf": lambda value: _number(value) and value > 0,
    "required": _names,
    "dependentRequired": lambda value: type(value) is dict and all(map(_names, value.values())),
}
"""Keywords whose values must have a form."""

_DROPPED = frozenset({"definitions", "dependencies", "additionalItems", "id"})
"""Keywords of older drafts, and definitions, which only references reach."""
