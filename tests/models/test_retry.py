"""Which failures are worth another try, and after how long."""

from __future__ import annotations

import pytest

from toolgauge.models.failures import Backoff, FailureScope, requested_pause, retry_delay, status_failure

NOW = 1_720_600_000.0  # Wed, 10 Jul 2024 08:26:40 GMT


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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


@pytest.mark.parametrize("error", [None, "", "text", 5, [], {}, {"message": None}, {"message": {"a": 1}}, {"code": []}])
def test_any_error_object_has_words(error: object) -> None:
    assert str(status_failure(500, error).message).startswith("HTTP 500")
