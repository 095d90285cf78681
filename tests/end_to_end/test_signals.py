"""Ctrl-C, SIGTERM and SIGHUP: what is under way is finished and kept, the same command continues, a second one ends at
once; however early, no traceback."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest

from tests.end_to_end.playing import (
    Player,
    call,
    command,
    finish,
    go,
    lines,
    replies,
    results,
    start,
    until_line,
    wait_until,
)
from tests.mockserver import serve
from tests.sizes import sized

SESSIONS = 3
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}


@pytest.mark.parametrize("number", CODES, ids=lambda number: number.name)
def test_a_run_ends_in_order_and_answers_with_what_is_there(number: signal.Signals, tmp_path: Path) -> None:
    """Interrupted when six requests were answered and four under way; the last one in a fresh process."""
    player = Player(replies(limit=SESSIONS))
    with serve(player, hold_from=6) as server:
        arguments = command("run", "mini", "--limit", SESSIONS, server=server, fresh=number is signal.SIGHUP)
        arguments += ["--out", "run", "--set", "limits.probe=false", "--concurrency", "4"]
        process = start(arguments, tmp_path)
        wait_until(lambda: len(server.requests) == 6 + 4)
        process.send_signal(number)
        until_line(process, "a second Ctrl-C or signal ends at once")
        server.release()
        code, out, err = finish(process)
        assert code == CODES[number]
        assert "Stopped early: interrupted. The same command continues." in err
        assert "Traceback" not in err
        kept = lines(tmp_path / "run" / "trajectories.jsonl")
        steps = sum(len(line["steps"]) for line in kept)
        assert steps <= len(server.requests) <= steps + len(lines(tmp_path / "run" / "replies.jsonl"))
        assert len(lines(tmp_path / "run" / "failures.jsonl")) == 4 * SESSIONS - len(kept) > 0
        assert f"{len(kept)} of {4 * SESSIONS} tasks scored, {4 * SESSIONS - len(kept)} missing" in out
        assert out.splitlines()[:2] == call(command("score", "run"), tmp_path)[1].splitlines()[:2]
        code, out, err = call(arguments, tmp_path)
    assert code == 0, err
    assert f"{4 * SESSIONS} of {4 * SESSIONS} tasks scored" in out
    assert player.most_repeated == 1
    go(tmp_path / "whole", limit=SESSIONS)
    assert results(tmp_path / "run") == results(tmp_path / "whole")


def test_a_generation_ends_in_order(tmp_path: Path) -> None:
    with serve(hold_from=2) as server:
        asked = command("generate", "--sample", 4, "--tasks", 2, "--out", "made", server=server)
        process = start([*asked, "--set", "limits.probe=false"], tmp_path)
        wait_until(lambda: len(server.requests) > 2)
        process.send_signal(signal.SIGTERM)
        until_line(process, "ends at once")
        server.release()
        code, _, err = finish(process)
    assert (code, "Traceback" in err) == (143, False)
    assert "Stopped early: interrupted" in err


def test_a_site_that_is_looked_at_goes_with_its_viewer(tmp_path: Path) -> None:
    go(tmp_path / "run", limit=1)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    process = start(["env", f"TMPDIR={scratch}", *command("view", "run", "--no-browser")], tmp_path)
    assert process.stdout is not None
    assert "http://127.0.0.1" in process.stdout.readline()
    assert list(scratch.iterdir())
    process.send_signal(signal.SIGTERM)
    code, _, err = finish(process)
    assert (code, "Traceback" in err) == (0, False)
    assert list(scratch.iterdir()) == []


def test_ctrl_c_at_any_moment_prints_no_traceback_of_ours(tmp_path: Path) -> None:
    """Before our first line the interpreter itself may print one (of its own start); nothing can be done about that."""
    for tenths in range(0, 12, sized(3, 1)):
        process = start(command("run", "mini", "-m", "builtin/noisy", "--out", "run", fresh=True), tmp_path)
        time.sleep(tenths * 0.05)
        process.send_signal(signal.SIGINT)
        code, _, err = finish(process)
        assert code in (0, 1, 130, -signal.SIGINT), err
        assert "Traceback" not in err or "toolgauge" not in err, (tenths, err)
