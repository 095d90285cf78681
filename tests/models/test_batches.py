"""Runs through a batch API: waves, faults, ends of every kind, kill -9; answers of any kind."""

from __future__ import annotations

import json
import random
import signal
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.end_to_end.playing import (
    KEY,
    Player,
    command,
    content_key,
    finish,
    go,
    lines,
    options,
    replies,
    results,
    snapshot,
    start,
    wait_until,
)
from tests.mockserver import serve
from tests.models.fake_batch import BatchServer, Script, serve_batches
from tests.sizes import sized
from toolgauge.api import RunResult, plan_run
from toolgauge.benchmarks.benchmark import Setup
from toolgauge.chat import Reply
from toolgauge.errors import StoreError, UsageError
from toolgauge.models.batches import BatchEndpoint
from toolgauge.models.failures import AttemptFailure
from toolgauge.runs.executors.batch import POLL_VARIABLE

SESSIONS = 6
TASKS = 4 * SESSIONS


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(POLL_VARIABLE, "0.01")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, ...]:
    """The results of an ordinary run against an ordinary endpoint."""
    folder = tmp_path_factory.mktemp("whole")
    with serve(Player(replies(limit=SESSIONS))) as server:
        go(folder, "openai/mock", reached=options(server.base_url), limit=SESSIONS)
    return results(folder)


def in_batches(server: BatchServer, out: Path, **planned: Any) -> RunResult:
    changed = planned.pop("reached", {})
    return go(out, "openai/mock", reached=options(server.base_url, batch=True, **changed), limit=SESSIONS, **planned)


def player() -> Player:
    return Player(replies(limit=SESSIONS))


def test_waves_and_the_scores_of_an_ordinary_run(whole: tuple[bytes, ...], tmp_path: Path) -> None:
    answering = player()
    with serve_batches(answering) as server:
        result = in_batches(server, tmp_path)
    assert results(tmp_path) == whole
    assert (result.outcome.done, result.outcome.failed) == (TASKS, 0)
    longest = max(len(line["steps"]) for line in lines(tmp_path / "trajectories.jsonl"))
    assert len(server.batches) == longest, "a wave is one batch"
    assert len(server.batches[0].requests) == TASKS
    assert not server.direct
    assert answering.most_repeated == 1
    assert {len(line["requests"]) for line in lines(tmp_path / "batches.jsonl") if line.get("requests")} == {
        len(batch.requests) for batch in server.batches
    }
    assert not (tmp_path / "batches").exists()
    assert json.loads((tmp_path / "run.json").read_bytes())["batch"] == ["assistant"]
    assert server.authorizations == {f"Bearer {KEY}"}
    assert KEY.encode() not in b"".join(snapshot(tmp_path).values())


def test_single_failures_are_asked_again_in_the_next_wave(whole: tuple[bytes, ...], tmp_path: Path) -> None:
    """A busy model, a time-out and a missing line in every batch, each time for other requests."""
    draw = random.Random(5)

    def fault(_body: dict[str, Any]) -> int | str | None:
        return draw.choice([None, None, None, 500, 429, "request_timeout", "nothing"])

    with serve_batches(player(), lambda _number: Script(fault=fault)) as server:
        in_batches(server, tmp_path, reached={"max_attempts": 50})
    assert results(tmp_path) == whole
    attempts = [
        step["reply"].get("attempts", 1) for line in lines(tmp_path / "trajectories.jsonl") for step in line["steps"]
    ]
    assert max(attempts) > 2
    assert sum(attempts) == len(server.bodies)


def test_a_refused_request_is_not_repeated(tmp_path: Path) -> None:
    refused = content_key(replies_bodies()[0])

    def fault(body: dict[str, Any]) -> int | None:
        return 400 if content_key(body) == refused else None

    with serve_batches(player(), lambda _number: Script(fault=fault)) as server:
        result = in_batches(server, tmp_path)
    assert (result.outcome.done, result.outcome.failed) == (TASKS - 1, 1)
    assert [content_key(body) for body in server.bodies].count(refused) == 1
    (failure,) = lines(tmp_path / "failures.jsonl")
    assert failure["blame"] == "provider"
    assert "HTTP 400: status 400" in failure["reason"]


def replies_bodies() -> list[dict[str, Any]]:
    """What the first wave asks."""
    with serve_batches(player()) as server:
        plan = plan_run("mini", "openai/mock", setup=Setup(limit=1), options=options(server.base_url))
    request = next(plan.episode(plan.samples[0]))
    return [json.loads(plan.model._format.body(request))]  # type: ignore[attr-defined]


def test_an_expired_batch_brings_what_it_has_and_the_rest_is_asked_again(
    whole: tuple[bytes, ...], tmp_path: Path
) -> None:
    def script(number: int) -> Script:
        return Script("expired", answered=5) if number == 0 else Script()

    answering = player()
    with serve_batches(answering, script) as server:
        in_batches(server, tmp_path)
    assert results(tmp_path) == whole
    assert answering.most_repeated == 1, "what was answered before the end is not asked again"
    assert len(server.batches[1].requests) == TASKS, "the nineteen that are left, and the next step of the five"


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (Script("failed", trouble="Enqueued token limit reached"), "batch_0 failed (Enqueued token limit reached)"),
        (Script("cancelled", answered=3), "batch_0 cancelled"),
    ],
)
def test_a_batch_that_failed_or_was_cancelled_says_so_and_the_same_command_asks_again(
    script: Script, words: str, whole: tuple[bytes, ...], tmp_path: Path
) -> None:
    answering = player()
    with serve_batches(answering, lambda number: script if number == 0 else Script()) as server:
        first = in_batches(server, tmp_path)
        assert first.outcome.failed > 0
        assert any(words in failure["reason"] for failure in lines(tmp_path / "failures.jsonl"))
        in_batches(server, tmp_path)
    assert results(tmp_path) == whole
    assert answering.most_repeated == 1


def test_a_lost_answer_to_the_making_of_a_batch(whole: tuple[bytes, ...], tmp_path: Path) -> None:
    with serve_batches(player()) as server:
        server.swallow |= {"/v1/batches", "/v1/files"}
        in_batches(server, tmp_path)
        made = [batch.file for batch in server.batches]
    assert results(tmp_path) == whole
    assert len(set(made)) == len(made), "no file became two batches"


@pytest.mark.parametrize("moment", ["uploaded", "made", "over"])
def test_ended_between_any_two_turns(
    moment: str, whole: tuple[bytes, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before and after each line of batches.jsonl, as a kill there would leave it."""
    from toolgauge.runs.executors.batch import BatchLog

    usual = getattr(BatchLog, moment)

    def cut(after: bool) -> Any:
        def dying(*arguments: Any) -> Any:
            if after:
                usual(*arguments)
            raise StoreError("the disk is full")

        return dying

    answering = player()
    with serve_batches(answering) as server:
        for after in (False, True):
            with monkeypatch.context() as patched:
                patched.setattr(BatchLog, moment, cut(after))
                with pytest.raises(StoreError, match="the disk is full"):
                    in_batches(server, tmp_path)
        in_batches(server, tmp_path)
        made = [batch.file for batch in server.batches]
    assert results(tmp_path) == whole
    assert answering.most_repeated == 1, "nothing was submitted twice"
    assert len(set(made)) == len(made)


def test_ctrl_c_leaves_batches_where_they_are(whole: tuple[bytes, ...], tmp_path: Path) -> None:
    answering, waiting = player(), [Script(looks=1_000_000)]
    with serve_batches(answering, lambda number: waiting[0] if number == 0 else Script()) as server:
        arguments = command(
            "run", "mini", "--engine", "batch", "--limit", SESSIONS, "--set", "limits.probe=false", "--out", "run"
        )
        arguments += ["-m", "openai/mock", "--base-url", server.base_url, "--set", f"endpoint.api_key={KEY}"]
        process = start(arguments, tmp_path)
        wait_until(lambda: any(batch.looks > 2 for batch in server.batches) or process.poll() is not None)
        process.send_signal(signal.SIGINT)
        code, _, err = finish(process)
        assert code == 130, err
        assert "Stopped early: interrupted" in err
        server.batches[0].script = Script(looks=server.batches[0].looks + 1)
        code, _, err = finish(start(arguments, tmp_path))
    assert code == 0, err
    assert results(tmp_path / "run") == whole
    assert answering.most_repeated == 1


def test_budgets_know_the_price_and_end_between_waves(tmp_path: Path) -> None:
    """Azure's gpt-4o: 2.50 and 10 US dollars for a million tokens, half of that in batches."""
    with serve_batches(player()) as server:
        reached = options(server.base_url.removesuffix("/v1"), batch=True)
        done = go(tmp_path / "a", "azure/gpt-4o", reached=reached, limit=1)
        steps = sum(len(line["steps"]) for line in lines(tmp_path / "a" / "trajectories.jsonl"))
        half = steps * (11 * 2.5 + 7 * 10) / 1e6 / 2
        assert done.cost == pytest.approx(half)
        assert done.metrics.effort.amounts["dollars"].total == pytest.approx(half, abs=1e-6)
        assert {line["url"] for batch in server.batches for line in batch.requests} == {"/chat/completions"}
        asked = len(server.bodies)
        stopped = go(tmp_path / "b", "azure/gpt-4o", reached=reached, limit=1, max_cost=1e-9)
    assert stopped.outcome.stopped is not None
    assert "budget" in str(stopped.outcome.stopped)
    assert len(server.bodies) - asked == 4, "one wave: the first request of each task"


NOWHERE = "http://127.0.0.1:9/v1"


def small_player() -> Player:
    return Player(replies(limit=1))


def test_what_does_not_go_together(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"batch: builtin has no batch API .*supported: azure, groq"):
        plan_run("mini", "builtin/oracle", options=options(NOWHERE, batch=True))
    with pytest.raises(UsageError, match="vllm has no batch API"):
        plan_run("mini", "vllm/x", options=options(NOWHERE, batch=True))
    with serve(small_player()) as server:
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
