"""An application of aiohttp on the loopback, in a thread with a loop of its own: what every played server stands on."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

from aiohttp import web


@contextmanager
def in_background(
    app: web.Application, port: int = 0, beside: Coroutine[Any, Any, None] | None = None
) -> Iterator[tuple[str, asyncio.AbstractEventLoop]]:
    """The address ("http://127.0.0.1:PORT") and the loop. port: 0 for any free one, else of `reserved_port`; beside:
    runs in the loop as long. What still hangs at the end is cancelled; a request whose client has gone at once."""
    started, loop, stop = threading.Event(), asyncio.new_event_loop(), asyncio.Event()
    address = ""

    async def run() -> None:
        nonlocal address
        runner = web.AppRunner(app, shutdown_timeout=0.1, access_log=None, handler_cancellation=True)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", port, backlog=1024, reuse_port=bool(port)).start()
        address = f"http://127.0.0.1:{runner.addresses[0][1]}"
        running = asyncio.ensure_future(beside) if beside is not None else None
        started.set()
        await stop.wait()
        if running is not None:
            running.cancel()
        await runner.cleanup()
        hanging = asyncio.all_tasks() - {asyncio.current_task()}
        for task in hanging:
            task.cancel()
        await asyncio.gather(*hanging, return_exceptions=True)

    thread = threading.Thread(target=lambda: loop.run_until_complete(run()), daemon=True)
    thread.start()
    assert started.wait(60), "the server does not start"
    try:
        yield address, loop
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(60)
        loop.close()
