"""What an assistant can only learn by asking: required values that no other tool finds and nothing implies."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from toolgauge.chat import Tool
from toolgauge.data.toolnames import name_words
from toolgauge.tools.grouping import findable

_CLOCK = re.compile("date|day|time|datetime|timestamp|month|year|week|weekday|hour|timezone|now|until|since|deadline")
_CLOCK_SAID = re.compile(r"YYYY|HH[:h]|ISO[ -]?8601|\b(?:date|time|timestamp)\b|日期|时间|时刻", re.IGNORECASE)
_WISH = re.compile("query|queries|q|search|keyword|keywords|question|prompt|term|terms")
"""What the wish itself already says: "find me a film for children" is a query."""
_USUAL = re.compile("quantity|qty|count|copy|page|offset|limit|cursor|format|unit|units|language|lang|locale")
"""What is assumed ("put it in my basket" is one of it), or follows from the rest."""
_OPAQUE = re.compile("ids?|uuids?|guids?|keys?|sha|token|handle")
"""What people do not have at hand as long as anything can be looked up."""


def askable(tools: Sequence[Tool]) -> dict[str, tuple[str, ...]]:
    """Of each tool the required parameters that only the user can know, by the tool's name; tools without any are left
    out. What the current time, the definition or the wish itself gives is none, nor what another tool finds."""
    names = {}
    for tool, fed in zip(tools, findable(tools), strict=True):
        others = [required(one) for one in tools if one is not tool]
        own = [name for name in required(tool) if name not in fed and _is_own(tool, name)]
        names[tool.name] = tuple(
            name for name in own if not _is_opaque(name) or all(name in needed for needed in others)
        )
    return {tool: own for tool, own in names.items() if own}


def required(tool: Tool) -> tuple[str, ...]:
    """The names of the required parameters, in the order of their definition as far as they are defined."""
    known = list(tool.properties)
    return tuple(
        sorted(dict.fromkeys(tool.required), key=lambda name: known.index(name) if name in known else len(known))
    )


def _is_own(tool: Tool, name: str) -> bool:
    schema, words = tool.properties.get(name), name_words(name)
    if not words or not isinstance(schema, Mapping) or not _is_open(schema):
        return False
    if any(pattern.fullmatch(words[-1]) for pattern in (_WISH, _USUAL)):
        return False
    return not _is_of_the_clock(words, schema)


def _is_opaque(name: str) -> bool:
    return _OPAQUE.fullmatch(name_words(name)[-1]) is not None


def _is_open(schema: Mapping[str, object]) -> bool:
    """Does the definition leave a choice?"""
    members = schema.get("enum")
    settled = "const" in schema or "default" in schema or (isinstance(members, list) and len(members) < 2)
    return not settled and schema.get("type") not in ("boolean", "null")


def _is_of_the_clock(words: Sequence[str], schema: Mapping[str, object]) -> bool:
    """A date or a time; numbers count days and hours, unless they are a month or a year."""
    if schema.get("type") in ("integer", "number"):
        return words[-1] in ("month", "year", "timestamp")
    said = f"{schema.get('format', '')} {schema.get('description', '')}" if schema.get("type") == "string" else ""
    return any(map(_CLOCK.fullmatch, words)) or _CLOCK_SAID.search(said) is not None
