"""Answers with status 200 that are none: a table of what providers send, and what each shape comes to.

Sources: the providers' documentation and reports of their users (OpenRouter "Errors and Debugging", DeepSeek and Z.ai
"finish_reason", Anthropic "Handling stop reasons", OpenAI "Responses", Google's compatible endpoint, MiniMax
`base_resp`).
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.mockserver import completion, raw, serve
from tests.models.asking import QUICK, question
from toolgauge.chat import Reply
from toolgauge.errors import ProviderError
from toolgauge.models import ModelOptions, open_model

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
    ("openrouter", "an error in a choice that stopped", chat(SILENT, "stop", error=UPSTREAM), RETRIED),
    ("openrouter", "an upstream's 400 in a choice", chat(SILENT, "error", error={"code": 400}), RETRIED),
    ("openrouter", "an error beside the choices", chat(HALF, "stop") | {"error": UPSTREAM}, RETRIED),
    ("openrouter", "an error alone", {"error": UPSTREAM}, RETRIED),
    ("openrouter", "an error alone, code as text", {"error": {"code": "503", "message": "busy"}}, RETRIED),
    ("openrouter", "no money", {"error": {"code": 402, "message": "Insufficient credits"}}, PERMANENT),
    ("openrouter", "no money, in a choice", chat(HALF, "error", error={"code": 402, "message": "x"}), PERMANENT),
    ("openrouter", "a finish reason alone", chat(HALF, "error"), RETRIED),
    ("openrouter", "nothing was generated", chat(SILENT, None), RETRIED),
    ("together", "finish reason error", chat(SILENT, "error"), RETRIED),
    ("mistral", "finish reason error", chat(HALF, "error"), RETRIED),
    ("deepseek", "interrupted", chat(HALF, "insufficient_system_resource"), RETRIED),
    ("zhipu", "network error", chat(HALF, "network_error"), RETRIED),
    ("zhipu", "filtered, without a message", chat(finish="sensitive"), FILTERED),
    ("zhipu", "filtered, as an error", {"error": {"code": "1301", "message": "sensitive"}}, FILTERED),
    ("zhipu", "no money", {"error": {"code": "1113", "message": "arrears"}}, PERMANENT),
    ("qwen", "filtered, as an error", {"error": {"code": "data_inspection_failed", "message": "x"}}, FILTERED),
    ("gemini", "no choices", {"choices": [], "usage": {"prompt_tokens": 9}}, RETRIED),
    ("gemini", "a blocked prompt", {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}, FILTERED),
    ("gemini", "filtered, without a message", chat(finish="content_filter: SAFETY"), FILTERED),
    (
        "gemini",
        "a call that cannot be read: the model's mistake",
        chat(BARE, "function_call_filter: MALFORMED_FUNCTION_CALL"),
        Reply(finish_reason="function_call_filter: MALFORMED_FUNCTION_CALL"),
    ),
    ("gemini", "all tokens went into thoughts", chat(BARE, "length"), Reply(finish_reason="length")),
    ("gemini", "silence", chat(BARE, "stop"), Reply(finish_reason="stop")),
    ("openai", "quota", {"error": {"code": "insufficient_quota", "message": "x"}}, PERMANENT),
    ("openai", "a filtered prompt", {"error": {"code": "content_filter", "message": "x"}}, FILTERED),
    ("openai", "a filtered reply", chat(None, "content_filter"), FILTERED),
    ("openai", "who?", {"error": {"code": 401, "message": "who?"}}, PERMANENT),
    ("openai", "a key that is wrong", {"error": {"type": "authentication_error", "message": "x"}}, PERMANENT),
    ("sglang", "aborted", chat(HALF, "abort"), RETRIED),
    ("vllm", "an error as an object", {"object": "error", "message": "boom", "type": "x", "code": 500}, RETRIED),
    ("vllm", "a bad request", {"object": "error", "message": "boom", "type": "x", "code": 400}, PERMANENT),
    ("ollama", "the model was loaded", chat(SILENT, "load"), RETRIED),
    ("ollama", "an error as a text", {"error": "llama runner process has terminated"}, RETRIED),
    ("openai", "LM Studio: an error as a text", {"error": "Unexpected endpoint or method."}, RETRIED),
    ("openai", "MiniMax: busy", {"choices": None, "base_resp": {"status_code": 1002, "status_msg": "x"}}, RETRIED),
    ("openai", "a gateway's list of errors", {"success": False, "errors": [{"code": 7000, "message": "x"}]}, RETRIED),
    ("openai", "a framework's detail", {"detail": "Internal Server Error"}, RETRIED),
    ("openai", "message null", chat(None, "stop"), RETRIED),
    ("openai", "message null and calls announced", chat(None, "tool_calls"), RETRIED),
    ("openai", "an empty message", chat({}, "stop"), RETRIED),
    ("openai", "a message that is a text", chat("hello", "stop"), RETRIED),
    ("openai", "an empty choice", {"choices": [{}]}, RETRIED),
    ("openai", "a choice that is none", {"choices": [None]}, RETRIED),
    ("openai", "HTML", "<!doctype html><h1>Sign in</h1>", RETRIED),
    ("openai", "nothing", "", RETRIED),
    ("openai", "an event stream", 'data: {"choices": []}\n\ndata: [DONE]\n', RETRIED),
    # the model's own silence
    ("openai", "silence", chat(SILENT, "stop"), Reply(content="", finish_reason="stop")),
    ("openai", "null and stop", chat({"content": None}, "stop"), Reply(finish_reason="stop")),
    ("openai", "tokens without words", chat(SILENT, None, usage=5), Reply(content="")),
    ("openai", "cut off at once", chat(SILENT, "length"), Reply(content="", finish_reason="length")),
    ("openai", "no finish reason", chat({"content": "Hm."}), Reply(content="Hm.")),
    ("openai", "an unknown one", chat({"content": "Hm."}, "because"), Reply(content="Hm.", finish_reason="because")),
    ("openai", "an error that is none", chat({"content": "Hm."}, "stop", error=None), SAID),
    ("openai", "MiniMax: well", chat({"content": "Hm."}, "stop") | {"base_resp": {"status_code": 0}}, SAID),
]  # fmt: skip

WORDS = [{"type": "text", "text": "Hm."}]
MESSAGES: list[tuple[str, Any, Outcome]] = [
    ("overloaded", {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, RETRIED),
    ("an error without its type", {"error": {"type": "api_error", "message": "x"}}, RETRIED),
    ("invalid", {"type": "error", "error": {"type": "invalid_request_error", "message": "x"}}, PERMANENT),
    ("no money", {"type": "error", "error": {"type": "billing_error", "message": "x"}}, PERMANENT),
    ("a paused turn", {"content": WORDS, "stop_reason": "pause_turn"}, RETRIED),
    ("content null", {"type": "message", "content": None, "stop_reason": "end_turn"}, RETRIED),
    ("nothing and no reason", {"content": [], "stop_reason": None}, RETRIED),
    ("HTML", "<html>", RETRIED),
    ("a refusal", {"content": [], "stop_reason": "refusal"}, FILTERED),
    ("a refusal without content", {"content": None, "stop_reason": "refusal"}, FILTERED),
    ("a full window", {"content": [], "stop_reason": "model_context_window_exceeded"}, Reply(finish_reason="length")),
    ("silence", {"content": [], "stop_reason": "end_turn"}, Reply(finish_reason="stop")),
    ("words without a reason", {"content": WORDS}, Reply(content="Hm.")),
]

OUTPUT = [{"type": "message", "content": [{"type": "output_text", "text": "Hm."}]}]
SERVER_ERROR = {"code": "server_error", "message": "x"}
RESPONSES: list[tuple[str, Any, Outcome]] = [
    ("failed", {"status": "failed", "error": SERVER_ERROR, "output": []}, RETRIED),
    ("failed after words", {"status": "failed", "error": SERVER_ERROR, "output": OUTPUT}, RETRIED),
    ("failed without a word", {"status": "failed", "error": None, "output": []}, RETRIED),
    ("too many", {"status": "failed", "error": {"code": "rate_limit_exceeded", "message": "x"}}, RETRIED),
    ("quota", {"status": "failed", "error": {"code": "insufficient_quota", "message": "x"}}, PERMANENT),
    ("an error alone", {"error": {"code": "invalid_request_error", "message": "x"}}, PERMANENT),
    ("cancelled", {"status": "cancelled", "output": OUTPUT}, RETRIED),
    ("queued", {"status": "queued", "output": []}, RETRIED),
    ("under way", {"status": "in_progress", "output": OUTPUT}, RETRIED),
    ("incomplete, nobody knows why", {"status": "incomplete", "output": []}, RETRIED),
    ("no status and nothing", {"output": []}, RETRIED),
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


@pytest.mark.parametrize(
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
        result = asyncio.run(_asked(provider, options))
    asked = len(server.requests)
    if outcome is PERMANENT:
        assert isinstance(result, ProviderError), result
        assert (result.permanent, asked) == (True, 1)
    elif outcome is RETRIED:
        assert isinstance(result, Reply), result
        assert (result.content, result.attempts, asked) == ("well", 2, 2)
    else:
        assert isinstance(result, Reply), result
        assert isinstance(outcome, Reply)
        said = (result.content, result.tool_calls, result.finish_reason, asked)
        assert said == (outcome.content, outcome.tool_calls, outcome.finish_reason, 1)


async def _asked(provider: str, options: ModelOptions) -> Reply | ProviderError:
    model = open_model(f"{provider}/some-model", options)
    try:
        return await model.ask(question())
    except ProviderError as error:
        return error
    finally:
        await model.close()


def test_what_stays_broken_is_a_failure_that_says_why() -> None:
    bodies = [chat(HALF, "error", error=UPSTREAM)] * 3
    with serve(None, [raw(body) for body in bodies]) as server:
        options = ModelOptions(base_url=server.base_url, api_key="k", max_attempts=3, patience=0.0, backoff=QUICK)
        result = asyncio.run(_asked("openai", options))
    assert isinstance(result, ProviderError)
    assert "an error in an answer with HTTP 200: HTTP 502: Upstream error" in str(result)
    assert len(server.requests) == 3
