"""`toolgauge try URL`: from an address to a verdict, a site and the next command."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.end_to_end.playing import call, command
from tests.end_to_end.test_serve_command import FAKE
from tests.mockserver import Json, serve
from tests.models.test_gguf import USUAL, head
from toolgauge.api import run
from toolgauge.benchmarks.registry import find_benchmark
from toolgauge.cli.trying import FEWEST, MOST, decided, tasks_in_time, verdict

CALL = {"id": "c", "type": "function", "function": {"name": "current_weather", "arguments": '{"city": "Lisbon"}'}}


def answer(body: Json) -> Json:
    asked = body["messages"][-1]["role"] == "user" and "current_weather" in str(body.get("tools"))
    return {"content": None, "tool_calls": [CALL]} if asked else {"content": "It rains."}


def test_a_server_is_tried(tmp_path: Path) -> None:
    with serve(answer) as server:
        code, out, err = call(command("try", server.base_url, "--model", "Qwen3-8B", "--minutes", "0.1"), tmp_path)
    assert code == 0, err
    assert "natively, then with --dialect hermes" in out
    assert "Qwen3-8B: " in out
    assert "Next: toolgauge run mini -m openai/Qwen3-8B --base-url" in out
    assert (tmp_path / "try" / "site" / "index.html").is_file()
    assert (tmp_path / "try" / "dialect-hermes" / "run.json").is_file()


def test_the_verdict_is_that_of_compare(tmp_path: Path) -> None:
    """Ten tasks that only the dialect has right are enough; one is not, whatever its share."""
    told = []
    for number, (native, spoken) in enumerate((("silent", "oracle"), ("oracle", "silent"), ("oracle", "oracle"))):
        runs = [
            run("mini", f"builtin/{name}", limit=10, out=tmp_path / f"{number}{way}")
            for way, name in (("a", native), ("b", spoken))
        ]
        told.append(verdict("m", 40, decided(runs), "hermes"))
    assert "use --dialect hermes or another parser" in told[0]
    assert told[1].endswith("serve it natively.")
    assert "cannot be told apart (0.0 points" in told[2]


@pytest.mark.parametrize("manners", ["dies", "slow silent"])
def test_a_file_whose_engine_fails_or_is_stopped_while_it_loads(tmp_path: Path, manners: str) -> None:
    program = tmp_path / "bin" / "llama-server"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\n{FAKE.read_text()}")
    program.chmod(0o755)
    (tmp_path / "model.gguf").write_bytes(head(*USUAL))
    path = os.pathsep.join([str(program.parent), os.environ["PATH"]])
    trying = subprocess.Popen(
        [sys.executable, "-m", "toolgauge", "try", "model.gguf"],
        cwd=tmp_path,
        env=os.environ | {"PATH": path, "FAKE_ENGINE": manners, "FAKE_ENGINE_NOTES": str(tmp_path)},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    if manners == "dies":
        _, said = trying.communicate(timeout=60)
        assert trying.returncode == 1
        assert "  ValueError: no such model\ntoolgauge: the engine exited with code 3" in said
    else:
        while not (tmp_path / "pids.json").exists():
            time.sleep(0.05)
        trying.send_signal(signal.SIGINT)
        _, said = trying.communicate(timeout=60)
        assert trying.returncode == 0
        assert said.endswith("llama.cpp has stopped.\n")
    assert "Traceback" not in said


def test_as_many_tasks_of_each_type_as_there_is_time_for() -> None:
    mini = find_benchmark("mini")
    types = {
        f"{session.id}/{number}": task.type
        for session in mini.load(mini.embedded, "en").sessions  # type: ignore[arg-type]
        for number, task in enumerate(session.tasks)
    }
    for minutes, seconds in ((1, 1.0), (10, 20.0), (10, 60.0)):
        ids = tasks_in_time(minutes, seconds, 2)
        assert FEWEST <= len(ids) <= MOST
        assert len(set(Counter(types[task] for task in ids).values())) == 1
    assert len(tasks_in_time(600, 0.1, 2)) <= MOST
    assert len(tasks_in_time(1, 60.0, 2)) < len(tasks_in_time(10, 2.0, 2)) <= len(tasks_in_time(10, 2.0, 1))
