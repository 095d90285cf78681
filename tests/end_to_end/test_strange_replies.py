"""Replies that nobody would expect, through client, runner, files and scorer: always a label, never a failure."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.playing import Player, content_key, go, lines, options, replies, results
from tests.mockserver import Json, serve
from tests.sizes import in_turn

LONG = "a megabyte " * 100_000
DEEP = "[" * 50_000 + "]" * 50_000


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


ARGUMENTS: dict[str, Any] = {
    "no JSON": "city = Oslo",
    "cut off": '{"city": "Os',
    "an object, not its text": {"city": "Oslo", "n": 10**30, "x": None},
    "a list": "[1, 2, 3]",
    "nothing": None,
    "an empty text": "",
    "deeply nested": DEEP,
    "deeply nested in an object": json.dumps({"city": 0}).replace("0", DEEP),
    "numbers without end": '{"city": 1e999999, "n": ' + "9" * 5000 + "}",
    "NaN": '{"city": NaN}',
    "one key twice": '{"city": "Oslo", "city": "Bergen"}',
    "much": json.dumps({"city": LONG}),
}


@pytest.mark.parametrize("kind", ARGUMENTS)
def test_right_calls_with_strange_arguments_get_a_label(kind: str, tmp_path: Path) -> None:
    """The calls that are due, by name, so that arguments are looked at and the conversation goes on."""

    def spoilt(message: Json) -> Json:
        made = message.get("tool_calls") or []
        changed = [call | {"function": call["function"] | {"arguments": ARGUMENTS[kind]}} for call in made]
        return message | ({"tool_calls": changed} if made else {})

    hold(tmp_path, spoilt)


def hold(tmp_path: Path, change: Callable[[Json], Json]) -> None:
    """Run with the player's replies changed; what it does not know (the history differs now) gets a sentence."""
    table = {key: change(message) for key, message in replies(limit=4).items()}
    with serve(Player(table)) as server:
        result = go(tmp_path / "run", "openai/mock", reached=options(server.base_url), limit=4)
        asked = {content_key(body) for body in server.requests}
    assert (result.outcome.failed, result.outcome.stopped) == (0, None)
    assert len(asked & set(table)) >= 16
    labelled(tmp_path / "run", 16)
