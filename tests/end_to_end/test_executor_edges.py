"""The runner where something goes wrong at a bad moment: a spent budget, a defect, Ctrl-C while writing."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.end_to_end.playing import NOISY, Player, go, lines, options, replies
from tests.mockserver import serve
from toolgauge.api import RunResult, execute_plan, plan_run
from toolgauge.benchmarks.benchmark import Setup
from toolgauge.chat import Reply, Request
from toolgauge.models import open_model
from toolgauge.runs.lines import AppendFile


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
