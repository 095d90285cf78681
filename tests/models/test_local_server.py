"""Servers of this machine are asked what they are, and what follows before the first request."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from msgspec import UNSET

from tests.rows import rows
from tests.serving import in_background
from toolgauge.api import Plan, plan_run
from toolgauge.benchmarks.benchmark import Setup
from toolgauge.benchmarks.manifest import Decoding
from toolgauge.chat import Message, Request
from toolgauge.errors import UsageError
from toolgauge.models import ModelOptions, open_model
from toolgauge.models.limit import limit_of
from toolgauge.models.local_server import ServerFacts, ask_server
from toolgauge.models.model import Sampling
from toolgauge.models.probe import Finding, ProbeResult, probe
from toolgauge.models.providers import Endpoint, find_endpoint, find_provider
from toolgauge.models.registry import REPLY_TOKENS
from toolgauge.models.settings import settings

WITH_TOOLS, WITHOUT = "{% if tools %}{{ tools }}{% endif %}", "{{ messages }}"


@contextmanager
def server(**answers: Any) -> Iterator[tuple[str, list[str]]]:
    """(base URL, what was asked): answers by the last part of an address (`props`, `models`), a function of the body
    where it is one that is sent, and words for every conversation."""
    asked: list[str] = []

    async def answer(request: web.Request) -> web.Response:
        asked.append(request.path)
        last = request.path.rpartition("/")[2]
        if last == "completions":
            message = {"role": "assistant", "content": "Take one."}
            return web.json_response({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})
        found = answers.get(last)
        found = found(await request.json()) if callable(found) else found
        if found is None:
            return web.Response(status=404)
        body = found if isinstance(found, bytes) else json.dumps(found).encode()
        return web.Response(body=body, content_type="application/json")

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    with in_background(app) as (address, _loop):
        yield f"{address}/v1", asked


def limit_after(spec: str, base_url: str, requests: int = 3) -> int:
    """The most requests at once, when some were answered."""

    async def run() -> int:
        model = open_model(spec, ModelOptions(base_url=base_url, max_attempts=1, concurrency=32))
        limit = limit_of(model)
        assert limit is not None
        try:
            asked = [Request("assistant", (Message("user", str(n)),), (), str(n)) for n in range(requests)]
            await asyncio.gather(*map(model.ask, asked))
            return limit.most
        finally:
            await model.close()

    return asyncio.run(run())


def probed(spec: str, base_url: str, dialect: str | None = None) -> ProbeResult:
    async def run() -> ProbeResult:
        model = open_model(spec, ModelOptions(base_url=base_url, max_attempts=1, dialect=dialect))
        try:
            return await probe(model)
        finally:
            await model.close()

    return asyncio.run(run())


def test_llama_cpp_is_asked_once_and_gets_no_more_than_its_slots() -> None:
    with server(props={"total_slots": 2, "chat_template": WITH_TOOLS}) as (base_url, asked):
        assert limit_after("llamacpp/m", base_url) == 2
        assert asked.count("/props") == 1
        assert limit_after("openai/m", base_url) == 32
        assert asked.count("/props") == 1


@rows(
    "said",
    [*(None, b"", b"[", b"[1]", b'{"more": ' + b"[" * 9000), *({"total_slots": count} for count in (0, "2", -5, 1e99))],
)
def test_a_server_that_does_not_say_or_talks_nonsense(said: object) -> None:
    with server(props=said) as (base_url, _asked):
        assert limit_after("llamacpp/m", base_url) == 32


def test_the_probe_says_that_tools_are_dropped() -> None:
    with server(props={"chat_template": WITHOUT}) as (base_url, _asked):
        assert probed("llamacpp/m", base_url).finding is Finding.TOOLS_DROPPED
        assert probed("llamacpp/m", base_url, "generic").finding is Finding.WORDS
    with server(props={"chat_template": WITH_TOOLS}) as (base_url, _asked):
        assert probed("llamacpp/m", base_url).finding is Finding.WORDS


@rows("provider", ["llamacpp", "vllm", "sglang"])
def test_the_only_model_needs_no_name(provider: str) -> None:
    with server(models={"data": [{"id": "tiny"}]}) as (base_url, _asked):
        model = open_model(provider, ModelOptions(base_url=base_url))
        assert model.name == f"{provider}/tiny"


@rows(
    ("said", "words"),
    [
        ({"data": [{"id": "a"}, {"id": "b"}]}, r"write llamacpp/<model> \(the server at .* has a, b\)"),
        ({"data": []}, r"has no model"),
        (b"<html>", "does not list its models"),
        (b'{"more": ' + b"[" * 9000, "does not list its models"),
        (None, "does not list its models"),
    ],
)
def test_none_or_several_models_need_one(said: object, words: str) -> None:
    with server(models=said) as (base_url, _asked), pytest.raises(UsageError, match=words):
        open_model("llamacpp", ModelOptions(base_url=base_url))


SHORT = hashlib.sha256(WITH_TOOLS.encode()).hexdigest()[:12]
NAMED, TOLD = {"chat_template": "tools"}, hashlib.sha256(b"tools").hexdigest()[:12]
INFO = {"max_running_requests": 7, "tool_call_parser": "qwen25"}
TWO_SLOTS = {"total_slots": 2, "chat_template": WITH_TOOLS, "default_generation_settings": {"n_ctx": 4096}}
LLAMA = {"data": [{"id": "m", "owned_by": "llamacpp", "meta": {"n_ctx": 4096}}]}
VLLM = {"data": [{"id": "m", "owned_by": "vllm", "max_model_len": 4096}]}
SGLANG = {"data": [{"id": "m", "owned_by": "sglang", "max_model_len": 4096}]}


def endpoint(provider: str, base_url: str) -> Endpoint:
    found = find_provider(provider)
    assert found is not None
    return find_endpoint(found, ModelOptions(base_url=base_url, api_key="k"), settings())


def planned(spec: str, base_url: str, out: Path, **options: Any) -> Plan:
    setup = Setup(ids=("mini_0", "mini_1"))
    return plan_run("mini", spec, out=out, setup=setup, options=ModelOptions(base_url=base_url, **options))


@rows(
    ("provider", "answers", "facts"),
    [
        ("llamacpp", {"models": LLAMA, "props": TWO_SLOTS}, ServerFacts("llamacpp", 4096, 2, template=SHORT)),
        ("openai", {"models": LLAMA, "props": TWO_SLOTS}, ServerFacts("llamacpp", 4096, 2, template=SHORT)),
        ("openai", {"models": LLAMA}, ServerFacts("llamacpp", 4096)),
        ("llamacpp", {"models": LLAMA, "props": NAMED}, ServerFacts("llamacpp", 4096, template=TOLD)),
        ("vllm", {"models": VLLM}, ServerFacts("vllm", 4096)),
        ("sglang", {"models": SGLANG, "server_info": INFO}, ServerFacts("sglang", 4096, 7, parser="qwen25")),
        ("openai", {"models": {"data": [{"id": "m"}]}}, None),
        ("openai", {}, None),
        ("openai", {"models": {"data": [{"id": "a", "max_model_len": 9}, {"id": "b"}]}}, None),
        ("openai", {"models": {"data": [{"id": "m", "max_model_len": -9}]}}, None),
        ("openai", {"models": b"<html>"}, None),
        ("openai", {"models": b'{"more": ' + b"[" * 9000}, None),
        ("mistral", {"models": VLLM}, None),
    ],
)
def test_what_a_server_says(provider: str, answers: dict[str, Any], facts: ServerFacts | None) -> None:
    with server(**answers) as (base_url, asked):
        assert ask_server(endpoint(provider, base_url), "m") == facts
        assert provider != "mistral" or not asked


@pytest.mark.parametrize(("spec", "models"), [("openai/m", LLAMA), ("llamacpp/m", LLAMA), ("llamacpp/m", VLLM)])
def test_how_calls_are_formed_is_what_the_server_tells(spec: str, models: dict[str, Any], tmp_path: Path) -> None:
    props = {"props": TWO_SLOTS} if models is LLAMA else {}
    with server(models=models, **props) as (base_url, _asked):
        plan = planned(spec, base_url, tmp_path / "run")
    assert plan.manifest.decoding is (Decoding.GRAMMAR if models is LLAMA else UNSET)


def test_a_run_is_told_what_its_server_takes(tmp_path: Path) -> None:
    with server(models=LLAMA, props=TWO_SLOTS) as (base_url, _asked):
        plan = planned("llamacpp/m", base_url, tmp_path / "run")
    record = plan.manifest.server
    assert record
    assert (record.engine, record.context, record.slots, record.max_tokens) == ("llamacpp", 4096, 2, REPLY_TOKENS)
    assert record.template == SHORT
    assert plan.manifest.sampling == Sampling(max_tokens=REPLY_TOKENS)
    assert plan.openings["assistant"].options.concurrency == 2


@pytest.mark.parametrize("given", [{"max_tokens": 77}, {"extra_body": {"n_predict": 77}}])
def test_a_limit_of_the_users_stays(given: dict[str, Any], tmp_path: Path) -> None:
    with server(models=VLLM) as (base_url, _asked):
        plan = planned("vllm/m", base_url, tmp_path / "run", sampling=Sampling(**given))
    assert plan.manifest.sampling == Sampling(**given)
    assert plan.manifest.server
    assert plan.manifest.server.max_tokens is None


def counting(*, shows_tools: bool) -> Any:
    """A count like a server's: a token for three characters of what its template shows."""

    def count(body: dict[str, Any]) -> dict[str, int]:
        shown = [body["messages"], body.get("tools") if shows_tools else None]
        return {"input_tokens": len(json.dumps(shown)) // 3}

    return count


def test_a_server_that_leaves_the_tools_out_is_no_use(tmp_path: Path) -> None:
    """By its own count of tokens, which knows better than a look at the template; else by the template."""
    silent = TWO_SLOTS | {"chat_template": WITHOUT}
    with server(models=LLAMA, props=silent) as (base_url, _asked):
        with pytest.raises(UsageError, match=r"leaves the tools out of the prompt.* generic, or serve"):
            planned("llamacpp/m", base_url, tmp_path)
        assert planned("llamacpp/m", base_url, tmp_path, dialect="generic").manifest.server
    with server(models=LLAMA, props=silent, input_tokens=counting(shows_tools=True)) as (base_url, _asked):
        assert planned("llamacpp/m", base_url, tmp_path).manifest.server
    for answers in (
        {"models": LLAMA, "input_tokens": counting(shows_tools=False)},
        {"models": VLLM, "tokenize": counting(shows_tools=False)},
    ):
        with server(**answers) as (base_url, _asked), pytest.raises(UsageError, match="leaves the tools out"):
            planned("vllm/m", base_url, tmp_path)
