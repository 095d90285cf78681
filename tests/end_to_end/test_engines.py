"""`serve` and `try` with an engine that only pretends; what a run's test question finds."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.request import ProxyHandler, build_opener

import pytest

from tests.end_to_end.playing import Player, call, command, replies
from tests.mockserver import Json, Server, completion, serve
from tests.models.test_engines import USUAL, head
from toolgauge.api import run
from toolgauge.benchmarks.manifest import Manifest
from toolgauge.benchmarks.registry import find_benchmark
from toolgauge.cli.trying import FEWEST, MOST, decided, tasks_in_time, verdict
from toolgauge.models.probe import QUESTION, Finding, ProbeRecord
from toolgauge.report.pages.facts import facts_of
from toolgauge.results import open_run
from toolgauge.runs.manifest import read_manifest

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


def engine_environment(place: Path, manners: str) -> dict[str, str]:
    path = os.pathsep.join([str(place / "bin"), os.environ["PATH"]])
    extra = {"PATH": path, "FAKE_ENGINE": manners, "FAKE_ENGINE_NOTES": str(place), "TOOLGAUGE_LANG": "en"}
    return os.environ | extra | {"http_proxy": "http://127.0.0.1:9"}


def begin(place: Path, manners: str, *options: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "toolgauge", "serve", MODEL, "--engine", "vllm", *map(str, options)],
        cwd=place,
        env=engine_environment(place, manners),
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


def test_a_file_whose_engine_is_stopped_while_it_loads(tmp_path: Path) -> None:
    program = tmp_path / "bin" / "llama-server"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\n{FAKE.read_text()}")
    program.chmod(0o755)
    (tmp_path / "model.gguf").write_bytes(head(*USUAL))
    trying = subprocess.Popen(
        [sys.executable, "-m", "toolgauge", "try", "model.gguf"],
        cwd=tmp_path,
        env=engine_environment(tmp_path, "slow silent"),
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while not (tmp_path / "pids.json").exists():
        time.sleep(0.05)
    trying.send_signal(signal.SIGINT)
    _, said = trying.communicate(timeout=PATIENCE)
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


HERMES = '<tool_call>\n{"name": "current_weather", "arguments": {"city": "Lisbon"}}\n</tool_call>'


class Answers:
    """A player of mini's annotated answers, who says this to the test question."""

    def __init__(self, says: Json) -> None:
        self.says, self.player = says, Player(replies(limit=1))

    def __call__(self, body: Json) -> Json:
        if all(message["content"] != QUESTION[1].content for message in body["messages"]):
            return self.player(body)
        usage = {"prompt_tokens": len(json.dumps(body)), "completion_tokens": 20}
        return completion(self.says if "tools" in body else {"content": "I cannot know."}) | {"usage": usage}


def run_once(folder: Path, server: Server, *more: object) -> tuple[int, str, Manifest]:
    arguments = command("run", "mini", "--limit", 1, "--out", "run", *more, server=server)
    code, _out, err = call(arguments, folder)
    return code, err, read_manifest(folder / "run")


def test_what_was_found_is_kept_and_told(tmp_path: Path) -> None:
    with serve(Answers({"content": HERMES})) as server:
        code, err, manifest = run_once(tmp_path, server)
    assert code == 0
    assert "Warning: openai/mock: answers, but its server left the call in the text, in the dialect hermes" in err
    assert "Suggestion: use --dialect hermes, or the tool-call parser of its server" in err
    assert isinstance(manifest.probe, ProbeRecord)
    assert manifest.probe.finding == Finding.CALLS_AS_TEXT
    assert manifest.probe.readers[0] == "hermes"
    assert manifest.probe.left == "left_in_text"
    assert manifest.probe.tokens_per_second > 0
    assert manifest.interface
    assert manifest.interface.replies == len(server.requests) - 1
    assert manifest.interface.written == manifest.interface.parsed > 0
    shown = {fact.heading: fact.value for fact in facts_of(open_run(tmp_path / "run"), "en")}
    assert shown["calls"].startswith(f"{manifest.interface.replies} replies; with a call as the model wrote it: ")
    assert shown["test question"].startswith("finding=calls_as_text, ")
