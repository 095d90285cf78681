"""JSON Schemas that cost, loop, point elsewhere or lie; for tools in whatever file or answer they come."""

from __future__ import annotations

from typing import Any

from tests.hostile.corpus.item import EVIL, HUGE


def hostile_schemas() -> dict[str, Any]:
    """Name -> the `parameters` of a tool."""
    return {
        "pattern": _with({"type": "string", "pattern": "^(a+)+$"}),
        "pattern-invalid": _with({"type": "string", "pattern": "("}),
        "pattern-large": _with({"type": "string", "pattern": "(?:a{1,1000}){1,1000}"}),
        "pattern-name": {"type": "object", "patternProperties": {"^(a+)+$": {}}, "properties": {"name": {}}},
        "ref-itself": {"type": "object", "properties": {"name": {"$ref": "#/properties/name"}}},
        "ref-exponential": _exponential(),
        "ref-remote": _with({"$ref": "http://127.0.0.1:9/x.json"}),
        "ref-file": _with({"$ref": "file:///etc/passwd"}),
        "deep": _deep(60),
        "wide": {"type": "object", "properties": {f"p{number}": {"type": "string"} for number in range(5000)}},
        "huge": _with({"type": "integer", "minimum": HUGE, "multipleOf": 1e-308}),
        "evil": {"type": "object", "properties": {EVIL: {"type": "string", "description": EVIL, "enum": [EVIL]}}},
        "wrong": {"type": 7, "properties": [1], "required": "x"},
    }


def _with(schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": {"name": schema}, "required": ["name"]}


def _exponential() -> dict[str, Any]:
    """Thirty definitions, each of which holds the next one twice."""
    parts: dict[str, Any] = {
        f"d{n}": {"type": "object", "properties": {side: {"$ref": f"#/$defs/d{n + 1}"} for side in "ab"}}
        for n in range(30)
    }
    return {**_with({"$ref": "#/$defs/d0"}), "$defs": parts | {"d30": {"type": "string"}}}


def _deep(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"a": schema}}
    return schema
