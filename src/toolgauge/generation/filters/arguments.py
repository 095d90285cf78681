"""Are calls what the tools' definitions allow? The papers' checks of functions, parameters and types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from toolgauge.annotation.dialogue import Dialogue
from toolgauge.data.record import shown
from toolgauge.data.session import Session
from toolgauge.data.validation import argument_validator
from toolgauge.generation.filters.filter import against, calls_of
from toolgauge.generation.pseudo import asked_for

MOST_ERRORS = 20
"""Of one call that are listed."""


def unknown_functions(session: Session, dialogue: Dialogue) -> Iterator[dict[str, object]]:
    """Calls of tools, and questions about tools, that are not offered."""
    for task in session.tasks[dialogue.earlier :]:
        for call in task.calls:
            names = [call.name] if call.is_tool else [tool for tool, _ in asked_for(call.arguments)]
            for name in names:
                if name not in session.tools_by_name:
                    yield against(task, call, path="name", value=name[:200])


def unknown_parameters(session: Session, dialogue: Dialogue) -> Iterator[dict[str, object]]:
    """Arguments, at any depth, that the tool does not have; questions about parameters that it does not have."""
    for place, error in _errors(session, dialogue):
        if error["rule"] == "additionalProperties":
            yield place | error
    for task in session.tasks[dialogue.earlier :]:
        for call in task.calls:
            for tool, names in () if call.is_tool else asked_for(call.arguments):
                if tool not in session.tools_by_name:
                    continue
                known = session.tools_by_name[tool].parameters.get("properties", {})
                for name in names:
                    if isinstance(known, dict) and name not in known:
                        yield against(task, call, path=tool, value=name[:200])


def wrong_types(session: Session, dialogue: Dialogue) -> Iterator[dict[str, object]]:
    """Values of another type than the definition says."""
    for place, error in _errors(session, dialogue):
        if error["rule"] == "type":
            yield place | error


def broken_schema(session: Session, dialogue: Dialogue) -> Iterator[dict[str, object]]:
    """Everything about the arguments that the definition does not admit: missing, unknown, of a wrong type or value."""
    for place, error in _errors(session, dialogue):
        yield place | error


def _errors(session: Session, dialogue: Dialogue) -> Iterator[tuple[dict[str, object], dict[str, object]]]:
    for task, call in calls_of(session, dialogue):
        tool = session.tools_by_name.get(call.name)
        if tool is not None:
            for error in _faults(msgspec.json.encode(tool.parameters), call.arguments):
                yield against(task, call), error


def _faults(schema: bytes, arguments: Mapping[str, object]) -> list[dict[str, object]]:
    """What does not fit, at most MOST_ERRORS; nothing of an invalid
    schema, nor what cannot be decided (`tools check` tells)."""
    validator = argument_validator(schema)
    if validator is None:
        return []
    return [
        {"path": error.place.lstrip("."), "value": shown(error.instance), "rule": error.keyword}
        for error in validator.check(arguments, MOST_ERRORS).errors
    ]
