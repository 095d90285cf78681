"""The embedded benchmark: balanced as planned, every argument traceable, both languages renderings of one another."""

from __future__ import annotations

import pytest

from build import Mistake, compiled
from toolgauge.benchmarks.dialogues.benchmark import GRAPH_BENCHMARKS

MINI = GRAPH_BENCHMARKS["mini"]
assert MINI.embedded is not None
FILE = MINI.embedded


def test_the_package_s_file_is_what_the_written_sessions_compile_to() -> None:
    """Compiling also follows every argument's source and finds the value there where that is possible."""
    assert FILE.read_text(encoding="utf-8") == compiled()
    assert FILE.stat().st_size < 2_000_000


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
