"""Signatures of parameter types (spec 5.9, sixth analysis) and facts from a trajectory."""

from __future__ import annotations

from typing import Any

import pytest

from tests.analysis.synthetic import dataset, trajectory
from toolgauge.benchmarks.dialogues.numbers.report import DialogueReport
from toolgauge.benchmarks.dialogues.numbers.trajectory_features import TrajectoryFeatures, type_signature
from toolgauge.chat import Message, Reply, Usage
from toolgauge.episode import Step, Trajectory

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "array", "items": {"type": "string"}},
        "spot": {"type": "object", "properties": {"lat": {"type": "float"}, "lon": {"type": "float"}}},
        "stops": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}},
        "maybe": {"type": ["null", "integer"]},
        "either": {"anyOf": [{"type": "number"}, {"type": "string"}]},
        "untyped": {"description": "?"},
        "bare": {"type": "array"},
    },
}


@pytest.mark.parametrize(
    ("path", "signature"),
    [
        ("city", '["string"]'),
        ("days", '["array", ["string"]]'),
        ("days[3]", '["string"]'),
        ("spot", '["object", [["float"], ["float"]]]'),
        ("spot.lat", '["float"]'),
        ("stops[0].name", '["string"]'),
        ("maybe", '["integer"]'),
        ("either", '["number"]'),
        ("untyped", '["string"]'),
        ("bare", '["array", []]'),
        ("nobody", "[]"),
        ("city.x", "[]"),
        ("spot[0]", "[]"),
        ("spot.lat.deeper[0]", "[]"),
    ],
)
def test_signature(path: str, signature: str) -> None:
    assert type_signature(SCHEMA, path) == signature


def test_facts_of_a_trajectory() -> None:
    data = dataset(1)
    of = data.sessions[0]
    found = DialogueReport().features(data, [], [trajectory(of, 0)])
    assert found == {of.task_id(0): TrajectoryFeatures(messages=2, context_tokens=100)}
    assert DialogueReport().features(data, [], [Trajectory(of.task_id(1), of.id, (), 1)]) == {
        of.task_id(1): TrajectoryFeatures()
    }
    assert DialogueReport().features(data, [], [Trajectory("nobody/0", "nobody", (), 0)]) == {}


def test_facts_of_a_whole_session_are_those_of_its_tasks() -> None:
    """Two tasks in one conversation: the second begins behind two messages, its first request has three."""
    data = dataset(1)
    of = data.sessions[0]
    user, tool = Message("user", "please"), Message("tool", "{}", tool_call_id="c")
    steps = (
        Step((Message("system", "now"), user), Reply("one", usage=Usage(50)), 0),
        Step((Message("assistant", "one"), user, tool), Reply("two", usage=Usage(90)), 1),
        Step((tool,), Reply("three", usage=Usage(120)), 1),
        Step((tool,), Reply("of no task", usage=Usage(999)), 9),
    )
    found = DialogueReport().features(data, [], [Trajectory(f"{of.id}#1", of.id, steps, epoch=1)])
    assert found == {
        of.task_id(0, 1): TrajectoryFeatures(messages=2, context_tokens=50),
        of.task_id(1, 1): TrajectoryFeatures(messages=5, context_tokens=90),
    }
