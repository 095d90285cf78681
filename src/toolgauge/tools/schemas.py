"""Schemas of OpenAPI 3.0, 3.1 or MCP as self-contained JSON Schema (2020-12) of bounded size.

References are replaced by what they name (data/references.py), allOf by its sum, and the values of a discriminator
become an enumeration. What is cut or dropped is noted.
Sources: OpenAPI 3.0.4 and 3.1.1, "Schema Object", "Discriminator Object".
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import msgspec

from toolgauge.chat import Json, Tool
from toolgauge.data.record import named, shown
from toolgauge.data.references import MISSING, REPEATS, Bounds, Expander, Node, merged, pointed, subschemas
from toolgauge.data.valid_schemas import normalised
from toolgauge.data.validation import pattern_fault
from toolgauge.errors import DataError
from toolgauge.limits import IMPORT_BYTES, IMPORT_SECONDS
from toolgauge.tools.texts import tidy, unmarked

PARAMETER, RESULT = Bounds(1500, 40_000, 8), Bounds(600, 10_000, 4)
"""Of a tool's parameters, and of its result, which has to fit into a prompt."""
MAX_ENUM = 300
"""Values of an enumeration that are listed."""
MAX_TEXT = 1000
"""Characters of a parameter's description."""
MAX_PATTERN = 250
"""Characters of a regular expression."""
MAX_HOPS = 32
"""References that may lead from one to the next; parts of an allOf inside one another."""

_NUMBERS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_COUNTS = ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")
_KEPT = ("type", "const", "format", "uniqueItems", "required", *_NUMBERS, *_COUNTS)
_INNER = ("anyOf", "oneOf", "properties", "items", "prefixItems", "additionalProperties")


class OverBudget(Exception):
    """An import exceeds its budget; its text says which."""


class Budget:
    """The time and the bytes that one import has left, from the moment this is made. `clock`: seconds, for tests."""

    def __init__(self, seconds: float = IMPORT_SECONDS, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds, self._clock, self._size = seconds, clock, 0
        self._until = clock() + seconds

    def check(self) -> None:
        """Raises OverBudget where the time is up."""
        if self._clock() > self._until:
            raise OverBudget(f"converting its schemas takes more than {self._seconds:g} s")

    def add(self, tool: Tool) -> None:
        """One tool more is kept. Raises OverBudget."""
        self._size += len(msgspec.json.encode(tool.parameters))
        if self._size > IMPORT_BYTES:
            raise OverBudget(f"its tools are larger than {IMPORT_BYTES >> 20} MB in total")


class SourceDocument:
    """A document with its name, for errors; references lead to its own parts only."""

    def __init__(self, value: Any, file: str) -> None:
        self.value, self.file = value, file

    def error(self, message: str, path: str | None = None) -> DataError:
        return DataError(message, self.file, None, path)

    def target(self, reference: object, place: str) -> Any:
        """What a reference names. Raises DataError where it is no text, leads outside, or to nothing."""
        if not isinstance(reference, str):
            raise self.error(f"$ref must be a string, not {named(reference)}", place)
        value = pointed(self.value, reference)
        if value is not MISSING:
            return value
        why = "not found"
        if not reference.startswith("#"):
            why = "leads to another file; bundle all into one file first, for example with `redocly bundle`"
        elif reference[1:2] not in ("", "/"):
            why = "is an anchor; write a path, #/components/..."
        raise self.error(f"$ref {shown(reference)} {why}", place)

    def resolved(self, value: object, place: str) -> Json:
        """An object of the document, references followed. Raises DataError for a circle or no object."""
        for _hop in range(MAX_HOPS):
            if not isinstance(value, dict):
                raise self.error(f"must be an object, not {named(value)}", place)
            if "$ref" not in value:
                return value
            value = self.target(value["$ref"], place)
        raise self.error("circular references", place)


class Inliner(Expander):
    """Converts schemas of one document. left_out: the mark of properties that are not meant, `readOnly` in parameters
    and `writeOnly` in results."""

    def __init__(self, source: SourceDocument, budget: Budget, is_result: bool = False) -> None:
        super().__init__(source.value, RESULT if is_result else PARAMETER)
        self.source, self._budget = source, budget
        self._left_out = "writeOnly" if is_result else "readOnly"
        self._known: dict[str, Json] = {}

    def inline(self, schema: Any, place: str) -> Json:
        """A schema without references and without parts that are not meant; what is shared is converted once.

        schema: a part of the document. Raises DataError where a reference cannot be followed, and OverBudget.
        """
        self._budget.check()
        reference = schema.get("$ref") if isinstance(schema, dict) and len(schema) == 1 else None
        if not isinstance(reference, str):
            return normalised(self.expand(schema, place))
        if reference not in self._known:
            self._known[reference] = normalised(self.expand(schema, place))
        return self._known[reference]

    def prepare(self, node: Node) -> tuple[Any, str]:
        """As in Expander, with allOf summed up, null among the types, and values of a discriminator listed."""
        raw = node.holder[node.key]
        if not isinstance(raw, dict):
            if isinstance(raw, bool) and node.keyword in ("items", "additionalProperties"):
                return raw, ""
            return ({"not": {}} if raw is False else {}), ""
        used: dict[str, None] = {}
        raw = _discriminated(self._summed(raw, node.place, used, MAX_HOPS))
        repeated = next((reference for reference in used if node.chain.count(reference) > REPEATS), "")
        node.chain = (*node.chain, *used)
        return (_nullable(raw) if raw.get("nullable") is True else raw), repeated

    def _summed(self, raw: Json, place: str, used: dict[str, None], hops: int) -> Json:
        """A schema with what it refers to and the parts of its allOf in it. used: references that are in it already."""
        whole = {key: part for key, part in raw.items() if key not in ("$ref", "allOf")}
        parts = raw.get("allOf")
        parts = parts[:100] if isinstance(parts, list) else []
        if "$ref" in raw and raw["$ref"] not in used:
            parts = [self.source.target(raw["$ref"], place), *parts]
            used[raw["$ref"]] = None
        for part in parts if hops else ():
            if isinstance(part, dict):
                summed = self._summed(part, place, used, hops - 1)
                if "type" in whole:
                    summed.pop("nullable", None)
                whole = merged(whole, summed)
        return whole

    def own(self, raw: Json, place: str) -> Json:
        """What a schema says itself, in words that are kept."""
        schema = {key: raw[key] for key in _KEPT if key in raw} | _annotations(raw)
        pattern, values = raw.get("pattern"), raw.get("enum")
        if isinstance(pattern, str) and len(pattern) <= MAX_PATTERN and pattern_fault(pattern) is None:
            schema["pattern"] = pattern
        if isinstance(values, list) and len(values) > MAX_ENUM:
            self.note(place, f"enum of {len(values):,} values dropped")
        elif isinstance(values, list):
            plain = [value for value in values if not isinstance(value, dict | list)]
            schema |= {"enum": list({msgspec.json.encode(value): value for value in plain}.values())} if plain else {}
        if raw.get("properties") == {}:
            schema["properties"] = {}
        return schema if "type" in schema else schema | _guessed(schema, raw)

    def parts(self, raw: Json) -> list[tuple[str, str | int | None, Any]]:
        """The schemas inside that are kept."""
        return [
            (keyword, name, part)
            for keyword, name, part in subschemas(raw)
            if keyword in _INNER
            and not (keyword == "properties" and isinstance(part, dict) and part.get(self._left_out) is True)
        ]

    def stub(self, raw: Json) -> Json:
        """The schema by its type and description alone."""
        schema = {key: raw[key] for key in ("type",) if key in raw} | _annotations(raw)
        return schema if "type" in schema else schema | _guessed({}, raw)

    def take_notes(self) -> list[str]:
        """What was cut or dropped, each once."""
        return list(dict.fromkeys(unmarked(f"{place}: {what}", 300) for place, what in self.notes))


def _discriminated(schema: Json) -> Json:
    """A schema whose `discriminator` has a mapping, with its values where they are written: in the alternatives, or in
    the schema's own property."""
    rule = schema.get("discriminator")
    mapping, name = (rule.get("mapping"), rule.get("propertyName")) if isinstance(rule, dict) else (None, None)
    if not isinstance(mapping, dict) or not isinstance(name, str) or not mapping:
        return schema
    schema = {key: part for key, part in schema.items() if key != "discriminator"}
    for key in ("oneOf", "anyOf"):
        if isinstance(schema.get(key), list):
            return {**schema, key: [_with_values(branch, name, mapping) for branch in schema[key]]}
    properties = schema.get("properties")
    if isinstance(properties, dict) and isinstance(properties.get(name), dict):
        schema = merged(schema, {"properties": {name: {"enum": list(mapping)}}})
    return schema


def _with_values(branch: Any, name: str, mapping: Json) -> Any:
    """An alternative of a discriminator with the values that stand for it."""
    reference = branch.get("$ref") if isinstance(branch, dict) else None
    if not isinstance(reference, str):
        return branch
    short = reference.rpartition("/")[2]
    values = [value for value, target in mapping.items() if target in (reference, short)] or [short]
    return {"allOf": [branch, {"properties": {name: {"enum": values}}}]}


def _nullable(schema: Json) -> Json:
    """The schema, or null (OpenAPI 3.0)."""
    kind = schema.get("type")
    schema = {key: part for key, part in schema.items() if key != "nullable"}
    if isinstance(kind, str | list) and not {"anyOf", "oneOf"} & schema.keys():
        values = schema.get("enum")
        enum = {"enum": [*values, None]} if isinstance(values, list) and None not in values else {}
        return {**schema, "type": [*([kind] if isinstance(kind, str) else kind), "null"], **enum}
    described: Json = {key: schema[key] for key in ("description", "default") if key in schema}
    rest = {key: part for key, part in schema.items() if key not in described}
    return {**described, "anyOf": [rest, {"type": "null"}]} if rest else described


def _annotations(schema: Json) -> Json:
    """Words for the reader: description, a default, examples. (Titles are mostly the name over again.)"""
    annotations: Json = {}
    text = schema.get("description")
    if isinstance(text, str) and text.strip():
        annotations["description"] = tidy(text, MAX_TEXT)
    if "default" in schema and _small(schema["default"]):
        annotations["default"] = schema["default"]
    return annotations | examples_of(schema)


def examples_of(holder: Json) -> Json:
    """`examples`, at most three plain ones: of a schema, or of a parameter or body, where they have names."""
    listed = holder.get("examples")
    if isinstance(listed, dict):
        listed = [one["value"] for one in listed.values() if isinstance(one, dict) and "value" in one]
    given = listed if isinstance(listed, list) else [holder["example"]] if "example" in holder else []
    plain = [one for one in given[:3] if isinstance(one, str | int | float) and _small(one)]
    return {"examples": plain} if plain else {}


def _small(value: object) -> bool:
    return not (isinstance(value, float) and not math.isfinite(value)) and len(msgspec.json.encode(value)) <= 500


def _guessed(schema: Json, inner: Json) -> Json:
    """The type where a schema does not say it but cannot mean another."""
    if isinstance(inner.get("properties"), dict) or isinstance(inner.get("additionalProperties"), dict | bool):
        return {"type": "object"}
    if isinstance(inner.get("items"), dict | bool) or isinstance(inner.get("prefixItems"), list):
        return {"type": "array"}
    if schema.get("enum") and all(isinstance(value, str) for value in schema["enum"]):
        return {"type": "string"}
    return {}


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
        base = {name: part for name, part in schema.items() if name != key}
        properties: Json = {}
        for holder in (base, *branches):
            for name, part in holder.get("properties", {}).items():
                properties[name] = _either(properties[name], part) if name in properties else part
        common = set.intersection(*(set(branch.get("required", ())) for branch in branches))
        required = [name for name in properties if name in common or name in base.get("required", ())]
        schema = {**base, "type": "object", "properties": properties} | ({"required": required} if required else {})
    return schema


def _either(first: Any, second: Any) -> Any:
    """A schema for what fits one of two; enumerations that differ in their values only become one."""
    if first == second or not second:
        return first
    if not first:
        return second
    if isinstance(first, dict) and isinstance(second, dict) and "enum" in first and "enum" in second:
        values = [*first["enum"], *(value for value in second["enum"] if value not in first["enum"])]
        if {**first, "enum": values} == {**second, "enum": values}:
            return {**first, "enum": values}
    options = first["anyOf"] if isinstance(first, dict) and first.keys() == {"anyOf"} else [first]
    return {"anyOf": options if second in options else [*options, second]}


def _is_object(schema: object) -> bool:
    return isinstance(schema, dict) and schema.get("type", "object") == "object"
