"""A server that asks to wait: it is said until when, Ctrl-C ends the wait, and a day is not waited for unless asked."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest

from tests.end_to_end.playing import Player, call, command, finish, lines, replies, start, until_line
from tests.mockserver import Fault, Json, rate_limited, serve
from toolgauge.runs.executors.executor import GRACE_SECONDS

DAY = 86_400


def tomorrow() -> str:
    return time.strftime("%Y-%m-%d", time.localtime(time.time() + DAY))


def test_a_day_is_not_waited_for_and_the_command_says_until_when(tmp_path: Path) -> None:
    days = {tomorrow()}
    with serve(None, lambda _number, _body: rate_limited(DAY)) as server:
        arguments = command("run", "mini", "--limit", 6, "--out", "run", "--set", "limits.probe=false", server=server)
        code, _, err = call([*arguments, "--concurrency", "2"], tmp_path)
        asked = len(server.requests)
    assert code == 1
    days.add(tomorrow())  # another one if midnight came in between
    assert any(f"(it asks to wait until {day}" in err for day in days)
    assert f"--set endpoint.patience={DAY} waits for so long)" in err
    assert "Stopped early: 10 conversations in a row failed" in err
    assert asked <= 12, "nobody who asks to wait is asked again and again"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_ends_a_long_wait_at_once(number: signal.Signals, tmp_path: Path) -> None:
    def fault(number: int, _body: Json) -> Fault | None:
        return rate_limited(DAY) if number >= 3 else None

    with serve(Player(replies(limit=3)), fault) as server:
        arguments = command("run", "mini", "--limit", 3, "--out", "run", "--set", "limits.probe=false", server=server)
        process = start([*arguments, "--concurrency", "2", "--set", f"endpoint.patience={2 * DAY}"], tmp_path)
        until_line(process, "openai/mock asks to wait until ")
        asked, began = len(server.requests), time.monotonic()
        process.send_signal(number)
        code, _, err = finish(process)
        taken = time.monotonic() - began
        assert len(server.requests) <= asked + 1
    assert code == 128 + number
    assert "Stopped early: interrupted" in err
    assert taken < 60, f"without the {GRACE_SECONDS} s that requests under way have, as nothing is under way"
    assert lines(tmp_path / "run" / "failures.jsonl")
