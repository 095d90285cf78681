"""Answers with status 200 that are no reply: errors that they carry, and finish reasons that tell of a failure.

A provider that fails after it has begun to answer cannot change the status any more: the failure stands in the body
(docs/models.md, "Failures inside an answer"). No such answer is scored. A model that says nothing and ends is another
thing: that is its reply.
"""

from __future__ import annotations

import re
from typing import Any

from msgspec import Struct

from toolgauge.chat import Json, Reply, Usage
from toolgauge.models.endings import Ending, ending_of
from toolgauge.models.retry import AttemptFailure, error_codes, error_text

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
        ended = f"finish reason {reason[:60]}" if isinstance(reason, str) else "no finish reason"
        return AttemptFailure(f"the response is empty: no content, no call, {ended}")
    return None


def failed_ending(reason: object) -> AttemptFailure | None:
    """The failure that a finish reason tells of, if it does."""
    if ending_of(reason) is Ending.FAILURE:
        return AttemptFailure(f"the provider aborted the reply (finish reason {str(reason)[:60]})")
    return None


def ended_without_message(reason: Any, model: str | None, usage: Usage) -> Reply | AttemptFailure:
    """The outcome where there is no message: empty where the finish reason explains it, else a failure."""
    ending = ending_of(reason)
    if ending in (Ending.FILTER, Ending.MISTAKE, Ending.LIMIT):
        return Reply(finish_reason="content_filter" if ending is Ending.FILTER else reason, model=model, usage=usage)
    return AttemptFailure("the response has no message")
