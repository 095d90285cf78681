"""Are the tool definitions valid JSON Schema, and does every annotated call fit its tool?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from toolgauge.chat import Json
from toolgauge.data.record import shown
from toolgauge.data.references import resolve_references
from toolgauge.data.rules import variants
from toolgauge.data.schemas import PLAIN, Flavour, normalise_schema
from toolgauge.data.session import ASK, FINAL, Call, Session
from toolgauge.visible import one_line

if TYPE_CHECKING:
    from toolgauge.data.validation import SchemaValidator

_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")


def broken_tools(
    session: Session, tools_key: str, answers_key: str, flavour: Flavour = PLAIN
) -> Iterator[tuple[str, str]]:
    """The problems of a session's tool definitions and of the calls annotated over them, as (path, message)."""
    validators: dict[str, SchemaValidator | None] = {}
    for position, definition in enumerate(session.original_tools):
        function = definition["function"]
        validator, reason = _validator(msgspec.json.encode(function.get("parameters")), flavour)
        if reason:
            yield f"{tools_key}[{position}].function.parameters", reason
        validators.setdefault(function["name"], validator)
    yield from _names(session, tools_key)
    for task in session.tasks:
        for call in task.calls:
            if call.is_tool:
                yield from _call(call, validators, f"{answers_key}[{task.index}][{call.index}]")


@lru_cache(4096)
def _validator(parameters: bytes, flavour: Flavour) -> tuple[SchemaValidator | None, str | None]:
    """A strict validator for arguments, or the reason why the definition is no schema for them. Public data repeat
    their definitions often."""
    from toolgauge.data.validation import SchemaValidator

    schema = normalise_schema(msgspec.json.decode(parameters), flavour)
    reason = schema_fault(schema)
    return (SchemaValidator(schema, strict=True), None) if reason is None else (None, reason)


def schema_fault(schema: Json) -> str | None:
    """Why a definition's parameters, types by JSON Schema's names, are no schema for arguments; None where they are."""
    if schema.get("type") != "object":
        return '`type` must be "object"'
    if (fault := validity_fault(schema)) is not None:
        return fault
    _, unresolved = resolve_references(schema)
    if unresolved:
        return f"cannot resolve $ref {shown(unresolved[0])}; only parts of the schema itself are followed"
    missing = [name for name in schema.get("required", []) if name not in schema.get("properties", {})]
    return f"requires the unknown property {shown(missing[0])}" if missing else None


def validity_fault(schema: Json) -> str | None:
    """Why something is no JSON Schema; None where it is one."""
    from toolgauge.data.validation import schema_faults

    fault = next(iter(schema_faults(schema)), None)
    return None if fault is None else f"invalid JSON Schema: schema{fault.place}: {one_line(fault.message)}"


def _names(session: Session, key: str) -> Iterator[tuple[str, str]]:
    names = [definition["function"]["name"] for definition in session.original_tools]
    for position, name in enumerate(names):
        path = f"{key}[{position}].function.name"
        if not _NAME.fullmatch(name):
            yield path, f"invalid tool name {shown(name)}; use 1 to 64 letters, digits, _ . or -"
        if name in (ASK, FINAL):
            yield path, f"{name} is reserved and cannot be a tool name"
    for name, count in Counter(names).items():
        if count > 1:
            yield key, f"defines {shown(name)} {count} times"


def _call(call: Call, validators: dict[str, SchemaValidator | None], path: str) -> Iterator[tuple[str, str]]:
    if call.name not in validators:
        yield f"{path}.action.name", f"unknown tool {shown(call.name)}; the session does not define it"
        return
    validator = validators[call.name]
    if validator is None:
        return
    outcome = validator.check(call.arguments)
    for error in outcome.errors:
        yield f"{path}.action.arguments{error.place}", one_line(error.message)
    if outcome.undecided:
        yield f"{path}.action.arguments", f"not checked: {one_line(outcome.undecided)}"
    elif not outcome.errors:
        for place, arguments in variants(call):
            for error in validator.check(arguments, most=1).errors:
                yield f"{path}{place}", f"does not match the tool: {one_line(error.message)}"
