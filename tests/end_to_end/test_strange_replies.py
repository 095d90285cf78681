"""Replies that nobody would expect, through client, runner, files and scorer: always a label, never a failure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.playing import go, lines, options, results
from tests.mockserver import Json, serve
from tests.sizes import in_turn

LONG = "a megabyte " * 100_000


def calls(*functions: Any, ids: tuple[Any, ...] = ()) -> Json:
    named = [
        {"id": ids[place] if ids else f"c{place}", "type": "function", "function": function}
        for place, function in enumerate(functions)
    ]
    return {"role": "assistant", "content": None, "tool_calls": named}


STRANGE: dict[str, Any] = {
    "much text": {"role": "assistant", "content": LONG},
    "much reasoning": {"role": "assistant", "content": "Hm.", "reasoning_content": LONG},
    "no content": {"role": "assistant", "content": None},
    "empty content": {"role": "assistant", "content": ""},
    "content in parts": {"role": "assistant", "content": [{"type": "text", "text": "Hi"}, "there"]},
    "a number as content": {"role": "assistant", "content": 7},
    "an unknown tool": calls({"name": "no_such_tool", "arguments": "{}"}),
    "a pseudo-action as tool": calls({"name": "prepare_to_answer", "arguments": "{}"}),
    "1,000 calls": calls(*[{"name": "no_such_tool", "arguments": "{}"}] * 1000),
    "calls that are a text": {"role": "assistant", "content": None, "tool_calls": "get_weather(city='Oslo')"},
    "calls that are nothing": {"role": "assistant", "content": None, "tool_calls": [None, 7, "x", {}, []]},
    "calls without names": calls({"arguments": "{}"}, {"name": None, "arguments": "{}"}, {"name": 7}),
    "calls without ids": calls({"name": "no_such_tool", "arguments": "{}"}, ids=(None,)),
    "ids that are numbers": calls({"name": "no_such_tool", "arguments": "{}"}, ids=(12,)),
    "functions that are lists": calls([], "text", None),
    "lone surrogates": {"role": "assistant", "content": "\\ud800 and \\udfff \\u0000"},
}


def labelled(folder: Path, tasks: int) -> None:
    """Every task has a label in every scoring."""
    scores = lines(folder / "scores.jsonl")
    assert len(scores) == tasks
    assert {verdict["label"] for line in scores for verdict in line["scorings"].values()} <= {"correct", "error"}


@pytest.mark.parametrize(("kind", "history"), in_turn(STRANGE, ["gold", "own"]))
def test_strange_replies_get_a_label(kind: str, history: str, tmp_path: Path) -> None:
    with serve(lambda _body: {"choices": [{"index": 0, "finish_reason": "stop", "message": STRANGE[kind]}]}) as server:
        reached = options(server.base_url)
        first = go(tmp_path / "run", "openai/mock", reached=reached, history=history, limit=1)
        before, asked = results(tmp_path / "run"), len(server.requests)
        go(tmp_path / "run", "openai/mock", reached=reached, history=history, limit=1)
        assert len(server.requests) == asked
    assert (first.outcome.failed, first.outcome.stopped) == (0, None)
    labelled(tmp_path / "run", 4)
    assert results(tmp_path / "run") == before
