"""Schemas without references: each `$ref` is replaced by what it names, in bounded size.

A few lines of references can stand for more schemas than anybody could read: each level may name the next one twice, or
a schema may name itself. They are expanded breadth first, so that where there would be too much only the far ends are
cut. A cut schema keeps its type and description. Nothing is ever fetched.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from msgspec import Struct

from toolgauge.chat import Json
from toolgauge.data.lines import MAX_LEVELS, within_depth

REPEATS = 1
"""Times that a schema may stand inside itself."""
MISSING: Any = object()
"""What a reference names that leads nowhere."""

SINGLE = (
    "items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedItems",
    "unevaluatedProperties",
)  # fmt: skip
LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
MAPS = ("properties", "patternProperties", "dependentSchemas")
"""Keywords that hold schemas: one, a list of them (so does `items` in older drafts), an object of them."""
DEFINITIONS = ("$defs", "definitions")
_FLAT = ("anyOf", "oneOf", "allOf")
"""Keywords whose schemas describe the same value; the others go one level down in it."""


class Bounds(Struct, frozen=True):
    """How large a schema may get: schemas in it, bytes (about, as JSON), levels of properties and items."""

    schemas: int = 5000
    size: int = 1 << 20
    depth: int = 48


class Node(Struct):
    """A schema that waits to be expanded: where it goes, the keyword that holds it, where it stands, the references and
    the levels on the way to it."""

    holder: Any
    key: Any
    keyword: str
    place: str
    chain: tuple[str, ...]
    depth: int
    links: int


class Expander:
    """Expands schemas of one document. notes: what was cut, and where; unresolved: references that lead nowhere."""

    def __init__(self, document: Any, bounds: Bounds) -> None:
        self.document, self.bounds = document, bounds
        self.notes: list[tuple[str, str]] = []
        self.unresolved: list[str] = []

    def expand(self, schema: Any, place: str = "") -> Any:
        """The schema without references; any part that is no schema stays as it is."""
        result = {"": schema}
        waiting = deque([Node(result, "", "", place, (), 0, 0)])
        count = size = 0
        too_large: list[int] = []
        while waiting:
            node = waiting.popleft()
            raw, repeated = self.prepare(node)
            if not isinstance(raw, dict):
                node.holder[node.key] = raw
                continue
            parts = self.parts(raw)
            count += 1
            if count + len(waiting) + len(parts) > self.bounds.schemas or size > self.bounds.size:
                too_large.append(node.depth)
                node.holder[node.key] = {key: part for key, part in self.stub(raw).items() if key == "type"}
                continue
            if repeated or (parts and max(node.depth, node.links // 2) >= self.bounds.depth):
                self.note(node.place, f"{repeated[:80]} is recursive; cut" if repeated else "nested too deeply; cut")
                node.holder[node.key] = self.stub(raw)
                continue
            inner = self.own(raw, node.place)
            size += len(repr(inner)) + sum(len(name) for _, name, _ in parts if isinstance(name, str))
            node.holder[node.key] = inner
            for keyword, name, part in parts:
                holder, key = _place(inner, raw, keyword, name, part)
                deeper = node.depth + (keyword not in _FLAT)
                where = f"{node.place}.{name}" if keyword == "properties" else node.place + "[]" * (keyword == "items")
                waiting.append(Node(holder, key, keyword, where, node.chain, deeper, node.links + 1))
        if too_large:
            self.note(place, f"too large; cut at depth {min(too_large)}")
        return result[""]

    def prepare(self, node: Node) -> tuple[Any, str]:
        """A schema with its own references followed, and the one that is repeated too often ("": none)."""
        raw = node.holder[node.key]
        seen: list[str] = []
        while isinstance(raw, dict) and isinstance(reference := raw.get("$ref"), str):
            target = pointed(self.document, reference)
            if target is MISSING or reference in seen:
                self.unresolved.append(reference)
                break
            raw = merged({key: part for key, part in raw.items() if key != "$ref"}, target)
            if node.chain.count(reference) > REPEATS:
                return raw, reference
            seen.append(reference)
            node.chain = (*node.chain, reference)
        return raw, ""

    def own(self, raw: Json, place: str) -> Json:  # noqa: ARG002
        """What a schema says itself, without the schemas inside it and without definitions."""
        skipped = {keyword for keyword, _, _ in subschemas(raw)}
        skipped.update(key for key in DEFINITIONS if isinstance(raw.get(key), dict))
        return {key: {} if key in MAPS and not value else value for key, value in raw.items() if key not in skipped}

    def parts(self, raw: Json) -> list[tuple[str, str | int | None, Any]]:
        """The schemas directly inside a schema: keyword, name or position in it, schema."""
        return list(subschemas(raw))

    def stub(self, raw: Json) -> Json:
        """What is left of a schema that is cut."""
        return {key: raw[key] for key in ("type", "description") if key in raw}

    def note(self, place: str, what: str) -> None:
        """Record that something was cut or left out."""
        self.notes.append((place, what))


def subschemas(schema: Json) -> Iterator[tuple[str, str | int | None, Any]]:
    """(keyword, name or position in it, schema) of the schemas directly inside a schema, definitions apart."""
    for keyword, value in schema.items():
        if keyword in MAPS and isinstance(value, dict):
            yield from ((keyword, name, part) for name, part in value.items())
        elif keyword in (*LISTS, "items") and isinstance(value, list):
            yield from ((keyword, position, part) for position, part in enumerate(value))
        elif keyword in SINGLE and isinstance(value, dict | bool):
            yield keyword, None, value


def _place(schema: Json, raw: Json, keyword: str, name: Any, part: Any) -> tuple[Any, Any]:
    """Put a part where it stood; the container and the key, to replace it later."""
    if name is None:
        schema[keyword] = part
        return schema, keyword
    if isinstance(raw[keyword], dict):
        schema.setdefault(keyword, {})[name] = part
        return schema[keyword], name
    schema.setdefault(keyword, []).append(part)
    return schema[keyword], len(schema[keyword]) - 1


def resolve_references(schema: Any) -> tuple[Any, list[str]]:
    """A schema with its local references replaced, and the references that could not be.

    A schema without references, or with one that leads nowhere or to itself, is returned as it is.
    """
    if not has_references(schema) or not within_depth(schema, MAX_LEVELS):
        return schema, []
    expander = Expander(schema, Bounds())
    resolved = expander.expand(schema)
    unresolved = expander.unresolved or (["$dynamicRef"] if has_references(resolved) else [])
    return (schema, unresolved) if unresolved else (resolved, [])


def has_references(schema: Any) -> bool:
    """Whether a schema, or one inside it, its definitions apart, refers to another by any keyword."""
    waiting = [schema]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            if any(isinstance(part.get(key), str) for key in ("$ref", "$dynamicRef", "$recursiveRef")):
                return True
            waiting += [inner for _, _, inner in subschemas(part)]
    return False


def pointed(document: Any, reference: str) -> Any:
    """What `#/a/b~1c/0` names in a document; MISSING where that is nothing, or outside the document."""
    pointer = unquote(reference[1:])
    if not reference.startswith("#") or (pointer and not pointer.startswith("/")):
        return MISSING
    value = document
    for step in pointer.split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and key.isascii() and key.isdigit() and len(key) < 10 and int(key) < len(value):
            value = value[int(key)]
        else:
            return MISSING
    return value


def merged(first: Json, second: Any) -> Any:
    """A schema for what fits both (allOf). Where they contradict each other the first counts."""
    if not isinstance(second, dict):
        return first or second
    result = {**second, **first}
    if isinstance(first.get("properties"), dict) and isinstance(second.get("properties"), dict):
        result["properties"] = {
            name: _both(first["properties"][name], second["properties"][name])
            if name in first["properties"] and name in second["properties"]
            else part
            for name, part in {**first["properties"], **second["properties"]}.items()
        }
    if _texts(first.get("required")) and _texts(second.get("required")):
        result["required"] = list(dict.fromkeys([*first["required"], *second["required"]]))
    if isinstance(first.get("enum"), list) and isinstance(second.get("enum"), list):
        result["enum"] = [value for value in first["enum"] if value in second["enum"]] or first["enum"]
    if {"number", "integer"} == {str(first.get("type")), str(second.get("type"))}:
        result["type"] = "integer"
    for key in ("anyOf", "oneOf"):
        if key in first and key in second and first[key] != second[key]:
            result["allOf"] = [*result.get("allOf", ()), {key: second[key]}]
    return result


def _both(first: Any, second: Any) -> Any:
    if first == second or not isinstance(first, dict) or not isinstance(second, dict):
        return first
    if any(key in part for part in (first, second) for key in ("$ref", "allOf")):
        return {"allOf": [first, second]}
    return merged(first, second)


def _texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(element, str) for element in value)
