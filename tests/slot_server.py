"""A server of a few slots, as engines on one's own machine are, that knows the answers of the embedded benchmark.

    with slot_server(slots=2, manner=Manner.QUEUES) as server:
        ... openai/<model> with base URL server.base_url ...
        server.busy / (server.slots * server.steps)  # how much of it was used

It works in steps: a step ends all replies that are being worked on, and the next requests take their slots. A step with
an empty slot waits a moment for a request, so that a busy test machine does not look like a client that sends too
little. With `seconds` every slot works by itself and for so long.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

from aiohttp import web

from tests.serving import in_background
from toolgauge.api import plan_run
from toolgauge.chat import Reply, Request
from toolgauge.episode import drive
from toolgauge.models.builtin.models import oracle
from toolgauge.models.formats import RequestEncoder
from toolgauge.models.model import Sampling

FILL_SECONDS = 0.5
"""Seconds that a step waits for the slots that are empty."""


class Manner(Enum):
    """What a server does with more requests than it has slots."""

    TELLS = auto()  # llama.cpp: it says how many slots it has, and lets requests wait
    QUEUES = auto()  # it says nothing, and lets them wait
    REFUSES = auto()  # HTTP 503


@dataclass
class SlotServer:
    """patience: requests that may wait; those behind them are never answered. steps, busy: how often it worked, and on
    how many replies in sum. longest_queue: requests that waited at once; refused: how many, abandoned: how many whose
    client was gone before they were answered."""

    slots: int
    manner: Manner
    seconds: float | None = None
    patience: int = 1_000_000
    base_url: str = ""
    steps: int = 0
    busy: int = 0
    replies: int = 0
    refused: int = 0
    abandoned: int = 0
    longest_queue: int = 0
    working: list[asyncio.Future[None]] = field(default_factory=list)
    waiting: deque[asyncio.Future[None]] = field(default_factory=deque)

    @property
    def used(self) -> float:
        """Which share of its slots worked, over its steps."""
        return self.busy / (self.slots * self.steps)


def key(body: dict[str, Any]) -> str:
    """What a request is about, whatever the sampling and the quirks of an endpoint."""
    said = [
        (one["role"], one["content"] or "", [call["function"] for call in one.get("tool_calls", ())])
        for one in body["messages"]
    ]
    return json.dumps([said, body.get("tools")], ensure_ascii=False)


def annotated_replies() -> dict[str, dict[str, Any]]:
    """Every request of the embedded benchmark when all goes as annotated -> the message that answers it."""
    found: dict[str, dict[str, Any]] = {}
    encoder = RequestEncoder("m", Sampling())

    def play(request: Request) -> Reply:
        reply = oracle(request)
        message: dict[str, Any] = {"role": "assistant", "content": reply.content}
        if reply.tool_calls:
            message["tool_calls"] = [call.wire() for call in reply.tool_calls]
        found[key(json.loads(encoder.body(request)))] = message
        return reply

    plan = plan_run("mini", "builtin/oracle")
    for sample in plan.samples:
        drive(plan.episode(sample), play)
    return found


@contextmanager
def slot_server(
    slots: int, manner: Manner, seconds: float | None = None, patience: int = 1_000_000
) -> Iterator[SlotServer]:
    """Serve on a free port of the loopback, in a thread. seconds: that a reply takes; None: it works in steps."""
    server, answers = SlotServer(slots, manner, seconds, patience), annotated_replies()

    async def answer(request: web.Request) -> web.Response:
        body = json.loads(await request.read())
        if not await _have_slot(server):
            return web.json_response({"error": {"message": "no slot available"}}, status=503)
        server.replies += 1
        message = answers.get(key(body)) or {"role": "assistant", "content": "fine"}
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if "tool_calls" in message else "stop"}
        return web.json_response({"id": "r", "object": "chat.completion", "model": "m", "choices": [choice]})

    async def models(_request: web.Request) -> web.Response:
        owner = {"owned_by": "llamacpp"} if manner is Manner.TELLS else {}
        return web.json_response({"object": "list", "data": [{"id": "m", **owner}]})

    async def props(_request: web.Request) -> web.Response:
        return web.json_response({"total_slots": slots, "default_generation_settings": {"n_ctx": 32768}})

    app = web.Application(client_max_size=2**26)
    app.router.add_post("/v1/chat/completions", answer)
    app.router.add_get("/v1/models", models)
    if manner is Manner.TELLS:
        app.router.add_get("/props", props)
    with in_background(app, beside=_steps(server)) as (address, _loop):
        server.base_url = f"{address}/v1"
        yield server


async def _have_slot(server: SlotServer) -> bool:
    """Wait for a slot and for the work; False where it is refused."""
    done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    if len(server.working) < server.slots:
        _work(server, done)
    elif server.manner is Manner.REFUSES:
        server.refused += 1
        return False
    elif len(server.waiting) < server.patience:
        server.waiting.append(done)
        server.longest_queue = max(server.longest_queue, len(server.waiting))
    try:
        await done
    except asyncio.CancelledError:
        server.abandoned += 1
        with suppress(ValueError):
            server.waiting.remove(done)
        raise
    return True


def _work(server: SlotServer, done: asyncio.Future[None]) -> None:
    server.working.append(done)
    if server.seconds is not None:
        asyncio.get_running_loop().call_later(server.seconds, _finish, server, done)


def _finish(server: SlotServer, done: asyncio.Future[None]) -> None:
    """A reply is ready; the next request takes its slot."""
    server.working.remove(done)
    if not done.done():
        done.set_result(None)
    while server.waiting and len(server.working) < server.slots:
        following = server.waiting.popleft()
        if not following.done():
            _work(server, following)


async def _steps(server: SlotServer) -> None:
    """The clock of a server that works in steps."""
    while server.seconds is None:
        loop = asyncio.get_running_loop()
        until = loop.time() + FILL_SECONDS
        while not server.working or (len(server.working) < server.slots and loop.time() < until):  # noqa: ASYNC110
            await asyncio.sleep(0.001)
        server.steps += 1
        server.busy += len(server.working)
        for done in list(server.working):
            _finish(server, done)
