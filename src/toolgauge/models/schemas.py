"""JSON Schemas of tools: the parts of `allOf` joined, the types that a schema takes, and OpenAPI's smaller
vocabulary for endpoints that know no other. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolgauge.chat import Json, Tool

MOST_NODES = 5_000
"""Schemas of which one is written out; what comes after these stays as it is."""
DEEPEST = 32
"""Levels of nesting that are passed on; what lies deeper may be anything."""
_KEPT = (
    "title", "description", "nullable", "minItems", "maxItems", "minimum", "maximum", "minLength", "maxLength",
    "minProperties", "maxProperties", "pattern", "default",
)  # fmt: skip
_FORMATS = {"string": {"date-time", "enum"}, "integer": {"int32", "int64"}, "number": {"float", "double"}}
_TYPES = {
    "string": "string", "number": "number", "integer": "integer", "boolean": "boolean", "array": "array",
    "object": "object", "float": "number", "int": "integer", "bool": "boolean", "dict": "object", "list": "array",
}  # fmt: skip


def written_out(schema: Any) -> Any:
    """A schema with the parts of every `allOf` joined. References are followed where tools are read
    (data/references.py)."""
    left = MOST_NODES

    def expand(part: Any, depth: int) -> Any:
        nonlocal left
        left -= 1
        if not isinstance(part, dict):
            return part
        if depth <= 0 or left < 0:
            return {} if "allOf" in part else part
        joined: Json = {}
        for key, value in part.items():
            if key in ("properties", "patternProperties") and isinstance(value, dict):
                joined[key] = {name: expand(one, depth - 1) for name, one in value.items()}
            elif key in ("anyOf", "oneOf", "prefixItems") and isinstance(value, list):
                joined[key] = [expand(one, depth - 1) for one in value]
            elif key in ("items", "additionalProperties", "not"):
                joined[key] = expand(value, depth - 1)
            elif key != "allOf":
                joined[key] = value
        parts = part.get("allOf")
        for one in parts if isinstance(parts, list) else ():
            if isinstance(one := expand(one, depth - 1), dict):
                joined = _both(joined, one)
        return joined

    return expand(schema, DEEPEST)


def _both(first: Json, second: Json) -> Json:
    """A schema that says what two say; where both say something, the first counts, but properties are joined."""
    joined = {**second, **first}
    for key in ("properties", "required"):
        mine, theirs = first.get(key), second.get(key)
        if isinstance(mine, dict) and isinstance(theirs, dict):
            joined[key] = {**mine, **{name: part for name, part in theirs.items() if name not in mine}}
        elif isinstance(mine, list) and isinstance(theirs, list):
            joined[key] = [*mine, *(name for name in theirs if name not in mine)]
    return joined


def argument_schemas(tools: Sequence[Tool]) -> dict[str, Json]:
    """Name of a tool -> name of an argument -> its schema, written out."""
    by_tool = {tool.name: written_out(tool.parameters).get("properties") for tool in tools}
    return {name: properties if isinstance(properties, dict) else {} for name, properties in by_tool.items()}


def types_of(schema: object, depth: int = 8) -> set[str]:
    """The JSON types that a schema takes, by its type, its values or its alternatives; none where it leaves them open.

    Of a number without a fraction it is "integer". The schema is one that is written out (`written_out`).
    """
    if not isinstance(schema, dict) or depth <= 0:
        return set()
    kind, values = schema.get("type"), [schema["const"]] if "const" in schema else schema.get("enum")
    branches = schema.get("anyOf") or schema.get("oneOf")
    if kind is not None:
        kinds = {name for name in (kind if isinstance(kind, list) else [kind]) if isinstance(name, str)}
    elif isinstance(values, list) and values:
        kinds = {type_of(value) for value in values}
    elif isinstance(branches, list):
        kinds = set().union(*(types_of(branch, depth - 1) for branch in branches))
    else:
        kinds = {"object"} if "properties" in schema else {"array"} if "items" in schema else set()
    return kinds | {"null"} if kinds and schema.get("nullable") is True else kinds


def type_of(value: object) -> str:
    """The JSON type of a value; of a number without a fraction "integer"."""
    names = ((bool, "boolean"), (str, "string"), (int, "integer"), (float, "number"), (list, "array"), (dict, "object"))
    return next((name for kind, name in names if isinstance(value, kind)), "null")


def openapi_schema(schema: Json) -> dict[str, object]:
    """A JSON Schema in the words of Gemini's Schema object; what these cannot say is said in the description or left
    out, so that it admits a little more than the original and never less.
    """
    return _openapi(written_out(schema), DEEPEST)


def _openapi(schema: object, depth: int) -> dict[str, object]:
    if not isinstance(schema, dict) or depth <= 0:
        return {}
    plain: dict[str, object] = {key: schema[key] for key in _KEPT if schema.get(key) is not None}
    words: dict[str, object] = {
        key: plain[key] for key in ("title", "description", "nullable", "default") if key in plain
    }
    branches = schema.get("anyOf") or schema.get("oneOf")
    if isinstance(branches, list) and branches:
        return {**words, **_either(branches, depth)}
    kinds = types_of(schema)
    nullable: dict[str, object] = {"nullable": True} if "null" in kinds else {}
    types = list(dict.fromkeys(_TYPES[kind] for kind in sorted(kinds) if kind in _TYPES))
    if len(types) > 1 and isinstance(schema.get("type"), list):
        single = ({**schema, "type": kind} for kind in types)
        return {**words, **nullable, "anyOf": [_openapi(variant, depth - 1) for variant in single]}
    plain |= nullable
    if len(types) != 1:
        return plain
    kind = plain["type"] = types[0]
    if isinstance(schema.get("format"), str) and schema["format"] in _FORMATS.get(kind, ()):
        plain["format"] = schema["format"]
    members = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if isinstance(members, list) and members:
        texts = [member for member in members if isinstance(member, str) and member]
        if kind == "string" and len(texts) == len([member for member in members if member is not None]):
            plain["enum"] = texts
        else:  # only texts are allowed: others go into the description
            listed = f"One of: {', '.join(str(member) for member in members)}."
            plain["description"] = f"{plain.get('description', '')} {listed}".strip()
    properties, required = schema.get("properties"), schema.get("required")
    if kind == "object" and isinstance(properties, dict) and properties:
        plain["properties"] = {
            name: _openapi(variant, depth - 1) or {"type": "string"} for name, variant in properties.items()
        }
        names = [name for name in required if isinstance(name, str)] if isinstance(required, list) else []
        if needed := [name for name in dict.fromkeys(names) if name in properties]:
            plain["required"] = needed
    elif kind == "array":
        plain["items"] = _openapi(schema.get("items"), depth - 1) or {"type": "string"}
    return plain


def _either(branches: list[object], depth: int) -> dict[str, object]:
    """Branches side by side; one that only admits null becomes `nullable`."""
    real = [branch for branch in branches if not (isinstance(branch, dict) and branch.get("type") == "null")]
    inner = [_openapi(branch, depth - 1) for branch in real]
    null: dict[str, object] = {"nullable": True} if len(real) < len(branches) else {}
    if len(inner) == 1:
        return {**inner[0], **null}
    return {"anyOf": inner, **null} if inner else null
