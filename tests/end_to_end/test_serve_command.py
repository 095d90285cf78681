"""`toolgauge serve` with an engine that only pretends: slow, dying, deaf to SIGTERM, with children of its own."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.request import ProxyHandler, build_opener

import pytest

FAKE = Path(__file__).parent / "fake_engine.py"
MODEL = "Qwen/Qwen2.5-7B-Instruct"
PATIENCE = 60.0
"""Seconds after which a test gives up; nothing here takes nearly as long."""


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """A folder with a program `vllm` in bin/; whatever a failed test leaves behind is killed."""
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "vllm"
    program.write_text(f"#!{sys.executable}\n{FAKE.read_text()}")
    program.chmod(0o755)
    yield tmp_path
    for pid in pids(tmp_path):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def environment(place: Path, manners: str) -> dict[str, str]:
    path = os.pathsep.join([str(place / "bin"), os.environ["PATH"]])
    extra = {"PATH": path, "FAKE_ENGINE": manners, "FAKE_ENGINE_NOTES": str(place), "TOOLGAUGE_LANG": "en"}
    return os.environ | extra | {"http_proxy": "http://127.0.0.1:9"}


def begin(place: Path, manners: str, *options: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "toolgauge", "serve", MODEL, "--engine", "vllm", *map(str, options)],
        cwd=place,
        env=environment(place, manners),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def pids(place: Path) -> list[int]:
    """The engine's process and its child's."""
    notes = place / "pids.json"
    return json.loads(notes.read_text()) if notes.exists() else []


def alive(pid: int) -> bool:
    """Does it run? One that ended and waits for its parent does not."""
    status = Path(f"/proc/{pid}/stat")
    if status.parent.parent.joinpath("self").exists():
        return status.exists() and status.read_text().rpartition(")")[2].split()[0] != "Z"
    with suppress(ProcessLookupError):
        os.kill(pid, 0)
        return True
    return False


def nothing_is_left(place: Path) -> bool:
    until = time.monotonic() + PATIENCE
    while any(map(alive, pids(place))) and time.monotonic() < until:
        time.sleep(0.05)
    return len(pids(place)) == 2 and not any(map(alive, pids(place)))


def ready(serving: subprocess.Popen[str]) -> tuple[str, list[str]]:
    """Wait for it; what it says then, and the command it shows."""
    assert serving.stdout is not None
    line, command = serving.stdout.readline(), serving.stdout.readline()
    assert command, serving.communicate(timeout=PATIENCE)[1]
    return line, shlex.split(command)


def test_until_ctrl_c(place: Path) -> None:
    serving = begin(place, "slow", "--port", 0, "--log", "engine.log", "--", "--seed", 7)
    line, command = ready(serving)
    address = command[command.index("--base-url") + 1]
    assert address in line
    assert command == ["toolgauge", "run", "mini", "-m", f"vllm/{MODEL}", "--base-url", address, "--limit", "8"]
    with build_opener(ProxyHandler({})).open(f"{address.removesuffix('/v1')}/health") as answer:
        assert answer.status == 200
    given = json.loads((place / "arguments.json").read_text())
    assert given[:2] == ["serve", MODEL]
    assert given[-2:] == ["--seed", "7"]
    assert all(map(alive, pids(place)))
    serving.send_signal(signal.SIGINT)
    _, said = serving.communicate(timeout=PATIENCE)
    assert serving.returncode == 0, said
    assert "Starting vLLM: vllm serve" in said
    assert said.endswith("vLLM has stopped.\n")
    assert nothing_is_left(place)
    assert "loading weights" in (place / "engine.log").read_text()


@pytest.mark.parametrize("manners", ["dies", "dies orphans"])
def test_an_engine_that_dies_leaves_its_last_lines(place: Path, manners: str) -> None:
    serving = begin(place, manners, "--port", 0)
    out, said = serving.communicate(timeout=PATIENCE)
    assert (serving.returncode, out) == (1, "")
    assert "  ValueError: no such model\n" in said
    assert said.splitlines()[-1] == (
        "toolgauge: the engine exited with code 3 before it was ready; see its last lines above"
    )
    assert "  loading weights 50 %\n" in said  # without its colours and its bell
    assert "\x1b" not in said
    assert "\x07" not in said
    assert nothing_is_left(place)


def test_a_second_ctrl_c_kills_the_deaf(place: Path) -> None:
    serving = begin(place, "deaf", "--port", 0)
    ready(serving)
    serving.send_signal(signal.SIGINT)
    assert serving.stderr is not None
    while "Stopping" not in serving.stderr.readline():
        pass
    time.sleep(0.5)
    assert all(map(alive, pids(place)))  # it was asked, and does not listen
    serving.send_signal(signal.SIGINT)
    _, said = serving.communicate(timeout=PATIENCE)
    assert serving.returncode == 0, said
    assert nothing_is_left(place)


def test_an_engine_that_is_not_installed(tmp_path: Path) -> None:
    serving = begin(tmp_path, "", "--engine", "sglang")
    _, said = serving.communicate(timeout=PATIENCE)
    assert serving.returncode == 2, said
    assert said == "toolgauge: --engine sglang: SGLang is not installed; install it with: pip install sglang\n"


def test_a_killed_toolgauge_leaves_no_engine(place: Path) -> None:
    """Nobody can clean up after kill -9: the engine's guard notices that the pipe from its parent is closed."""
    serving = begin(place, "", "--port", 0)
    ready(serving)
    assert all(map(alive, pids(place)))
    serving.kill()
    serving.wait(PATIENCE)
    assert nothing_is_left(place)
