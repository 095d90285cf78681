"""Our tools as Inspect's: JSON Schema in the part of it that Inspect has fields for."""

from __future__ import annotations

from collections.abc import Callable

from inspect_ai.tool import ToolInfo, ToolParams
from inspect_ai.util import JSONSchema

from toolgauge.chat import Json, Tool
from toolgauge.data.references import Bounds, Expander, has_references

DEEPEST = 24
"""Levels of a schema; below, anything is allowed."""

_TYPES = ("string", "integer", "number", "boolean", "array", "object", "null")


def tool_info(tool: Tool) -> ToolInfo:
    """The tool as it is offered. Keywords that Inspect cannot carry are left out (docs/training.md#inspect-ai)."""
    root = tool.parameters if isinstance(tool.parameters, dict) else {}
    if has_references(root):
        root = Expander(root, Bounds()).expand(root)
    properties = _properties(root.get("properties"), DEEPEST)
    parameters = ToolParams(
        properties={name: JSONSchema.model_validate(schema) for name, schema in properties.items()},
        required=_texts(root.get("required")) or [],
        additionalProperties=None,
    )
    if isinstance(root.get("additionalProperties"), bool):
        parameters.additionalProperties = root["additionalProperties"]
    return ToolInfo(name=tool.name, description=tool.description, parameters=parameters)


def _schema(value: object, depth: int) -> Json:
    """One schema with Inspect's keywords only."""
    if not isinstance(value, dict) or depth <= 0:
        return {}
    if "const" in value:
        value = value | {"enum": [value["const"]]}
    if "anyOf" not in value and "oneOf" in value:
        value = value | {"anyOf": value["oneOf"]}
    kept = {name: read(value[name], depth - 1) for name, read in _KNOWN.items() if name in value}
    return {name: content for name, content in kept.items() if content is not None}


def _properties(value: object, depth: int) -> dict[str, Json]:
    return {name: _schema(one, depth) for name, one in value.items()} if isinstance(value, dict) else {}


def _alternatives(value: object, depth: int) -> list[Json] | None:
    return [_schema(one, depth) for one in value] if isinstance(value, list) else None


def _type(value: object) -> object:
    if isinstance(value, list):
        return [one for one in value if one in _TYPES] or None
    return value if isinstance(value, str) and value in _TYPES else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _number(value: object) -> float | int | None:
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _texts(value: object) -> list[str] | None:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else None


_KNOWN: dict[str, Callable[[object, int], object]] = {
    "type": lambda value, _: _type(value),
    "format": lambda value, _: _text(value),
    "description": lambda value, _: _text(value),
    "pattern": lambda value, _: _text(value),
    "default": lambda value, _: value,
    "enum": lambda value, _: value if isinstance(value, list) else None,
    "examples": lambda value, _: value if isinstance(value, list) else None,
    "minimum": lambda value, _: _number(value),
    "maximum": lambda value, _: _number(value),
    "minLength": lambda value, _: value if type(value) is int else None,
    "maxLength": lambda value, _: value if type(value) is int else None,
    "required": lambda value, _: _texts(value),
    "items": lambda value, depth: _schema(value, depth) if isinstance(value, dict) else None,
    "properties": _properties,
    "anyOf": _alternatives,
    "additionalProperties": lambda value, depth: value if isinstance(value, bool) else _schema(value, depth),
}
"""The keywords that Inspect has fields for, and how the value of each is read; None: it is left out."""
