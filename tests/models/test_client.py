"""The endpoint model against a local server that fails in every way."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Any

import pytest

from tests.mockserver import EVERY_FAULT, HTML_502, RESET, Fault, rate_limited, serve, status
from tests.models.asking import KEY, TOOL, ask, options, question
from tests.rows import rows
from toolgauge.chat import Message, Request, ToolCall
from toolgauge.errors import ProviderError
from toolgauge.models import ModelOptions, Sampling, open_model

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
