"""`toolgauge serve` for real: transformers' server on the CPU, a model made on the spot, mini against it.

`make serve-check` makes the environment with torch and transformers and names its programs in TOOLGAUGE_SERVE_BIN.
"""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

BIN = Path(os.environ.get("TOOLGAUGE_SERVE_BIN", "/nowhere")).absolute()
MODEL = "tiny-llama"
PATIENCE = 280.0

pytestmark = [
    pytest.mark.serve,
    pytest.mark.skipif(not (BIN / "transformers").exists(), reason="no torch and transformers; make serve-check"),
]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with the model in it."""
    maker = Path(__file__).parent / "tiny_model.py"
    subprocess.run([BIN / "python", maker, tmp_path / MODEL], check=True, timeout=PATIENCE)
    return tmp_path


def environment(folder: Path) -> dict[str, str]:
    """Nothing is fetched, and the programs are found without the path."""
    here = {"HOME": str(folder), "HF_HOME": str(folder / "hub"), "TOOLGAUGE_LANG": "en"}
    return os.environ | here | {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "2", "OPENAI_API_KEY": ""}


def group(leader: int) -> list[int]:
    """The running processes of a process group (of a Linux machine)."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, _, its_group = status.read_text().rpartition(")")[2].split()[:3]
            if int(its_group) == leader and state != "Z":
                found.append(int(status.parent.name))
    return found


def child_of(parent: int) -> int:
    """The one child of a process (of a Linux machine)."""
    (only,) = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    return int(only)


def test_mini_against_a_served_model(place: Path) -> None:
    arguments = f"serve {MODEL} --engine transformers --port 0 --log engine.log -- --device cpu --dtype float32"
    serving = subprocess.Popen(
        [BIN / "toolgauge", *arguments.split()],
        cwd=place,
        env=environment(place),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert serving.stdout is not None
        ready, command = serving.stdout.readline(), shlex.split(serving.stdout.readline())
        assert ready.startswith("transformers serve answers at"), serving.communicate(timeout=PATIENCE)[1]
        engine = child_of(serving.pid)
        assert engine in group(engine)
        run_mini(place, command)
        serving.send_signal(signal.SIGINT)
        _, said = serving.communicate(timeout=PATIENCE)
        assert serving.returncode == 0, said
        assert said.endswith("transformers serve has stopped.\n")
        assert group(engine) == []
        log = (place / "engine.log").read_text()
        assert "POST /v1/chat/completions" in log
        assert "Traceback" not in log
    finally:
        serving.send_signal(signal.SIGTERM)  # where an assertion failed, it stops its engine
        serving.wait(PATIENCE)


def run_mini(place: Path, command: list[str]) -> None:
    """The command that was shown, on one session: it goes through, whatever the labels are."""
    assert command[:3] == ["toolgauge", "run", "mini"]
    assert command[-2:] == ["--dialect", "generic"]  # the name tells no family
    arguments = [*command[1:], "--limit", "1", "--max-tokens", "24", "--temperature", "0", "--out", "run"]
    done = subprocess.run(
        [BIN / "toolgauge", *arguments],
        cwd=place,
        env=environment(place),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads((place / "run" / "metrics.json").read_text())["missing"] == 0
    assert json.loads((place / "run" / "run.json").read_text())["model"]["dialect"] == "generic"
    for name in ("trajectories.jsonl", "scores.jsonl"):
        assert len((place / "run" / name).read_text().splitlines()) == 4
