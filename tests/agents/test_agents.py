"""Agents are measured like models: what a loop around a built-in model says is what that model says."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest

import toolgauge
from tests.mockserver import serve
from toolgauge.analysis.numbers import Metrics
from toolgauge.errors import UsageError
from toolgauge.models.registry import open_model
from toolgauge.runs.spec import RunResult

PLAYERS = "agent/python:tests.agents.players:"


def measured(agent: str, out: Path, **options: object) -> RunResult:
    return toolgauge.run("mini", agent, out=out, **{"limit": 4, **options})  # type: ignore[arg-type]


def labels(folder: Path) -> dict[str, dict[str, tuple[str, str | None]]]:
    lines = map(json.loads, (folder / "scores.jsonl").read_text(encoding="utf-8").splitlines())
    return {
        line["task_id"]: {name: (verdict["label"], verdict["mistake"]) for name, verdict in line["readings"].items()}
        for line in lines
    }


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("history", ["gold", "own"])
@pytest.mark.parametrize(
    ("agent", "model"),
    [("perfect", "builtin/oracle"), ("wrong_values", "builtin/noisy?seed=1&rate=0.5&only=wrong_value")],
)
def test_a_loop_around_a_model_is_judged_like_the_model(
    agent: str, model: str, history: str, language: str, tmp_path: Path
) -> None:
    measured(PLAYERS + agent, tmp_path / "agent", history=history, language=language)
    measured(model, tmp_path / "model", history=history, language=language)
    assert labels(tmp_path / "agent") == labels(tmp_path / "model")


def test_over_mcp_too(tmp_path: Path) -> None:
    measured(PLAYERS + "over_mcp", tmp_path / "agent")
    assert {label for found in labels(tmp_path / "agent").values() for label, _mistake in found.values()} == {"correct"}


def test_what_nobody_saw_is_absent(tmp_path: Path) -> None:
    metrics: Metrics = measured(PLAYERS + "perfect", tmp_path / "agent").metrics
    assert metrics.rate("exact", "orchestration", "op_overall") is None
    assert metrics.rate("exact", "orchestration", "ap_overall") is not None
    assert {metrics.effort.amounts[name].total for name in ("steps", "requests", "input_tokens")} == {None}


@pytest.mark.parametrize(
    ("agent", "why"),
    [
        ("hangs", "no call and no answer within 0.2 s"),
        ("dies", "the agent failed: RuntimeError: out of ideas"),
        ("speechless", "its turn ended with NoneType, not with a text"),
    ],
)
def test_an_agent_that_fails_is_not_scored_and_asked_again(agent: str, why: str, tmp_path: Path) -> None:
    result = measured(PLAYERS + agent, tmp_path / "run", limit=1, timeout=0.2)
    assert (result.outcome.done, result.outcome.failed, result.metrics.scored) == (0, 4, 0)
    failures = [json.loads(line) for line in (tmp_path / "run" / "failures.jsonl").read_text().splitlines()]
    assert {line["blame"] for line in failures} == {"provider"}
    assert all(why in line["reason"] for line in failures)


def test_a_flood_of_calls_is_a_wrong_answer(tmp_path: Path) -> None:
    result = measured(PLAYERS + "floods", tmp_path / "run", limit=1)
    assert result.metrics.scored == 4
    assert {label for found in labels(tmp_path / "run").values() for label, _mistake in found.values()} == {"error"}


def test_a_run_is_continued(tmp_path: Path) -> None:
    measured(PLAYERS + "perfect", tmp_path / "run", limit=1)
    again = measured(PLAYERS + "perfect", tmp_path / "run", limit=1)
    assert (again.outcome.done, again.metrics.scored) == (0, 4)


@pytest.mark.parametrize(
    ("agent", "why"),
    [
        ("agent/nowhere", "write it as an address"),
        ("agent/python:tests.agents.players:missing", "cannot be loaded: AttributeError"),
        ("agent/python:no.such.module:agent", "cannot be loaded: ModuleNotFoundError"),
        ("agent/python:tests.agents.players:not_async", "must be `async def"),
        ("agent/command:", "name the program"),
        ("agent/command:'", "No closing quotation"),
        ("agent/http://localhost:1/v1?mcp_header=a&mcp_field=b", "not both"),
    ],
)
def test_names_that_are_no_agents(agent: str, why: str) -> None:
    with pytest.raises(UsageError, match=why.replace("?", r"\?")):
        open_model(agent)


PROCESS = """
import json, sys
tools = []
for line in sys.stdin:
    said = json.loads(line)
    if said["type"] == "start":
        tools = [tool["name"] for tool in said["tools"]]
        assert said["mcp_url"].startswith("http://127.0.0.1:") and said["history"]
    elif said["type"] == "user":
        print(json.dumps({"type": "call", "id": "1", "name": tools[0], "arguments": {}}), flush=True)
    else:
        print(json.dumps({"type": "final", "text": said["text"]}), flush=True)
"""


def test_a_process_speaks_in_lines(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text(PROCESS)
    result = measured(f"agent/command:{sys.executable} {tmp_path}/agent.py", tmp_path / "run", limit=1)
    assert result.metrics.scored == 4
    lines = [json.loads(line) for line in (tmp_path / "run" / "trajectories.jsonl").read_text().splitlines()]
    assert all(line["steps"][0]["reply"]["tool_calls"][0]["arguments"] == "{}" for line in lines)


def test_a_process_that_ends_is_one_failed_conversation(tmp_path: Path) -> None:
    result = measured(f"agent/command:{sys.executable} -c 'exit(3)'", tmp_path / "run", limit=1)
    assert result.outcome.failed == 4
    assert "the process ended (exit code 3)" in (tmp_path / "run" / "failures.jsonl").read_text()


@pytest.mark.parametrize("told", ["header", "field"])
def test_an_agent_behind_an_address(told: str, tmp_path: Path) -> None:
    """It is sent what the user says, no tools, and where the tools stand; it calls one of them."""
    seen = []

    def answer(request: dict[str, object]) -> dict[str, object]:
        seen.append(request)
        return {"role": "assistant", "content": "I looked into it."}

    with serve(answer) as endpoint:
        query = "?mcp_field=tool_server&model=mine" if told == "field" else ""
        result = measured(f"agent/{endpoint.base_url}{query}", tmp_path / "run", limit=1, api_key="none")
    assert result.metrics.scored == 4
    assert not any("tools" in request for request in seen)
    if told == "field":
        assert all(str(request["tool_server"]).startswith("http://127.0.0.1:") for request in seen)
        assert {request["model"] for request in seen} == {"mine"}


def test_conversations_at_once_hear_nothing_of_each_other() -> None:
    """Many at once, each with a secret of its own: what a call gives is the conversation's, whatever the order."""
    asyncio.run(_crowd(200))


async def _crowd(size: int) -> None:
    import random

    from mcp import Client

    from toolgauge.agents.conversation import AgentConversation
    from toolgauge.agents.server import ToolServer
    from toolgauge.chat import Message, Reply, Request, Tool

    server, draw = ToolServer(), random.Random(1)

    class Agent:
        def __init__(self, address: str) -> None:
            self.address = address

        async def respond(self, said: str) -> Reply:
            async with Client(self.address) as client:
                for number in range(2):
                    await asyncio.sleep(draw.random() / 100)
                    result = await client.call_tool("tell", {"said": said, "number": number})
                    assert getattr(result.content[0], "text", None) == f"{said} {number}"
            return Reply(said)

        async def close(self) -> None: ...

    async def converse(number: int) -> None:
        said = f"secret {number}"
        conversation = AgentConversation("test", f"key-{number}", 60)
        async with server.offering(conversation) as address:
            conversation.join(Agent(address))
            messages: tuple[Message, ...] = (Message("user", said),)
            for step in range(2):
                reply = await conversation.ask(Request("assistant", messages, (Tool("tell"),)))
                (call,) = reply.tool_calls
                assert json.loads(call.arguments) == {"said": said, "number": step}
                messages = (*messages, reply.message(), Message("tool", f"{said} {step}", tool_call_id=call.id))
            assert (await conversation.ask(Request("assistant", messages))).content == said
            await conversation.close()

    await asyncio.gather(*(converse(number) for number in range(size)))
    await server.close()


def test_an_address_of_nobody_gives_nothing() -> None:
    async def ask() -> None:
        from mcp import Client

        from toolgauge.agents.conversation import AgentConversation
        from toolgauge.agents.server import ToolServer

        server = ToolServer()
        conversation = AgentConversation("test", "key", 5)
        async with server.offering(conversation) as address, Client(address.replace("/key", "/another")) as client:
            assert (await client.list_tools()).tools == []
            assert (await client.call_tool("tell", {})).is_error
        await server.close()

    asyncio.run(ask())
