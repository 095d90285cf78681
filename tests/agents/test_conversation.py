"""One conversation between an episode and an agent that does not do what one wishes; many at once; MCP over stdio."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp import Client, StdioServerParameters, stdio_client

import toolgauge
from tests.rows import rows
from tests.sizes import sized
from toolgauge.agents.bridge import Bridge, mcp_command
from toolgauge.agents.conversation import RECORDED, AgentConversation, Respond
from toolgauge.agents.server import ToolServer
from toolgauge.chat import GoldHint, Json, Message, Reply, Request, Tool, ToolCall

TELL = (Tool("tell"),)
Agent = Callable[[AgentConversation, str], Awaitable[str]]


def respond(conversation: AgentConversation, agent: Agent) -> Respond:
    """An agent that is a function of its conversation and of what the user says."""

    async def respond(said: str) -> Reply:
        return Reply(await agent(conversation, said))

    return respond


def opened(agent: Agent, timeout: float = 60) -> AgentConversation:
    conversation = AgentConversation("test", "key", timeout)
    conversation.join(respond(conversation, agent))
    return conversation


def asked(*said: str, due: int = 1, whole: bool = False) -> Request:
    """What an episode asks: users' words, of which the last are new; `due` calls are annotated."""
    calls = tuple(ToolCall(str(number), "tell", "{}") for number in range(due))
    hint = GoldHint("final" if whole else "calls", Reply(None, calls))
    return Request("assistant", tuple(Message("user", text) for text in said), TELL, gold_hint=hint)


def run(agent: str, out: Path, history: str = "gold") -> dict[str, tuple[str, str | None]]:
    """How the tasks of a session are judged."""
    found = toolgauge.run("mini", f"agent/python:tests.agents.players:{agent}", out=out, limit=1, history=history)
    assert (found.outcome.failed, found.metrics.scored) == (0, 4)
    lines = map(json.loads, (out / "scores.jsonl").read_text(encoding="utf-8").splitlines())
    exact = ((line["task_id"], line["scorings"]["exact"]) for line in lines)
    return {task: (verdict["label"], verdict["mistake"]) for task, verdict in exact}


@pytest.mark.parametrize("history", ["gold", "own"])
@pytest.mark.parametrize(
    ("agent", "judged"),
    [
        ("cancels", ("correct", None)),
        ("never_ends", ("error", "redundant_call")),
        ("unknown", ("error", "unknown_tool")),
        ("no_object", ("error", "wrong_type")),
    ],
)
def test_what_agents_do_is_judged(agent: str, judged: tuple[str, str | None], history: str, tmp_path: Path) -> None:
    """A call that nobody waits for any more, the same call for ever, a tool and arguments that there are not: each is
    judged, no run breaks, and none is asked for ever."""
    assert set(run(agent, tmp_path / "run", history).values()) == {judged}


async def _hangs_after_a_call(conversation: AgentConversation, _said: str) -> str:
    await conversation.call("tell", {})
    await asyncio.Event().wait()
    return ""


def test_a_turn_that_hangs_after_its_task_is_broken_off() -> None:
    async def converse() -> None:
        conversation = opened(_hangs_after_a_call, timeout=0.2)
        assert len((await conversation.ask(asked("first"))).tool_calls) == 1
        assert len((await conversation.ask(asked("first", "second"))).tool_calls) == 1
        await conversation.close()

    asyncio.run(converse())


def test_a_turn_that_does_not_let_itself_be_broken_off_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolgauge.agents.conversation.GRACE_SECONDS", 0.05)
    ended = asyncio.Event()

    async def stubborn(_conversation: AgentConversation, _said: str) -> str:
        while not ended.is_set():
            try:
                await ended.wait()
            except asyncio.CancelledError:
                continue
        return ""

    async def converse() -> None:
        conversation = opened(stubborn, timeout=0.05)
        assert (await conversation.ask(asked("first"))).error == "no call and no reply within 0.05 s"
        await conversation.close()
        ended.set()

    asyncio.run(converse())


def test_calls_that_are_the_whole_answer_are_one_reply() -> None:
    """Where an episode gives no results, an agent that makes one call after another makes them all."""
    results = []

    async def one_by_one(conversation: AgentConversation, _said: str) -> str:
        for number in range(3):
            result = await conversation.call("tell", {"number": number})
            results.append(result.text)
        return "done"

    async def converse(due: int) -> Reply:
        conversation = opened(one_by_one)
        reply = await conversation.ask(asked("all", due=due, whole=True))
        await conversation.close()
        return reply

    assert [call.arguments for call in asyncio.run(converse(3)).tool_calls] == [f'{{"number": {n}}}' for n in range(3)]
    assert results[:2] == [RECORDED, RECORDED]
    fewer = asyncio.run(converse(5))
    assert (len(fewer.tool_calls), fewer.content) == (3, "done")


async def _raw(client: httpx2.AsyncClient, address: str, method: str, params: Json, version: str = "") -> Json:
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    headers = {"Accept": "application/json, text/event-stream"} | ({"MCP-Protocol-Version": version} if version else {})
    answer: Json = (await client.post(address, json=body, headers=headers, timeout=60)).json()
    return answer


async def _waits(_conversation: AgentConversation, _said: str) -> str:
    await asyncio.Event().wait()
    return ""


def test_who_speaks_mcp_in_another_way_is_told_and_changes_nothing() -> None:
    """Other protocol versions, arguments that are no object, calls without a name, other methods of HTTP."""

    async def converse() -> None:
        server, conversation = ToolServer(), opened(_waits)
        async with server.offering(conversation) as address, httpx2.AsyncClient() as client:
            step = asyncio.ensure_future(conversation.ask(asked("hello")))
            who = {"capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
            for spoken in ("2024-11-05", "2025-06-18", "1999-01-01", "2999-01-01"):
                agreed = await _raw(client, address, "initialize", {"protocolVersion": spoken, **who})
                known = spoken in ("2024-11-05", "2025-06-18")
                assert (agreed["result"]["protocolVersion"] == spoken) is known
            assert "error" in await _raw(client, address, "tools/list", {}, "1999-01-01")
            assert (await _raw(client, address, "tools/list", {}, "2024-11-05"))["result"]["tools"]
            unreadable: list[Json] = [{"name": "tell", "arguments": [1]}, {"name": "tell", "arguments": "{}"}, {}]
            for params in unreadable:
                assert "error" in await _raw(client, address, "tools/call", params)
            assert "error" in await _raw(client, address, "resources/list", {})
            assert (await client.get(address)).status_code == 405
            assert (await client.post(address, json={}, headers={"Host": "example.org"})).status_code == 421
            right = asyncio.ensure_future(_raw(client, address, "tools/call", {"name": "tell", "arguments": {}}))
            assert [call.name for call in (await step).tool_calls] == ["tell"]
            await conversation.close()
            assert (await right)["result"]["isError"]
        await server.close()

    asyncio.run(converse())


@settings(max_examples=sized(6, 15))
@given(st.lists(st.integers(0, 11), min_size=1, max_size=60))
def test_in_whatever_order_conversations_call_each_hears_its_own(order: list[int]) -> None:
    asyncio.run(_crowd(order))


async def _crowd(order: list[int]) -> None:
    """Conversations that call when it is their turn: what a call gives is the conversation's, whatever the order."""
    server, calls = ToolServer(), {key: order.count(key) for key in sorted(set(order))}
    turns = {key: asyncio.Semaphore(0) for key in calls}

    async def converse(key: int) -> None:
        conversation = AgentConversation("test", f"key-{key}", 240)

        async def agent(_conversation: AgentConversation, said: str) -> str:
            async with Client(address) as client:
                for number in range(calls[key]):
                    await turns[key].acquire()
                    result = await client.call_tool("tell", {"said": said, "number": number})
                    assert getattr(result.content[0], "text", None) == f"{said} {number}"
            return said

        async with server.offering(conversation) as address:
            conversation.join(respond(conversation, agent))
            messages: tuple[Message, ...] = (Message("user", f"user {key}"),)
            for number in range(calls[key]):
                reply = await conversation.ask(Request("assistant", messages, TELL))
                (call,) = reply.tool_calls
                assert json.loads(call.arguments) == {"said": f"user {key}", "number": number}
                messages = (*messages, reply.message(), Message("tool", f"user {key} {number}", tool_call_id=call.id))
            assert (await conversation.ask(Request("assistant", messages))).content == f"user {key}"
            await conversation.close()

    async def order_turns() -> None:
        for key in order:
            turns[key].release()
            await asyncio.sleep(0)

    await asyncio.gather(order_turns(), *map(converse, calls))
    await server.close()


UNUSUAL = "erzähl\nmir"


def knows_a_command(command: list[str], mode: str) -> Respond:
    """An agent that only knows a command: it lists the tools, and makes two calls at once."""

    async def respond(said: str) -> Reply:
        server = StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
        async with Client(stdio_client(server), mode=mode) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == ["tell"]
            calls = client.call_tool("tell", {"said": said}), client.call_tool(UNUSUAL, {})
            return Reply(
                " and ".join(getattr(result.content[0], "text", "") for result in await asyncio.gather(*calls))
            )

    return respond


@rows("mode", ["auto", "legacy", "2026-07-28"])
def test_an_agent_that_starts_its_server_reaches_its_conversation(mode: str) -> None:
    async def converse() -> None:
        server, conversation = ToolServer(), AgentConversation("test", "key", 60)
        async with server.offering(conversation) as address:
            conversation.join(knows_a_command(mcp_command(address), mode))
            said = Message("user", "Grüße")
            due = GoldHint("calls", Reply(None, (ToolCall("0", "tell", "{}"), ToolCall("1", "tell", "{}"))))
            reply = await conversation.ask(Request("assistant", (said,), (Tool("tell"),), gold_hint=due))
            made = {call.name: json.loads(call.arguments) for call in reply.tool_calls}
            assert made == {"tell": {"said": "Grüße"}, UNUSUAL: {}}
            told = (Message("tool", f"für {call.name}", tool_call_id=call.id) for call in reply.tool_calls)
            end = await conversation.ask(Request("assistant", (said, reply.message(), *told), (Tool("tell"),)))
            assert end.content == f"für tell and für {UNUSUAL}"
            await conversation.close()
        await server.close()

    asyncio.run(converse())


def test_what_cannot_be_passed_on_is_answered_with_an_error() -> None:
    """Lines that are no JSON, and a server that is not there; what wants no answer gets none."""
    read, write = os.pipe()
    bridge = Bridge("http://127.0.0.1:1/mcp/key", write)
    with os.fdopen(read, "rb") as answers:
        for line, id_ in ((b"{", None), (b'{"id": 7, "method": "tools/list"}', 7), (b"[" * 100_000, None)):
            bridge.carry([b'{"method": "notifications/initialized"}\n', b"\n", line + b"\n"])
            answer = json.loads(answers.readline())
            assert (answer["id"], answer["error"]["code"] < 0) == (id_, True)
        os.close(write)
        assert answers.read() == b""
