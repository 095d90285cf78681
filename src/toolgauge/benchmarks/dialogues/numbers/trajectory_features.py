"""What tables need of a task beyond its score, taken from its trajectory."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import groupby

from msgspec import Struct

from toolgauge.benchmarks.dialogues.numbers.arguments import plain, schema_type
from toolgauge.episode import Step, Trajectory

_STEP = re.compile(r"\[\d+\]|[^.\[\]]+")
_DEEPEST = 16  # schemas are data of others; a signature deeper than this tells nobody anything


class TrajectoryFeatures(Struct, frozen=True, omit_defaults=True):
    """messages, context_tokens: length of the conversation at the task's first request (0: not known).
    wrong_parameters: per reading, the signature (`type_signature`) of every wrong argument of a failing call."""

    messages: int = 0
    wrong_parameters: Mapping[str, tuple[str, ...]] = {}
    context_tokens: int = 0


def task_steps(trajectory: Trajectory, tasks: int) -> Iterator[tuple[int, tuple[Step, ...], int]]:
    """A task's index, its steps and the number of messages before them; a whole session's episode has several tasks.

    tasks: how many the session has; steps of others are left out.
    """
    if trajectory.task_index is not None:
        if 0 <= trajectory.task_index < tasks:
            yield trajectory.task_index, trajectory.steps, 0
        return
    before = 0
    for index, group in groupby(trajectory.steps, key=lambda step: step.task_index):
        steps = tuple(group)
        if 0 <= index < tasks:
            yield index, steps, before
        before += sum(len(step.messages) for step in steps)


def type_signature(schema: Mapping[str, object], path: str) -> str:
    """The type of the argument at a path of a tool's parameters, as JSON text (MMTB's sixth analysis).

    Source: docs/rules.md#mmtbs-analyses.

    schema: the JSON Schema of the parameters; path: as the argument rules write it, "a", "a.b", "a[0].b". A scalar is
    `["string"]`, an array `["array", ["string"]]`, an object has the signatures of its properties,
    `["object", [["number"], ["string"]]]`; a parameter that the schema does not define is `[]`.
    """
    here: object = schema
    for step in _STEP.findall(path):
        here = _child(plain(here), step)
    return json.dumps(_signature(here, 0))


def _child(schema: object, step: str) -> object:
    if not isinstance(schema, dict):
        return None
    if step.startswith("["):
        return schema.get("items")
    properties = schema.get("properties")
    return properties.get(step) if isinstance(properties, dict) else None


def _signature(schema: object, depth: int) -> list[object]:
    schema = plain(schema)
    if not isinstance(schema, dict) or depth >= _DEEPEST:
        return []
    kind = schema_type(schema) if "type" in schema else "string"  # a missing type means text
    if kind == "array":
        return ["array", _signature(schema.get("items"), depth + 1)]
    if kind == "object":
        properties = schema.get("properties")
        members = properties.values() if isinstance(properties, dict) else ()
        return ["object", [_signature(member, depth + 1) for member in members]]
    return [str(kind)]
