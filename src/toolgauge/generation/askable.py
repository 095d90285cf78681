"""What an assistant can only learn by asking: required values that no other tool finds, where there is a choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from toolgauge.chat import Tool
from toolgauge.tools.grouping import findable


def askable(tools: Sequence[Tool]) -> dict[str, tuple[str, ...]]:
    """Of each tool the required parameters that only the user can know, by the tool's name; tools without any are left
    out. Which of them a wish leaves unsaid, who makes the wish decides."""
    names = {}
    for tool, fed in zip(tools, findable(tools), strict=True):
        names[tool.name] = tuple(name for name in required(tool) if name not in fed and _is_open(tool, name))
    return {name: own for name, own in names.items() if own}


def required(tool: Tool) -> tuple[str, ...]:
    """The names of the required parameters, in the order of their definition as far as they are defined."""
    known = list(tool.properties)
    return tuple(
        sorted(dict.fromkeys(tool.required), key=lambda name: known.index(name) if name in known else len(known))
    )


def _is_open(tool: Tool, name: str) -> bool:
    """Does the definition leave a choice?"""
    schema = tool.properties.get(name)
    if not isinstance(schema, Mapping):
        return False
    members = schema.get("enum")
    settled = "const" in schema or "default" in schema or (isinstance(members, list) and len(members) < 2)
    return not settled and schema.get("type") not in ("boolean", "null")
