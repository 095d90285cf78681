"""Agents made with real frameworks, each around a model that is scripted with the annotated answers: what the framework
makes of them over MCP is judged right (make agents; the frameworks have an environment of their own).
"""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path
from typing import Any

import pytest

import toolgauge
from tests.mockserver import serve
from toolgauge.benchmarks.registry import find_benchmark
from toolgauge.chat import Reply
from toolgauge.episode import drive
from toolgauge.models.builtin.models import oracle

PYTHON = os.environ.get("TOOLGAUGE_FRAMEWORKS_PYTHON", "")
AGENTS = Path(__file__).parents[2] / "examples" / "agents"
FINAL = "final_answer"
"""The tool with which smolagents' loop ends."""

pytestmark = [
    pytest.mark.agents,
    pytest.mark.skipif(not PYTHON, reason="the frameworks are not installed: make agents"),
]


class Script:
    """A model that knows the annotated replies to what users say in some sessions of mini."""

    def __init__(self, language: str, sessions: int) -> None:
        benchmark = find_benchmark("mini")
        assert benchmark.embedded is not None
        dataset = benchmark.load(benchmark.embedded, language)
        self._replies: dict[str, list[Reply]] = {}
        for sample in benchmark.samples(dataset):
            if sample.session_id in [session.id for session in dataset.sessions[:sessions]]:
                trajectory = drive(benchmark.episode(dataset, sample), oracle)
                for step in trajectory.steps:
                    if said := [message.content or "" for message in step.messages if message.role == "user"]:
                        replies = self._replies.setdefault(said[-1], [])
                        assert not replies, "two users say the same"
                    replies.append(step.reply)

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """The reply to the messages so far: which one, the number of replies since the user spoke says."""
        messages = request["messages"]
        users = [at for at, message in enumerate(messages) if self._said(message) is not None]
        said = self._said(messages[users[-1]])
        assert said is not None
        step = sum(message["role"] == "assistant" for message in messages[users[-1] :])
        reply = self._replies[said][step]
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
        return max((said for said in self._replies if said in text), key=len, default=None)


@pytest.mark.parametrize("framework", ["openai_agents", "pydantic_ai", "langgraph", "smolagents"])
def test_a_framework_gets_what_its_model_says(framework: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = Script("en", 4)
    with serve(script.answer) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.base_url)
        command = shlex.join([PYTHON, str(AGENTS / f"with_{framework}.py")])
        out = tmp_path / "run"
        result = toolgauge.run("mini", f"agent/command:{command}", out=out, limit=4, concurrency=4, timeout=120)
    assert result.outcome.failed == 0, (out / "failures.jsonl").read_text()
    wrong = [line for line in map(json.loads, (out / "scores.jsonl").read_text().splitlines())
             if line["readings"]["exact"]["label"] != "correct"]  # fmt: skip
    assert wrong == []
    assert result.metrics.scored == 16
