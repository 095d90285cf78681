"""A server that repeats our key in what its model says: it is written nowhere."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.mockserver import Fault, raw, serve
from tests.models.asking import question
from tests.rows import rows
from toolgauge.chat import Reply
from toolgauge.errors import ProviderError
from toolgauge.models import ModelOptions, open_model
from toolgauge.models.engines.process import EngineProcess

KEY = 'of-mine/0123456789+"abc"=='
SPELLINGS = [KEY, KEY.replace("/", "\\/"), KEY.replace("+", "\\u002B"), KEY.replace("+", "\\u002b")]


def answer(text: str) -> Any:
    """A reply with a text in every place; the text as it stands in JSON."""
    call_ = f'{{"id": "{text}", "type": "function", "function": {{"name": "{text}", "arguments": "{text}"}}}}'
    message = f'{{"content": "{text}", "reasoning_content": "{text}", "tool_calls": [{call_}]}}'
    return raw(f'{{"model": "{text}", "choices": [{{"finish_reason": "stop", "message": {message}}}]}}')


def ask(fault: Any, key: str, spec: str = "openai/m") -> Reply | ProviderError:
    async def once() -> Reply | ProviderError:
        with serve(faults=[fault]) as server:
            model = open_model(spec, ModelOptions(base_url=server.base_url, api_key=key, max_attempts=1))
            try:
                return await model.ask(question())
            except ProviderError as error:
                return error
            finally:
                await model.close()

    return asyncio.run(once())


@rows("spelling", SPELLINGS)
def test_in_every_place_of_a_reply(spelling: str) -> None:
    text = f"x {spelling} y".replace('"', '\\"')
    reply = ask(answer(text), KEY)
    assert isinstance(reply, Reply)
    assert "of-mine" not in repr(reply)
    (made,) = reply.tool_calls
    told = (reply.content, reply.reasoning, reply.model, made.id, made.name, made.arguments)
    assert set(told) == {"x *** y"}


@rows("spec", ["openai/m", "anthropic/m", "openai-responses/m", "azure/m"])
@rows("status", [200, 400, 401, 500])
def test_in_errors(spec: str, status: int) -> None:
    text = json.dumps({"error": {"message": f"no {KEY}", "failed_generation": f"I saw {KEY}", "type": KEY}})
    reply = ask(Fault(status, text.encode()), KEY, spec)
    assert "of-mine" not in f"{reply!r} {reply}"


def test_an_engine_is_not_told_the_keys_of_providers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "VLLM_API_KEY", "HF_TOKEN"):
        monkeypatch.setenv(name, "x")
    code = "import os; print(*(n for n in os.environ if n.endswith(('_API_KEY', 'HF_TOKEN'))))"
    with EngineProcess([sys.executable, "-c", code]) as engine:
        while engine._process.poll() is None:
            pass
        engine._reader.join(10)
        (line,) = engine.last_lines()
    assert set(line.split()) >= {"VLLM_API_KEY", "HF_TOKEN"}
    assert not set(line.split()) & {"OPENAI_API_KEY", "ANTHROPIC_API_KEY"}
