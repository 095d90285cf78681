"""`toolgauge probe -m MODEL`: one question with one tool; how it went, what was found, and what helps."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from toolgauge.cli.model_options import ApiKey, BaseUrl, Dialect, MaxReply, MaxTokens, ModelName, Timeout
from toolgauge.cli.output import Overwrite, require_free, write_json
from toolgauge.cli.terminal import echo

if TYPE_CHECKING:
    from toolgauge.models.model import ModelOptions
    from toolgauge.models.probe import ProbeResult


def probe(
    model: ModelName,
    dialect: Dialect = None,
    base_url: BaseUrl = None,
    api_key: ApiKey = None,
    timeout: Timeout = 60.0,
    max_reply: MaxReply = 32.0,
    max_tokens: MaxTokens = None,
    json: Annotated[Path | None, typer.Option(help="Also write what was found to this file as JSON.")] = None,
    overwrite: Overwrite = False,
) -> None:
    """Ask one question with one tool: does the endpoint answer, call, take results back, and how fast?"""
    import asyncio

    import msgspec

    from toolgauge.cli.endpoints import warn_of_open_keys
    from toolgauge.models.model import ModelOptions, Sampling

    options = ModelOptions(
        base_url,
        api_key,
        timeout,
        max_attempts=2,
        patience=0.0,
        dialect=dialect,
        max_reply_bytes=int(max_reply * 1e6),
        sampling=Sampling(max_tokens=max_tokens),
    )
    warn_of_open_keys(api_key, base_url)
    require_free(json, overwrite)
    result = asyncio.run(_asked(model, options))
    _tell(result)
    if json is not None:
        write_json(json, msgspec.json.encode(result.record), [], overwrite)
    if not result.ok:
        raise typer.Exit(1)


async def _asked(model: str, options: ModelOptions) -> ProbeResult:
    from toolgauge.cli.endpoints import tell_endpoints
    from toolgauge.models.probe import probe as ask
    from toolgauge.models.registry import open_model

    opened = open_model(model, options)
    tell_endpoints([opened])
    try:
        return await ask(opened)
    finally:
        await opened.close()


def _tell(result: ProbeResult) -> None:
    from toolgauge.models.probe_words import details, line, suggestion

    echo(line(result))
    for detail in details(result):
        echo(f"  {detail}")
    if helps := suggestion(result):
        echo(f"Suggestion: {helps}")
