"""`toolgauge probe -m MODEL`, or `--agent AGENT`: one question with one tool; how it went, and what helps."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from toolgauge.cli.options import AgentName, ModelName, measured, with_groups
from toolgauge.cli.output import Overwrite, require_free, write_json
from toolgauge.cli.terminal import echo
from toolgauge.models.model import EndpointOptions, ModelOptions, Sampling

if TYPE_CHECKING:
    from toolgauge.models.probe import ProbeResult


@with_groups
def probe(
    model: Annotated[str | None, ModelName] = None,
    *,
    agent: Annotated[str | None, AgentName] = None,
    endpoint: EndpointOptions = EndpointOptions(timeout=60.0, max_attempts=2, patience=0.0),  # noqa: B008 - immutable
    sampling: Sampling,
    json: Annotated[Path | None, typer.Option(help="Also write what was found to this file as JSON.")] = None,
    overwrite: Overwrite = False,
) -> None:
    """\b
    toolgauge probe -m openai/gpt-5
    toolgauge probe -m vllm/qwen3-32b --base-url http://localhost:8000/v1

    Ask one question with one tool: does the model or agent answer, call, take results back, and how fast?
    """
    import asyncio

    import msgspec

    from toolgauge.cli.endpoints import warn_of_open_keys

    warn_of_open_keys(endpoint)
    require_free(json, overwrite)
    result = asyncio.run(_asked(measured(model, agent), ModelOptions.of(endpoint, sampling=sampling)))
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
    from toolgauge.models.probe import details, line, suggestion

    echo(line(result))
    for detail in details(result):
        echo(f"  {detail}")
    if helps := suggestion(result):
        echo(f"Suggestion: {helps}")
