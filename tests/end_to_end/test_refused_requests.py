"""Requests that an endpoint refuses because of what stands in them: reported, and the others are asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.end_to_end.playing import Player, go, lines, options, replies
from tests.mockserver import Fault, serve, status

REFUSED = ("mini_4", "mini_5", "mini_6")
"""Three sessions that stand together: twelve conversations in a row."""


def refusing(_number: int, body: dict[str, Any]) -> Fault | None:
    """400 for the tools of these sessions, as for a schema that the endpoint does not take."""
    from toolgauge.benchmarks.dialogues.benchmark import MINI, MINI_FILE

    sessions = MINI.load(MINI_FILE, "en").by_id
    tools = [[tool.wire() for tool in sessions[name].tools] for name in REFUSED]
    return status(400, "tools.2.function.parameters: schema is not supported") if body.get("tools") in tools else None


def test_refused_samples_stop_nobody(tmp_path: Path) -> None:
    player = Player(replies())
    with serve(player, refusing) as server:
        result = go(tmp_path / "run", "openai/mock", reached=options(server.base_url))
        again = go(tmp_path / "run", "openai/mock", reached=options(server.base_url))
    assert (result.outcome.done, result.outcome.failed, result.outcome.stopped) == (116, 12, None)
    assert (again.outcome.done, again.outcome.failed, again.outcome.stopped) == (0, 12, None)
    assert player.most_repeated == 1
    failures = lines(tmp_path / "run" / "failures.jsonl")
    assert {line["session_id"] for line in failures} == set(REFUSED)
    assert {line["blame"] for line in failures} == {"provider"}
    assert (result.metrics.scored, result.metrics.missing) == (116, 12)
