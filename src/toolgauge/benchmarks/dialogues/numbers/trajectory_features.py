"""What tables need of a task beyond its score, taken from its trajectory."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from msgspec import Struct

from toolgauge.benchmarks.dialogues.numbers.arguments import plain, schema_type
from toolgauge.data.session import Dataset
from toolgauge.episode import Step, Trajectory
from toolgauge.judge.verdict import Score

_STEP = re.compile(r"\[\d+\]|[^.\[\]]+")
_LONGEST = 1 << 40  # tokens: a larger number is no count
_DEEPEST = 16  # schemas are data of others; a signature deeper than this tells nobody anything


class TrajectoryFeatures(Struct, frozen=True, omit_defaults=True):
    """messages, context_tokens: length of the conversation at the task's first request (0: not known).
    wrong_parameters: per scoring, the signature (`type_signature`) of every wrong argument of a failing call."""

    messages: int = 0
    wrong_parameters: Mapping[str, tuple[str, ...]] = {}
    context_tokens: int = 0


def trajectory_features(
    dataset: Dataset, scores: Iterable[Score], trajectories: Iterable[Trajectory]
) -> dict[str, TrajectoryFeatures]:
    """The features of every task that has steps or wrong arguments, by its id."""
    lengths: dict[str, tuple[int, int]] = {}
    for trajectory in trajectories:
        session = dataset.by_id.get(trajectory.session_id)
        if session is not None:
            for index, steps, before in task_steps(trajectory, len(session.tasks)):
                lengths[session.task_id(index, trajectory.epoch)] = _lengths(steps, before)
    latest = {score.task_id: score for score in scores}
    wrong = {task_id: found for task_id, score in latest.items() if (found := _wrong_parameters(dataset, score))}
    none: dict[str, tuple[str, ...]] = {}
    features = {
        task_id: TrajectoryFeatures(messages, wrong.pop(task_id, none), tokens)
        for task_id, (messages, tokens) in lengths.items()
    }
    return features | {task_id: TrajectoryFeatures(0, left) for task_id, left in wrong.items()}


def _wrong_parameters(dataset: Dataset, score: Score) -> dict[str, tuple[str, ...]]:
    tools = dataset.by_id[score.session_id].tools_by_name

    def signature(tool: str, path: str) -> str:
        return type_signature(tools[tool].parameters if tool in tools else {}, path)

    return {
        scoring: tuple(signature(tool, path) for tool, path in verdict.wrong_arguments)
        for scoring, verdict in score.scorings.items()
        if isinstance(verdict.wrong_arguments, tuple)
    }


def _lengths(steps: Sequence[Step], before: int) -> tuple[int, int]:
    """Messages and tokens of the conversation at a task's first request. before: messages before the task's own."""
    if not steps:
        return 0, 0
    return before + len(steps[0].messages), min(max(0, steps[0].reply.usage.input_tokens), _LONGEST)


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
