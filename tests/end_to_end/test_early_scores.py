"""What a run scores while it waits for replies gives the same files as `score` alone, byte for byte."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import toolgauge
from toolgauge.benchmarks.simple.benchmark import SimpleBenchmark
from toolgauge.episode import Episode, Trajectory
from toolgauge.judge.verdict import Score
from toolgauge.runs import early_scores
from toolgauge.runs.early_scores import EarlyScores
from toolgauge.runs.spec import plan_run
from toolgauge.runs.store import RunStore

FIXTURES = Path(__file__).parents[1] / "fixtures"
RESULTS = ("scores.jsonl", "details.csv", "metrics.json")
NOISY = "builtin/noisy?rate=0.4&seed=1"
CORRECTION = {
    "session": "mini_0",
    "pointer": "/english_answer_list/0/0/action/arguments/destination",
    "old": "Cologne",
    "new": "Köln",
}


class Questions(SimpleBenchmark):
    name = "questions-of-a-test"
    broken = False

    def episode(self, dataset: Any, sample: Any, *more: Any) -> Episode:
        if self.broken and sample.session_id == "b":
            raise RuntimeError("a defect of this sample")
        return super().episode(dataset, sample, *more)


@pytest.fixture
def early(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every trajectory is scored at once; the ids of those whose scores were used at the end."""
    used: list[str] = []
    asked = EarlyScores.scores

    def scores(self: EarlyScores, dataset: Any, trajectory: Trajectory) -> Iterator[Score]:
        before = len(self._made)
        found = asked(self, dataset, trajectory)
        if len(self._made) < before:
            used.append(trajectory.task_id)
        return found

    def written(self: EarlyScores, line: bytes) -> None:
        self._waiting.append(line)
        self._work(asyncio.get_running_loop())

    monkeypatch.setattr(EarlyScores, "written", written)
    monkeypatch.setattr(EarlyScores, "scores", scores)
    return used


def same_as_alone(folder: Path) -> None:
    """Compare what the run wrote with what `score` makes of its trajectories."""
    other = Path(shutil.copytree(folder, folder.with_name("alone")))
    for name in (*RESULTS, ".toolgauge.json"):
        (other / name).unlink(missing_ok=True)
    toolgauge.score(other)
    for name in RESULTS:
        assert (other / name).read_bytes() == (folder / name).read_bytes(), name


def cut(folder: Path, lines: int) -> None:
    """Leave so many conversations of a run, as if it had been killed then."""
    file = folder / "trajectories.jsonl"
    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[:lines]))


def test_dialogues(tmp_path: Path, early: list[str]) -> None:
    file = FIXTURES / "wildtoolbench_small.jsonl"
    result = toolgauge.run("wildtoolbench", NOISY, data=file, out=tmp_path / "run", epochs=3)
    assert len(early) == result.outcome.done
    same_as_alone(tmp_path / "run")


def test_a_run_that_goes_on(tmp_path: Path, early: list[str]) -> None:
    go = partial(toolgauge.run, "mini", NOISY, out=tmp_path / "run", limit=4)
    go()
    cut(tmp_path / "run", 5)
    early.clear()
    assert go().outcome.done == 11
    assert len(early) == 11
    same_as_alone(tmp_path / "run")


def test_acebench(tmp_path: Path, early: list[str]) -> None:
    result = toolgauge.run("acebench", NOISY, data=FIXTURES / "acebench" / "data_all", out=tmp_path / "run", epochs=2)
    assert len(early) == result.outcome.done
    same_as_alone(tmp_path / "run")


def test_corrected_data(tmp_path: Path, early: list[str]) -> None:
    corrections = tmp_path / "corrections.jsonl"
    corrections.write_text(json.dumps(CORRECTION) + "\n", encoding="utf-8")
    toolgauge.run("mini", NOISY, out=tmp_path / "run", limit=3)
    toolgauge.score(tmp_path / "run", corrections=corrections)
    early.clear()
    toolgauge.run("mini", NOISY, out=tmp_path / "run", limit=3, corrections=corrections)
    assert early
    same_as_alone(tmp_path / "run")


def test_a_plugin_and_failures(tmp_path: Path, early: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    data = tmp_path / "questions.jsonl"
    data.write_text("".join(json.dumps({"id": id_, "question": "1+1?", "expected": "2"}) + "\n" for id_ in "abcd"))
    benchmark, folder = Questions(), tmp_path / "run"
    monkeypatch.setattr(Questions, "broken", True)
    result = toolgauge.run(benchmark, "builtin/oracle", data=data, out=folder)
    assert (result.outcome.failed, result.metrics.scored) == (1, 3)
    assert early
    same_as_alone(folder)
    shutil.rmtree(folder.with_name("alone"))
    monkeypatch.setattr(Questions, "broken", False)
    assert toolgauge.run(benchmark, "builtin/oracle", data=data, out=folder).outcome.done == 1
    same_as_alone(folder)


def test_another_line_is_judged_anew(tmp_path: Path, early: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Scores belong to what was said: a line that somebody changed before the run ends is not taken for the old one."""
    folder, closed = tmp_path / "run", RunStore.close

    def close(store: Any, complete: bool) -> None:
        closed(store, complete)
        file = folder / "trajectories.jsonl"
        first, *others = file.read_bytes().splitlines(keepends=True)
        file.write_bytes(b"".join((first.replace(b"Cologne", b"Bologna"), *others)))

    monkeypatch.setattr(RunStore, "close", close)
    toolgauge.run("mini", "builtin/oracle", out=folder, limit=1)
    changed = json.loads((folder / "trajectories.jsonl").read_bytes().splitlines()[0])["task_id"]
    assert sorted([*early, changed]) == [f"mini_0/{index}" for index in range(4)]
    same_as_alone(folder)


def test_between_replies_one_line_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is written is scored while the loop waits; no more of it is kept than `MOST_BYTES`."""
    monkeypatch.setattr(early_scores, "PAUSE", 0.0)
    plan = plan_run("mini", "builtin/oracle", out=tmp_path / "run")
    toolgauge.run("mini", "builtin/oracle", out=tmp_path / "run", limit=2)
    lines = (tmp_path / "run" / "trajectories.jsonl").read_bytes().splitlines()
    early, broken = EarlyScores(plan.benchmark, plan.dataset), b"no trajectory"
    monkeypatch.setattr(early_scores, "MOST_BYTES", sum(map(len, (broken, *lines[:2]))))

    async def wait() -> None:
        for line in (broken, *lines):
            early.written(line)
        assert (len(early._waiting), len(early._made)) == (3, 0)
        while early._waiting:  # noqa: ASYNC110 - nothing tells when it is empty
            await asyncio.sleep(0)

    asyncio.run(wait())
    assert len(early._made) == 2
    early.written(lines[0])  # outside of a loop nothing is kept
    assert not early._waiting
