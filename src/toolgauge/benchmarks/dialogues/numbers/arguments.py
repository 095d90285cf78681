"""What a task's annotated arguments are: their types by the tools' schemas, where their values come from, and what they
take from earlier tasks: which earlier turns a reader has to see, and the words in them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from msgspec import Struct

from toolgauge.chat import Tool
from toolgauge.data.leaves import is_short, leaves, quote_of
from toolgauge.data.session import Call, Task

PARAMETER_TYPES = ("string", "integer", "number", "boolean", "array", "object", "enum")
"""JSON Schema's types; an argument that is one of a list of values is `enum` and nothing else."""
SOURCES = (
    "user", "user_earlier", "reply", "reply_earlier", "result", "result_earlier", "clock", "knowledge", "composed",
    "other",
)  # fmt: skip
"""Where a value comes from: the user's words, an answer to a question, a tool's result (of this task, or `_earlier`),
the session's clock, what one has to know, nowhere since the text was written for the call."""

_DEEPEST = 16  # schemas and values are data of others
_STEP = re.compile(r"\[\d+\]|[^.\[\]]+")
_FROM_A_TASK = frozenset({"user", "reply", "result"})
_FROM_NO_TASK = frozenset({"clock", "knowledge", "composed"})


def parameter_types(tools: Mapping[str, Tool], task: Task) -> frozenset[str]:
    """The types (`PARAMETER_TYPES`) of all annotated arguments of a task, those inside objects and arrays too."""
    found: set[str] = set()
    for call in task.calls:
        if call.is_tool:
            tool = tools.get(call.name)
            properties = tool.parameters.get("properties") if tool else None
            for name, value in call.arguments.items():
                _add_types(found, _member(properties, name), value, 0)
    return frozenset(found)


def argument_sources(task: Task) -> frozenset[str]:
    """The sources (`SOURCES`) of the annotated arguments of a task; empty where the data do not annotate them."""
    annotated = (source for call in task.calls for listed in call.sources.values() for source in listed)
    return frozenset(_source(source, task.index) for source in annotated)


def _plain(schema: object) -> object:
    """The schema itself, or the first of its alternatives."""
    if isinstance(schema, dict) and isinstance(schema.get("anyOf"), list) and schema["anyOf"]:
        return schema["anyOf"][0]
    return schema


def _schema_type(schema: Mapping[str, object]) -> object:
    """A schema's `type`, the first that is not null; None where it has none."""
    kind = schema.get("type")
    return next((name for name in kind if name != "null"), "null") if isinstance(kind, list) else kind


def _add_types(found: set[str], schema: object, value: object, depth: int) -> None:
    schema = _plain(schema)
    schema = schema if isinstance(schema, dict) else {}
    if "enum" in schema:
        found.add("enum")
        return
    kind = _schema_type(schema)
    if kind not in PARAMETER_TYPES:
        kind = _type_of(value)
    if kind is None or depth >= _DEEPEST:
        return
    found.add(kind)
    if isinstance(value, dict):
        for name, member in value.items():
            _add_types(found, _member(schema.get("properties"), name), member, depth + 1)
    elif isinstance(value, list):
        for member in value:
            _add_types(found, schema.get("items"), member, depth + 1)


def _member(properties: object, name: str) -> object:
    return properties.get(name) if isinstance(properties, dict) else None


def _type_of(value: object) -> str | None:
    """The JSON type of a value whose schema is silent."""
    names = {str: "string", bool: "boolean", int: "integer", float: "number", list: "array", dict: "object"}
    return names.get(type(value))


def _source(source: Mapping[str, object], task: int) -> str:
    name = source.get("from")
    if not isinstance(name, str):
        return "other"
    if name in _FROM_A_TASK:
        return name if source.get("task", task) == task else f"{name}_earlier"
    return name if name in _FROM_NO_TASK else "other"


def type_signature(schema: Mapping[str, object], path: str) -> str:
    """The type of the argument at a path of a tool's parameters, as JSON text (MMTB's sixth analysis).

    Source: docs/rules.md#mmtbs-analyses.

    schema: the JSON Schema of the parameters; path: as the argument rules write it, "a", "a.b", "a[0].b". A scalar is
    `["string"]`, an array `["array", ["string"]]`, an object has the signatures of its properties,
    `["object", [["number"], ["string"]]]`; a parameter that the schema does not define is `[]`.
    """
    here: object = schema
    for step in _STEP.findall(path):
        here = _child(_plain(here), step)
    return json.dumps(_signature(here, 0))


def _child(schema: object, step: str) -> object:
    if not isinstance(schema, dict):
        return None
    if step.startswith("["):
        return schema.get("items")
    properties = schema.get("properties")
    return properties.get(step) if isinstance(properties, dict) else None


def _signature(schema: object, depth: int) -> list[object]:
    schema = _plain(schema)
    if not isinstance(schema, dict) or depth >= _DEEPEST:
        return []
    kind = _schema_type(schema) if "type" in schema else "string"  # a missing type means text
    if kind == "array":
        return ["array", _signature(schema.get("items"), depth + 1)]
    if kind == "object":
        properties = schema.get("properties")
        members = properties.values() if isinstance(properties, dict) else ()
        return ["object", [_signature(member, depth + 1) for member in members]]
    return [str(kind)]


MOST, MAX_QUOTE = 40, 200
"""Values of a task that are told, and the characters of one."""
_CLOCK = "clock"


class EarlierValue(Struct, frozen=True):
    """A value of a call that stands in an earlier task. call: its place in the task; path: of the argument; task: the
    earlier one, from 0; quote: how it is said there."""

    call: int
    path: str
    task: int
    quote: str


def earlier_values(task: Task, before: Sequence[Task]) -> tuple[EarlierValue, ...]:
    """In the order of the calls. Of a call without annotated sources the values are looked for: what the task itself
    does not say and an earlier one does, the nearest one."""
    found = (one for call in task.calls if call.is_tool for one in _of_call(task, call, before))
    return tuple(islice(found, MOST))


def _of_call(task: Task, call: Call, before: Sequence[Task]) -> Iterator[EarlierValue]:
    values = list(leaves(call.arguments))
    if call.sources:
        for path, sources in call.sources.items():
            text = "".join(str(value) for place, value in values if place == path)
            for source in sources:
                yield from _annotated(call.index, path, text, source, before)
        return
    own = _text_of(task, call.index)
    for path, value in values:
        text = str(value)
        if isinstance(value, bool) or value is None or is_short(text) or quote_of(text, own):
            continue
        for other in reversed(before):
            if quote := quote_of(text, _text_of(other)):
                yield EarlierValue(call.index, path, other.index, quote[:MAX_QUOTE])
                break


def _annotated(
    call: int, path: str, text: str, source: Mapping[str, object], before: Sequence[Task]
) -> Iterator[EarlierValue]:
    """The earlier task that an annotated source names; of a date that follows from the clock the one whose words say
    so."""
    quote = source.get("quote")
    said = quote if isinstance(quote, str) else text
    number = source.get("task")
    if source.get("from") == _CLOCK and said:
        number = next((one.index for one in reversed(before) if said in one.utterance), None)
    if isinstance(number, int) and 0 <= number < len(before):
        yield EarlierValue(call, path, number, said[:MAX_QUOTE])


def _text_of(task: Task, until: int | None = None) -> str:
    """Everything that was said, called and answered in a task; with `until` what was said and answered before that
    call."""
    parts = [task.utterance]
    for call in task.calls[:until]:
        if until is None:
            parts += [str(leaf) for _, leaf in leaves(call.arguments)]
        parts += [str(leaf) for _, leaf in leaves(call.observation)]
        parts.append(call.user_input or "")
    return "\n".join(parts)
