"""What tables need of a task beyond its score, taken from its trajectory."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from toolgauge.analysis.steps import task_steps
from toolgauge.benchmarks.dialogues.numbers.arguments import plain, schema_type
from toolgauge.data.session import Dataset
from toolgauge.episode import Step, Trajectory
from toolgauge.judge.verdict import Score

_STEP = re.compile(r"\[\d+\]|[^.\[\]]+")
_LONGEST = 1 << 40  # tokens: a larger number is no count
_DEEPEST = 16  # schemas are data of others; a signature deeper than this tells nobody anything


class TrajectoryFeatures(Struct, frozen=True, omit_defaults=True):
    """messages, context_tokens: length of the conversation at the task's first request (0: not known).
    wrong_parameters: per reading, the signature (`type_signature`) of every wrong argument of a failing call."""

    messages: int = 0
    wrong_parameters: Mapping[str, tuple[str, ...]] = {}
    context_tokens: int = 0


def facts_of(steps: Sequence[Step], before: int, wrong_parameters: Mapping[str, tuple[str, ...]]) -> TrajectoryFeatures:
    """The facts of one task's steps. before: messages of the conversation before them."""
    if not steps:
        return TrajectoryFeatures(0, wrong_parameters)
    return TrajectoryFeatures(
        before + len(steps[0].messages), wrong_parameters, min(max(0, steps[0].reply.usage.input_tokens), _LONGEST)
    )


def collect_facts(
    dataset: Dataset, scores: Sequence[Score], trajectories: Iterable[Trajectory]
) -> Iterator[tuple[str, TrajectoryFeatures]]:
    """What tables need of each task beyond its score."""
    signature = _signatures(dataset)
    wrong = {
        score.task_id: {
            reading: tuple(signature(score.session_id, tool, path) for tool, path in verdict.wrong_arguments)
            for reading, verdict in score.readings.items()
            if isinstance(verdict.wrong_arguments, tuple)
        }
        for score in scores
    }
    for trajectory in trajectories:
        session = dataset.by_id.get(trajectory.session_id)
        if session is not None:
            for index, steps, before in task_steps(trajectory, len(session.tasks)):
                task_id = session.task_id(index, trajectory.epoch)
                yield task_id, facts_of(steps, before, wrong.pop(task_id, {}))
    for task_id, found in wrong.items():
        if found:
            yield task_id, TrajectoryFeatures(0, found)


def _signatures(dataset: Dataset) -> Callable[[str, str, str], str]:
    def signature(session_id: str, tool: str, path: str) -> str:
        known = dataset.by_id[session_id].tools_by_name.get(tool)
        return type_signature(known.parameters if known else {}, path)

    return signature


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
