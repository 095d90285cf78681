"""How the tests of this folder ask a model behind the local faulty server."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from tests.mockserver import Server
from toolgauge.chat import Message, Reply, Request, Tool
from toolgauge.errors import ProviderError
from toolgauge.models import Backoff, Model, ModelOptions, Sampling, open_model

KEY = "sk-do-not-show-me-1234567890"
QUICK = Backoff(first=0.001, most=0.005)
TOOL = Tool("find", "Finds.", {"type": "object", "properties": {"what": {"type": "string"}}, "required": ["what"]})


def options(
    server: Server,
    *,
    timeout: float = 5.0,
    max_attempts: int = 6,
    patience: float = 0.0,
    concurrency: int = 32,
    sampling: Sampling | None = None,
) -> ModelOptions:
    return ModelOptions(
        base_url=server.base_url,
        api_key=KEY,
        timeout=timeout,
        max_attempts=max_attempts,
        patience=patience,
        concurrency=concurrency,
        sampling=sampling or Sampling(),
        backoff=QUICK,
    )


def question(number: int = 0, tools: tuple[Tool, ...] = ()) -> Request:
    return Request("assistant", (Message("user", f"question {number}"),), tools, f"s/{number}")


def ask(server: Server, requests: Sequence[Request] = (), chosen: ModelOptions | None = None) -> list[Reply]:
    """The replies of openai/mock to these requests, asked all at once (one plain question if there are none)."""

    async def run() -> list[Reply]:
        model: Model = open_model("openai/mock", chosen or options(server))
        try:
            return await asyncio.gather(*(model.ask(request) for request in requests or [question()]))
        finally:
            await model.close()

    return asyncio.run(run())


def asked(spec: str, chosen: ModelOptions) -> Reply | ProviderError:
    """What one plain question to a model comes to."""

    async def once() -> Reply | ProviderError:
        model = open_model(spec, chosen)
        try:
            return await model.ask(question())
        except ProviderError as error:
            return error
        finally:
            await model.close()

    return asyncio.run(once())
