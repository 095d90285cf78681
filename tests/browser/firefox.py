"""Debian's Firefox, spoken to over WebDriver BiDi (W3C): as much of it as opening pages and looking at them needs."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp

FIREFOX = os.environ.get("TOOLGAUGE_FIREFOX") or shutil.which("firefox-esr") or shutil.which("firefox")
_LISTENS = b"WebDriver BiDi listening on "
_MOST = 1 << 26


class Firefox:
    """One tab. complaints: what pages wrote into the console as errors and warnings."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket, self._numbers = socket, itertools.count(1)
        self.complaints: list[str] = []
        self._context = ""

    async def start(self, size: tuple[int, int]) -> None:
        await self._ask("session.new", capabilities={})
        await self._ask("session.subscribe", events=["log.entryAdded"])
        self._context = (await self._ask("browsingContext.getTree"))["contexts"][0]["context"]
        viewport = {"width": size[0], "height": size[1]}
        await self._ask("browsingContext.setViewport", context=self._context, viewport=viewport)

    async def open(self, address: str) -> None:
        """Load a page, also where only its hash differs from the last one."""
        for url in ("about:blank", address):
            await self._ask("browsingContext.navigate", context=self._context, url=url, wait="complete")

    async def evaluate(self, script: str) -> Any:
        """The value of an expression that gives JSON text, or a promise of it."""
        target = {"context": self._context}
        done = await self._ask("script.evaluate", expression=script, target=target, awaitPromise=True)
        assert done["type"] == "success", done
        return json.loads(done["result"]["value"]) if done["result"]["type"] == "string" else None

    async def _ask(self, method: str, **params: object) -> Any:
        number = next(self._numbers)
        await self._socket.send_str(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            said = json.loads((await self._socket.receive()).data)
            if said.get("method") == "log.entryAdded" and said["params"]["level"] in ("error", "warn"):
                self.complaints.append(said["params"]["text"])
            if said.get("id") == number:
                assert said["type"] == "success", said
                return said["result"]


@asynccontextmanager
async def firefox(profile: Path, size: tuple[int, int]) -> AsyncIterator[Firefox]:
    """A fresh one, which ends with the block."""
    assert FIREFOX
    command = [FIREFOX, "--headless", "--no-remote", "--remote-debugging-port=0", "--profile", str(profile)]
    process = await asyncio.create_subprocess_exec(*command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        assert process.stderr
        lines = [line async for line in _until_it_listens(process.stderr)]
        address = lines[-1].partition(_LISTENS)[2].decode().strip()
        async with (
            aiohttp.ClientSession() as session,
            session.ws_connect(f"{address}/session", max_msg_size=_MOST) as socket,
        ):
            found = Firefox(socket)
            await found.start(size)
            yield found
    finally:
        process.kill()
        await process.wait()


async def _until_it_listens(stream: asyncio.StreamReader) -> AsyncIterator[bytes]:
    async for line in stream:
        yield line
        if _LISTENS in line:
            return
