"""The two actions that are no tools: asking the user back, and answering. Only the planner sees them.

Their arguments are those of WildToolBench's data (`tool_list`); the older form with one `tool_name` is read as well.
"""

from __future__ import annotations

from collections.abc import Mapping

from toolgauge.chat import Json, Tool
from toolgauge.data.session import ASK, FINAL
from toolgauge.generation.prompts import text

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
