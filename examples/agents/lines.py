"""What the agents here share: JSON lines on standard input and output, and the endpoint of their model."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable

MODEL = "scripted"


class Turns:
    """What the user says, turn by turn; before the first one, what was said already and the rules of the benchmark."""

    def __init__(self, mcp_url: str, history: list[dict]) -> None:
        self.mcp_url = mcp_url
        self._before = "\n".join(map(_written, history)) + "\n\nuser: " if history else ""

    async def __aiter__(self) -> AsyncIterator[str]:
        while line := await _line():
            yield self._before + line["text"]
            self._before = ""

    def answer(self, text: str) -> None:
        print(json.dumps({"type": "final", "text": text}), flush=True)


async def serve_lines(converse: Callable[[Turns], Awaitable[None]]) -> None:
    """Speak toolgauge's protocol of processes, with a framework's agent behind it."""
    start = await _line()
    if start:
        await converse(Turns(start["mcp_url"], start["history"]))


def client() -> object:
    """The SDK's client of the model's endpoint."""
    from openai import AsyncOpenAI

    return AsyncOpenAI(base_url=os.environ["OPENAI_BASE_URL"], api_key="none", max_retries=0)


def _written(message: dict) -> str:
    calls = (call["function"] for call in message.get("tool_calls", ()))
    said = [message["content"] or "", *(f"[{call['name']} {call['arguments']}]" for call in calls)]
    return f"{message['role']}: {' '.join(said)}"


async def _line() -> dict | None:
    line = await asyncio.to_thread(sys.stdin.readline)
    return json.loads(line) if line else None
