"""Errors of endpoints: which are worth another try and after how long, a conversation that is too long in everybody's
words (docs/models.md), and calls that a server cannot read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.mockserver import Fault, raw, serve
from tests.models.asking import ask, options
from tests.rows import rows
from toolgauge.errors import ProviderError
from toolgauge.models.endings import Ending, ending_of
from toolgauge.models.failures import (
    Backoff,
    FailureScope,
    is_context_overflow,
    requested_pause,
    retry_delay,
    status_failure,
    unread_output,
)

NOW = 1_720_600_000.0  # Wed, 10 Jul 2024 08:26:40 GMT


@rows(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Wed, 10 Jul 2024 08:26:50 GMT"}, 10.0),
        ({"retry-after": "Wed, 10 Jul 2024 08:00:00 GMT"}, 0.0),
        ({"retry-after": "86400"}, 86_400.0),
        ({"retry-after": "-5"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": ""}, None),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1720621600000"}, 21_600.0),  # OpenRouter, for a day
        ({"x-ratelimit-remaining": "3", "x-ratelimit-reset": "1720621600000"}, None),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "12"}, None),
    ],
)
def test_requested_pause(headers: dict[str, str], seconds: float | None) -> None:
    assert requested_pause(headers, NOW) == seconds


@rows(
    ("error", "seconds"),
    [
        ({"metadata": {"headers": {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1720621600000"}}}, 21_600.0),
        ({"metadata": {"headers": {"X-RateLimit-Remaining": 0, "X-RateLimit-Reset": 1720621600000}}}, 21_600.0),
        ({"metadata": {"raw": "busy"}, "details": [{"@type": "google.rpc.RetryInfo", "retryDelay": "9s"}]}, 9.0),
        ({"metadata": {"headers": None}}, None),
        ("busy", None),
    ],
)
def test_what_an_error_object_asks_to_wait(error: object, seconds: float | None) -> None:
    assert retry_delay(error, NOW) == seconds


def test_backoff_doubles_up_to_its_most_and_is_jittered_over_the_whole_range() -> None:
    backoff = Backoff(first=1.0, most=60.0)
    assert [backoff.delay(attempts, lambda: 1.0) for attempts in (1, 2, 3, 7, 8, 5000)] == [1, 2, 4, 60, 60, 60]
    assert backoff.delay(3, lambda: 0.0) == 0
    assert backoff.delay(3, lambda: 0.5) == 2


@rows(
    ("status", "scope", "overload"),
    [
        (429, FailureScope.ENDPOINT, True),
        (503, FailureScope.ENDPOINT, True),
        (529, FailureScope.ENDPOINT, True),
        (502, FailureScope.ENDPOINT, False),
        (504, FailureScope.ENDPOINT, False),
        (500, FailureScope.REQUEST, False),
        (408, FailureScope.REQUEST, False),
        (409, FailureScope.REQUEST, False),
        (302, FailureScope.CALLER, False),
        (400, FailureScope.CALLER, False),
        (404, FailureScope.CALLER, False),
    ],
)
def test_statuses(status: int, scope: FailureScope, overload: bool) -> None:
    failure = status_failure(status, None)
    assert (failure.scope, failure.overload) == (scope, overload)


CASES = [json.loads(line) for line in (Path(__file__).parent.parent / "fixtures/context_overflow.jsonl").open()]
"""Who says it, with which HTTP status, what, and whether it is an overflow."""
SAID = {flag: [case for case in CASES if case["overflow"] is flag] for flag in (True, False)}


@rows("case", SAID[True], ids=[case["who"] for case in SAID[True]])
def test_whose_words_are_known(case: dict[str, Any]) -> None:
    assert is_context_overflow(case["status"], case["error"])
    assert is_context_overflow(None, case["error"])
    assert not is_context_overflow(429, case["error"])


@rows("case", SAID[False], ids=[case["who"] for case in SAID[False]])
def test_what_only_looks_like_it(case: dict[str, Any]) -> None:
    assert not is_context_overflow(case["status"], case["error"])


LLAMACPP = "The model produced output that does not match the expected peg-native format"
POSITION = "Failed to parse input at pos 12: <tool_call>\nrain(</tool_call>"
OLLAMA = "error parsing tool call: raw='{\"city\": \"Oslo', err=', err=unexpected end of JSON input"
TOLD: list[tuple[object, str | None]] = [
    ({"code": 500, "message": LLAMACPP, "type": "server_error"}, None),
    ({"code": 500, "message": LLAMACPP.replace("peg-native", "peg-gemma4"), "type": "server_error"}, None),
    ({"code": 500, "message": POSITION, "type": "server_error"}, "<tool_call>\nrain(</tool_call>"),
    ({"message": OLLAMA, "type": "api_error", "param": None, "code": None}, '{"city": "Oslo'),
    (OLLAMA, '{"city": "Oslo'),
    (f"litellm.InternalServerError: {LLAMACPP}", None),
]
OTHER: list[tuple[int, object]] = [
    (400, {"message": LLAMACPP}),
    (503, {"message": LLAMACPP}),
    (500, {"message": "Failed to parse tool call arguments as JSON: [json.exception.parse_error.101] parse error"}),
    (500, {"message": "Internal Server Error"}),
    (500, None),
    (400, {"message": "Failed to call a function", "code": "tool_use_failed"}),
]


def refused(status: int, error: object) -> Fault:
    return Fault(status, raw({"error": error}).body)


@rows(("error", "written"), TOLD)
def test_it_is_a_reply_and_asked_for_once(error: object, written: str | None) -> None:
    with serve(faults=[refused(500, error)] * 9) as server:
        (reply,) = ask(server, chosen=options(server))
        assert len(server.requests) == 1
    assert (reply.content, reply.tool_calls, reply.attempts) == (written, (), 1)
    assert ending_of(reply.finish_reason) is Ending.MISTAKE


@rows(("status", "error"), OTHER)
def test_other_errors_are_failures(status: int, error: object) -> None:
    assert unread_output(status, error) is None
    with serve(faults=[refused(status, error)] * 9) as server, pytest.raises(ProviderError):
        ask(server, chosen=options(server, max_attempts=2))
