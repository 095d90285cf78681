"""One question before a run, and what tokens cost."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.mockserver import Fault, serve
from tests.models.asking import options
from toolgauge.chat import Usage
from toolgauge.models import ModelOptions, open_model
from toolgauge.models.prices import cost
from toolgauge.models.probe import Finding, ProbeResult, line, probe


def probed(spec: str, chosen: ModelOptions | None = None) -> ProbeResult:
    async def run() -> ProbeResult:
        model = open_model(spec, chosen)
        try:
            return await probe(model)
        finally:
            await model.close()

    return asyncio.run(run())


def at_server(first: dict[str, Any], fault: Fault | None = None) -> ProbeResult:
    def answer(body: dict[str, Any]) -> dict[str, Any]:
        return first if body["messages"][-1]["role"] == "user" else {"content": "Yes, take one."}

    with serve(answer, [fault]) as server:
        return probed("openai/mock", options(server, max_attempts=1))


def calling(name: str = "current_weather", arguments: Any = '{"city": "Lisbon"}', **more: Any) -> dict[str, Any]:
    return {"tool_calls": [{"id": "c", "function": {"name": name, "arguments": arguments}, **more}]}


def test_a_good_endpoint() -> None:
    result = at_server(calling())
    assert result.ok
    assert result.record.seconds > 0
    assert "takes the result back" in str(line(result))


def test_players_can_be_probed() -> None:
    assert probed("builtin/oracle").ok
    assert probed("builtin/silent").finding is Finding.WORDS


def test_costs() -> None:
    usage = Usage(1_000_000, 100_000)
    known = cost("openai/gpt-4o", usage)
    assert known is not None
    assert known > 0
    cached = cost("openai/gpt-4o", Usage(1_000_000, 100_000, cached_tokens=900_000))
    assert cached is not None
    assert cached < known
    assert cost("openai/a-model-that-nobody-sells", usage) is None
    assert cost("nobody/knows", usage) is None
    assert cost("builtin/oracle", usage) == 0
    assert cost("openai/gpt-4o", Usage(10, 0, cached_tokens=99)) is not None
