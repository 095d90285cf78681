"""Processor time that a call of an agent takes in the MCP server, and its memory while conversations come and go.

    python perf/agents_speed.py [--calls 4000] [--rounds 5] [--memory 20000]

Yardstick: the same transport with a handler that says at once what it was told, as in the SDK's own example of an echo.
Both are processes of their own; a third sends the calls over HTTP, from 1 conversation and from 200 at once, ten calls
each. Target: 3 ms a call above the yardstick; memory flat. Linux only.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import os
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median

import httpx2
from mcp.types import CallToolResult, TextContent

from scales import resident_megabytes
from toolgauge.agents.conversation import AgentConversation
from toolgauge.agents.server import ToolServer
from toolgauge.chat import Message, Reply, Request, Tool

TARGET = 3.0
EACH = 10
"""Calls of one conversation."""
AHEAD = 2
"""Conversations that one sender has open: the one that it speaks in, and the next."""
TOOLS = tuple(
    Tool(f"tool_{number}", "What it is for.", {"properties": {"x": {"type": "string"}}}) for number in range(8)
)


class Echo(ToolServer):
    """The same transport, without conversations."""

    async def _call_tool(self, _context: object, params: object) -> CallToolResult:
        return CallToolResult(content=[TextContent(type="text", text=str(getattr(params, "arguments", None)))])


async def calls_from_elsewhere(_said: str) -> Reply:
    """An agent whose calls come from another process."""
    await asyncio.Event().wait()
    return Reply("")


async def converse(server: ToolServer, key: str) -> None:
    """An episode of ten steps."""
    conversation = AgentConversation("bench", key, 600)
    async with server.offering(conversation):
        conversation.join(calls_from_elsewhere)
        messages: tuple[Message, ...] = (Message("user", "Please do it."),)
        for _step in range(EACH):
            reply = await conversation.ask(Request("assistant", messages, TOOLS))
            results = (Message("tool", call.arguments, tool_call_id=call.id) for call in reply.tool_calls)
            messages = (*messages, reply.message(), *results)
        answering = asyncio.ensure_future(conversation.ask(Request("assistant", messages, TOOLS)))
        await asyncio.sleep(0)
        await conversation.close()
        answering.cancel()


async def converse_on(server: ToolServer, sender: int, count: int) -> None:
    """The conversations of one sender, one after another."""
    opened = [asyncio.ensure_future(converse(server, f"{sender}-{number}")) for number in range(min(AHEAD, count))]
    for number in range(count):
        await opened[number]
        if number + AHEAD < count:
            opened.append(asyncio.ensure_future(converse(server, f"{sender}-{number + AHEAD}")))


async def serve(pipe: Connection, kind: type[ToolServer]) -> None:
    """Tell the port, and then play as many conversations as are asked for: (senders, conversations of each)."""
    server = kind()
    async with server.offering(AgentConversation("bench", "none", 1)) as address:
        pipe.send(address.removesuffix("none"))
        while order := await asyncio.to_thread(pipe.recv):
            senders, count = order
            pipe.send("ready")
            if kind is ToolServer:
                await asyncio.gather(*(converse_on(server, sender, count) for sender in range(senders)))
            pipe.send("done")
    await server.close()


def child(pipe: Connection, kind: type[ToolServer]) -> None:
    asyncio.run(serve(pipe, kind))


async def send(address: str, senders: int, count: int) -> None:
    """Calls from so many senders at once, each in its conversations."""
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}
    limits = httpx2.Limits(max_connections=senders)
    async with httpx2.AsyncClient(headers=headers, limits=limits, timeout=600, trust_env=False) as client:

        async def one(sender: int) -> None:
            for number in range(count * EACH):
                params = {"name": "tool_1", "arguments": {"x": f"{sender} {number}"}}
                body = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
                reply = await client.post(f"{address}{sender}-{number // EACH}", json=body)
                assert f"{sender} {number}" in reply.text, reply.text

        await asyncio.gather(*map(one, range(senders)))


class Server:
    """One of the two, in a process of its own."""

    def __init__(self, kind: type[ToolServer]) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=child, args=(theirs, kind))
        self._process.start()
        self.address: str = self._pipe.recv()

    def cpu(self) -> float:
        """Seconds so far."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def per_call(self, senders: int, calls: int) -> float:
        """Milliseconds of CPU for a call."""
        count = max(1, calls // senders // EACH)
        self._pipe.send((senders, count))
        assert self._pipe.recv() == "ready"
        began = self.cpu()
        asyncio.run(send(self.address, senders, count))
        assert self._pipe.recv() == "done"
        return (self.cpu() - began) * 1000 / (senders * count * EACH)

    def resident(self) -> float:
        return resident_megabytes(str(self._process.pid))

    def close(self) -> None:
        self._pipe.send(None)
        self._process.join(10)
        self._process.kill()


def compare(ours: Server, echo: Server, senders: int, calls: int, rounds: int) -> None:
    """Print what a call takes here and there."""
    took = [(ours.per_call(senders, calls), echo.per_call(senders, calls)) for _round in range(rounds)]
    ratio, above = median(one / other for one, other in took), median(one - other for one, other in took)
    here, there = (median(times) for times in zip(*took, strict=True))
    print(
        f"{senders:4} conversations at once: {ratio:.2f}x, {above:+.2f} ms of CPU a call (target: +{TARGET:g} ms)",
        end="; ",
    )
    print(f"{here:.2f} and {there:.2f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=4000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--memory", type=int, default=20_000, help="calls while memory is weighed")
    chosen = parser.parse_args()
    ours, echo = Server(ToolServer), Server(Echo)
    try:
        for senders in (1, 200):
            compare(ours, echo, senders, chosen.calls, chosen.rounds)
        weights = [ours.resident()]
        for _quarter in range(4):
            ours.per_call(200, chosen.memory // 4)
            weights.append(ours.resident())
        print("memory at every quarter of", f"{chosen.memory:,} calls:", " ".join(f"{w:.1f}" for w in weights), "MB")
    finally:
        ours.close()
        echo.close()


if __name__ == "__main__":
    main()
