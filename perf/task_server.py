"""A chat completions server that knows the answers: a user's last message is answered with a call, a result with text.

    python perf/task_server.py ANSWERS --latency 0.2

ANSWERS: a JSON file, utterance -> {"name", "arguments"}. It prints its base URL as the first line and serves until its
standard input is closed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from pathlib import Path
from typing import Any

import msgspec
from aiohttp import web

from mock_server import serve


class Message(msgspec.Struct):
    """As much of a message as decides about the answer."""

    role: str
    content: Any = None


class Body(msgspec.Struct):
    """As much of a request."""

    messages: list[Message]


def completion(message: dict[str, Any]) -> bytes:
    """The bytes of a chat completion."""
    finish = "tool_calls" if "tool_calls" in message else "stop"
    choice = {"index": 0, "message": {"role": "assistant", "content": None} | message, "finish_reason": finish}
    usage = {"prompt_tokens": 3000, "completion_tokens": 40, "total_tokens": 3040}
    body = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1720000000, "model": "mock"}
    return json.dumps(body | {"choices": [choice], "usage": usage}).encode()


def application(answers: dict[str, dict[str, str]], latency: float) -> web.Application:
    """The server; latency in seconds."""
    final = completion({"content": "Done, here is what I found for you."})
    calls = {
        said: completion({"tool_calls": [{"id": "call_1", "type": "function", "function": call}]})
        for said, call in answers.items()
    }
    decode = msgspec.json.Decoder(Body).decode

    async def answer(request: web.Request) -> web.Response:
        last = decode(await request.read()).messages[-1]
        await asyncio.sleep(latency)
        reply = calls[last.content] if last.role == "user" else final
        return web.Response(body=reply, content_type="application/json")

    app = web.Application(client_max_size=2**26)
    app.router.add_post("/v1/chat/completions", answer)
    return app


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("answers", type=Path)
    parser.add_argument("--latency", type=float, default=0.2, help="seconds")
    chosen = parser.parse_args()
    asyncio.run(serve(application(json.loads(chosen.answers.read_bytes()), chosen.latency)))
