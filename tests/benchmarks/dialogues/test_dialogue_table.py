"""Signatures of parameter types (spec 5.9, sixth analysis), and how long conversations were at each task."""

from __future__ import annotations

from typing import Any

from tests.analysis.synthetic import dataset, trajectory
from tests.rows import rows
from toolgauge.benchmarks.dialogues.numbers.arguments import type_signature
from toolgauge.benchmarks.dialogues.numbers.report import DialogueReport
from toolgauge.chat import Message, Reply, Usage
from toolgauge.data.session import Dataset
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


@rows(
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


def lengths(data: Dataset, *trajectories: Trajectory) -> dict[str, tuple[int, int]]:
    """Messages and tokens by task, where they are known."""
    every = [session.task_id(0, epoch) for session in data.sessions for epoch in (0, 1)]
    every += [session.task_id(1, epoch) for session in data.sessions for epoch in (0, 1)]
    table = DialogueReport().table(data, [], every, trajectories)
    found = {task_id: (one.messages, one.tokens) for task_id, one in zip(table.ids, table.subjects, strict=True)}
    return {task_id: length for task_id, length in found.items() if any(length)}


def test_how_long_the_conversation_was_at_a_task() -> None:
    data = dataset(1)
    of = data.sessions[0]
    assert lengths(data, trajectory(of, 0)) == {of.task_id(0): (2, 100)}
    assert lengths(data, Trajectory(of.task_id(1), of.id, (), 1)) == {}
    assert lengths(data, Trajectory("nobody/0", "nobody", (), 0)) == {}


def test_the_tasks_of_one_conversation_have_lengths_of_their_own() -> None:
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
    found = lengths(data, Trajectory(f"{of.id}#1", of.id, steps, epoch=1))
    assert found == {of.task_id(0, 1): (2, 50), of.task_id(1, 1): (5, 90)}
