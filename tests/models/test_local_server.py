"""Servers of this machine are asked what they are: slots, the template, the only model. With a server made here."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from toolgauge.chat import Message, Request
from toolgauge.errors import UsageError
from toolgauge.models import ModelOptions, open_model
from toolgauge.models.limit import limit_of
from toolgauge.models.probe import Finding, ProbeResult, probe

WITH_TOOLS, WITHOUT = "{% if tools %}{{ tools }}{% endif %}", "{{ messages }}"


@contextmanager
def server(**answers: Any) -> Iterator[tuple[str, list[str]]]:
    """(base URL, what was asked): answers by the last part of an address (`props`, `models`), a function of the body
    where it is one that is sent, and words for every conversation."""
    asked: list[str] = []

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            found = answers.get(self.path.rpartition("/")[2])
            self.say(404 if found is None else 200, found)

        def do_POST(self) -> None:
            asked.append(self.path)
            body = self.rfile.read(int(self.headers["Content-Length"]))
            last = self.path.rpartition("/")[2]
            if last != "completions":
                count = answers.get(last)
                self.say(404 if count is None else 200, count and count(json.loads(body)))
                return
            message = {"role": "assistant", "content": "Take one."}
            self.say(200, {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})

        def say(self, status: int, content: object) -> None:
            body = content if isinstance(content, bytes) else json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Nothing about requests."""

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    threading.Thread(target=listening.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listening.server_address[1]}/v1", asked
    finally:
        listening.shutdown()
        listening.server_close()


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


@pytest.mark.parametrize(
    "said",
    [
        *(None, b"", b"[", b"[1]", b'{"more": ' + b"[" * 9000),
        *({"total_slots": count} for count in (0, "2", -5, 1e99)),
    ],
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


@pytest.mark.parametrize("provider", ["llamacpp", "vllm", "sglang"])
def test_the_only_model_needs_no_name(provider: str) -> None:
    with server(models={"data": [{"id": "tiny"}]}) as (base_url, _asked):
        model = open_model(provider, ModelOptions(base_url=base_url))
        assert model.name == f"{provider}/tiny"


@pytest.mark.parametrize(
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


def test_no_redirect_is_followed_with_a_key() -> None:
    keys = []

    class Leads(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            keys.append(self.headers["Authorization"])
            self.send_response(302)
            self.send_header("Location", "http://127.0.0.1:1/models")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Nothing about requests."""

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Leads)
    threading.Thread(target=listening.serve_forever, daemon=True).start()
    try:
        base_url = f"http://127.0.0.1:{listening.server_address[1]}/v1"
        with pytest.raises(UsageError, match="does not list its models: HTTP 302"):
            open_model("llamacpp", ModelOptions(base_url=base_url, api_key="sk-of-this-server"))
    finally:
        listening.shutdown()
        listening.server_close()
    assert keys == ["Bearer sk-of-this-server"]
