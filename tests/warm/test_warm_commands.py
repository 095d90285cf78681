"""A command of the warm server is what a fresh process is: output, exit codes, terminals, signals, its end."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.end_to_end.playing import (
    Player,
    environment,
    finish,
    replies,
    seen_in_a_terminal,
    start,
    until_line,
    wait_until,
)
from tests.mockserver import serve
from tests.warm.server import warm_toolgauge

FRESH = [sys.executable, "-m", "toolgauge"]
DURATION = re.compile(r"\d+(?:\.\d+)? (?:s|min)\b")
COMMANDS = (
    ["--version"],
    ["run", "--help"],
    ["score", "nowhere"],
    ["run", "mini", "-m", "builtin/noisy", "--limit", "1", "--out", "run"],
)


def test_a_warm_command_says_what_a_fresh_one_says(tmp_path: Path) -> None:
    variables = {name: value for name, value in environment().items() if name != "COLUMNS"}
    for number, arguments in enumerate(COMMANDS):
        done = []
        for name, program in (("fresh", FRESH), ("warm", warm_toolgauge())):
            folder = tmp_path / f"{number}-{name}"
            folder.mkdir()
            done.append(
                subprocess.run(
                    [*program, *arguments], cwd=folder, env=variables, capture_output=True, text=True, check=False
                )
            )
        fresh, warm = done
        assert warm.returncode == fresh.returncode, arguments
        assert DURATION.sub("", warm.stdout) == DURATION.sub("", fresh.stdout)
        assert warm.stderr == fresh.stderr


def test_it_has_the_terminal_of_whoever_starts_it(tmp_path: Path) -> None:
    seen = []
    for program in (FRESH, warm_toolgauge()):
        variables = environment() | {"TERM": "xterm-256color"}
        code, said = seen_in_a_terminal([*program, "data", "list"], tmp_path, variables)
        assert code == 0
        seen.append(said)
    assert seen[0] == seen[1]
    assert b"\x1b[" in seen[0]


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_what_ends_it_ends_the_command(end: signal.Signals, tmp_path: Path) -> None:
    with serve(Player(replies(limit=1)), hold_from=1) as server:
        asking = [
            "run",
            "mini",
            "-m",
            "openai/m",
            "--base-url",
            server.base_url,
            "--set",
            "endpoint.api_key=k",
            "--limit",
            "1",
        ]
        process = start([*warm_toolgauge(), *asking, "--set", "limits.probe=false", "--out", "run"], tmp_path)
        wait_until(lambda: len(server.requests) > 0)
        process.send_signal(end)
        if end is not signal.SIGKILL:
            until_line(process, "ends at once")
            process.send_signal(end)
        code, _, err = finish(process)
        assert code == {signal.SIGKILL: -9, signal.SIGINT: 130, signal.SIGTERM: 143}[end], err
