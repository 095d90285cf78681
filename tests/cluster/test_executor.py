"""The driving side of a cluster on a stand-in for Ray: deaths to the call, budgets, stops, what is refused."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.cluster.pretended import Fate, PretendedRay
from tests.end_to_end.playing import NOISY, Player, lines, options, replies, results
from tests.mockserver import serve, status
from toolgauge.api import RunResult, execute_plan, plan_run
from toolgauge.benchmarks.benchmark import Sample, Setup
from toolgauge.errors import UsageError
from toolgauge.models.registry import ModelOpening
from toolgauge.models.settings import Travelling
from toolgauge.runs.executors import ray as driving
from toolgauge.runs.executors import ray_worker
from toolgauge.runs.executors.ray import MOST_DEATHS, SampleQueue, on_ray
from toolgauge.runs.executors.ray_worker import Worker
from toolgauge.runs.store import by_role


@pytest.fixture
def pretend(monkeypatch: pytest.MonkeyPatch) -> PretendedRay:
    ray = PretendedRay()
    monkeypatch.setattr(driving, "_imported", lambda: ray)
    monkeypatch.setattr(driving, "EXCHANGE_SECONDS", 0.02)
    return ray


def go(out: Path, model: str = NOISY, *, base_url: str = "", engine: Any = None, **terms: Any) -> RunResult:
    limit = terms.pop("limit", None)
    reached = options(base_url) if base_url else None
    plan = plan_run("mini", model, out=out, options=reached, setup=Setup(limit=limit))
    return execute_plan(plan, 8, engine=engine or on_ray(workers=2), **terms)


def locally(out: Path, **planned: Any) -> RunResult:
    plan = plan_run("mini", NOISY, out=out, setup=Setup(**planned))
    return execute_plan(plan, 8)


def ids(folder: Path) -> list[str]:
    return [line["task_id"] for line in lines(folder / "trajectories.jsonl")]


DEATHS: dict[str, Fate] = {
    "before anything is given": lambda actor, method, count: actor == 0 and method == "identify",
    "while it is told whom to ask": lambda actor, method, count: actor == 1 and method == "start",
    "with news that nobody got": lambda actor, method, count: actor < 4 and method == "exchange" and count == 0,
    "later": lambda actor, method, count: method == "exchange" and count == 4,
}


@pytest.mark.parametrize("death", DEATHS)
def test_a_worker_that_dies_loses_and_doubles_nothing(pretend: PretendedRay, death: str, tmp_path: Path) -> None:
    pretend.fate = DEATHS[death]
    result = go(tmp_path / "ray")
    locally(tmp_path / "here")
    assert len(pretend.actors) > 2
    assert (result.outcome.done, result.outcome.failed) == (128, 0)
    assert len(ids(tmp_path / "ray")) == len(set(ids(tmp_path / "ray"))) == 128
    assert results(tmp_path / "ray") == results(tmp_path / "here")


def test_workers_that_always_die_end_the_run(pretend: PretendedRay, tmp_path: Path) -> None:
    pretend.fate = lambda actor, method, count: method == "identify"
    result = go(tmp_path / "ray", limit=2)
    assert result.outcome.stopped is not None
    assert "workers in a row died" in str(result.outcome.stopped)
    assert "The actor died unexpectedly" in str(result.outcome.stopped)
    assert "more of it" not in str(result.outcome.stopped)
    assert len(lines(tmp_path / "ray" / "failures.jsonl")) == result.outcome.not_asked == 8


def test_replies_that_came_back_are_not_asked_for_again(pretend: PretendedRay, tmp_path: Path) -> None:
    """A worker dies when half of a conversation is told: the other half alone is asked of the endpoint."""
    player = Player(replies(limit=2))
    pretend.fate = lambda actor, method, count: actor < 2 and method == "exchange" and count == 30
    with serve(player, latency=0.15) as server:
        go(tmp_path / "ray", "openai/mock", base_url=server.base_url, limit=2)
        assert len(pretend.actors) >= 2
        asked = len(server.requests)
    assert set(player.answered) == set(replies(limit=2))
    assert asked < 2 * len(replies(limit=2))
    assert len(ids(tmp_path / "ray")) == 8


def test_one_budget_for_all_workers(pretend: PretendedRay, tmp_path: Path) -> None:
    player = Player(replies(limit=8))
    with serve(player, latency=0.02) as server:
        result = go(tmp_path / "ray", "openai/mock", base_url=server.base_url, limit=8, max_tokens_total=360)
        assert result.outcome.stopped is not None
        assert "budget exhausted" in str(result.outcome.stopped)
        assert result.tokens == 18 * len(server.requests)
        # 20 requests are allowed; beyond: what was under way at once, and what the others heard of late
        assert 20 <= len(server.requests) <= 20 + 3 * 8
        again = go(tmp_path / "ray", "openai/mock", base_url=server.base_url, limit=8, max_tokens_total=360)
        assert again.tokens == result.tokens
        assert again.outcome.done == 0
        final = go(tmp_path / "ray", "openai/mock", base_url=server.base_url, limit=8)
    assert final.outcome.failed == 0
    assert player.most_repeated == 1
    assert final.tokens == 18 * len(replies(limit=8))


def test_an_endpoint_that_is_down_stops_all(pretend: PretendedRay, tmp_path: Path) -> None:
    with serve(faults=lambda *_: status(401, "no")) as server:
        result = go(tmp_path / "ray", "openai/mock", base_url=server.base_url)
    assert result.outcome.stopped is not None
    assert "in a row failed" in str(result.outcome.stopped)
    failures = lines(tmp_path / "ray" / "failures.jsonl")
    assert len(failures) == len({failure["key"] for failure in failures}) == 128
    assert {failure["blame"] for failure in failures} == {"provider", "harness"}


def test_a_worker_of_another_version_is_refused(
    pretend: PretendedRay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ray_worker, "__version__", "0.0.1")
    with pytest.raises(UsageError, match=r"has toolgauge 0\.0\.1, not .*; install the same version on every node"):
        go(tmp_path / "ray")
    assert not (tmp_path / "ray" / "trajectories.jsonl").read_bytes()


def test_a_worker_that_would_ask_somebody_else_is_refused(
    pretend: PretendedRay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = Worker.start

    async def elsewhere(worker: Worker, episode: Any, config: Any) -> str | None:
        described = json.loads(json.dumps(config.described))
        described["assistant"]["base_url"] = "http://another.example/v1"
        return await start(worker, episode, replace(config, described=described))

    monkeypatch.setattr(Worker, "start", elsewhere)
    with pytest.raises(UsageError, match=r"configured differently on this worker.*another\.example"):
        go(tmp_path / "ray")


def worker_config(openings: Mapping[str, ModelOpening], environment: Travelling) -> ray_worker.WorkerConfig:
    return ray_worker.WorkerConfig(by_role, openings, {}, environment, 1, None, None, 0.1)


def test_a_worker_config_is_shown_without_keys() -> None:
    reached = options("http://somebody:letmein@localhost/v1")
    openings = plan_run("mini", "openai/mock", options=reached).openings
    config = worker_config(openings, Travelling({"OPENAI_API_KEY": "sk-hidden"}))
    assert "assistant" in repr(config)
    for secret in ("sk-hidden", str(reached.api_key), "letmein"):
        assert secret not in f"{config!r} {config.openings!r}"


def samples(count: int) -> list[Sample]:
    return [Sample(f"s{number}", f"s{number}", None, 0) for number in range(count)]


def keys(given: list[Sample]) -> list[str]:
    return [sample.key for sample in given]


def test_what_workers_die_of_is_tried_alone_and_then_given_up() -> None:
    queue = SampleQueue(samples(3))
    for worker in range(MOST_DEATHS - 1):
        assert keys(queue.take(worker, 2))[:2] == ["s0", "s1"]
        assert queue.lost(worker) == []
    assert keys(queue.take(8, 2)) == ["s2"]
    assert queue.take(8, 2) == []  # s0 and s1 want a worker to themselves
    queue.ended(8, "s2")
    assert keys(queue.take(8, 2)) == ["s0"]
    assert queue.take(8, 2) == []
    assert keys(queue.lost(8)) == ["s0"]
    assert keys(queue.take(9, 2)) == ["s1"]
    queue.ended(9, "s1")
    assert not queue.open


def test_nothing_is_lost_or_doubled_whatever_happens() -> None:
    for seed in range(30):
        draw = random.Random(seed)
        queue, ended, given_up = SampleQueue(samples(60)), [], []
        held: dict[int, list[str]] = {}
        while queue.open:
            worker = draw.randrange(4)
            mine = held.setdefault(worker, [])
            if draw.random() < 0.05:
                given_up += keys(queue.lost(worker))
                mine.clear()
            elif mine and draw.random() < 0.5:
                key = mine.pop(draw.randrange(len(mine)))
                assert queue.ended(worker, key) is not None
                ended.append(key)
            else:
                mine += keys(queue.take(worker, 3))
                assert len(queue.under_way[worker]) == len(mine)
        assert sorted(ended + given_up) == sorted(keys(samples(60)))
