"""Definitions of tools as logs have them: OpenAI's (in its envelope or not), Anthropic's, MCP's, older functions.

References inside a definition are followed. Nothing is raised: a conversation is not lost for a tool that cannot be
used.
"""

from __future__ import annotations

import msgspec

from toolgauge.chat import Tool
from toolgauge.data.lines import within_depth
from toolgauge.data.references import resolve_references
from toolgauge.tools.toollist import enveloped


def read_definitions(listed: object) -> tuple[Tool, ...]:
    """The tools of a list, or of JSON text of one; of tools with one name the first. What is none is left out."""
    if type(listed) is str:
        listed = decoded(listed)
    if type(listed) is dict:  # one tool, or tools by their names
        listed = (
            [listed]
            if "name" in listed or "function" in listed
            else [{"name": name, **one} for name, one in listed.items() if type(one) is dict]
        )
    found: dict[str, Tool] = {}
    for definition in listed if type(listed) is list else ():
        tool = _tool(enveloped(definition))
        if tool is not None:
            found.setdefault(tool.name, tool)
    return tuple(found.values())


def decoded(text: str) -> object:
    """The value of JSON text; None where it is none, or nested too deeply."""
    try:
        value: object = msgspec.json.decode(text)
    except (ValueError, RecursionError):
        return None
    return value if within_depth(value) else None


def _tool(definition: object) -> Tool | None:
    function = definition.get("function") if type(definition) is dict else None
    if type(function) is not dict or type(function.get("name")) is not str or not function["name"]:
        return None
    description, parameters = function.get("description"), function.get("parameters")
    return Tool(
        function["name"],
        description if type(description) is str else "",
        resolve_references(parameters)[0] if type(parameters) is dict else {},
    )
