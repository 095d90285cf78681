"""kill -9 at random moments, and the same command again: the same bytes, nothing lost, nothing asked twice."""

from __future__ import annotations

import random
import subprocess
import time
from pathlib import Path

import pytest

from tests.end_to_end.playing import (
    Player,
    command,
    content_key,
    finish,
    go,
    lines,
    options,
    replies,
    results,
    start,
    wait_until,
)
from tests.mockserver import Server, serve
from toolgauge.benchmarks.benchmark import History

KILLS = 10
CONCURRENCY = 3
SESSIONS = 12


def kill_at_some_moment(process: subprocess.Popen[str], server: Server, draw: random.Random, number: int) -> None:
    """Kill during the start, at some point of the conversations, or towards the end."""
    if number == 0:
        time.sleep(draw.uniform(0.1, 1.0))
    else:
        enough = len(server.requests) + draw.randint(1, 12)
        wait_until(lambda: len(server.requests) >= enough or process.poll() is not None)
        time.sleep(draw.uniform(0.0, 0.03))
    process.kill()
    process.communicate()


@pytest.mark.parametrize(("history", "seed"), [("gold", 1), ("own", 2)])
def test_killed_runs_continue(history: History, seed: int, tmp_path: Path) -> None:
    player, draw = Player(replies(history=history, limit=SESSIONS)), random.Random(seed)
    began: list[int] = []
    with serve(player, latency=0.02) as server:
        go(tmp_path / "whole", "openai/mock", reached=options(server.base_url), history=history, limit=SESSIONS)
        server.requests.clear()
        arguments = command("run", "mini", "--limit", SESSIONS, "--history", history, server=server)
        arguments += ["--out", "run", "--no-probe", "--concurrency", str(CONCURRENCY)]
        for number in range(KILLS):
            began.append(len(server.requests))
            kill_at_some_moment(start(arguments, tmp_path), server, draw, number)
        began.append(len(server.requests))
        code, _, err = finish(start(arguments, tmp_path))
        asked = [content_key(body) for body in server.requests]
    assert code == 0, err
    assert results(tmp_path / "run") == results(tmp_path / "whole")
    assert not (tmp_path / "run" / "replies.jsonl").exists()
    ids = [line["task_id"] for line in lines(tmp_path / "run" / "trajectories.jsonl")]
    assert len(ids) == len(set(ids)) == (SESSIONS if history == "own" else 4 * SESSIONS)
    assert set(asked) == set(player.table)
    for this, following in zip(began, [*began[1:], len(asked)], strict=True):
        assert len(set(asked[this:following])) == following - this, "asked twice by one process"
        assert len(set(asked[this:following]) & set(asked[following:])) <= CONCURRENCY, "more than what was under way"
