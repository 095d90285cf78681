"""Which failures are worth another try, and after how long. No I/O, no clock of its own."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from enum import StrEnum

from msgspec import Struct

from toolgauge.errors import ContextOverflow, ProviderError

LONGEST_PAUSE = 120.0
"""Seconds that a server may ask to wait however little patience there is; beyond patience a request is given up."""
A_YEAR = 366 * 86_400.0
REFUSED = frozenset({400, 413, 422})
"""HTTP statuses that are about what stands in the request."""

_DURATION = re.compile(r"(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?")
_UNITS = (3600.0, 60.0, 1.0, 0.001)


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


def overflow_failure(error: object) -> AttemptFailure:
    """The endpoint refuses a conversation as too long for its context. error: see `status_failure`."""
    said = error_text(error)
    why = "the conversation is longer than the context of the endpoint"
    return AttemptFailure(f"{why}: {said}" if said else why, FailureScope.CALLER, overflow=True)


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


def requested_pause(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds the server asks to wait (`retry-after-ms`, `Retry-After` in seconds or as a date, else the time until a
    limit of which nothing remains is reset), or None.

    headers: of a mapping that takes names in lower case. now: seconds since the epoch. Unreadable values count as
    absent; the result lies in [0, A_YEAR].
    """
    seconds = _number(headers.get("retry-after-ms"), 0.001)
    if seconds is None:
        text = headers.get("retry-after")
        seconds = _number(text, 1.0)
        if seconds is None and text:
            try:
                seconds = parsedate_to_datetime(text).timestamp() - now
            except (ValueError, TypeError, OverflowError, OSError):
                return None
    if seconds is None:
        seconds = _until_reset(headers, now)
    return None if seconds is None else min(max(seconds, 0.0), A_YEAR)


def _until_reset(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds until every exhausted limit is reset: as OpenAI and those who follow it tell, or at a moment in
    milliseconds since the epoch, as OpenRouter does."""
    moment = _number(headers.get("x-ratelimit-reset"), 0.001)
    if moment is not None and moment > now - A_YEAR and headers.get("x-ratelimit-remaining") == "0":
        return moment - now
    waits = [
        duration(headers.get(f"x-ratelimit-reset-{what}"))
        for what in ("requests", "tokens")
        if headers.get(f"x-ratelimit-remaining-{what}") == "0"
    ]
    return max((wait for wait in waits if wait is not None), default=None)


def retry_delay(error: object, now: float) -> float | None:
    """Seconds that an error object asks to wait, at most A_YEAR, or None: Google's (google.rpc.RetryInfo), and
    OpenRouter's, which quotes headers. now: seconds since the epoch."""
    if not isinstance(error, dict):
        return None
    metadata = error.get("metadata")
    quoted = metadata.get("headers") if isinstance(metadata, dict) else None
    if isinstance(quoted, dict):
        return requested_pause({str(name).lower(): str(value) for name, value in quoted.items()}, now)
    details = error.get("details")
    for detail in details if isinstance(details, list) else ():
        if isinstance(detail, dict) and str(detail.get("@type", "")).endswith("RetryInfo"):
            wait = duration(detail.get("retryDelay"))
            return None if wait is None else min(wait, A_YEAR)
    return None


def duration(text: object) -> float | None:
    """Seconds in a text such as "6m0s", "1.5s" or "20ms" (or a bare number of seconds), or None."""
    if not isinstance(text, str) or len(text) > 40:
        return None
    if found := _DURATION.fullmatch(text.strip()):
        parts = [float(part) if part else 0.0 for part in found.groups()]
        return sum(part * unit for part, unit in zip(parts, _UNITS, strict=True)) if any(found.groups()) else None
    return _number(text, 1.0)


def _number(text: str | None, unit: float) -> float | None:
    try:
        value = float(text) if text else math.nan
    except ValueError:
        return None
    return value * unit if math.isfinite(value) else None


def status_failure(
    status: int, error: object, pause: float | None = None, unpaid: tuple[str, ...] = ()
) -> AttemptFailure:
    """What an HTTP status other than 2xx means. error: the body's error object, a text, or None.

    unpaid: the provider's codes, beside the usual one, for an account without money or quota.
    """
    detail = error_text(error)
    answer = f"HTTP {status}"
    message = ": ".join([answer, str(detail)]) if detail else answer
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
    return AttemptFailure(
        f"{message} ({_HINTS[status]})" if status in _HINTS else message,
        FailureScope.CALLER,
        refused=status in REFUSED,
    )


def is_unpaid(error: object, unpaid: tuple[str, ...] = ()) -> bool:
    """Whether an error says that the account has no money or quota left. unpaid: see `status_failure`."""
    return bool({"insufficient_quota", *unpaid} & set(error_codes(error)))


_HINTS = {
    400: "the endpoint refuses the request as invalid; check the sampling options and the tool definitions",
    401: "check the key",
    402: "the account has no money left",
    403: "the key may not use this model",
    404: "check the model's name and the base URL",
    422: "the endpoint refuses the request as invalid; check the sampling options and the tool definitions",
}


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
