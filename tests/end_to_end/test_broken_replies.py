"""Failures inside answers with status 200: asked for again, and never scored as something that the model said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.end_to_end.playing import KEY, Player, call, command, content_key, go, lines, options, replies, results
from tests.mockserver import HTML, Fault, Json, raw, serve
from toolgauge.api import RunResult

SESSIONS = 6


def choice(message: Any, finish: str | None, **more: Any) -> Fault:
    return raw({"choices": [{"index": 0, "message": message, "finish_reason": finish, **more}]})


BROKEN = (
    choice({"role": "assistant", "content": "Half an ans"}, "error", error={"code": 502, "message": "Upstream error"}),
    choice({"role": "assistant", "content": ""}, "error"),
    choice(None, "stop"),
    raw({"choices": [{}]}),
    raw({"error": {"message": "Internal error", "code": 500}}),
    choice({"role": "assistant", "content": ""}, None),
    HTML,
)
"""Every one of these was once scored as a mistake of the model, or could have been."""


def test_a_third_of_broken_replies_changes_nothing(tmp_path: Path) -> None:
    """The first attempt of three requests in ten, by their content: the order in which they come is no matter."""
    table = replies(limit=SESSIONS)
    waiting = {key: BROKEN[place % len(BROKEN)] for place, key in enumerate(sorted(table)) if place % 10 < 3}

    def fault(_number: int, body: Json) -> Fault | None:
        return waiting.pop(content_key(body), None)

    with serve(Player(table), fault) as server:
        reached = options(server.base_url, max_attempts=3)
        result = go(tmp_path / "run", "openai/mock", reached=reached, limit=SESSIONS)
    assert (result.outcome.failed, result.outcome.stopped) == (0, None)
    assert not waiting, "every fault was met"
    go(tmp_path / "whole", limit=SESSIONS)
    assert results(tmp_path / "run") == results(tmp_path / "whole")


def labels(result: RunResult) -> dict[str, Any]:
    return {line["task_id"]: line["scorings"] for line in lines(result.folder / "scores.jsonl")}


def test_what_stays_broken_is_not_scored_and_the_command_says_so(tmp_path: Path) -> None:
    """Of three in ten requests, by their content, every answer is broken."""
    table = replies(limit=SESSIONS)
    keys = sorted(table)
    hopeless = {key: BROKEN[place % len(BROKEN)] for place, key in enumerate(keys) if place % 10 < 3}

    def fault(_number: int, body: Json) -> Fault | None:
        return hopeless.get(content_key(body))

    with serve(Player(table), fault) as server:
        arguments = [*command("run", "mini", server=server), "--limit", str(SESSIONS), "--out", "run"]
        arguments += [
            "--set",
            "limits.probe=false",
            "--set",
            "endpoint.max_attempts=1",
            "--concurrency",
            "1",
            "--set",
            "endpoint.patience=0",
        ]
        code, _, err = call(arguments, tmp_path)
    failed = lines(tmp_path / "run" / "failures.jsonl")
    whole = go(tmp_path / "whole", limit=SESSIONS)
    expected = labels(whole)
    scored = {line["task_id"]: line["scorings"] for line in lines(tmp_path / "run" / "scores.jsonl")}
    assert failed
    assert scored
    assert scored == {key: scorings for key, scorings in expected.items() if key in scored}
    assert set(scored) == set(expected) - {line["key"] for line in failed}
    assert {line["blame"] for line in failed} == {"provider"}
    assert code == 1
    assert f"Missing: {len(failed)} conversations, excluded from all rates" in err
    assert f"  {len(failed)} (provider): openai/mock at " in err
    assert KEY not in err
    metrics = json.loads((tmp_path / "run" / "metrics.json").read_bytes())
    assert metrics["missing"] == len(failed)
