"""Ctrl-C: what is under way is finished and kept, the run can be continued, and a second one ends it at once."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

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
from tests.mockserver import Server, serve

SESSIONS = 3


def arguments_of(server: Server) -> list[str]:
    asked = command("run", "mini", "--limit", SESSIONS, server=server)
    return [*asked, "--out", "run", "--set", "limits.probe=false", "--concurrency", "4"]


def interrupted(arguments: list[str], server: Server, folder: Path) -> subprocess.Popen[str]:
    """A run that was interrupted once, when six requests were answered and four under way, which are answered now."""
    process = start(arguments, folder)
    wait_until(lambda: len(server.requests) == 6 + 4)
    process.send_signal(signal.SIGINT)
    until_line(process, "a second Ctrl-C or signal ends at once")
    server.release()
    return process


def test_ctrl_c_finishes_what_is_under_way(tmp_path: Path) -> None:
    player = Player(replies(limit=SESSIONS))
    with serve(player, hold_from=6) as server:
        arguments = arguments_of(server)
        process = interrupted(arguments, server, tmp_path)
        code, _, err = finish(process)
        assert code == 130
        assert "Stopped early: interrupted. The same command continues." in err
        assert 6 + 4 <= len(server.requests) < len(player.table)
        kept = sum(len(line["steps"]) for line in lines(tmp_path / "run" / "trajectories.jsonl"))
        assert kept <= len(server.requests) <= kept + len(lines(tmp_path / "run" / "replies.jsonl"))
        missing = {line["key"] for line in lines(tmp_path / "run" / "failures.jsonl")}
        assert len(missing) == 4 * SESSIONS - len(lines(tmp_path / "run" / "trajectories.jsonl"))
        code, _, err = call(arguments, tmp_path)
    assert code == 0, err
    assert player.most_repeated == 1
    go(tmp_path / "whole", limit=SESSIONS)
    assert results(tmp_path / "run") == results(tmp_path / "whole")


def test_an_interrupted_run_answers_with_what_is_there(tmp_path: Path) -> None:
    """The answer is that of what is there: the same that `score` gives, and the whole one after the run continued."""
    player = Player(replies(limit=SESSIONS))
    with serve(player, hold_from=6) as server:
        arguments = arguments_of(server)
        process = interrupted(arguments, server, tmp_path)
        code, out, _err = finish(process)
        assert code == 130
        scored = len(lines(tmp_path / "run" / "trajectories.jsonl"))
        assert 0 < scored < 4 * SESSIONS
        assert f"{scored} of {4 * SESSIONS} tasks scored, {4 * SESSIONS - scored} missing" in out
        _code, again, _err = call(command("score", "run"), tmp_path)
        assert out.splitlines()[:2] == again.splitlines()[:2]
        code, out, err = call(arguments, tmp_path)
    assert code == 0, err
    assert f"{4 * SESSIONS} of {4 * SESSIONS} tasks scored" in out
    assert out.splitlines()[:2] != again.splitlines()[:2]
