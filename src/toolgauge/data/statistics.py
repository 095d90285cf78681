"""What the figures of every data set have in common: tables for printing, and classes of parameters."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from toolgauge.locale import Text, _

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
    "single_tool": _("single_tool"),
    "parallel_tools": _("parallel_tools"),
    "sequential_tools": _("sequential_tools"),
    "mixed_tools": _("mixed_tools"),
    "single": _("single"),
    "multi": _("multi"),
    "clarify": _("clarify"),
    "chat": _("chat"),
    "first_turn": _("first_turn"),
    "coreference": _("coreference"),
    "partial_information": _("partial_information"),
    "long_range": _("long_range"),
    "string enum": _("string enum"),
    "integer enum": _("integer enum"),
    "nested object": _("nested object"),
    "other": _("other"),
}
"""Classes whose names read differently in other languages."""


class StatisticsTable(Struct, frozen=True):
    """A table for printing; a str is the same in every language."""

    title: Text
    header: tuple[Text | str, ...]
    rows: tuple[tuple[Text | str, ...], ...]


def label(name: str) -> Text | str:
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
