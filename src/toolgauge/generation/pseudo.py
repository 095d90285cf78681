"""The two actions that are no tools: asking the user back, and answering; and what there is to ask for.
Only the planner sees them.

Their arguments are those of WildToolBench's data (`tool_list`); the older form with one `tool_name` is read as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from toolgauge.chat import Json, Tool
from toolgauge.data.session import ASK, FINAL
from toolgauge.generation.prompts import text
from toolgauge.tools.grouping import findable

NAMES = (ASK, FINAL)
ANSWER_TYPES = ("tool", "chat")
MISSING = "missing_required_parameters"


def pseudo_tools(language: str) -> tuple[Tool, Tool]:
    """Both as tool definitions, described in the language of the dialogue."""
    asked: dict[str, object] = {
        "type": "object",
        "properties": {
            "tool_name": {"type": "string"},
            MISSING: {"type": "array", "items": {"type": "string"}, "minItems": 1},
        },
        "required": ["tool_name", MISSING],
    }
    ask: dict[str, object] = {
        "type": "object",
        "properties": {"tool_list": {"type": "array", "items": asked, "minItems": 1}},
        "required": ["tool_list"],
    }
    final: dict[str, object] = {
        "type": "object",
        "properties": {"answer_type": {"type": "string", "enum": list(ANSWER_TYPES)}},
        "required": ["answer_type"],
    }
    return Tool(ASK, text("pseudo_ask", language), ask), Tool(FINAL, text("pseudo_final", language), final)


def normal_arguments(name: str, arguments: Json) -> dict[str, object]:
    """The arguments of an action; of the older way to ask back, as the newer one writes them."""
    if name == ASK and "tool_name" in arguments and "tool_list" not in arguments:
        rest = {key: value for key, value in arguments.items() if key not in ("tool_name", MISSING)}
        return {**rest, "tool_list": [{"tool_name": arguments["tool_name"], MISSING: arguments.get(MISSING, [])}]}
    return arguments


def asked_for(arguments: Mapping[str, object]) -> list[tuple[str, list[str]]]:
    """Tool and missing parameters of each entry of a question, as far as it is well formed."""
    entries: object = arguments.get("tool_list")
    found = []
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict) and isinstance(entry.get("tool_name"), str):
            names = entry.get(MISSING)
            found.append((entry["tool_name"], [str(name) for name in names] if isinstance(names, list) else []))
    return found


def askable(tools: Sequence[Tool]) -> dict[str, tuple[str, ...]]:
    """Of each tool the required parameters that only the user can know, by the tool's name: those that no other tool
    finds, where there is a choice. Tools without any are left out; which of them a wish leaves unsaid, who makes the
    wish decides."""
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
