"""Servers on the loopback that answer as no server should. What they do is the second part of a request's path.

`Servers.url("gzip-bomb", "cell-7")` is the address of a behaviour for one test; `Servers.leaked("cell-7")` are the
requests that reached the other origin, where nobody may send anything, let alone a key.
"""

from __future__ import annotations

import json
import socket
import socketserver
import threading
import time
import zlib
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from tests.hostile.corpus.item import EVIL, HUGE, nested
from toolgauge.judge.searches import SEARCH

MOST_SENT = 1 << 30
"""Bytes after which an endless answer ends all the same."""


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    raw: bytes

    @property
    def credentials(self) -> str:
        """What the client sent as its key."""
        return self.headers.get("authorization", self.headers.get("x-api-key", "")).removeprefix("Bearer ")


class Servers:
    """The server that behaves as its paths say, and the other origin; a context manager."""

    def __enter__(self) -> Servers:
        self._records: dict[str, list[bytes]] = defaultdict(list)
        self._asked: set[str] = set()
        self._server = _listen(self._answer)
        self._other = _listen(self._remember)
        return self

    def __exit__(self, *_: object) -> None:
        for server in (self._server, self._other):
            server.shutdown()
            server.server_close()

    def url(self, behaviour: str, cell: str) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/{cell}/{behaviour}"

    def elsewhere(self, cell: str) -> str:
        """An address at the other origin."""
        return f"http://127.0.0.1:{self._other.server_address[1]}/{cell}"

    def asked(self, cell: str) -> bool:
        """Has the command of a test come to its server at all?"""
        return cell in self._asked

    def leaked(self, cell: str) -> list[bytes]:
        """The requests that the other origin had from a test."""
        return self._records.pop(cell, [])

    def _remember(self, connection: socket.socket, request: Request) -> None:
        path = request.path.partition("://")[2].partition("/")[2] if "://" in request.path else request.path[1:]
        self._records[path.partition("/")[0]].append(request.raw)
        _send(connection, json.dumps(_completion({"role": "assistant", "content": "fine"})))

    def _answer(self, connection: socket.socket, request: Request) -> None:
        cell, behaviour = request.path.split("/")[1:3]
        self._asked.add(cell)
        if behaviour.startswith("redirect-"):
            status = int(behaviour.removeprefix("redirect-"))
            _send(connection, "", status, {"Location": f"{self.elsewhere(cell)}/v1/chat/completions"})
        else:
            BEHAVIOURS[behaviour](connection, request)


def _listen(answer: Callable[[socket.socket, Request], None]) -> socketserver.ThreadingTCPServer:
    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            try:
                self.request.settimeout(60)
                while request := _read(self.request):
                    answer(self.request, request)
            except (OSError, ValueError, IndexError):
                pass  # the client has gone, or does not speak HTTP

    class Server(socketserver.ThreadingTCPServer):
        allow_reuse_address = daemon_threads = True
        block_on_close = False
        request_queue_size = 128

    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    return server


def _read(connection: socket.socket) -> Request | None:
    received = b""
    while b"\r\n\r\n" not in received:
        part = connection.recv(1 << 16)
        if not part:
            return None
        received += part
    head, _, body = received.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    if "chunked" in headers.get("transfer-encoding", ""):
        while not body.endswith(b"0\r\n\r\n"):
            body += connection.recv(1 << 16)
    while len(body) < int(headers.get("content-length", 0)):
        body += connection.recv(1 << 16)
    method, path, _ = first.split(" ", 2)
    return Request(method, path, headers, body, head + b"\r\n\r\n" + body)


def _completion(message: object, reason: object = "stop", **more: object) -> dict[str, object]:
    choice = {"index": 0, "finish_reason": reason, "message": message}
    return {"id": "c", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice], **more}


def _send(
    connection: socket.socket, body: str | bytes, status: int = 200, headers: dict[str, str] | None = None
) -> None:
    content = body if isinstance(body, bytes) else body.encode("utf-8", "surrogatepass")
    kept = {"Content-Type": "application/json", "Content-Length": str(len(content)), **(headers or {})}
    lines = [f"HTTP/1.1 {status} Words", *(f"{name}: {value}" for name, value in kept.items())]
    connection.sendall("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + content)


Behaviour = Callable[[socket.socket, Request], None]


def _body(content: object, status: int = 200, **headers: str) -> Behaviour:
    """Answers with this body: texts as they are, anything else as JSON."""
    text = content if isinstance(content, str | bytes) else json.dumps(content)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda connection, request: _send(connection, text, status, named)


def _message(**fields: object) -> Behaviour:
    return _body(_completion({"role": "assistant", **fields}))


def _echo(status: int) -> Behaviour:
    """Says the client's key again: in an error, or as what the model said."""

    def answer(connection: socket.socket, request: Request) -> None:
        text = f"Incorrect API key provided: {request.credentials}. Headers: {json.dumps(request.headers)}"
        failed = {"error": {"message": text, "code": text, "type": text}}
        body = failed if status != 200 else _completion({"role": "assistant", "content": text})
        _send(connection, json.dumps(body), status)

    return answer


def _endless(part: bytes, pause: float = 0.0, status: int = 200) -> Behaviour:
    def answer(connection: socket.socket, request: Request) -> None:
        connection.sendall(f"HTTP/1.1 {status} OK\r\nContent-Type: application/json\r\n\r\n".encode())
        sent = 0
        while sent < MOST_SENT:
            connection.sendall(part)
            sent += len(part)
            time.sleep(pause)

    return answer


def _endless_headers(connection: socket.socket, request: Request) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    for number in range(2_000_000):
        connection.sendall(b"X-Header-%d: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\r\n" % number)


@cache
def _bomb() -> bytes:
    """Two gigabytes of blanks, packed into two megabytes: the same block of a deflate stream again and again."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = packer.compress(b" " * (1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    return b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + block * 2048 + b"\x03\0" + b"\0" * 8


def _gzip_bomb(connection: socket.socket, request: Request) -> None:
    _send(connection, _bomb(), headers={"Content-Encoding": "gzip"})


def _never(connection: socket.socket, request: Request) -> None:
    time.sleep(45)


def _close(sent: bytes) -> Behaviour:
    def answer(connection: socket.socket, request: Request) -> None:
        connection.sendall(sent)
        connection.shutdown(socket.SHUT_RDWR)

    return answer


def _raw(sent: bytes) -> Behaviour:
    return lambda connection, request: connection.sendall(sent)


_CALL = {"id": EVIL, "type": "function", "function": {"name": EVIL, "arguments": EVIL}}
_WORDS = json.dumps({"query": f"{EVIL} {' '.join(f'w{number}' for number in range(100_000))}"})
_SEARCH = {"id": "s", "type": "function", "function": {"name": SEARCH, "arguments": _WORDS}}
_ERROR = {"message": EVIL, "code": EVIL, "type": EVIL}

REDIRECTS = ("redirect-301", "redirect-302", "redirect-303", "redirect-307", "redirect-308")
FAILING: dict[str, Behaviour] = {
    "html": _body("<!DOCTYPE html><html><body>Bad gateway</body></html>", Content_Type="text/html"),
    "error-object": _body({"error": {"message": "upstream failed", "code": 502}}),
    "error-choice": _body({"choices": [{"index": 0, "error": {"message": "failed"}, "message": {"content": ""}}]}),
    "finish-error": _body(_completion({"role": "assistant", "content": ""}, "error")),
    "message-null": _body(_completion(None)),
    "choice-empty": _body({"choices": [{}]}),
    "choices-none": _body({"choices": None}),
    "choices-text": _body({"choices": "x"}),
    "nothing": _body(""),
    "blank": _body("   \n"),
    "null": _body("null"),
    "list": _body("[]"),
    "garbage": _body(b"\xff\xfe\x00\x01" * 1000),
    "deep": _body(nested(100_000)),
    "deep-inside": _body('{"choices": ' + nested(100_000) + "}"),
    "nan": _body('{"choices": NaN}'),
    "torn": _body('{"id": "c", "choices": [{"index": 0, "mess'),
    "gzip-bomb": _gzip_bomb,
    "gzip-not": _body("this is no gzip", Content_Encoding="gzip"),
    "encoding-unknown": _body("x", Content_Encoding="rot13"),
    "endless": _endless(b" " * 65536),
    "endless-slow": _endless(b" ", 0.05),
    "endless-error": _endless(b"x" * 65536, status=500),
    "endless-headers": _endless_headers,
    "never": _never,
    "closes": _close(b""),
    "closes-in-head": _close(b"HTTP/1.1 200 OK\r\nContent-Le"),
    "closes-in-body": _close(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{"),
    "no-http": _raw(b"\x16\x03\x01\x02\x00" + EVIL.encode() + b"\r\n\r\n"),
    "reason-evil": _raw(b"HTTP/1.1 500 " + EVIL.encode() + b"\r\nContent-Length: 0\r\n\r\n"),
    "header-evil": _body({"error": _ERROR}, 400, X_Request_Id="\x1b[2J\x07"),
    "header-long": _body("{}", 200, X_Long="x" * 500_000),
    "error-evil": _body({"error": _ERROR}, 400),
    "error-evil-text": _body(EVIL * 1000, 500, Content_Type="text/plain"),
    "error-long": _body({"error": {"message": "x" * 5_000_000}}, 400),
    "error-401": _body({"error": _ERROR}, 401),
    "error-404": _body("<html>" + EVIL, 404, Content_Type="text/html"),
    "echo-400": _echo(400),
    "echo-401": _echo(401),
    "echo-500": _echo(500),
    "wait-negative": _body({"error": _ERROR}, 429, Retry_After="-5"),
    "wait-nan": _body({"error": _ERROR}, 429, Retry_After="nan"),
    "wait-evil": _body({"error": _ERROR}, 429, Retry_After=EVIL.encode().decode("latin-1")),
}
"""Answers that are none: the provider failed, and nothing of the model was measured."""
ANSWERING: dict[str, Behaviour] = {
    "content-evil": _message(content=EVIL, reasoning_content=EVIL),
    "content-long": _message(content="長x" * 2_000_000),
    "content-surrogate": _message(content="\ud800"),
    "content-pieces": _message(content=[{"type": "text", "text": EVIL}, {"type": "image", "x": EVIL}, 7]),
    "calls-evil": _message(content=None, tool_calls=[_CALL]),
    "calls-many": _message(content=None, tool_calls=[_CALL] * 20_000),
    "calls-searching": _message(content=None, tool_calls=[_SEARCH] * 12),
    "calls-deep": _message(
        content=None,
        tool_calls=[{"id": "1", "type": "function", "function": {"name": "f", "arguments": nested(50_000)}}],
    ),
    "usage-huge": _body(_completion({"role": "assistant", "content": "x"}, usage={"prompt_tokens": HUGE})),
    "usage-evil": _body(_completion({"role": "assistant", "content": "x"}, usage={"prompt_tokens": EVIL})),
    "finish-evil": _body(_completion({"role": "assistant", "content": "x"}, EVIL)),
    "echo-200": _echo(200),
}
"""Answers that a model may have given."""
WAITING: dict[str, Behaviour] = {"wait-a-day": _body({"error": {"message": "later"}}, 429, Retry_After="86400")}
"""The client waits, says until when, and ends in order at Ctrl-C."""
BEHAVIOURS = FAILING | ANSWERING | WAITING
