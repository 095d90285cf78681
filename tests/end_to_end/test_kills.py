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
from tests.sizes import sized
from toolgauge.benchmarks.dialogues.history import History

KILLS = sized(5, 10)
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
    with serve(player, latency=0.02) as server:
        go(tmp_path / "whole", "openai/mock", reached=options(server.base_url), history=history, limit=SESSIONS)
        server.requests.clear()
        server.headers.clear()

        def begin(number: int) -> subprocess.Popen[str]:
            """Each process has a key of its own: the server may read what one sent when it is dead already."""
            arguments = command(
                "run", "mini", "--limit", SESSIONS, "--history", history, server=server, fresh=number == 0
            )
            arguments += ["--out", "run", "--set", "limits.probe=false", "--concurrency", str(CONCURRENCY)]
            return start([*arguments, "--set", f"endpoint.api_key=sk-of-process-{number}"], tmp_path)

        for number in range(KILLS):
            kill_at_some_moment(begin(number), server, draw, number)
        code, _, err = finish(begin(KILLS))
        asked: list[list[str]] = [[] for _ in range(KILLS + 1)]
        for headers, body in zip(server.headers, server.requests, strict=True):
            asked[int(headers["Authorization"].rpartition("-")[2])].append(content_key(body))
    assert code == 0, err
    assert results(tmp_path / "run") == results(tmp_path / "whole")
    assert not (tmp_path / "run" / "replies.jsonl").exists()
    ids = [line["task_id"] for line in lines(tmp_path / "run" / "trajectories.jsonl")]
    assert len(ids) == len(set(ids)) == (SESSIONS if history == "own" else 4 * SESSIONS)
    assert {key for keys in asked for key in keys} == set(player.table)
    for number, keys in enumerate(asked):
        assert len(set(keys)) == len(keys), "asked twice by one process"
        later = {key for following in asked[number + 1 :] for key in following}
        assert len(set(keys) & later) <= CONCURRENCY, "more than what was under way"
