"""The sum of schemas: allOf, and alternatives as one flat object."""

from __future__ import annotations

from typing import Any

from toolgauge.chat import Json


def merged(first: Json, second: Json) -> Json:
    """A schema for what fits both (allOf). Where they contradict each other the first counts."""
    result = {**second, **first}
    if "properties" in first and "properties" in second:
        names = [*first["properties"], *(name for name in second["properties"] if name not in first["properties"])]
        result["properties"] = {name: _both(first["properties"], second["properties"], name) for name in names}
    if _texts(first.get("required")) and _texts(second.get("required")):
        result["required"] = list(dict.fromkeys([*first["required"], *second["required"]]))
    if "enum" in first and "enum" in second:
        result["enum"] = [value for value in first["enum"] if value in second["enum"]] or first["enum"]
    if "number" in (first.get("type"), second.get("type")) and "integer" in (first.get("type"), second.get("type")):
        result["type"] = "integer"
    for key in ("anyOf", "oneOf"):
        if key in first and key in second and first[key] != second[key]:
            result["allOf"] = [*result.get("allOf", ()), {key: second[key]}]
    return result


def flattened(schema: Json) -> Json:
    """An object whose alternatives are merged into it, since endpoints take none at the top of a tool's parameters.

    What every alternative requires stays required; a property that is described in several ways may be any of them.
    Where an alternative is no object, the schema is returned as it is.
    """
    for key in ("anyOf", "oneOf"):
        branches = schema.get(key)
        if not branches or not all(_is_object(branch) for branch in branches):
            continue
        branches = [flattened(branch) for branch in branches]
        own = {name: part for name, part in schema.items() if name != key}
        properties: Json = {}
        for holder in (own, *branches):
            for name, part in holder.get("properties", {}).items():
                properties[name] = _either(properties[name], part) if name in properties else part
        common = set.intersection(*(set(branch.get("required", ())) for branch in branches))
        required = [name for name in properties if name in common or name in own.get("required", ())]
        schema = {**own, "type": "object", "properties": properties} | ({"required": required} if required else {})
    return schema


def _both(first: Json, second: Json, name: str) -> Any:
    if name not in first or name not in second:
        return first[name] if name in first else second[name]
    one, other = first[name], second[name]
    return one if one == other or type(one) is not dict or type(other) is not dict else merged(one, other)


def _either(one: object, other: object) -> object:
    if one == other or not other:
        return one
    if not one:
        return other
    options = one["anyOf"] if type(one) is dict and one.keys() == {"anyOf"} else [one]
    return {"anyOf": options if other in options else [*options, other]}


def _is_object(schema: object) -> bool:
    return type(schema) is dict and schema.get("type", "object") == "object"


def _texts(value: object) -> bool:
    return type(value) is list and all(type(one) is str for one in value)
