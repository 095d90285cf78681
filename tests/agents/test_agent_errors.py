"""What an agent raises, hangs in or answers with nothing is a wrong task; a lost connection is a failed sample."""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest

import toolgauge
from tests.mockserver import HTML, HTML_502, RESET, Fault, rate_limited, serve, status
from tests.rows import rows
from tests.sizes import sized
from toolgauge.agents.failures import lost_connection, says_lost_connection
from toolgauge.benchmarks.registry import find_benchmark
from toolgauge.chat import Json, Reply, Request
from toolgauge.episode import drive
from toolgauge.judge.mistakes import AGENT_ERROR
from toolgauge.judge.verdict import ERROR
from toolgauge.models.builtin.models import oracle
from toolgauge.runs.run import RunResult

PLAYERS = "agent/python:tests.agents.players:"
FIXTURES = Path(__file__).parents[1] / "fixtures"
ACEBENCH = FIXTURES / "acebench" / "data_all"
FAILED = Reply(error="ValueError: no such tool 'x'")


def measured(agent: str, out: Path, benchmark: str = "mini", **options: object) -> RunResult:
    return toolgauge.run(benchmark, agent, out=out, **{"limit": 1, **options})


def lines(file: Path) -> list[Json]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []


def causes(folder: Path) -> set[tuple[str, str, str]]:
    """Label, mistake and detail of all tasks in all scorings."""
    scorings = (verdict for line in lines(folder / "scores.jsonl") for verdict in line["scorings"].values())
    return {(verdict["label"], verdict["mistake"], verdict["detail"]) for verdict in scorings}


def all_wrong(result: RunResult, folder: Path, words: str, tasks: int = 4) -> None:
    """Every task was scored, and is wrong in every scoring because of the agent."""
    assert (result.outcome.failed, result.metrics.scored, result.metrics.missing) == (0, tasks, 0)
    assert lines(folder / "failures.jsonl") == []
    assert causes(folder) == {("error", "agent_error", f"the agent failed: {words}")}


@pytest.mark.parametrize("history", ["gold", "own"][: sized(1, 2)])
@pytest.mark.parametrize(
    ("agent", "words"),
    [
        ("hangs", "no call and no reply within 0.2 s"),
        ("dies", "RuntimeError: out of ideas"),
        ("speechless", "the agent must return str, not NoneType"),
        ("silent", "the agent ended its turn without a reply or a call"),
        ("exits", "SystemExit: 3"),
        ("unusual", "Unusual: stop [2J it all \\ud800"),
        ("cancelled", "the turn of the agent was cancelled"),
        ("grouped", "ValueError: no such tool 'x'"),
        ("numbered", "TypeError: the name of a tool must be a string, not int"),
        ("unsayable", "TypeError: Object of type set is not JSON serializable"),
    ],
)
def test_an_agent_that_fails_is_wrong(agent: str, words: str, history: Literal["gold", "own"], tmp_path: Path) -> None:
    limit = 0.2 if agent == "hangs" else 60.0
    result = measured(PLAYERS + agent, tmp_path, timeout=limit, history=history)
    all_wrong(result, tmp_path, words)
    again = measured(PLAYERS + agent, tmp_path, timeout=limit, history=history)
    assert (again.outcome.done, again.metrics.scored) == (0, 4), "the run directory is readable, and complete"


@rows("name", ["mini", "wildtoolbench", "mmtb", "acebench"])
def test_a_failed_agent_is_wrong_in_every_scoring(name: str) -> None:
    """At its first reply and after right ones; all other verdicts of a conversation stay."""
    benchmark = find_benchmark(name)
    file = {"acebench": ACEBENCH}.get(name, FIXTURES / f"{name}_small.jsonl")
    data = benchmark.load(benchmark.embedded or file, "en")
    for sample in benchmark.samples(data)[:40]:
        perfect = drive(benchmark.episode(data, sample), oracle)
        for step in (0, len(perfect.steps) - 1):
            if perfect.steps[step].role == "assistant":
                played = drive(benchmark.episode(data, sample), _failing_at(step))
                (score,) = benchmark.scores(data, played)
                assert {(one.label, one.mistake) for one in score.scorings.values()} == {(ERROR, AGENT_ERROR)}
                assert all(one.progress[0] < one.progress[1] for one in score.scorings.values())


def _failing_at(step: int) -> Callable[[Request], Reply]:
    """The perfect model up to a request, and there an agent that failed."""
    count = iter(range(1000))
    return lambda request: FAILED if next(count) == step else oracle(request)


def test_a_lost_model_is_a_failed_sample(tmp_path: Path) -> None:
    result = measured(PLAYERS + "without_model", tmp_path)
    assert (result.outcome.done, result.outcome.failed, result.metrics.scored) == (0, 4, 0)
    failures = lines(tmp_path / "failures.jsonl")
    assert {line["blame"] for line in failures} == {"provider"}
    assert all("connection lost: RuntimeError: the framework's own" in line["reason"] for line in failures)


class APIStatusError(Exception):
    """As of OpenAI's client."""

    def __init__(self, status_code: int) -> None:
        super().__init__(f"Error code: {status_code}")
        self.status_code = status_code


class ConnectTimeout(Exception):
    """As of httpx."""


@rows(
    ("error", "lost"),
    [
        (ConnectionRefusedError(111, "refused"), True),
        (ConnectTimeout(), True),
        (APIStatusError(429), True),
        (APIStatusError(503), True),
        (ExceptionGroup("group", [ValueError(), BrokenPipeError()]), True),
        (APIStatusError(400), False),
        (FileNotFoundError(2, "no file"), False),
        (TimeoutError("its own"), False),
        (KeyError("x"), False),
    ],
)
def test_what_is_a_lost_connection(error: BaseException, lost: bool) -> None:
    """Also as the cause of an error of the framework, and as a process prints it."""
    wrapped = RuntimeError("the framework's own")
    wrapped.__cause__ = error
    assert lost_connection(error) is lost_connection(wrapped) is lost
    if not isinstance(error, APIStatusError):
        assert says_lost_connection("".join(traceback.format_exception(wrapped))) is lost


def process(folder: Path, code: str) -> str:
    """An agent that is a process, which reads "start" and "user" before it does this."""
    file = folder / "agent.py"
    file.write_text(f"import json, os, sys\nsys.stdin.readline(), sys.stdin.readline()\n{code}\n")
    return f"agent/command:{sys.executable} {file}"


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("raise ValueError('x')", "the agent exited with code 1; last output: ValueError: x"),
        ("sys.exit(0)", "the agent exited with code 0"),
        ("print('Loading ...', flush=True); sys.stdin.read()", "the agent wrote an invalid line: Loading ..."),
        ("print(json.dumps({'type': 'call', 'name': 5}), flush=True); sys.stdin.read()",
         "the agent wrote an invalid line: {\"type\": \"call\", \"name\": 5}"),
        ("while True: os.write(1, b'x' * 1_000_000)", "the agent wrote a line longer than 8,000,000 bytes"),
    ],
)  # fmt: skip
def test_a_process_that_fails_is_wrong(code: str, words: str, tmp_path: Path) -> None:
    result = measured(process(tmp_path, code), tmp_path / "run", timeout=60, concurrency=4)
    all_wrong(result, tmp_path / "run", words)


def test_a_process_that_lost_its_model_is_a_failed_sample(tmp_path: Path) -> None:
    code = "class APIConnectionError(Exception): ...\ntry: raise APIConnectionError('Connection error.')\n"
    code += "except Exception as error: raise RuntimeError('the framework') from error"
    result = measured(process(tmp_path, code), tmp_path / "run")
    assert (result.outcome.failed, result.metrics.scored) == (4, 0)
    assert {line["blame"] for line in lines(tmp_path / "run" / "failures.jsonl")} == {"provider"}


@pytest.mark.parametrize(
    ("fault", "words"), [(status(500, "no such tool"), "HTTP 500: no such tool"), (HTML, "a web page, not JSON")]
)
def test_an_agent_that_answers_with_an_error_is_wrong(fault: Fault, words: str, tmp_path: Path) -> None:
    with serve(faults=[fault] * 4) as server:
        result = measured(f"agent/{server.base_url}", tmp_path, api_key="none")
    assert (result.outcome.failed, result.metrics.scored) == (0, 4)
    found = causes(tmp_path)
    assert {mistake for _label, mistake, _detail in found} == {"agent_error"}
    assert all(words in detail for _label, _mistake, detail in found)


@pytest.mark.parametrize("fault", [RESET, HTML_502, rate_limited(), status(503), status(401)])
def test_an_agent_that_cannot_be_reached_is_a_failed_sample(fault: Fault, tmp_path: Path) -> None:
    with serve(faults=[fault] * 4) as server:
        result = measured(f"agent/{server.base_url}", tmp_path, api_key="none")
        assert (result.outcome.failed, result.metrics.scored) == (4, 0)
        again = measured(f"agent/{server.base_url}", tmp_path, api_key="none")
    assert (again.outcome.done, again.metrics.scored) == (4, 4), "continuing asks it again"
