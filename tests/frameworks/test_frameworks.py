"""Agents made with real frameworks, each around a model that is scripted with the annotated answers: what the framework
makes of them over MCP is judged right (make agents; the frameworks have an environment of their own).
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import pytest

import toolgauge
from tests.mockserver import serve, status
from toolgauge.analysis.decide import Outcome
from toolgauge.analysis.gate import Criteria
from toolgauge.benchmarks.benchmark import Setup
from toolgauge.benchmarks.registry import find_benchmark
from toolgauge.chat import Reply, Request
from toolgauge.episode import ASSISTANT, drive
from toolgauge.models.builtin.models import noisy, oracle
from toolgauge.runs.run import RunResult

PYTHON = os.environ.get("TOOLGAUGE_FRAMEWORKS_PYTHON", "")
NODE_FOLDER = os.environ.get("TOOLGAUGE_FRAMEWORKS_NODE", "")
FRAMEWORKS = ("openai_agents", "pydantic_ai", "langgraph", "smolagents", "agno", "haystack", "ai_sdk")
ACEBENCH = Path(__file__).parents[1] / "fixtures" / "acebench" / "data_all"
AGENTS = Path(__file__).parents[2] / "examples" / "agents"
FINAL = "final_answer"
"""The tool with which smolagents' loop ends."""

pytestmark = pytest.mark.agents


def command_of(framework: str) -> str:
    """The command of an example agent, as it is named; skips the test where its framework is not installed."""
    if framework != "ai_sdk":
        return f"agent/command:{shlex.join([PYTHON, str(AGENTS / f'with_{framework}.py')])}"
    node = shutil.which("node")
    if node is None or not (Path(NODE_FOLDER) / "node_modules" / "ai").is_dir():
        pytest.skip("node or npm is not installed, or the npm registry cannot be reached: make agents")
    program = shutil.copy(AGENTS / "with_ai_sdk.mjs", NODE_FOLDER)  # it finds its packages beside itself
    return f"agent/command:{shlex.join([node, str(program)])}"


class Script:
    """A model that knows what is replied to what users say in some sessions of a benchmark. play: who replied, the
    annotation or a built-in model; labels: what each task is, scored without any agent."""

    def __init__(
        self,
        name: str = "mini",
        data: Path | None = None,
        limit: int = 4,
        play: Callable[[Request], Reply] = oracle,
        **options: object,
    ) -> None:
        benchmark = find_benchmark(name)
        file = data or benchmark.embedded
        assert file is not None
        dataset = benchmark.load(file, "en")
        setup = Setup(limit=limit, options=options)
        self._replies: dict[str, list[Reply]] = {}
        self.labels: dict[str, str] = {}
        for sample in benchmark.samples(dataset, setup):
            trajectory = drive(benchmark.episode(dataset, sample, setup), play)
            scores = benchmark.scores(dataset, trajectory)
            self.labels |= {score.task_id: score.scorings["exact"].label for score in scores}
            for step in (step for step in trajectory.steps if step.role == ASSISTANT):
                if said := [message.content or "" for message in step.messages if message.role == "user"]:
                    replies = self._replies.setdefault(said[-1], [])
                    assert not replies, "two users say the same"
                replies.append(step.reply)

    def written(self) -> str:
        """What the users say with the replies to it, as JSON."""
        return json.dumps({said: [reply.message().wire() for reply in all_] for said, all_ in self._replies.items()})

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """The reply to the messages so far: which one, the number of replies since the user spoke says."""
        messages = request["messages"]
        users = [at for at, message in enumerate(messages) if self._said(message) is not None]
        said = self._said(messages[users[-1]])
        assert said is not None
        step = sum(message["role"] == "assistant" for message in messages[users[-1] :])
        known = self._replies[said]
        reply = known[step] if step < len(known) else Reply("That is all.")
        offered = [tool["function"]["name"] for tool in request.get("tools", ())]
        if reply.tool_calls or FINAL not in offered:
            message: dict[str, Any] = reply.message().wire()
            return message
        arguments = json.dumps({"answer": reply.content})
        call = {"id": "call_end", "type": "function", "function": {"name": FINAL, "arguments": arguments}}
        return {"role": "assistant", "content": None, "tool_calls": [call]}

    def _said(self, message: dict[str, Any]) -> str | None:
        """What the user of a session says in a message; frameworks put words around it, or make a list of it."""
        if message["role"] != "user":
            return None
        content = message["content"]
        text = content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
        found = (said for said in self._replies if said in text)
        return max(found, key=lambda said: text.rfind(said) + len(said), default=None)


@pytest.mark.skipif(not PYTHON, reason="the frameworks are not installed: make agents")
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_framework_gets_what_its_model_says(framework: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = Script(limit=2)
    with serve(script.answer) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.base_url)
        out = tmp_path / "run"
        result = toolgauge.run("mini", command_of(framework), out=out, limit=2, concurrency=4, timeout=120)
    _all_right(result, out)


@pytest.mark.skipif(not PYTHON, reason="the frameworks are not installed: make agents")
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_wrong_model_is_as_wrong_in_every_framework(
    framework: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two of the first four tasks get wrong values."""
    script = Script(limit=1, play=noisy(6, 0.5, "wrong_value"))
    assert list(script.labels.values()).count("correct") == 2
    with serve(script.answer) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.base_url)
        toolgauge.run("mini", command_of(framework), out=tmp_path, limit=1, concurrency=4, timeout=120)
    lines = map(json.loads, (tmp_path / "scores.jsonl").read_text().splitlines())
    assert {line["task_id"]: line["scorings"]["exact"]["label"] for line in lines} == script.labels


@pytest.mark.skipif(not PYTHON, reason="the frameworks are not installed: make agents")
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_framework_plays_acebench(framework: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls that are the answer, and calls in a world with a simulated user."""
    options: dict[str, Any] = {"categories": ("normal_single_turn_parallel_function", "agent")}
    script = Script("acebench", ACEBENCH, 1, style="native", **options)
    with serve(script.answer) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.base_url)
        asked: dict[str, Any] = {
            "data": ACEBENCH,
            "limit": 1,
            "roles": {"user": "builtin/oracle"},
            "timeout": 120,
            **options,
        }
        result = toolgauge.run("acebench", command_of(framework), out=tmp_path / "run", **asked)
    _all_right(result, tmp_path / "run")


@pytest.mark.skipif(not PYTHON, reason="the frameworks are not installed: make agents")
def test_a_model_that_names_a_missing_tool_fails_the_task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """OpenAI's SDK raises then: the task is wrong, and a gate does not pass the run."""
    script = Script()

    def answer(request: dict[str, Any]) -> dict[str, Any]:
        message = script.answer(request)
        for call in message.get("tool_calls", ()):
            call["function"]["name"] = "no_such_tool"
        return message

    with serve(answer) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.base_url)
        out = tmp_path / "run"
        result = toolgauge.run("mini", command_of("openai_agents"), out=out, limit=4, concurrency=4, timeout=120)
    assert (result.outcome.failed, result.metrics.scored, result.metrics.missing) == (0, 16, 0)
    lines = map(json.loads, (out / "scores.jsonl").read_text().splitlines())
    verdicts = [verdict for line in lines for verdict in line["scorings"].values() if verdict["label"] != "correct"]
    assert {verdict["mistake"] for verdict in verdicts} == {"agent_error"}
    assert all("Tool no_such_tool not found in agent" in verdict["detail"] for verdict in verdicts)
    assert toolgauge.gate(out, Criteria({"task_accuracy": 0.9})).outcome is not Outcome.HOLDS


@pytest.mark.skipif(not PYTHON, reason="the frameworks are not installed: make agents")
@pytest.mark.parametrize("framework", ["openai_agents", "pydantic_ai"])
def test_an_agent_without_its_model_is_a_failed_sample(
    framework: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve(faults=[status(503)] * 100) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.base_url)
        result = toolgauge.run("mini", command_of(framework), out=tmp_path, ids=("mini_0/0",), timeout=120)
    assert (result.outcome.failed, result.metrics.scored) == (1, 0)
    assert json.loads((tmp_path / "failures.jsonl").read_text())["blame"] == "provider"


def test_an_agent_that_speaks_a2a_and_raises_fails_the_task(tmp_path: Path) -> None:
    pytest.importorskip("a2a", reason="a2a-sdk is not installed: make agents")
    (tmp_path / "script.json").write_text("{}")  # whatever the user says, it raises KeyError
    served = [sys.executable, str(Path(__file__).with_name("a2a_agent.py")), str(tmp_path / "script.json")]
    with subprocess.Popen(served, stdout=subprocess.PIPE, text=True) as agent:
        assert agent.stdout is not None
        try:
            address = agent.stdout.readline().strip()
            result = toolgauge.run("mini", f"agent/a2a:{address}", out=tmp_path / "run", limit=1, timeout=60)
        finally:
            agent.kill()
    assert (result.outcome.failed, result.metrics.scored) == (0, 4), result.outcome
    lines = map(json.loads, (tmp_path / "run" / "scores.jsonl").read_text().splitlines())
    assert {verdict["mistake"] for line in lines for verdict in line["scorings"].values()} == {"agent_error"}


@pytest.mark.parametrize("history", ["gold", "own"])
def test_an_agent_that_speaks_a2a_gets_what_its_script_says(history: Literal["gold", "own"], tmp_path: Path) -> None:
    pytest.importorskip("a2a", reason="a2a-sdk is not installed: make agents")
    (tmp_path / "script.json").write_text(Script().written())
    served = [sys.executable, str(Path(__file__).with_name("a2a_agent.py")), str(tmp_path / "script.json")]
    with subprocess.Popen(served, stdout=subprocess.PIPE, text=True) as agent:
        assert agent.stdout is not None
        try:
            address = agent.stdout.readline().strip()
            out = tmp_path / "run"
            result = toolgauge.run("mini", f"agent/a2a:{address}", out=out, limit=4, history=history, timeout=120)
            gone = toolgauge.run("mini", f"agent/a2a:{address}/nowhere", out=tmp_path / "gone", limit=1, timeout=5)
        finally:
            agent.kill()
    _all_right(result, out)
    assert json.loads((out / "run.json").read_text())["model"]["base_url"] == address
    assert gone.outcome.failed == 4
    assert {line["blame"] for line in map(json.loads, (tmp_path / "gone" / "failures.jsonl").open())} == {"provider"}


def _all_right(result: RunResult, out: Path) -> None:
    assert result.outcome.failed == 0, (out / "failures.jsonl").read_text()
    wrong = [line for line in map(json.loads, (out / "scores.jsonl").read_text().splitlines())
             if line["scorings"]["exact"]["label"] != "correct"]  # fmt: skip
    assert wrong == []
    assert result.metrics.scored > 2
