"""Values against the JSON Schemas of strangers, with jsonschema-rs: in bounded time and without the network.

References are replaced beforehand (references.py), so that the work is bounded by the sizes of schema and value.
Patterns run on an engine without backtracking, or with MAX_BACKTRACKS steps of it where they need it. A pattern that
this engine does not know is not checked; `toolgauge tools check` reports it. Formats are annotations.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any

import jsonschema_rs
import msgspec
from msgspec import Struct

from toolgauge.chat import Json
from toolgauge.data.lines import MAX_LEVELS, within_depth
from toolgauge.data.record import shown, step
from toolgauge.data.references import resolve_references
from toolgauge.data.schemas import closed, rewrite

MAX_BACKTRACKS = 100_000
"""Steps back of one search, some milliseconds; only patterns that look around or refer to a group need any."""
MAX_COMPILED = 1 << 20
"""Bytes that a compiled pattern may take."""
MAX_PATTERN = 5000
"""Characters of a pattern; longer ones are not compiled."""

_PATTERNS = jsonschema_rs.FancyRegexOptions(MAX_BACKTRACKS, MAX_COMPILED, MAX_COMPILED)
_META = {"$ref": "https://json-schema.org/draft/2020-12/schema"}
_DROPPED = ("$schema", "$id", "$anchor", "$dynamicAnchor", "$vocabulary", "$comment", "$defs", "definitions")
"""Keywords that mean nothing to a schema without references; some name other drafts or addresses."""
_LEFTOVER = ("additionalProperties", "unevaluatedProperties")


class Misfit(Struct, frozen=True):
    """Something of a value that does not fit. path: of keys and positions; keyword: the rule that it breaks; expected:
    the keyword's value, or the names that are missing or unexpected; instance: the part of the value."""

    path: tuple[str | int, ...]
    keyword: str
    message: str
    instance: Any
    expected: Any

    @property
    def place(self) -> str:
        """The path as text, `.a[0].b`."""
        return "".join(map(step, self.path))


class Outcome(Struct, frozen=True):
    """Of a check. errors: what does not fit; undecided: why the rest cannot be decided, None where all was decided."""

    errors: list[Misfit]
    undecided: str | None = None


class SchemaValidator:
    """Checks values against one schema of draft 2020-12. fault: why it cannot be applied at all; then every check is
    undecided."""

    def __init__(self, schema: Any, strict: bool = False) -> None:
        """strict: objects that list properties admit only those."""
        self.fault: str | None = None
        resolved, unresolved = resolve_references(schema)
        if unresolved:
            self.fault = f"cannot resolve $ref {shown(unresolved[0])}"
            return
        try:
            self._validator = _compiled(rewrite(closed(resolved) if strict else resolved, _applicable))
        except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError) as error:
            self.fault = getattr(error, "message", None) or str(error)

    def check(self, value: object, most: int | None = None) -> Outcome:
        """What does not fit, at most so many errors."""
        if self.fault is not None:
            return Outcome([], self.fault)
        try:
            errors = self._errors(value)
        except (ValueError, TypeError, OverflowError) as error:  # nested too deeply, or no JSON
            return Outcome([], f"the value cannot be checked: {error}")
        decided = [error for error in errors if not _hit_limit(error)]
        given_up = "a pattern takes too long to match" if len(decided) < len(errors) else None
        return Outcome([_misfit(error) for error in decided[:most]], given_up)

    def _errors(self, value: object) -> list[jsonschema_rs.ValidationError]:
        try:
            return list(self._validator.iter_errors(value))
        except UnicodeEncodeError:
            return list(self._validator.iter_errors(without_surrogates(value)))


@lru_cache(maxsize=512)
def argument_validator(parameters: bytes, strict: bool = True) -> SchemaValidator | None:
    """The validator of a tool's arguments; None if its schema is invalid.

    parameters: the schema as JSON. strict: objects admit only the properties that they list.
    """
    validator = SchemaValidator(msgspec.json.decode(parameters), strict)
    return None if validator.fault else validator


def schema_faults(schema: Any) -> list[Misfit]:
    """What is wrong with a schema itself by draft 2020-12, the outermost first; patterns are not looked at."""
    if not within_depth(schema, MAX_LEVELS):
        return [Misfit((), "type", "nested too deeply", None, None)]
    try:
        errors = list(_compiled(_META).iter_errors(schema))
    except (ValueError, TypeError, OverflowError) as error:
        return [Misfit((), "type", f"cannot be checked: {error}", None, None)]
    return sorted(map(_misfit, errors), key=lambda fault: len(fault.path))


@lru_cache(maxsize=2048)
def pattern_fault(pattern: str) -> str | None:
    """Why a regular expression cannot be checked; None where it can."""
    if len(pattern) > MAX_PATTERN:
        return f"longer than {MAX_PATTERN:,} characters"
    try:
        _compiled({"pattern": pattern})
    except (jsonschema_rs.ValidationError, ValueError):
        return "unknown syntax, or too large when compiled"
    return None


def without_surrogates(value: object) -> Any:
    """A JSON value whose texts can be written as UTF-8: halves of surrogate pairs, which no text may hold, become
    characters that nobody uses, one for one."""
    if isinstance(value, str):
        return value.translate(_surrogates()) if not value.isascii() else value
    if isinstance(value, dict):
        return {without_surrogates(key): without_surrogates(part) for key, part in value.items()}
    return [without_surrogates(part) for part in value] if isinstance(value, list | tuple) else value


@cache
def _surrogates() -> dict[int, int]:
    return {half: 0x100000 + half for half in range(0xD800, 0xE000)}


def _compiled(schema: Any) -> jsonschema_rs.Validator:
    try:
        return jsonschema_rs.Draft202012Validator(
            schema, pattern_options=_PATTERNS, offline=True, validate_formats=False
        )
    except ValueError as error:
        if "surrogates not allowed" not in str(error):
            raise
        return _compiled(without_surrogates(schema))


def _applicable(schema: Json) -> Json:
    """The schema without what names other drafts and addresses, and without patterns that cannot be checked."""
    applicable = {key: value for key, value in schema.items() if key not in _DROPPED}
    if isinstance(applicable.get("pattern"), str) and pattern_fault(applicable["pattern"]):
        del applicable["pattern"]
    patterns = applicable.get("patternProperties")
    if isinstance(patterns, dict) and any(map(pattern_fault, patterns)):
        applicable["patternProperties"] = {key: part for key, part in patterns.items() if not pattern_fault(key)}
        applicable = {
            key: part for key, part in applicable.items() if key not in _LEFTOVER
        }  # what they admit is not known
    return applicable


def _misfit(error: jsonschema_rs.ValidationError) -> Misfit:
    kind: Any = error.kind
    return Misfit(tuple(error.instance_path), kind.name, error.message, error.instance, getattr(kind, "value", None))


def _hit_limit(error: jsonschema_rs.ValidationError) -> bool:
    """Whether a search was given up, in this error or in one that it follows from."""
    return any(
        isinstance(cause.kind, jsonschema_rs.ValidationErrorKind.BacktrackLimitExceeded)
        for cause in _with_causes(error)
    )


def _with_causes(error: jsonschema_rs.ValidationError) -> Iterator[jsonschema_rs.ValidationError]:
    yield error
    for branch in getattr(error.kind, "context", ()):
        for cause in branch:
            yield from _with_causes(cause)
