"""A server on this machine from which data are fetched."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from aiohttp import web

from tests.serving import in_background

COMMIT = "c" * 40


def git_blob(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


class Server:
    """Serves what is offered, and counts what is asked; sends to another address where `to` is one. drip: seconds
    between two pieces of 100 bytes; 0 for all at once."""

    def __init__(self) -> None:
        self.answers: dict[str, tuple[int, bytes, int]] = {}
        self.asked: list[str] = []
        self.logins: list[str | None] = []
        self.address = self.to = ""
        self.drip = 0.0

    def offer(self, path: str, content: bytes, status: int = 200, announced: int | None = None) -> None:
        """announced: how many bytes are promised, where not as many as there are."""
        self.answers[f"/owner/name/{COMMIT}/{path}"] = (
            status,
            content,
            len(content) if announced is None else announced,
        )

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(request.path)
        self.logins.append(request.headers.get("Authorization"))
        if self.to:
            return web.Response(status=302, headers={"Location": self.to + request.raw_path})
        status, content, announced = self.answers.get(request.path, (404, b"no", 2))
        response = web.StreamResponse(status=status, headers={"Content-Length": str(announced)})
        await response.prepare(request)
        size = 100 if self.drip else len(content) + 1
        for start in range(0, len(content), size):
            await response.write(content[start : start + size])
            await asyncio.sleep(self.drip)
        if announced > len(content) and request.transport is not None:
            request.transport.close()
        return response


@contextmanager
def playing_host() -> Iterator[Server]:
    host, app = Server(), web.Application()
    app.router.add_get("/{path:.*}", host.answer)
    with in_background(app) as (host.address, _loop):
        yield host


@contextmanager
def served_data(monkeypatch: pytest.MonkeyPatch, cache: Path) -> Iterator[Server]:
    """The server, where data are fetched from while this lasts; retries wait for nothing."""
    with playing_host() as host:
        monkeypatch.setenv("TOOLGAUGE_RAW_BASE", f"{host.address}/")
        monkeypatch.setenv("TOOLGAUGE_CACHE", str(cache))
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        monkeypatch.setattr("time.sleep", lambda _: None)
        yield host
