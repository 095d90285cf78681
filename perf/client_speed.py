"""toolgauge's client beside the official SDK with its aiohttp transport: the same requests, the same local server.

    python perf/client_speed.py [--requests 2048] [--rounds 3]

The SDK is measured twice. `sdk` calls it as its documentation shows; with many structured messages most of its CPU then
goes into transforming the parameters, a cost that depends on the shape of the conversation and can exceed the rest
several times. `sdk-lean` hands it the same body as `extra_body`, which it does not transform. The targets are held
against `sdk-lean`, the faster one: wall at most 1.10x, CPU at most 1.5 ms per request and peak memory less than 150 MB
above it.

Each measurement is a process of its own; the clients take turns (A B C A B C ...), and medians are compared, because
machines drift. Wall time and CPU run from the first request to the last reply. Other load on the machine shows in the
range of the wall times, which is printed beside their median.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

SETTINGS = ((0.2, 64), (1.0, 256))
"""(latency in seconds, connections)"""
CLIENTS = ("sdk", "sdk-lean", "toolgauge")
MODEL = "mock"
SESSIONS = 256

Ask = Callable[[int], Awaitable[None]]


def tools(session: int) -> list[dict[str, Any]]:
    """Seven tools of a session, about 8 KB."""
    parameters = {
        f"parameter_{number}": {
            "type": ("string", "integer", "boolean", "array")[number % 4],
            "description": f"What the {number}th parameter of this tool stands for, in the words of whoever wrote it.",
            **({"items": {"type": "string"}} if number % 4 == 3 else {}),
        }
        for number in range(8)
    }
    return [
        {
            "type": "function",
            "function": {
                "name": f"tool_{session}_{number}",
                "description": "A tool that does one thing, described at the usual length of such a description.",
                "parameters": {"type": "object", "properties": parameters, "required": ["parameter_0", "parameter_1"]},
            },
        }
        for number in range(7)
    ]


def messages(session: int) -> list[dict[str, Any]]:
    """A conversation with tool calls and results, about 4 KB."""
    told: list[dict[str, Any]] = [{"role": "system", "content": "Current Date: 2024-07-10 09:30:00 Wednesday"}]
    for turn in range(6):
        call = {
            "name": f"tool_{session}_{turn}",
            "arguments": json.dumps({"parameter_0": f"value {turn}", "parameter_1": 3}),
        }
        told += [
            {
                "role": "user",
                "content": f"And could you also look at part {turn} of my plan for tomorrow? Thanks a lot!",
            },
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [{"id": f"call_{turn}", "type": "function", "function": call}],
            },
            {
                "role": "tool",
                "tool_call_id": f"call_{turn}",
                "content": json.dumps({"result": ["found something"] * 8}),
            },
            {
                "role": "assistant",
                "content": "I had a look: there are eight results, all of them alike, and none is bad.",
            },
        ]
    return [*told, {"role": "user", "content": "Good. Then please go on with the next one."}]


@asynccontextmanager
async def sdk_client(base_url: str, connections: int, lean: bool = False) -> AsyncIterator[Ask]:
    """The official SDK: as its documentation shows it, or (lean) with a body that it leaves alone."""
    import httpx2
    import openai

    limits = httpx2.Limits(max_connections=connections, max_keepalive_connections=connections)
    client = openai.AsyncOpenAI(
        base_url=base_url, api_key="none", max_retries=0, http_client=openai.DefaultAioHttpClient(limits=limits)
    )
    offered = [tools(session) for session in range(SESSIONS)]
    said = [messages(session) for session in range(SESSIONS)]

    async def ask(number: int) -> None:
        session = number % SESSIONS
        body: dict[str, Any] = {"messages": said[session], "tools": offered[session]}
        if lean:
            reply = await client.chat.completions.create(model=MODEL, messages=[], extra_body=body)
        else:
            reply = await client.chat.completions.create(model=MODEL, **body)
        if not reply.choices[0].message.tool_calls:
            raise RuntimeError("a reply without the call")

    yield ask
    await client.close()


@asynccontextmanager
async def toolgauge_client(base_url: str, connections: int) -> AsyncIterator[Ask]:
    """toolgauge's model on the same requests."""
    from toolgauge.chat import Message, Request, Tool, ToolCall
    from toolgauge.models import ModelOptions, open_model

    def message(wire: dict[str, Any]) -> Message:
        calls = tuple(ToolCall(call["id"], **call["function"]) for call in wire.get("tool_calls", ()))
        return Message(wire["role"], wire["content"], calls, wire.get("tool_call_id"))

    model = open_model(f"openai/{MODEL}", ModelOptions(base_url=base_url, api_key="none", concurrency=connections))
    offered = [tuple(Tool(**tool["function"]) for tool in tools(session)) for session in range(SESSIONS)]
    said = [tuple(message(wire) for wire in messages(session)) for session in range(SESSIONS)]

    async def ask(number: int) -> None:
        session = number % SESSIONS
        reply = await model.ask(Request("assistant", said[session], offered[session], str(number)))
        if not reply.tool_calls or reply.attempts > 1:
            raise RuntimeError("a reply without the call")

    yield ask
    await model.close()


async def measured(client: str, base_url: str, requests: int, connections: int) -> dict[str, float]:
    """One client's figures: wall (s), cpu (ms per request), peak (MB)."""
    opened = {
        "sdk": lambda: sdk_client(base_url, connections),
        "sdk-lean": lambda: sdk_client(base_url, connections, lean=True),
        "toolgauge": lambda: toolgauge_client(base_url, connections),
    }[client]()
    async with opened as ask:
        await ask(0)  # start-up: connections, imports done on first use
        numbers = iter(range(requests))

        async def work() -> None:
            for number in numbers:
                await ask(number)

        wall, cpu = time.perf_counter(), time.process_time()
        await asyncio.gather(*(work() for _ in range(connections)))
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"wall": wall, "cpu": cpu / requests * 1000, "peak": peak}


@contextmanager
def server(latency: float) -> Iterator[str]:
    command = [sys.executable, str(Path(__file__).with_name("mock_server.py")), "--latency", str(latency)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin
        assert process.stdout
        yield process.stdout.readline().strip()
        process.stdin.close()


def in_child(client: str, base_url: str, requests: int, connections: int) -> dict[str, float]:
    command = [sys.executable, __file__, "--child", client, base_url, str(connections), "--requests", str(requests)]
    figures: dict[str, float] = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return figures


def compare(latency: float, connections: int, requests: int, rounds: int) -> None:
    """Measure both clients in turns and print the medians and how they relate."""
    runs: dict[str, list[dict[str, float]]] = {client: [] for client in CLIENTS}
    with server(latency) as base_url:
        for _ in range(rounds):
            for client in CLIENTS:
                runs[client].append(in_child(client, base_url, requests, connections))
    medians = {
        client: {figure: statistics.median(run[figure] for run in runs[client]) for figure in ("wall", "cpu", "peak")}
        for client in CLIENTS
    }
    ideal = latency * -(-requests // connections)
    print(
        f"{requests} requests, {latency:g} s latency, {connections} connections, {rounds} rounds; ideal {ideal:.2f} s"
    )
    for client, figures in medians.items():
        walls = [run["wall"] for run in runs[client]]
        wall = f"{figures['wall']:6.2f} s [{min(walls):.2f}, {max(walls):.2f}], {figures['wall'] / ideal:.3f}x ideal"
        print(f"  {client:10} {wall}  {figures['cpu']:5.2f} ms CPU per request  {figures['peak']:4.0f} MB")
    ours = medians["toolgauge"]
    for client in CLIENTS[:-1]:
        theirs = medians[client]
        print(
            f"  toolgauge/{client}: wall {ours['wall'] / theirs['wall']:.3f}x,"
            f" CPU {ours['cpu'] - theirs['cpu']:+.2f} ms per request, memory {ours['peak'] - theirs['peak']:+.0f} MB"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=2048)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--child", nargs=3, metavar=("CLIENT", "URL", "CONNECTIONS"), help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.child:
        client, base_url, connections = chosen.child
        print(json.dumps(asyncio.run(measured(client, base_url, chosen.requests, int(connections)))))
        return
    for latency, connections in SETTINGS:
        compare(latency, connections, chosen.requests, chosen.rounds)


if __name__ == "__main__":
    main()
