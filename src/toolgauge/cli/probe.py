"""`toolgauge probe -m MODEL`: one question with one tool; one line that says how it went."""

from __future__ import annotations

import typer

from toolgauge.cli.model_options import ApiKey, BaseUrl, Dialect, MaxReply, ModelName, Timeout
from toolgauge.cli.terminal import echo


def probe(
    model: ModelName,
    dialect: Dialect = None,
    base_url: BaseUrl = None,
    api_key: ApiKey = None,
    timeout: Timeout = 60.0,
    max_reply: MaxReply = 32.0,
) -> None:
    """Ask one question with one tool: does the endpoint answer, call, take results back, and how fast?"""
    import asyncio

    from toolgauge.cli.endpoints import tell_endpoints, warn_of_open_keys
    from toolgauge.cli.language import local
    from toolgauge.models.model import ModelOptions
    from toolgauge.models.probe import ProbeResult
    from toolgauge.models.probe import probe as ask
    from toolgauge.models.registry import open_model

    async def question() -> ProbeResult:
        options = ModelOptions(
            base_url,
            api_key,
            timeout,
            max_attempts=2,
            patience=0.0,
            dialect=dialect,
            max_reply_bytes=int(max_reply * 1e6),
        )
        opened = open_model(model, options)
        tell_endpoints([opened])
        try:
            return await ask(opened)
        finally:
            await opened.close()

    warn_of_open_keys(api_key, base_url)
    result = asyncio.run(question())
    echo(local(result.line()))
    if not result.ok:
        raise typer.Exit(1)
