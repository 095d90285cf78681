"""What errors of endpoints say: whether another try helps and after how long, whether the model or the conversation is
their cause; and failures inside answers with status 200. Pure functions.

A provider that fails after it has begun to answer cannot change the status any more: the failure stands in the body
(docs/models.md, "Failures inside an answer"). No such answer is scored. A model that says nothing and ends is another
thing: that is its reply.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from enum import StrEnum
from typing import Any

from msgspec import Struct

from toolgauge.chat import Json, Reply, Usage
from toolgauge.errors import ContextOverflow, ProviderError
from toolgauge.models.endings import Ending, ending_of

LONGEST_PAUSE = 120.0
"""Seconds that a server may ask to wait however little patience there is; beyond patience a request is given up."""
A_YEAR = 366 * 86_400.0
REFUSED = frozenset({400, 413, 422})
"""HTTP statuses that are about what stands in the request."""


class FailureScope(StrEnum):
    """How far a failure reaches, and with it what to do."""

    CALLER = "caller"  # the request or the key: asking again cannot help
    REQUEST = "request"  # this exchange: ask again, a few times
    ENDPOINT = "endpoint"  # unreachable or too busy for everybody: ask again, with patience


class RetryCause(StrEnum):
    """Why an attempt failed, in kinds that a person tells apart."""

    TIMEOUT = "timeout"
    BUSY = "busy"  # HTTP 429
    SERVER = "server"  # HTTP 5xx
    CONNECTION = "connection"
    ANSWER = "answer"  # it came and could not be used


class AttemptFailure(Struct, frozen=True):
    """One attempt that failed. pause: seconds the server asks everybody to wait.

    most_attempts: more are not worth making, however many are allowed (0: no such limit). overflow: the conversation is
    longer than the endpoint's context. refused: the endpoint will not take this request because of what stands in it.
    """

    message: str
    scope: FailureScope = FailureScope.REQUEST
    overload: bool = False
    pause: float | None = None
    most_attempts: int = 0
    overflow: bool = False
    refused: bool = False
    cause: RetryCause = RetryCause.ANSWER

    def error(self, message: str, attempts: int) -> ProviderError:
        """The error of a request that is given up."""
        kind = ContextOverflow if self.overflow else ProviderError
        timed_out = self.cause is RetryCause.TIMEOUT
        answered = self.scope is not FailureScope.ENDPOINT and not timed_out
        permanent = self.scope is FailureScope.CALLER
        return kind(message, permanent, attempts, answered=answered, timed_out=timed_out, refused=self.refused)


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


class Backoff(Struct, frozen=True):
    """Exponential backoff with full jitter.

    Before attempt n+1 one waits between 0 and first * 2**(n-1) seconds, but never more than `most`.
    """

    first: float = 1.0
    most: float = 60.0

    def delay(self, attempts: int, draw: Callable[[], float] = random.random) -> float:
        """Seconds to wait after `attempts` failed ones; `draw` gives a number in [0, 1)."""
        exponent = min(attempts - 1, 64)  # 2.0**1024 would overflow
        return draw() * min(self.most, self.first * 2.0**exponent)


def error_text(error: object) -> str:
    """The words of an error as servers write it: {"message": ...}, a text, or some other JSON."""
    if isinstance(error, dict):
        error = next((error[key] for key in ("message", "detail", "code", "type") if error.get(key)), "")
    return "" if error is None else str(error)


def error_codes(error: object) -> tuple[str, ...]:
    """The machine-readable parts of an error object: `code` and `type`, where they are texts."""
    if not isinstance(error, dict):
        return ()
    return tuple(value for value in (error.get("code"), error.get("type")) if isinstance(value, str))


# How long a server asks to wait.


def requested_pause(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds the server asks to wait (`retry-after-ms`, `Retry-After` in seconds or as a date, else the moment in
    milliseconds at which a limit of OpenRouter's of which nothing remains is reset), or None.

    headers: of a mapping that takes names in lower case. now: seconds since the epoch. Unreadable values count as
    absent; the result lies in [0, A_YEAR].
    """
    seconds, text = _number(headers.get("retry-after-ms"), 0.001), headers.get("retry-after")
    if seconds is None and text:
        seconds = _number(text)
        if seconds is None:
            try:
                seconds = parsedate_to_datetime(text).timestamp() - now
            except (ValueError, TypeError, OverflowError, OSError):
                return None
    if seconds is None and headers.get("x-ratelimit-remaining") == "0":
        moment = _number(headers.get("x-ratelimit-reset"), 0.001)
        seconds = moment - now if moment is not None and moment > now - A_YEAR else None
    return None if seconds is None else min(max(seconds, 0.0), A_YEAR)


def retry_delay(error: object, now: float) -> float | None:
    """Seconds that an error object asks to wait, at most A_YEAR, or None: Google's (google.rpc.RetryInfo), and
    OpenRouter's, which quotes headers. now: seconds since the epoch."""
    if not isinstance(error, dict):
        return None
    metadata, details = error.get("metadata"), error.get("details")
    quoted = metadata.get("headers") if isinstance(metadata, dict) else None
    if isinstance(quoted, dict):
        return requested_pause({str(name).lower(): str(value) for name, value in quoted.items()}, now)
    for detail in details if isinstance(details, list) else ():
        if isinstance(detail, dict) and str(detail.get("@type", "")).endswith("RetryInfo"):
            return requested_pause({"retry-after": str(detail.get("retryDelay")).removesuffix("s")}, now)
    return None


def _number(text: str | None, unit: float = 1.0) -> float | None:
    try:
        value = float(text) if text else math.nan
    except ValueError:
        return None
    return value * unit if math.isfinite(value) else None


# What an error means.


def status_failure(
    status: int, error: object, pause: float | None = None, unpaid: tuple[str, ...] = ()
) -> AttemptFailure:
    """What an HTTP status other than 2xx means. error: the body's error object, a text, or None.

    unpaid: the provider's codes, beside the usual one, for an account without money or quota.
    """
    detail = error_text(error)
    message = f"HTTP {status}: {detail}" if detail else f"HTTP {status}"
    if is_unpaid(error, unpaid):
        return AttemptFailure(f"{message} (the account's quota is used up)", FailureScope.CALLER)
    if status == 429:
        return AttemptFailure(message, FailureScope.ENDPOINT, overload=True, pause=pause, cause=RetryCause.BUSY)
    if status >= 500:
        overload = status in (503, 529)
        scope = FailureScope.ENDPOINT if overload or status in (502, 504) else FailureScope.REQUEST
        return AttemptFailure(message, scope, overload, pause, cause=RetryCause.SERVER)
    if status in (408, 409, 425):
        return AttemptFailure(message, FailureScope.REQUEST, pause=pause)
    message = f"{message} ({_HINTS[status]})" if status in _HINTS else message
    return AttemptFailure(message, FailureScope.CALLER, refused=status in REFUSED)


_INVALID = "the endpoint refuses the request as invalid; check the sampling options and the tool definitions"
_HINTS = {
    400: _INVALID,
    401: "check the key",
    402: "the account has no money left",
    403: "the key may not use this model",
    404: "check the model's name and the base URL",
    422: _INVALID,
}


def is_unpaid(error: object, unpaid: tuple[str, ...] = ()) -> bool:
    """Whether an error says that the account has no money or quota left. unpaid: see `status_failure`."""
    return bool({"insufficient_quota", *unpaid} & set(error_codes(error)))


def is_content_filter(status: int, error: object, codes: tuple[str, ...] = ()) -> bool:
    """A filtered prompt is refused as HTTP 400 with these codes, or the provider's own; an outcome, not a failure."""
    return status == 400 and bool({"content_filter", "ResponsibleAIPolicyViolation", *codes} & set(error_codes(error)))


_UNREADABLE_CALL = re.compile(
    r"The model produced output that does not match the expected [\w.-]{1,60} format"
    r"|(?:Failed to parse input at pos \d+: |error parsing tool call: raw=')(?P<written>.*)",
    re.DOTALL,
)
"""In the words of llama.cpp (issues 20532, 23838, 27025) and Ollama (issues 12884, 17638). Errors about earlier calls,
which the request brings, sound alike and are none of these."""
TOOL_USE_FAILED = "tool_use_failed"
"""The finish reason of a reply whose call its provider could not read (Groq's error code)."""


def unread_output(status: int, error: object) -> Reply | None:
    """The reply of a refusal in which a server says that it cannot read the call that its model wrote, with what it
    wrote where that is quoted; None of any other refusal. The model's mistake: asking again at temperature 0 brings the
    same. error: the body's error object, or a text.
    """
    if status == 400 and isinstance(error, dict) and isinstance(error.get("failed_generation"), str):
        return Reply(content=error["failed_generation"], finish_reason=TOOL_USE_FAILED)
    match = _UNREADABLE_CALL.search(error_text(error)[:2_000_000]) if status == 500 else None
    if match is None:
        return None
    written = match["written"]
    if written is not None and match[0].startswith("error parsing"):
        written = re.sub(r"', err=.*\Z", "", written, flags=re.DOTALL)
    return Reply(content=written or None, finish_reason=TOOL_USE_FAILED)


# A conversation that is longer than the endpoint's context, in any provider's words: neither the model's mistake nor a
# failure that may pass (docs/models.md#a-conversation-that-is-too-long). Limits of tokens per minute, and of what a
# reply may be asked for, speak of tokens too and are none.

LONGEST = 4000
"""Characters of an error that are looked at."""
_OTHER_STATUSES = frozenset({401, 402, 403, 404, 408, 409, 425, 429, 502, 503, 504, 529})
"""Errors of the key, the address or the hour, whatever they say."""
_CODES = frozenset({
    "context_length_exceeded", "context_window_exceeded", "model_context_window_exceeded", "exceed_context_size_error",
    "model_max_prompt_tokens_exceeded", "tokens_limit_reached", "prompt_too_long", "input_too_long",
})  # fmt: skip
"""OpenAI and many others; gateways; Z.ai; llama.cpp; GitHub."""
_IN_A_TIME = re.compile(
    r"per (?:minute|min|second|sec|hour|day)\b|/min\b|\b[tr]p[mds]\b|rate[ _-]?limit|quota|throttl|too many requests"
    r"|每分钟|每秒|每天|频繁|频率|速率|配额|额度",
    re.IGNORECASE,
)
"""Limits of what may be asked in a time."""
_ROOM = r"(?:context|prompt|input|sequence|seq|model|message)s?"
_SIZE = r"(?:length|len|size|window|limit|tokens?)"
_MORE = r"(?:exceed\w*|overflow\w*|(?:too|is) long\w*|too (?:many|large)|(?:long|great|larg)er than|beyond)"
_OVERFLOW = re.compile(
    "|".join([
        # the limit by its name: "maximum context length", "max_seq_len", "maximum prompt length", "max message tokens"
        rf"max(?:imum)?[ _-](?:allowed[ _-])?(?:model[ _-])?{_ROOM}[ _-]{_SIZE}",
        # "exceeds the context window", "longer than the model's context length"; "the context window is exceeded"
        rf"{_MORE}.{{0,60}}?\bcontext[ _-]?{_SIZE}|\bcontext[ _-]?{_SIZE}.{{0,30}}?(?:{_MORE}|\bonly\b)",
        "context the overflows",  # LM Studio
        # "prompt is too long", "Input length (9 tokens) exceeds", "input token count of 9 exceeds", "prompt 超长"
        r"\b(?:prompt|input|inputs|messages|conversation)\b(?: tokens?)?(?: length| count| size)?"
        rf"[^.:;]{{0,30}}?\b{_MORE}",
        r"\binput token count is \d+ but",
        r"\btoo many (?:input )?tokens\b.{0,80}(?:prompt|input|size limit)|\bmodel token limit\b",
        # Hugging Face: "`inputs` tokens + `max_new_tokens` must be <= 9", "`inputs` must have less than 9 tokens"
        r"`inputs`.{0,40} must (?:be|have)\b",
        # Alibaba: "Range of input length should be [1, 9]"; LM Studio: "n_keep (9) >= n_ctx (9)"; older vLLM
        r"\binput length should be\b|\bn_keep\b.{0,30}\bn_ctx\b|max_tokens must be at least 1, got -",
        r"reduce the length of (?:the|your) (?:messages|prompt|input)|reduce (?:the|your) input token",
        r"\btokens?\b.{0,60}\b(?:less than|cannot exceed|not exceed)\b.{0,40}(?:max_\w+_len|total tokens limit)",
        r"(?:输入|上下文|提示词?|对话|消息|prompt|tokens?|文本).{0,16}(?:超长|过长|太长|超过|超出|超限|达到上限)",
    ]),
    re.IGNORECASE | re.DOTALL,
)  # fmt: skip


def is_context_overflow(status: int | None, error: object) -> bool:
    """Whether an error object says so. status: the HTTP status it came with, None where that is not known."""
    metadata = error.get("metadata") if isinstance(error, dict) else None
    quoted = metadata.get("raw") if isinstance(metadata, dict) else None  # by a router, of the provider behind it
    text = "\n".join(part[:LONGEST] for part in (error_text(error), quoted) if isinstance(part, str))
    if status in _OTHER_STATUSES or _IN_A_TIME.search(text):
        return False
    return bool(_CODES & {code.lower() for code in error_codes(error)}) or is_overflow_text(text)


def is_overflow_text(text: str) -> bool:
    """The same of the words alone."""
    text = text[:LONGEST]
    return _OVERFLOW.search(text) is not None and not _IN_A_TIME.search(text)


def overflow_failure(error: object) -> AttemptFailure:
    """The endpoint refuses a conversation as too long for its context. error: see `status_failure`."""
    detail = error_text(error)
    why = "the conversation is longer than the context of the endpoint"
    return AttemptFailure(f"{why}: {detail}" if detail else why, FailureScope.CALLER, overflow=True)


# Failures inside answers with status 200.

_STATUS_OF = {
    "invalid_request_error": 400, "authentication_error": 401, "billing_error": 402, "permission_error": 403,
    "not_found_error": 404, "request_too_large": 413, "rate_limit_error": 429, "rate_limit_exceeded": 429,
    "api_error": 500, "server_error": 500, "timeout_error": 504, "overloaded_error": 529,
}  # fmt: skip
"""The HTTP status that errors with these codes or types have where they come with one (Anthropic, OpenAI)."""


def inner_error(error: object, begun: bool = False) -> InnerError:
    """An error object as it stands in a body: its code says which status is meant, if it says so."""
    code = error.get("code") if isinstance(error, dict) else None
    if isinstance(code, str) and re.fullmatch(r"[45]\d\d", code):
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
    error = {key: body[key] for key in ("message", "detail", "code", "type") if body.get(key)}
    return error if error_text(error) and ("object" not in body or body["object"] == "error") else None


def failed_ending(reason: object) -> AttemptFailure | None:
    """The failure that a finish reason tells of, if it does."""
    if ending_of(reason) is Ending.FAILURE:
        return AttemptFailure(f"the provider aborted the reply (finish reason {str(reason)[:60]})")
    return None


def unspoken(reason: object, usage: Usage) -> AttemptFailure | None:
    """Why an answer without words, calls and reasoning is no reply; None where it is one, an empty one.

    It is the model's silence where something says that the model, or a filter, ended it, or that tokens were made.
    """
    if ending_of(reason) is Ending.UNSAID and usage.output_tokens == 0:
        ended = f"finish reason {reason[:60]}" if isinstance(reason, str) else "no finish reason"
        return AttemptFailure(f"the response is empty: no content, no call, {ended}")
    return None
