"""Budgets, pauses, defects, memory, what is said under way, a server of two slots."""

from __future__ import annotations

import gc
import os
import signal
import time
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.end_to_end.playing import (
    NOISY,
    Player,
    call,
    command,
    finish,
    go,
    lines,
    options,
    replies,
    results,
    start,
    until_line,
    wait_until,
)
from tests.mockserver import Fault, Json, completion, rate_limited, serve
from tests.slot_server import Manner, SlotServer, slot_server
from toolgauge.api import RunResult, execute_plan, plan_run
from toolgauge.benchmarks.benchmark import Setup
from toolgauge.chat import Reply, Request, Usage
from toolgauge.cli import progress
from toolgauge.cli.progress import Bar
from toolgauge.models import open_model
from toolgauge.models.failures import RetryCause
from toolgauge.models.model import EndpointOptions
from toolgauge.runs.executors.executor import GRACE_SECONDS, ProgressListener
from toolgauge.runs.lines import AppendFile
from toolgauge.runs.options import RunOptions

SESSIONS = 4
CONCURRENCY = 4
TOKENS_EACH = 18  # what the mock endpoint counts for a request


def test_a_token_budget_stops_and_a_larger_one_goes_on(tmp_path: Path) -> None:
    player, folder = Player(replies(limit=SESSIONS)), tmp_path / "run"
    with serve(player, latency=0.01) as server:

        def spend(most: int | None) -> RunResult:
            reached = options(server.base_url)
            return go(
                folder, "openai/mock", reached=reached, concurrency=CONCURRENCY, max_tokens_total=most, limit=SESSIONS
            )

        first = spend(180)
        assert 180 <= first.tokens < 180 + CONCURRENCY * TOKENS_EACH
        assert first.outcome.stopped is not None
        assert "limits.max_tokens_total is 180" in str(first.outcome.stopped)
        assert first.metrics.missing == first.outcome.not_asked > 0
        asked = len(server.requests)
        again = spend(180)
        assert len(server.requests) == asked
        assert (again.tokens, again.outcome.done) == (first.tokens, 0)
        more = spend(400)
        assert 400 <= more.tokens < 400 + CONCURRENCY * TOKENS_EACH
        whole = spend(None)
    assert (whole.outcome.stopped, whole.outcome.missing) == (None, 0)
    assert whole.tokens == TOKENS_EACH * len(player.table)
    assert player.most_repeated == 1
    go(tmp_path / "whole", limit=SESSIONS)
    assert results(folder) == results(tmp_path / "whole")


class Expensive(Player):
    """The player, with 100,000 tokens of input for every request."""

    def __call__(self, body: Json) -> Json:
        return completion(super().__call__(body)) | {"usage": {"prompt_tokens": 100_000, "completion_tokens": 0}}


def test_a_cost_budget_stops_the_command_and_a_larger_one_goes_on(tmp_path: Path) -> None:
    player = Expensive(replies(limit=1))
    with serve(player) as server:
        arguments = command(
            "run", "mini", "-m", "azure/gpt-4o", "--base-url", server.base_url, "--set", "endpoint.api_key=k"
        )
        arguments += ["--out", "run", "--limit", "1", "--concurrency", "1"]
        code, _, err = call([*arguments, "--max-cost", "0.6"], tmp_path)
        assert code == 1
        assert "Stopped early: budget exhausted ($0.75 spent, --max-cost is $0.60)" in err
        known = len(server.requests)
        code, _, err = call([*arguments, "--max-cost", "0.6"], tmp_path)
        assert code == 1
        assert len(server.requests) == known, "no request, not even a test question, is left in the budget"
        code, out, err = call([*arguments, "--max-cost", "50"], tmp_path)
    assert code == 0, err
    assert "tokens, $" in out
    assert lines(tmp_path / "run" / "failures.jsonl") == []
    assert all(player.answered[key] == 1 for key in player.table)


class Faulty:
    """The noisy player with a defect: it raises what no model should raise, for some of the tasks."""

    name = NOISY

    def __init__(self, broken: str, error: Exception) -> None:
        self.player, self.broken, self.error = open_model(NOISY), broken, error

    async def ask(self, request: Request) -> Reply:
        if self.broken in request.episode:
            raise self.error
        return await self.player.ask(request)

    async def close(self) -> None:
        """Nothing to let go."""

    def describe(self) -> dict[str, Any]:
        return self.player.describe()


def run_with(model: Faulty, folder: Path) -> RunResult:
    plan = plan_run("mini", NOISY, out=folder, setup=Setup(limit=4))
    return execute_plan(replace(plan, models={"assistant": model}), 4)


def test_a_defect_costs_its_conversation_and_no_other(tmp_path: Path) -> None:
    outcome = run_with(Faulty("mini_1/", KeyError("surprise\nin two lines")), tmp_path / "run").outcome
    assert (outcome.done, outcome.failed, outcome.stopped) == (12, 4, None)
    failures = lines(tmp_path / "run" / "failures.jsonl")
    assert {line["key"] for line in failures} == {f"mini_1/{task}" for task in range(4)}
    assert {line["blame"] for line in failures} == {"harness"}
    assert all(line["reason"].startswith("unexpected KeyError: ") for line in failures)
    assert all(Path(__file__).name in line["reason"] for line in failures)
    again = go(tmp_path / "run", limit=4).outcome
    assert (again.done, again.failed, again.stopped) == (4, 0, None)


def test_replies_that_are_paid_for_are_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A spent budget begins nothing more, but nobody is in a hurry: what is under way is not broken off."""
    monkeypatch.setattr("toolgauge.runs.executors.local.GRACE_SECONDS", 0.0)
    player = Player(replies(limit=2))
    with serve(player, latency=0.1) as server:
        reached = options(server.base_url)
        first = go(tmp_path / "run", "openai/mock", reached=reached, concurrency=4, max_tokens_total=19, limit=2)
        assert first.tokens == 18 * len(server.requests)
        go(tmp_path / "run", "openai/mock", reached=reached, limit=2)
    assert player.most_repeated == 1


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(28, "No space left on device")])
def test_a_half_written_line_does_not_stay(
    error: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, write = AppendFile(tmp_path / "lines"), os.pwrite
    file.append(b"first")

    def half(descriptor: int, data: bytes, offset: int) -> int:
        write(descriptor, data[: len(data) // 2], offset)
        raise error

    with monkeypatch.context() as patched:
        patched.setattr(os, "pwrite", half)
        with pytest.raises((KeyboardInterrupt, Exception)):
            file.append(b"a much longer line than those around it")
    file.append(b"third")
    file.close()
    assert (tmp_path / "lines").read_bytes() == b"first\nthird\n"


EPOCHS = 60
WARM, LAST = 60, 4 * EPOCHS
MOST_EACH = 600
"""Bytes that may stay of a finished conversation beside its scores: its id. A trajectory takes twenty times that."""
SCORE_BYTES = 2400
"""Bytes of the scores of a task, which are made while replies are waited for; scoring keeps them anyway."""


class Scales(ProgressListener):
    """Weighs the process after so many conversations."""

    def __init__(self) -> None:
        self.ended_so_far = 0
        self.bytes: dict[int, int] = {}

    def ended(self, sample: object, trajectory: object) -> None:
        self.ended_so_far += 1
        if self.ended_so_far in (WARM, LAST):
            del trajectory
            gc.collect()
            self.bytes[self.ended_so_far] = tracemalloc.get_traced_memory()[0]


def test_finished_conversations_are_not_kept(tmp_path: Path) -> None:
    scales = Scales()
    tracemalloc.start()
    try:
        result = go(tmp_path / "run", "builtin/oracle", epochs=EPOCHS, limit=1, listener=scales)
    finally:
        tracemalloc.stop()
    assert result.outcome.done == LAST
    kept = (scales.bytes[LAST] - scales.bytes[WARM]) / (LAST - WARM)
    assert kept < MOST_EACH + SCORE_BYTES
    assert (tmp_path / "run" / "trajectories.jsonl").stat().st_size / LAST > 5 * MOST_EACH


DAY = 86_400


def tomorrow() -> str:
    return time.strftime("%Y-%m-%d", time.localtime(time.time() + DAY))


def test_a_day_is_not_waited_for_and_the_command_says_until_when(tmp_path: Path) -> None:
    days = {tomorrow()}
    with serve(None, lambda _number, _body: rate_limited(DAY)) as server:
        arguments = command("run", "mini", "--limit", 6, "--out", "run", "--set", "limits.probe=false", server=server)
        code, _, err = call([*arguments, "--concurrency", "2"], tmp_path)
        asked = len(server.requests)
    assert code == 1
    days.add(tomorrow())  # another one if midnight came in between
    assert any(f"(it asks to wait until {day}" in err for day in days)
    assert f"--set endpoint.patience={DAY} waits for so long)" in err
    assert "Stopped early: 10 conversations in a row failed" in err
    assert asked <= 12, "nobody who asks to wait is asked again and again"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_ends_a_long_wait_at_once(number: signal.Signals, tmp_path: Path) -> None:
    def fault(number: int, _body: Json) -> Fault | None:
        return rate_limited(DAY) if number >= 3 else None

    with serve(Player(replies(limit=3)), fault) as server:
        arguments = command("run", "mini", "--limit", 3, "--out", "run", "--set", "limits.probe=false", server=server)
        process = start([*arguments, "--concurrency", "2", "--set", f"endpoint.patience={2 * DAY}"], tmp_path)
        until_line(process, "openai/mock asks to wait until ")
        asked, began = len(server.requests), time.monotonic()
        process.send_signal(number)
        code, _, err = finish(process)
        taken = time.monotonic() - began
        assert len(server.requests) <= asked + 1
    assert code == 128 + number
    assert "Stopped early: interrupted" in err
    assert taken < 60, f"without the {GRACE_SECONDS} s that requests under way have, as nothing is under way"
    assert lines(tmp_path / "run" / "failures.jsonl")


class Plain(Bar):
    """A bar without words of its own."""

    def opening(self) -> str:
        return "begins"

    def name(self) -> str:
        return "it"


def test_a_line_comes_while_nothing_ends(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.01)
    said = ""

    def comes(words: str) -> bool:
        nonlocal said
        said += capsys.readouterr().err
        return words in said

    with Plain(8) as bar:
        bar.begin(2)
        bar.show()
        wait_until(lambda: comes("2/8 after 0 s: 0 replies (0.0/min)\n"))
        bar.replied("a", "assistant", Reply(usage=Usage(90, 10)))
        for cause in (RetryCause.TIMEOUT, RetryCause.TIMEOUT, RetryCause.BUSY):
            bar.retrying("m", cause)
        wait_until(lambda: comes("), 100 tokens, 3 retried (time-outs: 2, HTTP 429: 1)\n"))
    assert comes("Requests of this command: 3 retried (time-outs: 2, HTTP 429: 1).\n")
    bar._timer.join(60)
    assert not bar._timer.is_alive()


def run_all(server: SlotServer, folder: Path, timeout: float = 300.0) -> None:
    """All of mini at the defaults, but for the folder and the time-out."""
    options = RunOptions(endpoint=EndpointOptions(base_url=server.base_url, timeout=timeout))
    plan = plan_run("mini", "openai/m", out=folder, options=options.model_options())
    result = execute_plan(plan, options.limits.concurrency)
    assert result.outcome.failed == 0
    assert result.metrics.scorings["exact"]["overall"]["task_accuracy"].value == 1


@pytest.mark.parametrize("manner", Manner)
def test_all_of_mini_is_answered_and_no_slot_stays_empty(manner: Manner, tmp_path: Path) -> None:
    with slot_server(2, manner) as server:
        run_all(server, tmp_path / "run_all")
    assert server.replies > 250
    assert server.abandoned == 0
    assert server.used >= 1 / 1.15
    if manner is Manner.TELLS:
        assert server.longest_queue == 0
    if manner is Manner.REFUSES:
        assert server.refused < server.replies
