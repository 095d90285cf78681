"""Schemas of OpenAPI 3.0, 3.1 or MCP as self-contained JSON Schema (2020-12) of bounded size.

References are replaced by what they name and allOf by its sum. What would go on for ever, or become larger than a model
should read, ends in a schema that only says its type; each such cut is noted. What many operations share is converted
once: a reference is looked up by what its conversion depends on.
"""

from __future__ import annotations

import math
import re
from typing import Any

import msgspec
from msgspec import Struct

from toolgauge.chat import Json
from toolgauge.data.patterns import is_risky
from toolgauge.data.valid_schemas import normalised
from toolgauge.tools.budget import Budget
from toolgauge.tools.merging import merged
from toolgauge.tools.references import SourceDocument
from toolgauge.tools.texts import tidy

REPEATS = 1
"""Times that a schema may stand inside itself; none where the schema would get too large."""
MAX_ENUM = 300
"""Values of an enumeration that are listed."""
MAX_TEXT = 1000
"""Characters of a parameter's description."""
MAX_PATTERN = 250
"""Characters of a regular expression."""
_CHAIN = 60
"""Schemas that may contain one another through references and combinations."""
_REMEMBERED = 300_000
"""Schemas that are kept for the next operation."""

_NUMBERS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_COUNTS = ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")
_KEPT = ("type", "const", "format", "uniqueItems", "required", *_NUMBERS, *_COUNTS)
_TYPES = {"string", "number", "integer", "boolean", "array", "object", "null"}


class Bounds(Struct, frozen=True):
    """How large a schema may get: levels of properties and items (less where it would get too large otherwise), schemas
    inside it, bytes as JSON. left_out: the mark of properties that are not meant, `readOnly` or `writeOnly`."""

    depth: int
    schemas: int
    size: int
    left_out: str


PARAMETER = Bounds(8, 1500, 48_000, "readOnly")
RESULT = Bounds(4, 600, 12_000, "writeOnly")
"""What a simulated result is shaped by has to fit into a prompt."""


class _TooLarge(Exception):
    """A schema has more parts than it may have."""


class _Extent:
    """What one conversion has covered so far: schemas, the least depth that was left, the highest level, the notes.

    cut: whether depth, level or the chain of references cut it off; then it cannot be reused elsewhere.
    """

    def __init__(self, depth: int = 0, level: int = 0) -> None:
        self.count, self.floor, self.top, self.cut = 0, depth, level, False
        self.notes: list[tuple[str, str]] = []


class _Known(Struct, frozen=True):
    """What a reference became, and its extent: span in depth, height in levels; None: it was too large.

    count: schemas in it, at least. notes: the place below the reference's own, and the words.
    """

    schema: Json | None
    count: int
    span: int
    height: int
    cut: bool
    notes: tuple[tuple[str, str], ...] = ()


class Inliner:
    """Converts the schemas of one document; `notes` says what was cut."""

    def __init__(self, source: SourceDocument, budget: Budget | None = None, bounds: Bounds = PARAMETER) -> None:
        self.source = source
        self._bounds, self._repeats, self._repeated = bounds, REPEATS, False
        self.notes: dict[str, None] = {}
        self._budget = budget or Budget()
        self._extent = _Extent()
        self._whole: dict[str | int, tuple[Any, Json, list[tuple[str, str]]]] = {}  # with the schema: ids are reused
        self._known: dict[tuple[Any, ...], _Known] = {}
        self._remembered = 0

    def inline(self, schema: Any, place: str) -> Json:
        """A schema without references and without parts that are not meant; as deep as its size allows.

        schema: a part of the document. Raises DataError where a reference cannot be followed, and OverBudget.
        """
        self._budget.check()
        alone = type(schema) is dict and schema.keys() == {"$ref"} and type(schema["$ref"]) is str
        key = schema["$ref"] if alone else id(schema)
        if key not in self._whole:
            found, notes = self._fitting(schema, place)
            told = {what: where[len(place) :] for where, what in reversed(notes)}  # each fault where it is met first
            self._whole[key] = schema, found, [(where, what) for what, where in reversed(told.items())]
        _, found, notes = self._whole[key]
        self.notes |= {": ".join([place + where, what]): None for where, what in notes}
        return found

    def _fitting(self, schema: Any, place: str) -> tuple[Json, list[tuple[str, str]]]:
        """The schema as deep as its size allows, with notes by their places."""
        depth, self._repeats, self._repeated = self._bounds.depth, REPEATS, False
        while depth >= 0:
            self._extent = extent = _Extent(depth)
            try:
                found = normalised(self._convert(schema, depth, (), place, 0))
            except _TooLarge:
                pass
            else:
                if len(msgspec.json.encode(found)) <= self._bounds.size or not depth:
                    said = f"too large; cut at depth {depth}"
                    large = [(place, said)] if depth < self._bounds.depth else []
                    return found, extent.notes + large
            if self._repeats and (self._repeated or extent.cut):
                self._repeats = 0
                continue
            depth -= 1 + extent.floor  # with fewer levels than it has it looks the same
        return self._stub(schema), [(place, "too large; only its type is kept")]

    def _convert(self, schema: object, depth: int, chain: tuple[str, ...], place: str, level: int) -> Json:
        if type(schema) is not dict:
            return {"not": {}} if schema is False else {}
        extent = self._extent
        extent.floor, extent.top = min(extent.floor, depth), max(extent.top, level)
        self._counted(1)
        self._budget.step()
        if level > _CHAIN:
            self._cut(place, "nested too deeply; cut")
            return self._stub(schema)
        own = self._own(schema, depth, chain, place, level + 1)
        if "$ref" in schema:
            own = merged(own, self._referred(schema["$ref"], depth, chain, place, level + 1))
        parts = schema.get("allOf")
        for part in parts if type(parts) is list else ():
            own = merged(own, self._convert(part, depth, chain, place, level + 1))
        return _nullable(own) if schema.get("nullable") is True else own

    def _referred(self, reference: Any, depth: int, chain: tuple[str, ...], place: str, level: int) -> Json:
        target = self.source.target(reference, place)
        if chain.count(reference) > self._repeats:
            self._cut(place, f"{tidy(reference, 80)} is recursive; cut")
            return self._stub(target)
        self._repeated = self._repeated or reference in chain
        here = (reference, depth, chain, level, self._repeats)
        known = self._known.get(here) or self._uncut(reference, depth, level)
        if known and (known.schema is not None or self._extent.count + known.count > self._bounds.schemas):
            return self._again(known, depth, place, level)
        outer, self._extent = self._extent, _Extent(depth, level)
        self._extent.count = outer.count
        try:
            found: Json | None = self._convert(target, depth, (*chain, reference), place, level)
        except _TooLarge:
            found = None
        extent, self._extent = self._extent, outer
        known = _Known(
            found,
            extent.count - outer.count,
            depth - extent.floor,
            extent.top - level,
            extent.cut,
            tuple((where[len(place) :], what) for where, what in extent.notes),
        )
        self._remember(here if extent.cut or found is None else (reference,), known)
        return self._again(known, depth, place, level)

    def _uncut(self, reference: str, depth: int, level: int) -> _Known | None:
        """What a reference became where nothing cut it, if nothing would do so this deep either."""
        known = self._known.get((reference,))
        return known if known and known.span <= depth and level + known.height <= _CHAIN else None

    def _again(self, known: _Known, depth: int, place: str, level: int) -> dict[str, object]:
        """What a reference became, here as well; the extent grows by it."""
        extent = self._extent
        extent.floor, extent.top = min(extent.floor, depth - known.span), max(extent.top, level + known.height)
        extent.cut = extent.cut or known.cut
        self._counted(known.count)
        if known.schema is None:
            raise _TooLarge
        extent.notes += [(place + where, what) for where, what in known.notes]
        return known.schema

    def _remember(self, key: tuple[object, ...], known: _Known) -> None:
        if self._remembered < _REMEMBERED:
            self._remembered += known.count
            self._known[key] = known

    def _counted(self, schemas: int) -> None:
        self._extent.count += schemas
        if self._extent.count > self._bounds.schemas:
            raise _TooLarge

    def _own(self, schema: Json, depth: int, chain: tuple[str, ...], place: str, level: int) -> dict[str, object]:
        """What a schema says itself, apart from what it refers to."""
        own = {key: schema[key] for key in _KEPT if key in schema}
        own |= _annotations(schema)
        if self._pattern(schema.get("pattern"), place):
            own["pattern"] = schema["pattern"]
        own |= self._enumeration(schema.get("enum"), place)
        inner = self._inner(schema, depth, chain, place, level)
        if "type" not in own:
            own |= _guessed(own, inner)
        return own | inner

    def _inner(self, schema: Json, depth: int, chain: tuple[str, ...], place: str, level: int) -> dict[str, object]:
        inner: dict[str, object] = {}
        for key in ("anyOf", "oneOf"):
            listed = schema.get(key)
            if type(listed) is list and listed:
                inner[key] = [self._convert(one, depth, chain, place, level) for one in listed]
        nested: dict[str, object] = {
            key: schema[key] for key in ("properties", "items", "prefixItems", "additionalProperties") if key in schema
        }
        if not any(type(part) in (dict, list) and part for part in nested.values()):
            return inner | {key: part for key, part in nested.items() if type(part) is bool or key == "properties"}
        if depth <= 0:
            self._cut(place, "nested too deeply; cut")
            return inner
        return inner | self._nested(nested, depth - 1, chain, place, level)

    def _nested(self, nested: Json, depth: int, chain: tuple[str, ...], place: str, level: int) -> Json:
        found: Json = {}
        properties = nested.get("properties")
        if type(properties) is dict:
            found["properties"] = {
                name: self._convert(part, depth, chain, f"{place}.{tidy(name, 60)}", level)
                for name, part in properties.items()
                if not (type(part) is dict and part.get(self._bounds.left_out) is True)
            }
        for key in ("items", "additionalProperties"):
            if type(nested.get(key)) is dict:
                found[key] = self._convert(nested[key], depth, chain, f"{place}[]", level)
            elif type(nested.get(key)) is bool:
                found[key] = nested[key]
        if type(nested.get("prefixItems")) is list:
            found["prefixItems"] = [
                self._convert(one, depth, chain, f"{place}[]", level) for one in nested["prefixItems"]
            ]
        return found

    def _enumeration(self, values: object, place: str) -> dict[str, object]:
        if type(values) is not list or not values:
            return {}
        if len(values) > MAX_ENUM:
            self._note(place, f"enum of {len(values):,} values dropped")
            return {}
        plain = [value for value in values if value is None or type(value) in (str, int, float, bool)]
        return {"enum": list({msgspec.json.encode(value): value for value in plain}.values())} if plain else {}

    def _pattern(self, text: object, place: str) -> bool:
        """Is this a short pattern that Python understands too, and that texts can be tried against in time?"""
        if type(text) is not str or len(text) > MAX_PATTERN:
            return False
        try:
            risky = is_risky(text)
        except (re.error, OverflowError, RecursionError):
            return False
        if risky:
            self._note(place, f"the pattern {tidy(text, 80)} can take too long to match; dropped")
        return not risky

    def _stub(self, schema: object) -> dict[str, object]:
        """The schema by its type and description alone."""
        if type(schema) is not dict:
            return {}
        kept = {key: schema[key] for key in ("type",) if key in schema} | _annotations(schema)
        return normalised(kept if "type" in kept else kept | _guessed({}, schema))

    def _note(self, place: str, what: str) -> None:
        self._extent.notes.append((place, what))

    def _cut(self, place: str, what: str) -> None:
        self._extent.cut = True
        self._note(place, what)


def _annotations(schema: Json) -> dict[str, object]:
    """Words for the reader: description, a default, examples. (Titles are mostly the name over again.)"""
    found: Json = {}
    text = schema.get("description")
    if type(text) is str and text.strip():
        found["description"] = tidy(text, MAX_TEXT)
    if "default" in schema and _small(schema["default"]):
        found["default"] = schema["default"]
    return found | examples_of(schema)


def examples_of(holder: Json) -> Json:
    """`examples`, at most three plain ones: of a schema, or of a parameter or body, where they have names."""
    listed = holder.get("examples")
    if type(listed) is dict:
        listed = [one["value"] for one in listed.values() if type(one) is dict and "value" in one]
    given = listed if type(listed) is list else [holder["example"]] if "example" in holder else []
    plain = [one for one in given[:3] if type(one) in (str, int, float, bool) and _small(one)]
    return {"examples": plain} if plain else {}


def _small(value: object) -> bool:
    return not (type(value) is float and not math.isfinite(value)) and len(msgspec.json.encode(value)) <= 500


def _guessed(own: Json, inner: Json) -> Json:
    """The type where a schema does not say it but cannot mean another."""
    if "properties" in inner or "additionalProperties" in inner:
        return {"type": "object"}
    if "items" in inner or "prefixItems" in inner:
        return {"type": "array"}
    if own.get("enum") and all(type(value) is str for value in own["enum"]):
        return {"type": "string"}
    return {}


def _nullable(schema: Json) -> Json:
    """The schema, or null (OpenAPI 3.0)."""
    kind = schema.get("type")
    if type(kind) is str and not {"anyOf", "oneOf"} & schema.keys():
        enum = {"enum": [*schema["enum"], None]} if "enum" in schema and None not in schema["enum"] else {}
        return {**schema, "type": [kind, "null"], **enum}
    if type(kind) is list:
        return {**schema, "type": [*kind, "null"]}
    described: Json = {key: schema[key] for key in ("description", "default") if key in schema}
    rest = {key: part for key, part in schema.items() if key not in described}
    return {**described, "anyOf": [rest, {"type": "null"}]} if rest else described
