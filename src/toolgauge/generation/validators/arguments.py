"""Are a call's arguments what the tool's schema wants, and are they known already?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import msgspec

from toolgauge.chat import Tool
from toolgauge.data.record import shown, step
from toolgauge.data.validation import Misfit, argument_validator

MOST_OBJECTIONS = 10
_SAID_ELSEWHERE = frozenset({"required", "additionalProperties"})
"""Keywords at the top of a schema for which there are validators of their own."""
_PLACEHOLDER = re.compile(
    r"^\s*(?:\{\{.*\}\}|\$\{.*\}|<[^<>]*(?:result|output|response|结果|返回)[^<>]*>|\$?(?:result|output|response)s?"
    r"(?:_of|_from|\[\d+\]|\.)\S*|(?:to be|tbd\b|unknown|pending|待(?:定|查询|获取)|由上一步).*)\s*$",
    re.IGNORECASE,
)
"""A placeholder for a value that is not known yet."""


def schema_objections(tool: Tool, arguments: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """(path, message) of what the schema of the tool does not admit, at most ten; missing and unknown parameters of
    the call itself are left to others."""
    yield from objections(tool.parameters, arguments, _SAID_ELSEWHERE)


def objections(
    schema: dict[str, object], value: object, elsewhere: frozenset[str] = frozenset()
) -> Iterator[tuple[str, str]]:
    """(path, message) of what a schema does not admit, at most ten; what it cannot decide in time is left to
    `tools check`. elsewhere: keywords at the top that others look at."""
    validator = argument_validator(msgspec.json.encode(schema), strict=False)
    if validator is None:
        return
    found = [
        (error.place.lstrip("."), _message(error))
        for error in validator.check(value).errors
        if error.path or error.keyword not in elsewhere
    ]
    yield from found[:MOST_OBJECTIONS]


def _message(error: Misfit) -> str:
    """One line, whatever the values are."""
    return f"{shown(error.instance)} does not fit {error.keyword}: {shown(error.expected)}"


def unready(arguments: object, path: str = "", depth: int = 0) -> Iterator[tuple[str, str, str]]:
    """(path, value as it is shown, value) of the texts that are placeholders for a result to come."""
    if isinstance(arguments, str) and _PLACEHOLDER.match(arguments):
        yield path, shown(arguments), arguments
    elif depth < 20 and isinstance(arguments, dict):
        for key, value in arguments.items():
            yield from unready(value, f"{path}{step(key)}".lstrip("."), depth + 1)
    elif depth < 20 and isinstance(arguments, list):
        for number, value in enumerate(arguments):
            yield from unready(value, f"{path}[{number}]", depth + 1)
