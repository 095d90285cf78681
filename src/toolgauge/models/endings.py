"""Whether an answer with status 200 is a reply at all: what its finish reason says, and errors that it carries.

A provider that fails after it has begun to answer cannot change the status any more: the failure stands in the body
(docs/models.md, "Failures inside an answer"). No such answer is scored. A model that says nothing and ends is another
thing: that is its reply.
"""

from __future__ import annotations

import re
from enum import Enum, StrEnum
from typing import Any

from msgspec import Struct

from toolgauge.chat import Json, Reply, Usage
from toolgauge.locale import _
from toolgauge.models.retry import AttemptFailure, error_codes, error_text


class Ending(Enum):
    """Who ended a reply, by its finish reason."""

    MODEL = "model"
    LIMIT = "limit"  # the limit of tokens, its own or that of the context
    FILTER = "filter"  # a content filter, or the API's refusal
    MISTAKE = "mistake"  # the model: it wrote a call that its provider cannot read
    FAILURE = "failure"  # the provider
    UNSAID = "unsaid"  # there is none, or one that we do not know


_ENDINGS: dict[Ending, str] = {
    Ending.MODEL: "stop tool_calls function_call end_turn stop_sequence tool_use eos eos_token complete completed "
    "tool_use_failed",
    Ending.LIMIT: "length max_tokens model_length model_context_window_exceeded",
    Ending.FILTER: "content_filter content_filtered sensitive safety recitation blocklist prohibited_content spii "
    "refusal guardrail_intervened error_toxic image_safety language",
    Ending.MISTAKE: "malformed_function_call unexpected_tool_call too_many_tool_calls malformed_tool_call",
    Ending.FAILURE: "error failed failure insufficient_system_resource network_error abort aborted cancelled canceled "
    "timeout server_error overloaded engine_overloaded load unload pause_turn",
}
"""OpenAI and those who follow it; Mistral, OpenRouter, Together: error; DeepSeek: insufficient_system_resource; Z.ai:
network_error, sensitive; SGLang, vLLM: abort; Ollama: load, unload (nothing was generated); Google's own words, also
behind "content_filter:" and "function_call_filter:"; Anthropic's, of which pause_turn leaves the turn unfinished."""

_BY_REASON = {reason: ending for ending, reasons in _ENDINGS.items() for reason in reasons.split()}
_STATUS_OF = {
    "invalid_request_error": 400, "authentication_error": 401, "billing_error": 402, "permission_error": 403,
    "not_found_error": 404, "request_too_large": 413, "rate_limit_error": 429, "rate_limit_exceeded": 429,
    "api_error": 500, "server_error": 500, "timeout_error": 504, "overloaded_error": 529,
}  # fmt: skip
"""The HTTP status that errors with these codes or types have where they come with one (Anthropic, OpenAI)."""
_DIGITS = re.compile(r"[45]\d\d")


class InnerError(Struct, frozen=True):
    """An error inside a 2xx answer. status: the HTTP status that it should have had, None where that is not known;
    error: the error object.

    begun: the provider accepted the request and failed while it answered, so that asking again may help.
    """

    status: int | None
    error: Any
    begun: bool = False


Answered = Reply | AttemptFailure | InnerError
"""What the body of a 2xx answer comes to."""


def ending_of(reason: object) -> Ending:
    """Who ended a reply with this finish reason, in any API's words and case."""
    if not isinstance(reason, str):
        return Ending.UNSAID
    for part in reason.lower().split(":"):  # Google's endpoint: "function_call_filter: MALFORMED_FUNCTION_CALL"
        if ending := _BY_REASON.get(part.strip()):
            return ending
    return Ending.UNSAID


class Unfinished(StrEnum):
    """How a reply is not what the model had to say; names of counts in metrics.json and of mistakes."""

    TRUNCATED = "truncated"
    FILTERED = "filtered"
    ONLY_REASONING = "only_reasoning"


_UNFINISHED = {Ending.LIMIT: Unfinished.TRUNCATED, Ending.FILTER: Unfinished.FILTERED}


def unfinished(reply: Reply) -> Unfinished | None:
    """How a reply is unfinished; None for one that its model ended, empty ones included."""
    if found := _UNFINISHED.get(ending_of(reply.finish_reason)):
        return found
    said = reply.tool_calls or (reply.content or "").strip()
    return Unfinished.ONLY_REASONING if not said and (reply.reasoning or "").strip() else None


def inner_error(error: object, begun: bool = False) -> InnerError:
    """An error object as it stands in a body: its code says which status is meant, if it says so."""
    code = error.get("code") if isinstance(error, dict) else None
    if isinstance(code, str) and _DIGITS.fullmatch(code):
        code = int(code)
    if type(code) is not int or not 400 <= code < 600:
        code = next((_STATUS_OF[name] for name in error_codes(error) if name in _STATUS_OF), None)
    return InnerError(code, error, begun)


def error_beside(body: Json) -> Any:
    """The error that a body brings instead of an answer, in any of the shapes in use, or None.

    {"error": ...}; {"errors": [...]}; {"object": "error", "message": ...}; {"type": "error", ...}; MiniMax's
    {"base_resp": {"status_code": 1002, "status_msg": ...}}; {"code": ..., "message": ...} and {"detail": ...}.
    """
    if body.get("error"):
        return body["error"]
    errors, base = body.get("errors"), body.get("base_resp")
    if isinstance(errors, list) and errors:
        return errors[0]
    if isinstance(base, dict) and base.get("status_code"):
        return {"message": base.get("status_msg"), "code": base["status_code"]}
    named = {key: body[key] for key in ("message", "detail", "code", "type") if body.get(key)}
    return named if error_text(named) and ("object" not in body or body["object"] == "error") else None


def unspoken(reason: object, usage: Usage) -> AttemptFailure | None:
    """Why an answer without words, calls and reasoning is no reply; None where it is one, an empty one.

    It is the model's silence where something says that the model, or a filter, ended it, or that tokens were made.
    """
    if ending_of(reason) is Ending.UNSAID and usage.output_tokens == 0:
        said = _("finish reason {reason}", reason=reason[:60]) if isinstance(reason, str) else _("no finish reason")
        return AttemptFailure(_("the answer holds nothing: no content, no call, {said}", said=said))
    return None


def failed_ending(reason: object) -> AttemptFailure | None:
    """The failure that a finish reason tells of, if it does."""
    if ending_of(reason) is Ending.FAILURE:
        return AttemptFailure(_("the provider broke the reply off (finish reason {reason})", reason=str(reason)[:60]))
    return None


def ended_without_message(reason: Any, model: str | None, usage: Usage) -> Reply | AttemptFailure:
    """The outcome where there is no message: empty where the finish reason explains it, else a failure."""
    ending = ending_of(reason)
    if ending in (Ending.FILTER, Ending.MISTAKE, Ending.LIMIT):
        return Reply(finish_reason="content_filter" if ending is Ending.FILTER else reason, model=model, usage=usage)
    return AttemptFailure(_("the answer holds no message"))
