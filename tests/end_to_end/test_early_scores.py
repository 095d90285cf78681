"""Conversations are judged while others go on: the same scores, or made anew where something came in between."""

from __future__ import annotations

from pathlib import Path
from threading import Event, Thread, current_thread

import pytest

from tests.end_to_end.playing import Player, go, options, replies, results, snapshot
from tests.mockserver import serve
from toolgauge.api import plan_run, score
from toolgauge.benchmarks.benchmark import Benchmark
from toolgauge.errors import StoreError
from toolgauge.results import open_run
from toolgauge.runs import scoring
from toolgauge.runs.scoring import EarlyScores
from toolgauge.runs.store import TRAJECTORIES, recorded


def early(folder: Path) -> EarlyScores:
    plan = plan_run("mini", "builtin/noisy", out=folder)
    return EarlyScores(folder, plan.manifest, plan.benchmark, plan.dataset)


@pytest.fixture(autouse=True)
def begun_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "BEGIN_SECONDS", 0.0)


def test_every_conversation_is_judged_once_beside_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[str] = []
    score_on = scoring.score_on

    def noted(*given: object) -> object:
        threads.append(current_thread().name)
        return score_on(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(scoring, "score_on", noted)
    go(tmp_path / "run", limit=2)
    assert threads == ["toolgauge-meanwhile"]
    before = results(tmp_path / "run"), snapshot(tmp_path / "run")["details.csv"]
    score(tmp_path / "run")
    assert len(threads) == 2
    assert (results(tmp_path / "run"), snapshot(tmp_path / "run")["details.csv"]) == before


def test_numbers_of_an_endpoints_run_are_read_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(Player(replies(limit=1))) as server:
        go(tmp_path / "run", "openai/mock", reached=options(server.base_url), limit=1)
    monkeypatch.setattr(
        "toolgauge.results.derive", None
    )  # run.json says how calls came through, and is sealed with that
    assert open_run(tmp_path / "run").manifest.interface
    assert open_run(tmp_path / "run").metrics.scored == 4


def test_lines_are_read_as_they_are_written(tmp_path: Path) -> None:
    go(tmp_path / "run", limit=1)
    file = tmp_path / "run" / TRAJECTORIES
    whole = file.read_bytes()
    half = len(whole) // 2
    file.write_bytes(whole[:half])
    judging, over = early(tmp_path / "run"), Event()
    thread = Thread(target=judging.follow, args=(over,))
    thread.start()
    with file.open("ab") as growing:
        growing.write(whole[half:])
    over.set()
    thread.join()
    judged = judging.judged(recorded(tmp_path / "run"))
    assert judged
    assert [score.task_id for score in judged.scores[0]] == ["mini_0/0", "mini_0/1", "mini_0/2", "mini_0/3"]
    with file.open("ab") as growing:
        growing.write(whole)  # by another process, after the run
    assert judging.judged(recorded(tmp_path / "run")) is None


def test_what_judging_raises_is_raised_when_the_run_is_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_given: object) -> object:
        raise StoreError("cannot be judged")

    benchmark: Benchmark = plan_run("mini", "builtin/noisy", out=tmp_path / "run").benchmark
    monkeypatch.setattr(type(benchmark), "scores", broken)
    with pytest.raises(StoreError, match="cannot be judged"):
        go(tmp_path / "run", limit=1)
    assert len((tmp_path / "run" / TRAJECTORIES).read_bytes().splitlines()) == 4
