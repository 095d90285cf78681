"""What the figures of every data set have in common: tables for printing, and classes of parameters."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

PARAMETER_KINDS = (
    "string",
    "integer",
    "string enum",
    "boolean",
    "array",
    "object",
    "float",
    "nested object",
    "integer enum",
    "other",
)


class StatisticsTable(Struct, frozen=True):
    """A table for printing."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def parameter_kind(schema: Any, nested: bool) -> str:
    """The paper's class of a parameter: its type; enums and objects inside other objects have classes of their own."""
    kind = schema.get("type") if isinstance(schema, dict) else None
    if kind == "object":
        return "nested object" if nested else "object"
    if kind in ("float", "number"):
        return "float"
    if kind in ("string", "integer"):
        return f"{kind} enum" if "enum" in schema else kind
    return kind if kind in ("boolean", "array") else "other"
