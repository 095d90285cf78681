"""Any body is a reply or a failure, and can be written down; what providers send that is no answer; streams."""

from __future__ import annotations

import json
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.mockserver import completion, raw, serve
from tests.models.asking import QUICK, asked
from tests.rows import rows
from tests.sizes import sized
from toolgauge.chat import Message, Reply, Timings, ToolCall, Usage
from toolgauge.errors import ProviderError
from toolgauge.models import ModelOptions
from toolgauge.models.endings import LOOP, Ending, Unfinished, ending_of, repeats_itself, unfinished
from toolgauge.models.failures import Answered, AttemptFailure, FailureScope, InnerError
from toolgauge.models.messages_api import read_message, wire_messages
from toolgauge.models.replies import read_reply
from toolgauge.models.responses_api import read_response
from toolgauge.models.streams import LONG, STOPPED, LoopWatch, is_stream, put_together

RETRIED, PERMANENT = "retried", "permanent"
Outcome = str | Reply


def chat(message: Any = ..., finish: Any = ..., usage: int = 0, **more: Any) -> dict[str, Any]:
    """A chat completion with one choice. usage: tokens of the reply."""
    choice = {"index": 0} | ({} if message is ... else {"message": message})
    choice |= {} if finish is ... else {"finish_reason": finish}
    return {"choices": [choice | more], "usage": {"prompt_tokens": 9, "completion_tokens": usage}}


HALF = {"role": "assistant", "content": "Half an ans"}
SILENT = {"role": "assistant", "content": ""}
BARE = {"role": "assistant"}
FILTERED = Reply(finish_reason="content_filter")
SAID = Reply(content="Hm.", finish_reason="stop")
UPSTREAM = {"code": 502, "message": "Upstream error", "metadata": {"provider_name": "Some"}}
CHAT: list[tuple[str, str, Any, Outcome]] = [
    ("openrouter", "an error in a choice", chat(HALF, "error", error=UPSTREAM), RETRIED),
("openrouter", "an error beside the choices", chat(HALF, "stop") | {"error": UPSTREAM}, RETRIED),
("openrouter", "an error alone", {"error": UPSTREAM}, RETRIED),
("openrouter", "no money", {"error": {"code": 402, "message": "Insufficient credits"}}, PERMANENT),
("openrouter", "a finish reason alone", chat(HALF, "error"), RETRIED),
("openrouter", "nothing was generated", chat(SILENT, None), RETRIED),
("deepseek", "interrupted", chat(HALF, "insufficient_system_resource"), RETRIED),
("zhipu", "filtered, without a message", chat(finish="sensitive"), FILTERED),
("zhipu", "filtered, as an error", {"error": {"code": "1301", "message": "sensitive"}}, FILTERED),
("gemini", "no choices", {"choices": [], "usage": {"prompt_tokens": 9}}, RETRIED),
("gemini", "a blocked prompt", {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}, FILTERED),
(
        "gemini",
        "a call that cannot be read: the model's mistake",
        chat(BARE, "function_call_filter: MALFORMED_FUNCTION_CALL"),
        Reply(finish_reason="function_call_filter: MALFORMED_FUNCTION_CALL"),
    ),
("gemini", "all tokens went into thoughts", chat(BARE, "length"), Reply(finish_reason="length")),
("openai", "quota", {"error": {"code": "insufficient_quota", "message": "x"}}, PERMANENT),
("openai", "a filtered reply", chat(None, "content_filter"), FILTERED),
("sglang", "aborted", chat(HALF, "abort"), RETRIED),
("vllm", "an error as an object", {"object": "error", "message": "boom", "type": "x", "code": 500}, RETRIED),
("vllm", "a bad request", {"object": "error", "message": "boom", "type": "x", "code": 400}, PERMANENT),
("ollama", "an error as a text", {"error": "llama runner process has terminated"}, RETRIED),
("openai", "MiniMax: busy", {"choices": None, "base_resp": {"status_code": 1002, "status_msg": "x"}}, RETRIED),
("openai", "a gateway's list of errors", {"success": False, "errors": [{"code": 7000, "message": "x"}]}, RETRIED),
("openai", "a framework's detail", {"detail": "Internal Server Error"}, RETRIED),
("openai", "message null and calls announced", chat(None, "tool_calls"), RETRIED),
("openai", "an empty choice", {"choices": [{}]}, RETRIED),
("openai", "HTML", "<!doctype html><h1>Sign in</h1>", RETRIED),
("openai", "nothing", "", RETRIED),
("openai", "an event stream", 'data: {"choices": []}\n\ndata: [DONE]\n', RETRIED),
("openai", "silence", chat(SILENT, "stop"), Reply(content="", finish_reason="stop")),
("openai", "tokens without words", chat(SILENT, None, usage=5), Reply(content="")),
("openai", "no finish reason", chat({"content": "Hm."}), Reply(content="Hm.")),
("openai", "an error that is none", chat({"content": "Hm."}, "stop", error=None), SAID),
]  # fmt: skip
WORDS = [{"type": "text", "text": "Hm."}]
MESSAGES: list[tuple[str, Any, Outcome]] = [
    ("overloaded", {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, RETRIED),
    ("invalid", {"type": "error", "error": {"type": "invalid_request_error", "message": "x"}}, PERMANENT),
    ("a paused turn", {"content": WORDS, "stop_reason": "pause_turn"}, RETRIED),
    ("content null", {"type": "message", "content": None, "stop_reason": "end_turn"}, RETRIED),
    ("HTML", "<html>", RETRIED),
    ("a refusal", {"content": [], "stop_reason": "refusal"}, FILTERED),
    ("a full window", {"content": [], "stop_reason": "model_context_window_exceeded"}, Reply(finish_reason="length")),
    ("silence", {"content": [], "stop_reason": "end_turn"}, Reply(finish_reason="stop")),
    ("words without a reason", {"content": WORDS}, Reply(content="Hm.")),
]
OUTPUT = [{"type": "message", "content": [{"type": "output_text", "text": "Hm."}]}]
SERVER_ERROR = {"code": "server_error", "message": "x"}
RESPONSES: list[tuple[str, Any, Outcome]] = [
    ("failed", {"status": "failed", "error": SERVER_ERROR, "output": []}, RETRIED),
    ("failed after words", {"status": "failed", "error": SERVER_ERROR, "output": OUTPUT}, RETRIED),
    ("too many", {"status": "failed", "error": {"code": "rate_limit_exceeded", "message": "x"}}, RETRIED),
    ("quota", {"status": "failed", "error": {"code": "insufficient_quota", "message": "x"}}, PERMANENT),
    ("an error alone", {"error": {"code": "invalid_request_error", "message": "x"}}, PERMANENT),
    ("queued", {"status": "queued", "output": []}, RETRIED),
    ("incomplete, nobody knows why", {"status": "incomplete", "output": []}, RETRIED),
    ("output null", {"status": "completed", "output": None}, RETRIED),
    ("filtered", {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}, "output": []}, FILTERED),
    (
        "cut off",
        {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}, "output": []},
        Reply(finish_reason="length"),
    ),
    ("silence", {"status": "completed", "output": []}, Reply(finish_reason="stop")),
    ("words", {"status": "completed", "error": None, "output": OUTPUT}, SAID),
]
GOOD: dict[str, Any] = {
    "chat": completion({"role": "assistant", "content": "well"}),
    "messages": {"content": [{"type": "text", "text": "well"}], "stop_reason": "end_turn"},
    "responses": {
        "status": "completed",
        "output": [{"type": "message", "content": [{"type": "output_text", "text": "well"}]}],
    },
}
TABLE = [
    *((provider, "chat", what, body, outcome) for provider, what, body, outcome in CHAT),
    *(("anthropic", "messages", what, body, outcome) for what, body, outcome in MESSAGES),
    *(("openai-responses", "responses", what, body, outcome) for what, body, outcome in RESPONSES),
]


@rows(
    ("provider", "api", "body", "outcome"),
    [(provider, api, body, outcome) for provider, api, _, body, outcome in TABLE],
    ids=[f"{provider}: {what}" for provider, _, what, _, _ in TABLE],
)
def test_an_answer_that_is_none_is_asked_for_again(provider: str, api: str, body: Any, outcome: Outcome) -> None:
    """Asked once, and where that fails in a way that may pass, once more."""
    with serve(lambda _body: {"choices": ()}, [raw(body), raw(GOOD[api])]) as server:
        options = ModelOptions(
            base_url=server.base_url, api_key="some-key", max_attempts=2, patience=0.0, backoff=QUICK, timeout=10.0
        )
        result = asked(f"{provider}/some-model", options)
    requests = len(server.requests)
    if outcome is PERMANENT:
        assert isinstance(result, ProviderError), result
        assert (result.permanent, requests) == (True, 1)
    elif outcome is RETRIED:
        assert isinstance(result, Reply), result
        assert (result.content, result.attempts, requests) == ("well", 2, 2)
    else:
        assert isinstance(result, Reply), result
        assert isinstance(outcome, Reply)
        said = (result.content, result.tool_calls, result.finish_reason, requests)
        assert said == (outcome.content, outcome.tool_calls, outcome.finish_reason, 1)


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
            "content": [{"type": "tool_result", "tool_use_id": "a_b", "content": ""}, {"type": "text", "text": "And?"}],
        },
        {"role": "assistant", "content": [{"type": "text", "text": "…"}]},
        {"role": "user", "content": [{"type": "text", "text": "Hm."}]},
    ]


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
