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


LABELS = {
    "single_tool": "single_tool",
    "parallel_tools": "parallel_tools",
    "sequential_tools": "sequential_tools",
    "mixed_tools": "mixed_tools",
    "single": "single",
    "multi": "multi",
    "clarify": "clarify",
    "chat": "chat",
    "first_turn": "first_turn",
    "coreference": "coreference",
    "partial_information": "partial_information",
    "long_range": "long_range",
    "string enum": "string enum",
    "integer enum": "integer enum",
    "nested object": "nested object",
    "other": "other",
}
"""Classes whose names read differently in other languages."""


class StatisticsTable(Struct, frozen=True):
    """A table for printing; a str is the same in every language."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def label(name: str) -> str:
    """The name of a class, for a cell of a table."""
    return LABELS.get(name, name)


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
