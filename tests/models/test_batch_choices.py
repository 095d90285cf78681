"""Batches: choices that do not go together, how often one looks, and answers of any kind."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.end_to_end.playing import Player, go, options, replies
from tests.mockserver import serve
from tests.sizes import sized
from toolgauge.api import plan_run
from toolgauge.chat import Reply
from toolgauge.errors import UsageError
from toolgauge.models.batches import BatchEndpoint
from toolgauge.models.failures import AttemptFailure

NOWHERE = "http://127.0.0.1:9/v1"


def player() -> Player:
    return Player(replies(limit=1))


def test_what_does_not_go_together(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"batch: builtin has no batch API .*supported: azure, groq"):
        plan_run("mini", "builtin/oracle", options=options(NOWHERE, batch=True))
    with pytest.raises(UsageError, match="vllm has no batch API"):
        plan_run("mini", "vllm/x", options=options(NOWHERE, batch=True))
    with serve(player()) as server:
        go(tmp_path, "openai/mock", reached=options(server.base_url), limit=1)
        with pytest.raises(UsageError, match="was run with --engine none"):
            go(tmp_path, "openai/mock", reached=options(server.base_url, batch=True), limit=1)


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


@settings(max_examples=sized(40, 200), deadline=None)
@given(st.binary(max_size=40) | LINE.map(lambda line: json.dumps(line).encode()))
def test_any_line_of_an_answer_is_a_reply_or_a_failure(line: bytes) -> None:
    custom_id, outcome = endpoint().outcome(line)
    assert isinstance(custom_id, str)
    assert isinstance(outcome, (Reply, AttemptFailure))
