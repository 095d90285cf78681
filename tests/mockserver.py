"""A chat completions server on the loopback that answers as it is told, and fails as it is told.

    with serve(answer, faults=[rate_limited(0.05), None, RESET]) as server:
        ... openai/<model> with base URL server.base_url ...
        server.requests  # the bodies received, in order

What a test needs to be under way at a moment is held back (`hold_from`, `together`) instead of slowed down: an idle
machine and a busy one then see the same. It runs in a thread with its own event loop, so synchronous and asynchronous
tests can use it alike.
"""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from aiohttp import web

from tests.serving import in_background

Json = dict[str, Any]
Answer = Callable[[Json], Json]


@dataclass(frozen=True)
class Fault:
    """One wrong answer. `reset`: break the connection instead; `hang`: seconds of silence before anything else."""

    status: int = 200
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()
    content_type: str = "application/json"
    hang: float = 0.0
    reset: bool = False
    short: bool = False  # promise more bytes than are sent


def rate_limited(retry_after: float | str | None = None) -> Fault:
    headers = () if retry_after is None else (("Retry-After", str(retry_after)),)
    return Fault(429, b'{"error": {"message": "slow down", "code": "rate_limit_exceeded"}}', headers)


def status(number: int, message: str = "broken", **error: Any) -> Fault:
    """An HTTP error with an error object of this message and further fields (code=..., type=...)."""
    return Fault(number, json.dumps({"error": {"message": message, **error}}).encode())


def raw(body: bytes | str | Any) -> Fault:
    """A 200 with this body: bytes and texts as they are, anything else as JSON."""
    if not isinstance(body, (bytes, str)):
        body = json.dumps(body)
    return Fault(body=body if isinstance(body, bytes) else body.encode())


def hang(seconds: float) -> Fault:
    return Fault(hang=seconds, status=504)


RESET = Fault(reset=True)
TRUNCATED = Fault(body=b'{"id": "chatcmpl-1", "choices": [{"index": 0, "message": {"role": "assist')
CUT_OFF = Fault(body=b'{"id": "chatcmpl-1", "choices": [', short=True)
HTML = Fault(body=b"<!DOCTYPE html><html><body>Bad gateway</body></html>", content_type="text/html")
HTML_502 = Fault(502, b"<html><body>502</body></html>", content_type="text/html")
EMPTY_CHOICES = raw({"id": "chatcmpl-1", "object": "chat.completion", "choices": []})

EVERY_FAULT = (
    rate_limited(),
    rate_limited(0.02),
    status(500),
    status(502),
    status(503),
    RESET,
    TRUNCATED,
    CUT_OFF,
    HTML,
    HTML_502,
    EMPTY_CHOICES,
)
"""Every fault that passes, but for time-outs."""


@dataclass
class Server:
    base_url: str
    requests: list[Json] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    most_at_once: int = 0
    at_once: int = 0
    release: Callable[[], object] = lambda: None
    """Answer what `hold_from` holds back, and hold nothing more."""


Faults = Iterable[Fault | None] | Callable[[int, Json], Fault | None]
"""A fault per request in order of arrival (none where the list ends), or a function of its number and body."""


@contextmanager
def reserved_port() -> Iterator[int]:
    """A port of the loopback on which nobody listens but a server of ours: `serve(port=...)`, as often as wanted."""
    with socket.socket() as holder:
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        holder.bind(("127.0.0.1", 0))
        yield holder.getsockname()[1]


@contextmanager
def serve(
    answer: Answer | None = None,
    faults: Faults = (),
    latency: float = 0.0,
    port: int = 0,
    together: int = 0,
    hold_from: int | None = None,
    gets: bool = False,
) -> Iterator[Server]:
    """Serve on a port (0: any free one; otherwise of `reserved_port`).

    answer: request body -> assistant message, or a whole completion (with "choices"). latency: seconds. together: no
    request is answered before so many were under way at once (or half a minute has passed). hold_from: requests from
    the one of this number on (the first is 0) are answered when `release` is called. gets: GET is a request like POST;
    else nothing is found there.
    """
    server = Server("")
    held = _Held(server, together, hold_from)
    app = web.Application(client_max_size=2**28)
    said = answer or (lambda _request: {"role": "assistant", "content": "fine"})
    app.router.add_route("*" if gets else "POST", "/{path:.*}", _handler(server, said, faults, latency, held))
    with in_background(app, port) as (address, loop):
        server.base_url = f"{address}/v1"
        server.release = partial(loop.call_soon_threadsafe, held.released.set)
        yield server


class _Held:
    """Which requests wait, and for what."""

    def __init__(self, server: Server, together: int, hold_from: int | None) -> None:
        self.released, self._gathered = asyncio.Event(), asyncio.Event()
        self._server, self._together, self._from = server, together, hold_from

    async def wait(self, number: int) -> None:
        if self._server.at_once >= self._together:
            self._gathered.set()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._gathered.wait(), 30)
        if self._from is not None and number >= self._from:
            await self.released.wait()


def _handler(
    server: Server, answer: Answer, faults: Faults, latency: float, held: _Held
) -> Callable[[web.Request], Any]:
    planned = None if callable(faults) else iter(faults)

    async def handle(request: web.Request) -> web.StreamResponse:
        body = json.loads(await request.read() or b"{}")
        number = len(server.requests)
        server.requests.append(body)
        server.headers.append(dict(request.headers))
        server.paths.append(request.raw_path)
        fault = next(planned, None) if planned is not None else faults(number, body)  # type: ignore[operator]
        server.at_once += 1
        server.most_at_once = max(server.most_at_once, server.at_once)
        try:
            await held.wait(number)
            if latency:
                await asyncio.sleep(latency)
            if fault is None:
                return web.json_response(completion(answer(body)))
            return await _fail(request, fault)
        finally:
            server.at_once -= 1

    return handle


async def _fail(request: web.Request, fault: Fault) -> web.StreamResponse:
    if fault.hang:
        await asyncio.sleep(fault.hang)
    transport = request.transport
    if fault.reset and transport is not None:
        raw_socket = transport.get_extra_info("socket")
        raw_socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        transport.abort()
    headers = dict(fault.headers) | {"Content-Type": fault.content_type}
    if fault.short:
        response = web.StreamResponse(headers=headers | {"Content-Length": str(len(fault.body) + 100)})
        await response.prepare(request)
        await response.write(fault.body)
        if transport is not None:
            transport.close()
        return response
    return web.Response(status=fault.status, body=fault.body, headers=headers)


def completion(message: Json) -> Json:
    """A chat completion around a message; a body that already has choices is left alone."""
    if "choices" in message:
        return message
    calls = bool(message.get("tool_calls"))
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": "mock-1",
        "choices": [{"index": 0, "finish_reason": "tool_calls" if calls else "stop", "message": message}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
    }
