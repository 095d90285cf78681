"""A chat completions server that answers every request after a fixed time, in a process of its own.

    python perf/mock_server.py --latency 0.2

prints its base URL as the first line and serves until its standard input is closed. It reads requests whole but does
not look into them, so that it costs little beside the client that is measured.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys

from aiohttp import web

ARGUMENTS = {"city": "Lisbon", "date": "2024-07-11", "passengers": 2, "class": "economy", "flexible": True}


def completion() -> bytes:
    """A reply of common size: one tool call, usage with details."""
    function = {"name": "search_connections", "arguments": json.dumps(ARGUMENTS)}
    message = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "call_1", "type": "function", "function": function}],
    }
    body = {
        "id": "chatcmpl-mock",
        "object": "chat.completion",
        "created": 1720000000,
        "model": "mock",
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "tool_calls"}],
        "usage": {
            "prompt_tokens": 3000,
            "completion_tokens": 40,
            "total_tokens": 3040,
            "prompt_tokens_details": {"cached_tokens": 2048, "audio_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
        },
    }
    return json.dumps(body).encode()


def application(latency: float) -> web.Application:
    """The server; latency in seconds."""
    reply = completion()

    async def answer(request: web.Request) -> web.Response:
        await request.read()
        await asyncio.sleep(latency)
        return web.Response(body=reply, content_type="application/json")

    app = web.Application(client_max_size=2**26)
    app.router.add_post("/v1/chat/completions", answer)
    return app


async def serve(application: web.Application) -> None:
    """Print the base URL, then serve until standard input is closed."""
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, backlog=2048).start()
    print(f"http://127.0.0.1:{runner.addresses[0][1]}/v1", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    await runner.cleanup()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--latency", type=float, default=0.2, help="seconds")
    asyncio.run(serve(application(parser.parse_args().latency)))
