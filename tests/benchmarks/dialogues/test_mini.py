"""The embedded benchmark: balanced as planned, every argument traceable, both languages renderings of one another."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

from build import Mistake, compiled, leaves
from plan import plan
from toolgauge.benchmarks.dialogues.benchmark import GRAPH_BENCHMARKS
from toolgauge.data.session import KINDS, Dataset, Reference, TaskType

MINI = GRAPH_BENCHMARKS["mini"]
assert MINI.embedded is not None
FILE = MINI.embedded


@pytest.fixture(scope="module", params=["en", "zh"])
def dataset(request: pytest.FixtureRequest) -> Dataset:
    return MINI.load(FILE, request.param)


def test_the_package_s_file_is_what_the_written_sessions_compile_to() -> None:
    """Compiling also follows every argument's source and finds the value there where that is possible."""
    assert FILE.read_text(encoding="utf-8") == compiled()
    assert FILE.stat().st_size < 2_000_000


def test_balance(dataset: Dataset) -> None:
    assert len(dataset.sessions) == 32
    tasks = [task for session in dataset.sessions for task in session.tasks]
    assert Counter((task.index, task.type.kind) for task in tasks) == {(i, kind): 8 for i in range(4) for kind in KINDS}
    pairs = Counter((a.type.kind, b.type.kind) for session in dataset.sessions for a, b in pairwise(session.tasks))
    assert pairs == {(a, b): 6 for a in KINDS for b in KINDS}
    shapes = Counter(task.shape for task in tasks if task.type.kind == "multi")
    assert min(shapes[t] for t in (TaskType.PARALLEL_TOOLS, TaskType.SEQUENTIAL_TOOLS, TaskType.MIXED_TOOLS)) >= 10
    references = Counter(task.reference for task in tasks)
    assert min(references[r] for r in Reference) >= 24
    assert all(task.reference is not Reference.LONG_RANGE for task in tasks if task.index < 2)
    assert {task.type.value for task in tasks} == {planned.kind for session in plan().values() for planned in session}


def test_every_argument_has_a_source(dataset: Dataset) -> None:
    origins: Counter[str] = Counter()
    for session in dataset.sessions:
        for task in session.tasks:
            for call in task.calls:
                for path, _ in leaves(call.arguments) if call.is_tool else ():
                    covering = [s for known, s in call.sources.items() if not path or path.startswith(known)]
                    assert covering or not path, (session.id, task.index, path)
                    origins.update(source["from"] for sources in covering for source in sources)
    assert {"user", "reply", "result", "clock"} <= set(origins) <= {"user", "reply", "result", "clock", "knowledge"}
    assert origins["knowledge"] < sum(origins.values()) / 20


def test_a_source_that_does_not_hold_is_refused() -> None:
    from build import SessionChecker

    tools = {"t": {"description": "t", "parameters": {"n": {"type": "integer"}}, "required": ["n"]}}
    step = {
        "call": "t",
        "after": [],
        "args": {"n": 3},
        "result": {},
        "sources": {"n": {"from": "user", "task": 0, "quote": "2"}},
    }
    session = {
        "id": "mini_0",
        "now": "2025-01-01 08:00:00",
        "tools": ["t"],
        "tasks": [{"kind": "single_tool", "reference": "first_turn", "user": "take 2", "steps": [step], "reply": "ok"}],
    }
    with pytest.raises(Mistake, match="argument n = 3"):
        SessionChecker(session, tools, "en").nodes(0, session["tasks"][0])  # type: ignore[arg-type]
