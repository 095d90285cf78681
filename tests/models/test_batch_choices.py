"""Batches: choices that do not go together, how often one looks, and answers of any kind."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.end_to_end.playing import Player, go, options, replies
from tests.mockserver import serve
from tests.models.fake_batch import Script, serve_batches
from toolgauge.api import execute_plan, plan_run
from toolgauge.benchmarks.benchmark import Setup
from toolgauge.chat import Reply
from toolgauge.errors import ContextOverflow, UsageError
from toolgauge.models.batches import BatchEndpoint
from toolgauge.models.endings import Unfinished, unfinished
from toolgauge.models.retry import AttemptFailure
from toolgauge.runs.executors.batch import POLL_VARIABLE, Polling, polling
from toolgauge.runs.executors.executor import ProgressListener

NOWHERE = "http://127.0.0.1:9/v1"


def player() -> Player:
    return Player(replies(limit=1))


def test_a_test_question_goes_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(POLL_VARIABLE, "0.01")
    seen: list[Any] = []

    class Noting(ProgressListener):
        def batch(self, batch: str, status: str, done: int, total: int) -> None:
            seen.append((batch, status, total))

    with serve_batches(player(), lambda _number: Script(looks=2)) as server:
        plan = plan_run(
            "mini", "openai/mock", out=tmp_path, setup=Setup(limit=1), options=options(server.base_url, batch=True)
        )
        execute_plan(plan, 4, probing=seen.append, listener=Noting())
    assert len(server.direct) == 2  # the question with its tool, and without
    assert seen[1:3] == [("batch_0", "in_progress", 4), ("batch_0", "completed", 4)]


def test_what_does_not_go_together(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"batch: builtin has no batch API .*supported: azure, groq"):
        plan_run("mini", "builtin/oracle", options=options(NOWHERE, batch=True))
    with pytest.raises(UsageError, match="vllm has no batch API"):
        plan_run("mini", "vllm/x", options=options(NOWHERE, batch=True))
    with serve(player()) as server:
        go(tmp_path, "openai/mock", reached=options(server.base_url), limit=1)
        with pytest.raises(UsageError, match="was run with --engine none"):
            go(tmp_path, "openai/mock", reached=options(server.base_url, batch=True), limit=1)


def test_how_often_it_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(POLL_VARIABLE, raising=False)
    pauses = polling().pauses()
    assert [next(pauses) for _ in range(9)] == [5.0, 7.5, 11.25, 16.875, 25.3125, 37.96875, 56.953125, 60.0, 60.0]
    monkeypatch.setenv(POLL_VARIABLE, "2")
    assert polling() == Polling(2.0, 2.0)
    for text in ("0", "-1", "soon", "nan", "1e9"):
        monkeypatch.setenv(POLL_VARIABLE, text)
        with pytest.raises(UsageError, match=POLL_VARIABLE):
            polling()


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@cache
def endpoint() -> BatchEndpoint:
    model = plan_run("mini", "openai/mock", options=options(NOWHERE, batch=True)).model
    assert isinstance(model, BatchEndpoint)
    return model


ANSWER = st.fixed_dictionaries({}, optional={"status_code": JUNK, "body": JUNK})
LINE = st.fixed_dictionaries({}, optional={"custom_id": JUNK, "response": ANSWER | JUNK, "error": JUNK})


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=40) | LINE.map(lambda line: json.dumps(line).encode()))
def test_any_line_of_an_answer_is_a_reply_or_a_failure(line: bytes) -> None:
    custom_id, outcome = endpoint().outcome(line)
    assert isinstance(custom_id, str)
    assert isinstance(outcome, (Reply, AttemptFailure))


SAID = {"message": "This model's maximum context length is 4096 tokens."}


@pytest.mark.parametrize(
    "line",
    [
        {"custom_id": "a", "response": {"status_code": 400, "body": {"error": SAID}}, "error": None},
        {"custom_id": "a", "response": None, "error": {"code": "context_length_exceeded", "message": "x"}},
        {"custom_id": "a", "response": {"status_code": 200, "body": {"error": SAID}}},
    ],
)
def test_a_conversation_that_is_too_long_is_told_in_batches_too(line: dict[str, object]) -> None:
    custom_id, outcome = endpoint().outcome(json.dumps(line).encode())
    assert custom_id == "a"
    assert isinstance(outcome, AttemptFailure)
    assert outcome.overflow
    assert isinstance(endpoint().failed(outcome, 1), ContextOverflow)


def test_a_reply_of_a_batch_says_how_it_ended() -> None:
    choice = {"index": 0, "message": {"role": "assistant", "content": "Hm"}, "finish_reason": "length"}
    line = {"custom_id": "a", "response": {"status_code": 200, "body": {"choices": [choice]}}}
    _, outcome = endpoint().outcome(json.dumps(line).encode())
    assert isinstance(outcome, Reply)
    assert unfinished(outcome) is Unfinished.TRUNCATED
