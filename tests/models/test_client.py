"""The endpoint model against servers that fail in every way: what is sent where, repeated, bounded, and never shown."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.mockserver import EVERY_FAULT, HTML_502, RESET, Fault, Server, rate_limited, raw, serve, status
from tests.models.asking import KEY, TOOL, ask, asked, options, question
from tests.rows import rows
from toolgauge.chat import Message, Reply, Request, ToolCall
from toolgauge.errors import ProviderError
from toolgauge.models import ModelOptions, Sampling, open_model
from toolgauge.models.batches import batch_endpoint
from toolgauge.models.engines.process import EngineProcess
from toolgauge.models.http import redirect_failure, redirect_target

CALL = {"id": "call_1", "type": "function", "function": {"name": "find", "arguments": '{"what": "keys"}'}}


def echo(body: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": body["messages"][-1]["content"]}


@rows("fault", EVERY_FAULT)
def test_a_passing_fault_costs_one_more_attempt(fault: Fault) -> None:
    with serve(echo, [fault]) as server:
        (reply,) = ask(server)
    assert (reply.content, reply.attempts) == ("question 0", 2)
    assert reply.latency > 0


def test_a_lasting_fault_is_a_provider_error_that_may_be_tried_again() -> None:
    with (
        serve(echo, [HTML_502] * 3) as server,
        pytest.raises(ProviderError, match="no reply after 3 attempts") as caught,
    ):
        ask(server, chosen=options(server, max_attempts=3))
    assert (caught.value.permanent, caught.value.attempts, len(server.requests)) == (False, 3, 3)
    assert "\n" not in str(caught.value)


@rows("number", [400, 401, 402, 403, 404, 413, 422])
def test_a_refused_request_is_permanent_and_not_repeated(number: int) -> None:
    with (
        serve(echo, [status(number, "no")]) as server,
        pytest.raises(ProviderError, match=f"HTTP {number}: no") as caught,
    ):
        ask(server)
    assert caught.value.permanent
    assert len(server.requests) == 1


def test_a_content_filter_is_a_reply_without_content() -> None:
    with serve(echo, [status(400, "filtered", code="content_filter")]) as server:
        (reply,) = ask(server)
    assert (reply.finish_reason, reply.content, reply.tool_calls) == ("content_filter", None, ())


def test_an_endpoint_that_answered_before_is_waited_for() -> None:
    """Three refused connections in a row, where two attempts are allowed: patience carries it over."""

    async def run(server: Any) -> list[int]:
        model = open_model("openai/mock", options(server, max_attempts=2, patience=60))
        try:
            return [(await model.ask(question(number))).attempts for number in range(2)]
        finally:
            await model.close()

    with serve(echo, [None, RESET, RESET, RESET, None]) as server:
        assert asyncio.run(run(server)) == [1, 4]


def test_a_pause_the_server_asks_for_holds_everybody_back() -> None:
    """The second waits for the only place until the first is refused; it would be asked at once without the pause."""
    arrived: list[float] = []

    def fault(number: int, _body: object) -> Fault | None:
        arrived.append(time.monotonic())
        return rate_limited(1) if number == 0 else None

    with serve(echo, fault) as server:
        replies = ask(server, [question(0), question(1)], options(server, concurrency=1))
    assert [reply.attempts for reply in replies] == [2, 1]
    assert arrived[1] - arrived[0] >= 0.9  # a lower bound that the pause itself sets, no measure of speed
    assert len(arrived) == 3


def test_never_more_requests_at_once_than_allowed() -> None:
    with serve(echo, latency=0.01, together=7) as server:
        ask(server, [question(number) for number in range(60)], options(server, timeout=60.0, concurrency=7))
    assert server.most_at_once == 7


def test_what_is_sent() -> None:
    conversation = (
        Message("system", "Current Date: today"),
        Message("user", "Find my keys"),
        Message("assistant", None, (ToolCall("call_1", "find", '{"what": "keys"}'),), reasoning="not sent back"),
        Message("tool", "under the bed", tool_call_id="call_1"),
    )
    sampling = Sampling(temperature=0.0, max_tokens=64, parallel_tool_calls=False, extra_body={"top_k": 5, "seed": 7})
    with serve(echo) as server:
        ask(server, [Request("assistant", conversation, (TOOL,))] * 2, options(server, sampling=sampling))
    assert (
        server.requests[0]
        == server.requests[1]
        == {
            "model": "mock",
            "temperature": 0.0,
            "max_tokens": 64,
            "parallel_tool_calls": False,
            "top_k": 5,
            "seed": 7,
            "messages": [
                {"role": "system", "content": "Current Date: today"},
                {"role": "user", "content": "Find my keys"},
                {"role": "assistant", "content": None, "tool_calls": [CALL]},
                {"role": "tool", "content": "under the bed", "tool_call_id": "call_1"},
            ],
            "tools": [TOOL.wire()],
        }
    )
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert server.headers[0]["Content-Type"] == "application/json"


@rows(
    ("made", "sent"),
    [
        ('{"what": "keys"}', '{"what": "keys"}'),
        ({"what": "keys"}, '{"what":"keys"}'),
        (None, "{}"),
        ('{"what": ', '{"arguments":"{\\"what\\": "}'),
        ("5", '{"arguments":"5"}'),
        (5, '{"arguments":5}'),
    ],
)
def test_arguments_are_sent_back_as_the_text_of_an_object(made: Any, sent: str) -> None:
    message = Message("assistant", None, (ToolCall("call_1", "find", made),))
    with serve(lambda _: {"role": "assistant", "content": "ok"}) as server:
        ask(server, [Request("assistant", (message,))])
    assert server.requests[0]["messages"][0]["tool_calls"][0]["function"]["arguments"] == sent


def test_texts_that_utf_8_cannot_carry_are_sent_all_the_same() -> None:
    with serve(lambda _: {"role": "assistant", "content": "ok"}) as server:
        ask(server, [Request("assistant", (Message("user", "half a \ud83d pair"),), (TOOL,))])
    assert server.requests[0]["messages"][0]["content"] == "half a \ud83d pair"
    assert server.requests[0]["tools"] == [TOOL.wire()]


def test_credentials_and_query_of_a_base_url_are_used_but_never_shown(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)

    async def run(url: str) -> tuple[dict[str, Any], str]:
        model = open_model("openai/mock", ModelOptions(base_url=url, max_attempts=1))
        try:
            with pytest.raises(ProviderError) as caught:
                await model.ask(question())
            return model.describe(), str(caught.value)
        finally:
            await model.close()

    with serve(echo, [status(403, "hunter22 and tok-98765 are not welcome")]) as server:
        url = server.base_url.replace("//", "//me:hunter22@") + "?token=tok-98765"
        described, message = asyncio.run(run(url))
    assert server.paths == ["/v1/chat/completions?token=tok-98765"]
    assert server.headers[0]["Authorization"].startswith("Basic ")
    assert described["base_url"] == server.base_url
    shown = f"{described} {message} {caplog.text}"
    assert "hunter22" not in shown
    assert "tok-98765" not in shown


STATUSES = (301, 302, 303, 307, 308)


def reached(server: Server, key: str = KEY) -> ModelOptions:
    return ModelOptions(base_url=server.base_url, api_key=key, max_attempts=1)


def redirect(status: int, to: str) -> Fault:
    return Fault(status, b"", (("Location", to),))


@rows(
    ("name", "status"),
    zip(("openai/m", "openai-responses/m", "anthropic/m", "azure/m", "mistral/m"), STATUSES, strict=True),
)
def test_no_request_follows_a_redirect(name: str, status: int) -> None:
    with serve() as elsewhere:

        def faults(_number: int, _body: Any) -> Fault:
            return redirect(status, elsewhere.base_url + "/chat/completions?token=hidden-token")

        with serve(faults=faults) as sent_from:
            error = asked(name, reached(sent_from))
        assert isinstance(error, ProviderError)
        assert error.permanent
    assert elsewhere.headers == []
    assert len(sent_from.headers) == 1  # and not again
    assert any(KEY in value for value in sent_from.headers[0].values())
    said = str(error)
    assert f"HTTP {status}: the endpoint redirects to {elsewhere.base_url}" in said
    assert "--base-url" in said
    assert "hidden-token" not in said


@rows(
    ("location", "target"),
    [
        ("https://b/v1/x?key=k#f", "https://b/v1/x"),
        ("https://me:pw@b:8/v1", "https://b:8/v1"),
        ("//b/v1", "http://b/v1"),
        ("y", "http://a/v1/y"),
        ("", None),
        ("  ", None),
        ("file:///etc/passwd", None),
        ("http://[::1", None),
        ("http://", "http://a/v1/x"),
        ("javascript:1", None),
    ],
)
def test_where_a_redirect_leads(location: str, target: str | None) -> None:
    found = redirect_target(location, "http://a/v1/x")
    assert found == target
    failure = redirect_failure(302, {"location": location}, "http://a/v1/x", "http://a/v1")
    assert failure is not None
    assert ("does not say where to" in str(failure.message)) is (target is None)


def sent(server: Server) -> set[str]:
    return {name.lower() for headers in server.headers for name in headers}


SDK = {
    "OPENAI_ORG_ID": "org-of-mine",
    "OPENAI_PROJECT_ID": "project-of-mine",
    "OPENAI_CUSTOM_HEADERS": "X-Gateway-Token: gateway-secret\nAuthorization: Bearer of-the-gateway",
    "OPENAI_ADMIN_KEY": "sk-admin",
}


@pytest.mark.parametrize("name", ["mistral/m", "anthropic/m", "azure/m", "vllm/m", "moonshot/m"])
def test_what_is_for_openai_is_sent_to_nobody_else(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable, value in SDK.items():
        monkeypatch.setenv(variable, value)
    with serve() as server:
        asked(name, reached(server))
    assert not sent(server) & {"openai-organization", "openai-project", "x-gateway-token"}
    assert all("gateway" not in value and "admin" not in value for one in server.headers for value in one.values())


@rows("name", ["openai/m", "azure/m", "openai/m with a login"])
def test_a_file_in_a_storage_elsewhere_is_fetched_without_the_key(name: str) -> None:
    signed = "/a%2Fb%7E?sig=a%20b%3A%2B"

    async def once(url: str) -> bytes:
        options = ModelOptions(base_url=url, api_key=KEY, max_attempts=1, batch=True)
        model = batch_endpoint(open_model(name.partition(" ")[0], options))
        assert model is not None
        try:
            return await model.download("file-1")
        finally:
            await model.close()

    with serve(faults=[raw(b"file")], gets=True) as storage:
        to = storage.base_url.removesuffix("/v1") + signed
        with serve(faults=[redirect(302, to)], gets=True) as endpoint:
            login = "://me:password-of-mine@" if "login" in name else "://"
            assert asyncio.run(once(endpoint.base_url.replace("://", login))) == b"file"
    assert storage.paths == [signed], "as it was written"
    assert sent(endpoint) & {"authorization", "api-key"}
    assert not sent(storage) & {"authorization", "api-key", "x-api-key", "cookie"}
    assert all(KEY not in value for value in storage.headers[0].values())


ODD_KEY = 'of-mine/0123456789+"abc"=='
SPELLINGS = [ODD_KEY, ODD_KEY.replace("/", "\\/"), ODD_KEY.replace("+", "\\u002B"), ODD_KEY.replace("+", "\\u002b")]


def answer_with(text: str) -> Any:
    """A reply with a text in every place; the text as it stands in JSON."""
    call_ = f'{{"id": "{text}", "type": "function", "function": {{"name": "{text}", "arguments": "{text}"}}}}'
    message = f'{{"content": "{text}", "reasoning_content": "{text}", "tool_calls": [{call_}]}}'
    return raw(f'{{"model": "{text}", "choices": [{{"finish_reason": "stop", "message": {message}}}]}}')


@rows("spelling", SPELLINGS)
def test_in_every_place_of_a_reply(spelling: str) -> None:
    text = f"x {spelling} y".replace('"', '\\"')
    with serve(faults=[answer_with(text)]) as server:
        reply = asked("openai/m", reached(server, ODD_KEY))
    assert isinstance(reply, Reply)
    assert "of-mine" not in repr(reply)
    (made,) = reply.tool_calls
    told = (reply.content, reply.reasoning, reply.model, made.id, made.name, made.arguments)
    assert set(told) == {"x *** y"}


@rows("spec", ["openai/m", "anthropic/m", "openai-responses/m", "azure/m"])
@rows("status", [200, 400, 401, 500])
def test_in_errors(spec: str, status: int) -> None:
    text = json.dumps({"error": {"message": f"no {ODD_KEY}", "failed_generation": f"I saw {ODD_KEY}", "type": ODD_KEY}})
    with serve(faults=[Fault(status, text.encode())]) as server:
        reply = asked(spec, reached(server, ODD_KEY))
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
