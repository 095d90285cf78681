"""What the agents here share: JSON lines on standard input and output, and the endpoint of their model."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable

MODEL = "scripted"


class Turns:
    """What the user says, turn by turn."""

    def __init__(self, mcp_url: str) -> None:
        self.mcp_url = mcp_url

    async def __aiter__(self) -> AsyncIterator[str]:
        while line := await _line():
            yield line["text"]

    def answer(self, text: str) -> None:
        print(json.dumps({"type": "final", "text": text}), flush=True)


async def serve_lines(converse: Callable[[Turns], Awaitable[None]]) -> None:
    """Speak toolgauge's protocol of processes, with a framework's agent behind it."""
    start = await _line()
    if start:
        await converse(Turns(start["mcp_url"]))


def client() -> object:
    """The SDK's client of the model's endpoint."""
    from openai import AsyncOpenAI

    return AsyncOpenAI(base_url=os.environ["OPENAI_BASE_URL"], api_key="none", max_retries=0)


async def _line() -> dict | None:
    line = await asyncio.to_thread(sys.stdin.readline)
    return json.loads(line) if line else None
