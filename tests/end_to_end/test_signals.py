"""SIGTERM and SIGHUP end in order like Ctrl-C, whatever is under way; Ctrl-C however early prints no traceback."""

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

SESSIONS = 2
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}


@pytest.mark.parametrize("number", CODES, ids=lambda number: number.name)
def test_a_run_ends_in_order(number: signal.Signals, tmp_path: Path) -> None:
    player = Player(replies(limit=SESSIONS))
    with serve(player, hold_from=4) as server:
        arguments = command("run", "mini", "--limit", SESSIONS, server=server, fresh=True)
        arguments += ["--out", "run", "--set", "limits.probe=false", "--concurrency", "2"]
        process = start(arguments, tmp_path)
        wait_until(lambda: len(server.requests) == 4 + 2)
        process.send_signal(number)
        until_line(process, "ends at once")
        server.release()
        code, _, err = finish(process)
        assert code == CODES[number]
        assert "Stopped early: interrupted. The same command continues." in err
        assert "Traceback" not in err
        assert lines(tmp_path / "run" / "scores.jsonl")
        code, _, err = call(arguments, tmp_path)
    assert code == 0, err
    assert player.most_repeated == 1
    go(tmp_path / "whole", limit=SESSIONS)
    assert results(tmp_path / "run") == results(tmp_path / "whole")


def test_a_generation_ends_in_order(tmp_path: Path) -> None:
    with serve(hold_from=2) as server:
        arguments = command(
            "generate", "--sample", 4, "--tasks", 2, "--out", "made", "--set", "limits.probe=false", server=server
        )
        process = start(arguments, tmp_path)
        wait_until(lambda: len(server.requests) > 2)
        process.send_signal(signal.SIGTERM)
        until_line(process, "ends at once")
        server.release()
        code, _, err = finish(process)
    assert code == 143
    assert "Stopped early: interrupted" in err
    assert "Traceback" not in err


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_a_site_that_is_looked_at_goes_with_its_viewer(number: signal.Signals, tmp_path: Path) -> None:
    go(tmp_path / "run", limit=1)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    changed = ["env", f"TMPDIR={scratch}", *command("view", "run", "--no-browser")]
    process = start(changed, tmp_path)
    assert process.stdout is not None
    assert "http://127.0.0.1" in process.stdout.readline()
    assert list(scratch.iterdir())
    process.send_signal(number)
    code, _, err = finish(process)
    assert (code, "Traceback" in err) == (0, False)
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize(
    "verb", [["--help"], ["run", "mini", "-m", "builtin/noisy", "--out", "run"]], ids=["help", "run"]
)
def test_ctrl_c_at_any_moment_prints_no_traceback_of_ours(verb: list[str], tmp_path: Path) -> None:
    """Before our first line the interpreter itself may print one (of its own start); nothing can be done about that."""
    for tenths in range(0, 12, sized(2, 1)):
        process = start(command(*verb, fresh=True), tmp_path)
        time.sleep(tenths * 0.05)
        process.send_signal(signal.SIGINT)
        code, _, err = finish(process)
        assert code in (0, 1, 130, -signal.SIGINT), err
        assert "Traceback" not in err or "toolgauge" not in err, (tenths, err)
