"""Anthropic's Messages and OpenAI's Responses: hostile answers and odd conversations; errors in providers' shapes."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.mockserver import Fault, raw, serve
from tests.models.asking import QUICK, TOOL
from toolgauge.chat import Message, Reply, Request, ToolCall, Usage
from toolgauge.errors import ProviderError
from toolgauge.models import ModelOptions, open_model
from toolgauge.models.inner_errors import Answered
from toolgauge.models.messages_api import read_message, wire_messages
from toolgauge.models.prices import cost, priced_name
from toolgauge.models.responses_api import read_response, wire_items
from toolgauge.models.retry import AttemptFailure, duration, requested_pause, retry_delay

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)


def block(**fields: Any) -> bytes:
    return json.dumps({"content": [fields]}).encode()


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (block(type="text", text="Hi"), Reply("Hi")),
        (
            block(type="tool_use", id="t", name="f", input={"a": "ä"}),
            Reply(tool_calls=(ToolCall("t", "f", '{"a":"ä"}'),)),
        ),
        (block(type="tool_use", id=3, name=None, input=[1]), Reply(tool_calls=(ToolCall(None, None, [1]),))),
        (block(type="tool_use"), Reply(tool_calls=(ToolCall(),))),
        (block(type="text", text=5), Reply()),
        (block(type="new", x=1), Reply()),
        (
            block(type="thinking", thinking="hm", signature="s"),
            Reply(reasoning="hm", echo={"thinking": [{"type": "thinking", "thinking": "hm", "signature": "s"}]}),
        ),
        (
            block(type="redacted_thinking", data="d"),
            Reply(echo={"thinking": [{"type": "redacted_thinking", "data": "d"}]}),
        ),
        (b'{"content": [], "stop_reason": "refusal"}', Reply(finish_reason="content_filter")),
        (b'{"content": [null, 3], "stop_reason": "end_turn", "model": 3, "usage": 7}', Reply(finish_reason="stop")),
    ],
)
def test_messages_are_read_whatever_they_hold(body: bytes, expected: Reply) -> None:
    assert read_message(body) == expected


def test_cached_tokens_are_part_of_the_input() -> None:
    usage = {"input_tokens": 7, "cache_read_input_tokens": 20, "cache_creation_input_tokens": 3, "output_tokens": 5}
    reply = read_message(json.dumps({"content": [], "usage": usage}).encode())
    assert isinstance(reply, Reply)
    assert reply.usage == Usage(30, 5, cached_tokens=20)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"output": [], "status": "completed"}, Reply(finish_reason="stop")),
        (
            {"output": [{"type": "function_call", "call_id": "c", "name": "f", "arguments": "{"}]},
            Reply(tool_calls=(ToolCall("c", "f", "{"),), finish_reason="tool_calls"),
        ),
        (
            {"output": [{"type": "message", "content": [{"type": "refusal", "refusal": "No."}]}]},
            Reply("No.", finish_reason="refusal"),
        ),
        (
            {"output": [], "status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}},
            Reply(finish_reason="length"),
        ),
        ({"output": [3, None, {"type": "message", "content": 4}], "model": []}, Reply(finish_reason="stop")),
    ],
)
def test_responses_are_read_whatever_they_hold(body: Any, expected: Reply) -> None:
    assert read_response(json.dumps(body).encode()) == expected


@pytest.mark.parametrize("read", [read_message, read_response])
@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b"3", b"{}", b'{"content": 3, "output": 3}', b"[" * 100_000])
def test_what_is_no_answer_is_a_failure(read: Any, body: bytes) -> None:
    assert isinstance(read(body), AttemptFailure)


@given(JSON)
def test_any_json_becomes_a_reply_or_a_failure(value: Any) -> None:
    for wrapped in (value, {"content": [value]}, {"output": [value]}, {"content": value, "output": value}):
        body = json.dumps(wrapped).encode()
        for reply in (read_message(body), read_response(body)):
            assert isinstance(reply, Answered)
            if isinstance(reply, Reply):  # and what came can be sent back
                said = (Message("user", "?"), reply.message())
                assert json.dumps(wire_messages(said), allow_nan=False)
                assert json.dumps(wire_items(said), allow_nan=False)


def test_results_come_first_and_nothing_is_empty() -> None:
    said = (
        Message("system", "Be brief."),
        Message("user", "?"),
        Message("assistant", " ", (ToolCall("a b", "f", "no object"),)),
        Message("tool", "", tool_call_id="a b"),
        Message("user", "And?"),
        Message("assistant", ""),
        Message("user", "Hm."),
    )
    assert wire_messages(said) == [
        {"role": "user", "content": [{"type": "text", "text": "?"}]},
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "a_b", "name": "f", "input": {"arguments": "no object"}}],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "a_b", "content": ""},
                {"type": "text", "text": "And?"},
            ],
        },
        {"role": "assistant", "content": [{"type": "text", "text": "…"}]},
        {"role": "user", "content": [{"type": "text", "text": "Hm."}]},
    ]


# --------------------------------------------------------------------------------------------------- errors and pauses


def ask_once(name: str, fault: Fault) -> Reply:
    import asyncio

    async def go(base_url: str) -> Reply:
        options = ModelOptions(
            base_url=base_url, api_key="key-of-mine-0123", max_attempts=2, patience=0.0, backoff=QUICK
        )
        model = open_model(f"{name}/m", options)
        try:
            return await model.ask(Request("assistant", (Message("user", "?"),), (TOOL,)))
        finally:
            await model.close()

    with serve(faults=lambda _number, _body: fault) as server:
        return asyncio.run(go(server.base_url))


def refused(status: int, body: Any) -> Fault:
    return Fault(status, raw(body).body)


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("zhipu", refused(400, {"error": {"code": "1301", "message": "sensitive"}})),
        ("qwen", refused(400, {"error": {"code": "data_inspection_failed", "message": "inappropriate"}})),
        ("moonshot", refused(400, {"error": {"type": "content_filter", "message": "high risk"}})),
        ("doubao", refused(400, {"error": {"code": "SensitiveContentDetected", "message": "sensitive"}})),
        ("azure", refused(400, {"error": {"code": "content_filter", "message": "filtered"}})),
    ],
)
def test_a_filtered_prompt_is_an_outcome(name: str, fault: Fault) -> None:
    assert ask_once(name, fault).finish_reason == "content_filter"


def test_a_providers_code_is_only_its_own() -> None:
    with pytest.raises(ProviderError, match="HTTP 400"):
        ask_once("mistral", refused(400, {"error": {"code": "1301", "message": "other"}}))


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("moonshot", refused(429, {"error": {"type": "exceeded_current_quota_error", "message": "no money"}})),
        ("zhipu", refused(429, {"error": {"code": "1113", "message": "no money"}})),
        ("qwen", refused(400, {"error": {"code": "Arrearage", "message": "no money"}})),
        ("openai", refused(429, {"error": {"code": "insufficient_quota", "message": "no money"}})),
        ("deepseek", refused(402, {"error": {"message": "Insufficient Balance"}})),
    ],
)
def test_an_account_without_money_is_not_asked_again(name: str, fault: Fault) -> None:
    with pytest.raises(ProviderError) as caught:
        ask_once(name, fault)
    assert (caught.value.permanent, caught.value.attempts) == (True, 1)


def test_what_a_model_wrote_in_place_of_a_call_is_its_reply() -> None:
    error = {"message": "Failed to call a function", "code": "tool_use_failed", "failed_generation": "<function=f>{"}
    reply = ask_once("groq", refused(400, {"error": error}))
    assert (reply.content, reply.finish_reason, reply.tool_calls) == ("<function=f>{", "tool_use_failed", ())


def test_errors_in_a_list_are_read() -> None:
    with pytest.raises(ProviderError, match="HTTP 400: API key not valid"):
        ask_once("gemini", refused(400, [{"error": {"code": 400, "message": "API key not valid"}}]))


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1s", 1.0), ("6m0s", 360.0), ("1h1m1s", 3661.0), ("20ms", 0.02), ("34.5s", 34.5), ("7", 7.0),
        ("", None), ("soon", None), ("nan", None), (None, None), (3, None), ("1" * 100 + "s", None),
    ],
)  # fmt: skip
def test_durations(text: Any, seconds: float | None) -> None:
    found = duration(text)
    assert found is seconds is None or (found is not None and seconds is not None and math.isclose(found, seconds))


def test_an_exhausted_limit_says_when_it_is_reset() -> None:
    left = {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "2s"}
    assert requested_pause(left, 0.0) == 2.0
    assert requested_pause(left | {"x-ratelimit-remaining-requests": "5"}, 0.0) is None
    tokens = {"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "1m30s"}
    assert requested_pause(left | tokens, 0.0) == 90.0
    assert requested_pause(left | {"retry-after": "7"}, 0.0) == 7.0


def test_googles_retry_info() -> None:
    info = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34s"}
    assert retry_delay({"details": [{"@type": "other"}, info]}, 0.0) == 34.0
    for error in (None, "x", {}, {"details": 3}, {"details": [3]}, {"details": [info | {"retryDelay": 3}]}):
        assert retry_delay(error, 0.0) is None


# --------------------------------------------------------------------------------------------------------------- prices

MUCH = Usage(1_000_000, 100_000)


@pytest.mark.parametrize(
    ("model", "base_url", "known"),
    [
        ("anthropic/claude-sonnet-4-5", "https://api.anthropic.com/v1", True),
        ("claude/claude-sonnet-4-5", None, True),
        ("gemini/gemini-2.5-pro", None, True),
        ("moonshot-cn/kimi-k2.5", "https://api.moonshot.cn/v1", True),
        ("openrouter/openai/gpt-4o", None, True),
        ("azure/gpt-4o", "https://me.openai.azure.com", True),
        ("openai/gpt-4o", "https://api.openai.com/v1", True),
        ("openai/gpt-4o", "http://localhost:8000/v1", False),
        ("openai/gpt-oss-120b", "http://localhost:8000/v1", False),
        ("deepseek/deepseek-chat", "http://10.0.0.1/v1", False),
        ("vllm/gpt-4o", None, False),
        ("ollama/deepseek-chat", None, False),
        ("qwen/gpt-4o", None, False),
        ("parrot/gpt-4o", None, False),
        ("gpt-4o", None, False),
    ],
)
def test_a_price_holds_where_it_is_asked_by_its_seller(model: str, base_url: str | None, known: bool) -> None:
    assert (cost(model, MUCH, base_url) is not None) is known
    assert (priced_name(model, base_url) == model) is known


def test_a_price_is_the_sellers() -> None:
    assert cost("deepseek/deepseek-chat", MUCH) != cost("openrouter/deepseek/deepseek-chat", MUCH)
