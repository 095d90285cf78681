"""The endpoint goes away: patience, or an end in order that says so; the same command goes on later."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.end_to_end.playing import Player, go, lines, options, replies, results, wait_until
from tests.mockserver import reserved_port, serve
from toolgauge.api import RunResult

SESSIONS = 6


@pytest.fixture
def port() -> Iterator[int]:
    with reserved_port() as one:
        yield one


def url(port: int) -> str:
    return f"http://127.0.0.1:{port}/v1"


def run_until_gone(pool: ThreadPoolExecutor, port: int, out: Path, patience: float) -> Future[RunResult]:
    """A run whose endpoint closes its port after some answers, so that connections are refused."""
    reached = options(url(port), patience=patience, max_attempts=3)
    with serve(Player(replies(limit=SESSIONS)), port=port, hold_from=15) as server:
        running = pool.submit(go, out, "openai/mock", reached=reached, limit=SESSIONS)
        wait_until(lambda: len(server.requests) > 15)
    return running


def test_an_endpoint_that_comes_back_in_time_costs_nothing(port: int, tmp_path: Path) -> None:
    player = Player(replies(limit=SESSIONS))
    with ThreadPoolExecutor(1) as pool:
        running = run_until_gone(pool, port, tmp_path / "run", patience=60.0)
        time.sleep(0.3)
        assert not running.done()
        with serve(player, port=port):
            outcome = running.result().outcome
    assert (outcome.done, outcome.failed, outcome.stopped) == (4 * SESSIONS, 0, None)
    go(tmp_path / "whole", limit=SESSIONS)
    assert results(tmp_path / "run") == results(tmp_path / "whole")


def test_an_endpoint_that_stays_away_ends_the_run_in_order(port: int, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with ThreadPoolExecutor(1) as pool:
        result = run_until_gone(pool, port, folder, patience=0.0).result()
    outcome, missing = result.outcome, result.outcome.missing
    assert outcome.stopped is not None
    assert "conversations in a row failed" in str(outcome.stopped)
    assert "connection failed" in str(outcome.stopped)
    assert outcome.done + missing == 4 * SESSIONS
    failures = lines(folder / "failures.jsonl")
    assert len(failures) == missing
    assert "provider" in {line["blame"] for line in failures}
    done = {line["task_id"] for line in lines(folder / "trajectories.jsonl")}
    assert not done & {line["key"] for line in failures}
    assert {line["task_id"] for line in lines(folder / "scores.jsonl")} == done
    assert result.metrics.missing == missing
    with serve(Player(replies(limit=SESSIONS)), port=port):
        again = go(folder, "openai/mock", reached=options(url(port)), limit=SESSIONS)
    assert (again.outcome.done, again.outcome.failed, again.outcome.stopped) == (missing, 0, None)
    assert lines(folder / "failures.jsonl") == []
    go(tmp_path / "whole", limit=SESSIONS)
    assert results(folder) == results(tmp_path / "whole")
