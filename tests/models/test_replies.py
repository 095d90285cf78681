"""Strange bodies: always a Reply or why there is none, and always something that can be written down again."""

from __future__ import annotations

import json
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.models.test_broken_answers import chat
from tests.rows import rows
from tests.sizes import sized
from toolgauge.chat import Reply, Timings, ToolCall, Usage
from toolgauge.models.endings import Ending, Unfinished, ending_of, unfinished
from toolgauge.models.failures import Answered, AttemptFailure, FailureScope
from toolgauge.models.messages_api import read_message
from toolgauge.models.replies import read_reply
from toolgauge.models.responses_api import read_response


def reply_to(message: Any, **more: Any) -> Reply:
    reply = read_reply(json.dumps({"choices": [{"message": message, "finish_reason": "stop"}], **more}).encode())
    assert isinstance(reply, Reply)
    return reply


def call(**parts: Any) -> Any:
    (made,) = reply_to({"tool_calls": [parts]}).tool_calls
    return made


@rows(
    ("content", "text"),
    [
        (None, None),
        ("", ""),
        (" ", " "),
        ([], None),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "ab"),
        (["a", "b"], "ab"),
        ({"type": "text", "text": "a"}, "a"),
        (42, "42"),
        (False, "false"),
    ],
)
def test_content_of_any_type(content: Any, text: str | None) -> None:
    assert reply_to({"content": content}).content == text


def test_a_completion_in_the_envelope_of_a_gateway() -> None:
    message = {"role": "assistant", "content": "fine"}
    body = {"success": True, "data": {"choices": [{"message": message, "finish_reason": "stop"}]}}
    reply = read_reply(json.dumps(body).encode())
    assert isinstance(reply, Reply)
    assert reply.content == "fine"


def test_reasoning_under_its_names() -> None:
    assert reply_to({"content": "a", "reasoning": "r"}).reasoning == "r"
    assert (
        reply_to({"content": [{"type": "thinking", "thinking": "r"}, {"type": "text", "text": "a"}]}).reasoning == "r"
    )
    assert reply_to({"content": "a"}).reasoning is None


def test_a_refusal_is_what_the_model_said() -> None:
    assert reply_to({"content": None, "refusal": "I will not."}).content == "I will not."


def test_malformed_calls_keep_what_they_have() -> None:
    function = {"name": "find", "arguments": "{}"}
    assert call(function=function) == ToolCall(None, "find", "{}")
    assert call(id="c", function={"arguments": "{}"}) == ToolCall("c", None, "{}")
    assert call(id="c") == call(id="c", function="find") == ToolCall("c")
    assert call(id=7, function=function).id == "7"
    assert call(id=["c"], function={"name": 5}) == ToolCall()
    assert call(id="c", function={"name": "f", "arguments": {"a": 1}}).arguments == {"a": 1}
    assert call(id="c", function={"name": "f", "arguments": None}).arguments is None
    assert call(id="c", function={"name": "f", "arguments": 5}).arguments == 5
    assert reply_to({"tool_calls": [None, 5, "x"]}).tool_calls == (ToolCall(), ToolCall(), ToolCall())
    assert reply_to({"tool_calls": {"id": "c", "function": function}}).tool_calls == (ToolCall("c", "find", "{}"),)
    twice = reply_to({"tool_calls": [{"id": "c", "function": function}] * 2}).tool_calls
    assert [made.id for made in twice] == ["c", "c"]


@rows("usage", [None, [], "many", {"prompt_tokens": -1}, {"prompt_tokens": "5"}, {"prompt_tokens_details": 5}])
def test_senseless_usage_counts_nothing(usage: Any) -> None:
    assert reply_to({"content": "a"}, usage=usage).usage == Usage()


@rows(
    ("body", "words"),
    [
        (b"", "empty"),
        (b"  \n ", "empty"),
        (b'{"choices": [', "cut off"),
        (b'{"success": true, "data": {}}', "choices missing"),
        (b"<!doctype html>", "web page"),
        (b"  <HTML>", "web page"),
        (b"null", "not a chat completion"),
        (b"[]", "not a chat completion"),
        (b'"text"', "not a chat completion"),
        (b"{}", "choices missing"),
        (b'{"choices": []}', "choices missing"),
        (b'{"choices": {}}', "choices missing"),
        (b'{"choices": [null]}', "choices missing"),
        (b'{"choices": [5]}', "choices missing"),
        (b"[" * 100_000, "cut off"),
        (b"[" * 100_000 + b"]" * 100_000, "cut off"),
        (b"1" * 10_000, "cut off"),
        (b"\xff\xfe\x00", "cut off"),
    ],
)
def test_what_is_no_completion_is_worth_another_try(body: bytes, words: str) -> None:
    failure = read_reply(body)
    assert isinstance(failure, AttemptFailure)
    assert failure.scope is FailureScope.REQUEST
    assert words in str(failure.message)


@rows(
    "body",
    [
        rb'{"choices": [{"message": {"content": "half \ud83d pair"}}]}',
        b'{"choices": [{"message": {"content": "\xff\xfe"}}]}',
        b'\xef\xbb\xbf{"choices": [{"message": {"content": "a"}}]}',
        b'{"choices": [{"message": {"content": NaN, "refusal": "no"}}], "usage": {"prompt_tokens": Infinity}}',
        b'{"choices": [{"message": {"content": 1e999}}], "usage": {"completion_tokens": 3}}',
        rb'{"choices": [{"message": {"tool_calls": [{"id": "\udc00", "function": {"arguments": {"\ud800": NaN}}}]}}]}',
        b'{"choices": [{"message": {"tool_calls": [{"function": {"arguments": ' + b"[" * 500 + b"]" * 500 + b"}}]}}]}",
    ],
)
def test_what_only_lenient_readers_accept_becomes_a_reply_that_can_be_written(body: bytes) -> None:
    reply = read_reply(body)
    assert isinstance(reply, Reply)
    assert msgspec.json.decode(msgspec.json.encode(reply), type=Reply).finish_reason in (None, "refusal")


KEYS = st.sampled_from(
    ["choices", "message", "content", "tool_calls", "function", "name", "arguments", "id", "usage", "error", "text"]
)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=8)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=20
)


@settings(max_examples=sized(150, 400), deadline=None)
@given(VALUES, VALUES, VALUES)
def test_any_json_is_read_and_can_be_written(message: Any, usage: Any, whole: Any) -> None:
    for body in ({"choices": [{"message": message, "finish_reason": usage}], "usage": usage}, whole):
        outcome = read_reply(json.dumps(body).encode("utf-8", "surrogatepass"))
        assert isinstance(outcome, Answered)
        msgspec.json.encode(outcome)


@rows(
    ("said", "read"),
    [
        ({"prompt_ms": 275.2694, "predicted_ms": 3751}, Timings(0.275, 3.751)),
        ({"predicted_ms": 21, "prompt_ms": None}, Timings(0.0, 0.021)),
        ({"prompt_ms": "7", "predicted_ms": -1}, None),
        ({"prompt_ms": 1e300, "predicted_ms": float("nan")}, None),
        ([], None),
        (None, None),
    ],
)
def test_how_long_the_server_says_that_it_worked(said: Any, read: Timings | None) -> None:
    assert reply_to({"content": "fine"}, timings=said).timings == read


def test_a_turn_that_ended_by_its_mark_before_the_limit_is_not_cut_off() -> None:
    assert unfinished(Reply("It rains.<|im_end|>\n<|im_start|>user\nAnd", finish_reason="length")) is None
    assert unfinished(Reply("It rains. And", finish_reason="length")) is Unfinished.TRUNCATED


@rows("word", [None, 3, "", "because", "other", "finish_reason_unspecified", "stopped short"])
def test_other_words_say_nothing(word: object) -> None:
    assert ending_of(word) is Ending.UNSAID


REFUSED = {"role": "assistant", "content": None, "refusal": "I cannot help with that."}
PART = {"type": "refusal", "refusal": "No."}
TEXT = {"type": "output_text", "text": "Hm."}


@rows(
    ("read", "body", "content", "kind"),
    [
        (read_reply, chat(REFUSED | {"content": "Hm."}, "stop"), "Hm.", Unfinished.FILTERED),
        (read_reply, chat({"content": [PART]}, "stop"), "No.", Unfinished.FILTERED),
        (read_reply, chat({"content": "Hm.", "refusal": None}, "stop"), "Hm.", None),
        (read_reply, chat({"content": "Hm."}, "SAFETY"), "Hm.", Unfinished.FILTERED),
        (read_reply, chat(None, "max_tokens"), None, Unfinished.TRUNCATED),
        (read_reply, chat({"content": "", "reasoning_content": "Hm."}, "stop"), "", Unfinished.ONLY_REASONING),
        (read_message, {"content": [], "stop_reason": "max_tokens"}, None, Unfinished.TRUNCATED),
        (
            read_message,
            {"content": [{"type": "thinking", "thinking": "Hm.", "signature": "x"}], "stop_reason": "end_turn"},
            None,
            Unfinished.ONLY_REASONING,
        ),
        (
            read_response,
            {"status": "completed", "output": [{"type": "message", "content": [PART]}]},
            "No.",
            Unfinished.FILTERED,
        ),
        (
            read_response,
            {
                "status": "incomplete",
                "incomplete_details": {"reason": "max_output_tokens"},
                "output": [{"type": "message", "content": [TEXT]}],
            },
            "Hm.",
            Unfinished.TRUNCATED,
        ),
        (
            read_response,
            {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}, "output": []},
            None,
            Unfinished.FILTERED,
        ),
    ],
)
def test_refusals_filters_and_limits_of_every_api_arrive(
    read: Any, body: dict[str, Any], content: str | None, kind: Unfinished | None
) -> None:
    reply = read(json.dumps(body).encode())
    assert isinstance(reply, Reply)
    assert (reply.content, unfinished(reply)) == (content, kind)
