"""What a sound entry of ACEBench holds: its functions are described, its answer fits them.

Source: docs/acebench.md#entries.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Literal

import msgspec

from toolgauge.benchmarks.acebench.data.entries import AceEntry, AceFunction
from toolgauge.benchmarks.acebench.data.keys import called_name
from toolgauge.benchmarks.acebench.decoder.decode import AceCall, decode_message_exact
from toolgauge.data.record import must_be, short_reason, shown, step
from toolgauge.data.schemas import TYPES
from toolgauge.data.valid_schemas import native_schema

if TYPE_CHECKING:
    from toolgauge.data.validation import SchemaValidator

Fault = tuple[Literal["question", "answer"], str, str]
"""What is wrong: in which of the two files, at which JSON path, and the message."""

IRRELEVANT = "the limitations of the function"
"""The marker in the fixed sentence of `special_irrelevant`."""
CLASSES = ("BaseApi", "MessageApi", "ReminderApi", "FoodPlatform", "Travel")
"""The environments that agents act in."""


def faults(entry: AceEntry) -> Iterator[Fault]:
    """Everything that is wrong with an entry."""
    for path, message in _question_faults(entry):
        yield "question", path, message
    rules = {"special_incomplete": _incomplete, "special_error_param": _error_param, "special_irrelevant": _irrelevant}
    group = entry.kind.group
    rule = _agent if group == "agent" else rules.get(entry.category, _calls)
    for path, message in rule(entry):
        yield "answer", path, message


def _question_faults(entry: AceEntry) -> Iterator[tuple[str, str]]:
    if not entry.question.strip():
        yield "question", "is empty"
    if entry.category == "normal_preference" and not entry.profile.strip():
        yield "profile", "is empty or missing"
    if not entry.functions:
        yield "function", "is empty; at least one function is needed"
    for position, function in enumerate(entry.functions):
        yield from _schema_faults(function.parameters, f"function[{position}].parameters")
    for name, count in Counter(function.name for function in entry.functions).items():
        if count > 1:
            yield "function", f"describes {shown(name)} {count} times"
    if entry.kind.group == "agent":
        yield from _configuration(entry)


def _schema_faults(schema: object, path: str) -> Iterator[tuple[str, str]]:
    """Types that mean nothing and parts that are no schemas; data files are nested only so deep (lines.py)."""
    if type(schema) is not dict:
        yield path, must_be(dict, schema)
        return
    declared = schema.get("type")
    if "type" in schema and not (type(declared) is str and declared in TYPES):
        yield f"{path}.type", f"unknown type {shown(declared)}"
    properties = schema.get("properties", {})
    if type(properties) is not dict:
        yield f"{path}.properties", must_be(dict, properties)
        return
    for name, part in properties.items():
        yield from _schema_faults(part, f"{path}.properties{step(name)}")
    if "items" in schema:
        yield from _schema_faults(schema["items"], f"{path}.items")


def _configuration(entry: AceEntry) -> Iterator[tuple[str, str]]:
    if not entry.involved_classes:
        yield "involved_classes", "is empty"
    for position, name in enumerate(entry.involved_classes):
        if name not in CLASSES:
            known = ", ".join(CLASSES)
            yield f"involved_classes[{position}]", f"unknown environment {shown(name)}; choose one of {known}"
    expected = {"BaseApi"} if "BaseApi" in entry.involved_classes else set()
    if entry.initial_config.keys() != expected:
        found = ", ".join(map(shown, entry.initial_config)) or "nothing"
        wanted = "BaseApi" if expected else "nothing"
        yield "initial_config", f"configures {found}, expected {wanted}"
    section = entry.initial_config.get("BaseApi", {})
    for key, value in section.items() if type(section) is dict else [("", section)]:
        if key not in ("wifi", "logged_in") or type(value) is not bool:
            yield f"initial_config.BaseApi{step(key) if key else ''}", "must be wifi or logged_in, with true or false"


def _calls(entry: AceEntry) -> Iterator[tuple[str, str]]:
    """Every expected call is of a function on offer and fits its schema."""
    offered = {function.name: function for function in reversed(entry.functions)}
    for position, answer in enumerate(entry.answers):
        root = "ground_truth" + (f"[{position}]" if len(entry.answers) > 1 else "")
        if not answer:
            yield root, "is empty; at least one call is needed"
        for key, arguments in answer.items():
            function = offered.get(called_name(key, set(offered)))
            if function is None:
                yield root + step(key), "is not among the available functions"
            else:
                yield from _unfit(function, arguments, root + step(key))


def _unfit(function: AceFunction, arguments: Mapping[str, object], path: str) -> Iterator[tuple[str, str]]:
    outcome = _validator(msgspec.json.encode(function.parameters)).check(arguments)
    for error in outcome.errors:
        yield path + error.place, short_reason(error.message)
    if outcome.undecided:
        yield path, f"could not be checked: {short_reason(outcome.undecided)}"


@cache
def _validator(parameters: bytes) -> SchemaValidator:
    from toolgauge.data.validation import SchemaValidator

    return SchemaValidator(native_schema(msgspec.json.decode(parameters)), strict=True)


def _incomplete(entry: AceEntry) -> Iterator[tuple[str, str]]:
    offered = {function.name: function for function in entry.functions}
    for key, names in entry.answers[0].items():
        path = "ground_truth" + step(key)
        if key not in offered:
            yield path, "is not among the available functions"
            continue
        known = set(_parameter_names(offered[key].parameters))
        for position, name in enumerate(names):
            if name not in known:
                yield f"{path}[{position}]", f"{shown(name)} is not a parameter of {shown(key)}"


def _error_param(entry: AceEntry) -> Iterator[tuple[str, str]]:
    known = {name for function in entry.functions for name in _parameter_names(function.parameters)}
    for key, values in entry.answers[0].items():
        path = "ground_truth" + step(key)
        if key not in known:
            yield path, "is not a parameter of the available functions"
        for position, value in enumerate(values):
            if str(value) not in entry.question:
                yield f"{path}[{position}]", f"{shown(value)} does not occur in the dialogue"


def _irrelevant(entry: AceEntry) -> Iterator[tuple[str, str]]:
    if IRRELEVANT not in entry.answers[0]:
        yield "ground_truth", f"must contain {IRRELEVANT!r}"


def _parameter_names(schema: object) -> Iterator[str]:
    """The names of all properties, at every level."""
    if type(schema) is not dict:
        return
    properties = schema.get("properties")
    for name, part in properties.items() if type(properties) is dict else ():
        yield name
        yield from _parameter_names(part)
    yield from _parameter_names(schema.get("items"))


def _agent(entry: AceEntry) -> Iterator[tuple[str, str]]:
    """The final state is that of the involved classes; milestones are calls of functions on offer."""
    classes = [name for state in entry.final_state for name in state]
    if sorted(classes) != sorted(entry.involved_classes):
        listed = ", ".join(map(shown, classes))
        yield "ground_truth", f"describes the state of {listed}, not that of the involved classes"
    offered = {function.name: function for function in entry.functions}
    for alternative, texts in enumerate(entry.milestones):
        root = f"mile_stone[{alternative}]" if len(entry.milestones) > 1 else "mile_stone"
        for position, text in enumerate(texts):
            decoded = decode_message_exact(text)
            if not isinstance(decoded, tuple) or not decoded:
                yield f"{root}[{position}]", f"cannot parse {shown(text)} as calls"
                continue
            for call in decoded:
                yield from _milestone(call, offered, f"{root}[{position}]")


def _milestone(call: AceCall, offered: dict[str, AceFunction], path: str) -> Iterator[tuple[str, str]]:
    if call.name not in offered:
        yield path, f"{shown(call.name)} is not among the available functions"
        return
    properties = offered[call.name].parameters.get("properties")
    for name in call.arguments:
        if type(properties) is not dict or name not in properties:
            yield path, f"{shown(name)} is not a parameter of {shown(call.name)}"
