"""Replies that come as a stream: the same as if they had come at once, and stopped where they repeat themselves."""

from __future__ import annotations

import json
from typing import Any

from tests.rows import rows
from toolgauge.chat import Reply, ToolCall
from toolgauge.models.endings import LOOP, Ending, ending_of, repeats_itself
from toolgauge.models.failures import InnerError
from toolgauge.models.replies import read_reply
from toolgauge.models.streams import LONG, STOPPED, LoopWatch, is_stream, put_together


def event(delta: dict[str, Any], finish: str | None = None, **more: Any) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return f"data: {json.dumps({'choices': [choice], **more})}\n\n".encode()


def test_texts_reasoning_and_calls_in_pieces() -> None:
    call = {"index": 0, "id": "a", "type": "function", "function": {"name": "rain", "arguments": ""}}
    body = b"".join(
        (
            event({"role": "assistant", "content": None}),
            event({"reasoning_content": "hm"}),
            event({"content": "I "}),
            event({"content": "look."}),
            event({"tool_calls": [call]}),
            event({"tool_calls": [{"index": 0, "function": {"arguments": '{"city":'}}]}),
            event({"tool_calls": [{"index": 0, "function": {"arguments": ' "Oslo"}'}}]}),
            event({"tool_calls": [{"index": 1, "id": "b", "function": {"name": "now", "arguments": "{}"}}]}),
            event({}, "tool_calls"),
            b'data: {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}}\n\ndata: [DONE]\n\n',
        )
    )
    assert is_stream(body)
    reply = read_reply(put_together(body))
    assert isinstance(reply, Reply)
    assert (reply.content, reply.reasoning, reply.finish_reason) == ("I look.", "hm", "tool_calls")
    assert reply.tool_calls == (ToolCall("a", "rain", '{"city": "Oslo"}'), ToolCall("b", "now", "{}"))
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (7, 3)


def test_a_stream_that_breaks_off_is_a_failure() -> None:
    broken = read_reply(put_together(event({"content": "I lo"}) + b'data: {"choices": [{"ind'))
    assert isinstance(broken, InnerError)
    failed = read_reply(
        put_together(event({"content": "I"}) + b'data: {"error": {"message": "gone", "code": 500}}\n\n')
    )
    assert isinstance(failed, InnerError)


def test_a_reply_that_repeats_itself_is_stopped() -> None:
    watch = LoopWatch()
    part, sent = event({"content": "I will check the weather. "}), 0
    while not (watch(part[:20]) or watch(part[20:])):
        sent += 1
    assert LONG / 30 < sent < LONG / 10
    reply = read_reply(put_together(part * sent + STOPPED))
    assert isinstance(reply, Reply)
    assert ending_of(reply.finish_reason) is Ending.LIMIT
    assert repeats_itself(reply.content or "")


@rows(
    ("text", "loops"),
    [
        ("la " * 200, True),
        ("Here it is.\n" + "Step 1: look. Step 2: look. " * 30, True),
        ("".join(f"{number}. I look again.\n" for number in range(60)), True),
        ("\n" * LOOP, True),
        ("la " * 20, False),
        (
            " ".join(f"word{chr(97 + n % 26)}{chr(97 + n // 26 % 26)}{'xyz'[n % 3] * (n % 7)}" for n in range(300)),
            False,
        ),
        ("", False),
    ],
)
def test_what_repeats_itself(text: str, loops: bool) -> None:
    assert repeats_itself(text) is loops
