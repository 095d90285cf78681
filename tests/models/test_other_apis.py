"""Anthropic's Messages and OpenAI's Responses: hostile answers and odd conversations; errors in providers' shapes."""

from __future__ import annotations

import json
from typing import Any

from tests.rows import rows
from toolgauge.chat import Message, Reply, ToolCall
from toolgauge.models.failures import AttemptFailure
from toolgauge.models.messages_api import read_message, wire_messages
from toolgauge.models.responses_api import read_response


def block(**fields: Any) -> bytes:
    return json.dumps({"content": [fields]}).encode()


@rows(
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


@rows(
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


@rows("read", [read_message, read_response])
@rows("body", [b"", b"<html>", b"[]", b"3", b"{}", b'{"content": 3, "output": 3}', b"[" * 100_000])
def test_what_is_no_answer_is_a_failure(read: Any, body: bytes) -> None:
    assert isinstance(read(body), AttemptFailure)


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
