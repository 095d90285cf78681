"""Our tools as Inspect's: JSON Schema in the part of it that Inspect has fields for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from inspect_ai.tool import ToolInfo, ToolParams
from inspect_ai.util import JSONSchema

from toolgauge.chat import Json, Tool

DEEPEST = 24
"""Levels of a schema; below, anything is allowed. References to themselves end here."""

_TYPES = ("string", "integer", "number", "boolean", "array", "object", "null")


def tool_info(tool: Tool) -> ToolInfo:
    """The tool as it is offered. Keywords that Inspect cannot carry are left out (docs/inspect.md)."""
    root = tool.parameters if isinstance(tool.parameters, dict) else {}
    reader = _Reader(root)
    properties = reader.properties(root.get("properties"), DEEPEST)
    parameters = ToolParams(
        properties={name: JSONSchema.model_validate(schema) for name, schema in properties.items()},
        required=_texts(root.get("required")) or [],
        additionalProperties=None,
    )
    if isinstance(root.get("additionalProperties"), bool):
        parameters.additionalProperties = root["additionalProperties"]
    return ToolInfo(name=tool.name, description=tool.description, parameters=parameters)


class _Reader:
    """Reads schemas of one tool. root: where its references point."""

    def __init__(self, root: Mapping[str, object]) -> None:
        self._root = root
        self._known: dict[str, Callable[[object, int], object]] = {
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
            "items": lambda value, depth: self.schema(value, depth) if isinstance(value, dict) else None,
            "properties": self.properties,
            "anyOf": self._alternatives,
            "additionalProperties": lambda value, depth: (
                value if isinstance(value, bool) else self.schema(value, depth)
            ),
        }

    def schema(self, value: object, depth: int) -> Json:
        """One schema, its local references resolved, with Inspect's keywords only."""
        if not isinstance(value, dict) or depth <= 0:
            return {}
        found = self._resolved(value)
        if "const" in found:
            found = found | {"enum": [found["const"]]}
        if "anyOf" not in found and "oneOf" in found:
            found = found | {"anyOf": found["oneOf"]}
        kept = {name: read(found[name], depth - 1) for name, read in self._known.items() if name in found}
        return {name: content for name, content in kept.items() if content is not None}

    def properties(self, value: object, depth: int) -> dict[str, Json]:
        return {name: self.schema(one, depth) for name, one in value.items()} if isinstance(value, dict) else {}

    def _alternatives(self, value: object, depth: int) -> list[dict[str, object]] | None:
        return [self.schema(one, depth) for one in value] if isinstance(value, list) else None

    def _resolved(self, value: Json) -> Json:
        """What a reference within the tool's own schema points to, with what stands beside it."""
        pointer = value.get("$ref")
        if not isinstance(pointer, str) or not pointer.startswith("#/"):
            return value
        target: Any = self._root
        for step in pointer[2:].split("/"):
            target = target.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(target, dict) else None
        return {**target, **value} if isinstance(target, dict) else value


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
