"""Arguments that a family writes as texts, and the types that the schema of a tool gives them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from types import NoneType

from msgspec.structs import replace

from toolgauge.chat import Tool, ToolCall
from toolgauge.models.dialects.dialect import Parsed, PlainCall
from toolgauge.models.dialects.family import argument_schemas, write_json
from toolgauge.models.dialects.reading import within_depth

DEEPEST = 8
"""Levels of alternatives of a schema that are looked at."""
_PYTHONS: dict[str, tuple[str, bool | None]] = {
    "True": ("boolean", True),
    "False": ("boolean", False),
    "None": ("null", None),
}
_KINDS: dict[type, set[str]] = {
    str: {"string"},
    bool: {"boolean"},
    int: {"integer", "number"},
    float: {"number"},
    list: {"array"},
    dict: {"object"},
    NoneType: {"null"},
}


def typed(parsed: Parsed, tools: tuple[Tool, ...], *, quoted: bool) -> Parsed:
    """The calls with values of their types; until here all of them are texts. quoted: see `meant`."""
    schemas = argument_schemas(tools)
    return replace(
        parsed, calls=tuple(_typed(call, schemas.get(call.name or "", {}), quoted=quoted) for call in parsed.calls)
    )


def _typed(call: ToolCall, schemas: Mapping[str, object], *, quoted: bool) -> ToolCall:
    texts: dict[str, str] = json.loads(call.arguments)
    arguments = {key: meant(text, schemas.get(key), quoted=quoted) for key, text in texts.items()}
    return replace(call, arguments=write_json(arguments))


def meant(text: str, schema: object, *, quoted: bool) -> object:
    """What a value's text means: JSON where it is JSON, else itself; a boolean or null may be Python's.

    Where the schema takes strings, JSON of a type that it does not take is a text too. quoted: such a string may stand
    in quotes; otherwise quotes belong to it.
    """
    kinds = _kinds(schema, DEEPEST)
    if text in _PYTHONS and _PYTHONS[text][0] in kinds and "string" not in kinds:
        return _PYTHONS[text][1]
    try:
        value = json.loads(text, parse_constant=_refused)
    except (ValueError, RecursionError):
        return text
    if "string" in kinds and (kinds.isdisjoint(_KINDS[type(value)]) or (isinstance(value, str) and not quoted)):
        return text
    return value if within_depth([value]) else text


def argument_texts(call: PlainCall, ends: re.Pattern[str], *, quoted: bool) -> list[tuple[str, str]]:
    """The names and values of a call's arguments, as `typed` reads them back. ends: what may end a value."""
    return [(key, _text_of(value, call.schemas.get(key), ends, quoted=quoted)) for key, value in call.arguments.items()]


def _text_of(value: object, schema: object, ends: re.Pattern[str], *, quoted: bool) -> str:
    """A string as it is, unless it would be read as something else or holds what may end a value; else JSON."""
    if isinstance(value, str) and not ends.search(value) and meant(value, schema, quoted=quoted) == value:
        return value
    return write_json(value).replace("<", "\\u003c")


def _kinds(schema: object, depth: int) -> set[str]:
    """The types that a schema names, itself or in its alternatives; none where it leaves them open."""
    if not isinstance(schema, dict) or depth <= 0:
        return set()
    kind = schema.get("type")
    if kind is not None:
        return {one for one in (kind if isinstance(kind, list) else [kind]) if isinstance(one, str)}
    branches = schema.get("anyOf", schema.get("oneOf"))
    return set().union(*(_kinds(branch, depth - 1) for branch in branches)) if isinstance(branches, list) else set()


def _refused(constant: str) -> object:
    raise ValueError(constant)
