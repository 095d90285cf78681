"""Parameters of tools for endpoints that know OpenAPI's vocabulary of schemas only. Pure functions."""

from __future__ import annotations

from collections.abc import Mapping

from toolgauge.chat import Json

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


def openapi_schema(schema: object, depth: int = DEEPEST) -> dict[str, object]:
    """A JSON Schema in the words of Gemini's Schema object; what these cannot say is said in the description or left
    out, so that it admits a little more than the original and never less.
    """
    if not isinstance(schema, dict) or depth <= 0:
        return {}
    plain: dict[str, object] = {key: schema[key] for key in _KEPT if schema.get(key) is not None}
    branches = schema.get("anyOf") or schema.get("oneOf")
    if isinstance(branches, list) and branches:
        return {**_words(plain), **_either(branches, depth)}
    members = schema.get("enum")
    is_text = isinstance(members, list) and all(isinstance(member, str) for member in members)
    kind, nullable = _kind(schema.get("type", "string" if is_text else None))
    if nullable:
        plain["nullable"] = True
    if kind is None:
        return plain
    plain["type"] = kind
    if isinstance(schema.get("format"), str) and schema["format"] in _FORMATS.get(kind, ()):
        plain["format"] = schema["format"]
    _add_members(plain, schema.get("enum", [schema["const"]] if "const" in schema else None))
    if kind == "object":
        _add_properties(plain, schema, depth)
    elif kind == "array":
        plain["items"] = openapi_schema(schema.get("items"), depth - 1) or {"type": "string"}
    return plain


def _words(plain: Mapping[str, object]) -> dict[str, object]:
    return {key: plain[key] for key in ("title", "description", "nullable", "default") if key in plain}


def _either(branches: list[object], depth: int) -> dict[str, object]:
    """Branches side by side; one that only admits null becomes `nullable`."""
    real = [branch for branch in branches if not (isinstance(branch, dict) and branch.get("type") == "null")]
    inner = [openapi_schema(branch, depth - 1) for branch in real]
    null: dict[str, object] = {"nullable": True} if len(real) < len(branches) else {}
    if len(inner) == 1:
        return {**inner[0], **null}
    return {"anyOf": inner, **null} if inner else null


def _kind(kind: object) -> tuple[str | None, bool]:
    """The one type that is left of a schema's, and whether null is one of them."""
    kinds = [one for one in (kind if isinstance(kind, list) else [kind]) if isinstance(one, str)]
    known = [_TYPES[one] for one in kinds if one in _TYPES]
    return (known[0] if len(set(known)) == 1 else None), "null" in kinds


def _add_members(plain: Json, members: object) -> None:
    """An enumeration: other values than texts go into the description, for only texts are allowed here."""
    if not isinstance(members, list) or not members:
        return
    texts = [member for member in members if isinstance(member, str) and member]
    if plain["type"] == "string" and len(texts) == len([member for member in members if member is not None]):
        plain["enum"] = texts
    else:
        said = f"One of: {', '.join(str(member) for member in members)}."
        plain["description"] = f"{plain.get('description', '')} {said}".strip()


def _add_properties(plain: Json, schema: Json, depth: int) -> None:
    properties = schema.get("properties")
    if not isinstance(properties, dict) or not properties:
        return
    plain["properties"] = {
        name: openapi_schema(one, depth - 1) or {"type": "string"} for name, one in properties.items()
    }
    needed = schema.get("required")
    required = (
        [name for name in needed if isinstance(name, str) and name in properties] if isinstance(needed, list) else []
    )
    if required:
        plain["required"] = list(dict.fromkeys(required))
