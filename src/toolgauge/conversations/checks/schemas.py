"""Names and arguments of calls against the tools that the log has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches

import msgspec
from msgspec import Struct

from toolgauge.conversations.checks.dialogue import MadeCall
from toolgauge.conversations.checks.findings import CallFinding, FindingCode, Place, brief
from toolgauge.data.record import step
from toolgauge.data.validation import Misfit, argument_validator

MOST_ERRORS = 20
"""Of one call that are told."""
MOST_LISTED = 1000
"""Names in a definition that are compared."""
_CODES = {
    "required": FindingCode.MISSING_ARGUMENT,
    "dependentRequired": FindingCode.MISSING_ARGUMENT,
    "additionalProperties": FindingCode.UNKNOWN_ARGUMENT,
    "unevaluatedProperties": FindingCode.UNKNOWN_ARGUMENT,
    "type": FindingCode.WRONG_TYPE,
}


class SchemaOutcome(Struct, frozen=True):
    """decided: could the tool's definition be applied, or does the call surely not fit it?"""

    findings: tuple[CallFinding, ...]
    decided: bool


def check_schema_of(call: MadeCall, offered: Mapping[str, object], conversation: str) -> SchemaOutcome:
    """offered: the tools of the conversation by name; where the log has none, nothing is said of names and schemas."""
    at = Place(call.message, call.index)
    if call.too_deep:
        return SchemaOutcome((), False)
    if call.arguments is None or not call.name:
        bad = Place(call.message, call.index, value=brief(call.raw))
        unreadable = CallFinding(conversation, FindingCode.UNREADABLE_CALL, bad, call.name)
        unknown = [] if not offered or call.tool or not call.name else [_unknown(call, offered, conversation)]
        return SchemaOutcome((*unknown, unreadable), False)
    if call.tool is None:
        unknown = [_unknown(call, offered, conversation)] if offered else []
        return SchemaOutcome(tuple(unknown), False)
    validator = argument_validator(msgspec.json.encode(call.tool.parameters))
    if validator is None:
        return SchemaOutcome((), False)
    outcome = validator.check(call.arguments, MOST_ERRORS)
    found = [one for error in outcome.errors for one in _misfits(error, call.name, at, conversation)]
    return SchemaOutcome(tuple(found), bool(found) or (outcome.undecided is None))


def _unknown(call: MadeCall, offered: Mapping[str, object], conversation: str) -> CallFinding:
    near = get_close_matches(call.name[:200], [name for name in offered if len(name) <= 200][:MOST_LISTED], 1)
    other = Place(-1, value=near[0]) if near else None
    at = Place(call.message, call.index, value=brief(call.name))
    return CallFinding(conversation, FindingCode.UNKNOWN_TOOL, at, call.name[:200], other)


def _misfits(error: Misfit, tool: str, at: Place, conversation: str) -> Iterator[CallFinding]:
    """One finding for each missing or unknown argument, and for anything else that does not fit."""
    code = _CODES.get(error.keyword, FindingCode.REFUSED_VALUE)
    path = error.place.lstrip(".")
    places = [(path, error.instance)]
    if code is FindingCode.MISSING_ARGUMENT:
        places = [(path, error.expected)]
    elif code is FindingCode.UNKNOWN_ARGUMENT and isinstance(error.instance, dict):
        extra = [name for name in error.expected[:MOST_ERRORS] if name in error.instance]
        places = [(f"{path}{step(key)}".lstrip("."), error.instance[key]) for key in extra] or places
    for place, value in places:
        where = Place(at.message, at.call, place or None, brief(value))
        yield CallFinding(conversation, code, where, tool, rule=error.keyword)
