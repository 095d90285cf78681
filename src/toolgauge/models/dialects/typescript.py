"""Tools as TypeScript declares functions: how gpt-oss is told of them.

Plain schemas come out as in OpenAI's own renderer (openai-harmony 0.0.8). What it leaves out is written where
TypeScript has a form for it: alternatives, values that are no strings, descriptions of every line and depth.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from toolgauge.chat import Tool
from toolgauge.models.dialects.calls import write_json
from toolgauge.models.schemas import types_of, written_out

DEEPEST = 16
"""Levels of a schema that are written out."""
_INDENT = "    "
_NAMES = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


def namespace(tools: Sequence[Tool]) -> str:
    """The declarations of all tools."""
    return "\n".join(["namespace functions {\n", *(_function(tool) for tool in tools), "} // namespace functions"])


def _function(tool: Tool) -> str:
    comments = "".join(_comments(tool.description, ""))
    body = _body(written_out(tool.parameters), "", DEEPEST)
    parameters = f"_: {{\n{body}}}" if body else ""
    return f"{comments}type {tool.name} = ({parameters}) => any;\n"


def _comments(description: object, indent: str) -> Iterator[str]:
    if isinstance(description, str):
        yield from (f"{indent}// {line}\n" for line in description.splitlines())


def _body(schema: Mapping[str, object], indent: str, depth: int) -> str:
    """The properties of an object, each on a line; "" where it names none."""
    properties, required = schema.get("properties"), schema.get("required")
    if not isinstance(properties, dict):
        return ""
    needed = required if isinstance(required, list) else []
    return "".join(_property(name, inner, name in needed, indent, depth) for name, inner in properties.items())


def _property(name: str, schema: object, needed: bool, indent: str, depth: int) -> str:
    fields = schema if isinstance(schema, dict) else {}
    comments = "".join(_comments(fields.get("description"), indent))
    default = ""
    if "default" in fields:
        value = fields["default"]
        default = " // default: " + (value if isinstance(value, str) and "enum" in fields else write_json(value))
    return f"{comments}{indent}{name}{'' if needed else '?'}: {_type(fields, indent, depth - 1)},{default}\n"


def _type(schema: object, indent: str, depth: int) -> str:
    """A type, perhaps of several lines; `any` for what has no form here or is nested too deeply."""
    if not isinstance(schema, dict) or depth <= 0:
        return "any"
    alternatives = dict.fromkeys(_alternatives(schema, indent, depth))
    if schema.get("nullable") is True:
        alternatives["null"] = None
    return " | ".join(alternatives) or "any"


def _alternatives(schema: Mapping[str, object], indent: str, depth: int) -> Iterator[str]:
    if "const" in schema:
        yield write_json(schema["const"])
    elif isinstance(values := schema.get("enum"), list) and values:
        yield from map(write_json, values)
    elif isinstance(branches := schema.get("anyOf", schema.get("oneOf")), list):
        yield from (_type(branch, indent, depth - 1) for branch in branches)
    else:
        kinds = schema.get("type", next(iter(types_of(schema) - {"null"}), None))  # `_type` says what is nullable
        yield from (_single(kind, schema, indent, depth) for kind in (kinds if isinstance(kinds, list) else [kinds]))


def _single(kind: object, schema: Mapping[str, object], indent: str, depth: int) -> str:
    """The type that one word of a schema names."""
    if kind == "array":
        item = _type(schema["items"], indent, depth - 1) if "items" in schema else ""
        return f"({item})[]" if " | " in item else f"{item}[]" if item else "Array<any>"
    if kind == "object":
        body = _body(schema, indent + _INDENT, depth)
        return f"{{\n{body}{indent}{_INDENT}}}" if body else "object"
    return _NAMES.get(kind, "any") if isinstance(kind, str) else "any"
