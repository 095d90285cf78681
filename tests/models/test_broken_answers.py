"""Answers with status 200 that are none: a table of what providers send, and what each shape comes to.

Sources: the providers' documentation and reports of their users (OpenRouter "Errors and Debugging", DeepSeek and Z.ai
"finish_reason", Anthropic "Handling stop reasons", OpenAI "Responses", Google's compatible endpoint, MiniMax
`base_resp`).
"""

from __future__ import annotations

import asyncio
from typing import Any

from tests.mockserver import completion, raw, serve
from tests.models.asking import QUICK, question
from tests.rows import rows
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
