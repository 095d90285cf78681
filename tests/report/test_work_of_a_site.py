"""What a site of many runs does once, however many pages and pairs show it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from toolgauge.analysis import draws
from toolgauge.analysis.draws import Draws
from toolgauge.api import make_site, run
from toolgauge.benchmarks.dialogues.data import load
from toolgauge.benchmarks.dialogues.numbers import compare
from toolgauge.episode import Trajectory
from toolgauge.judge.replies import AnnotatedTask
from toolgauge.report import run_failures
from toolgauge.runs import store

RUNS = 4


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("runs")
    return [run("mini", f"builtin/noisy?seed={seed}&rate=0.5", out=folder / str(seed)).folder for seed in range(RUNS)]


def counted(
    patch: pytest.MonkeyPatch, owner: Any, name: str, key: Callable[..., object] = lambda *_given: None
) -> Counter[object]:
    """How often a function is called, by what `key` makes of its arguments."""
    found: Counter[object] = Counter()
    whole = getattr(owner, name)

    def counting(*given: Any, **named: Any) -> Any:
        found[key(*given)] += 1
        return whole(*given, **named)

    patch.setattr(owner, name, counting)
    return found


def test_each_run_is_prepared_once(runs: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    draws.draws.cache_clear()
    drawn = counted(monkeypatch, draws, "_weights", lambda _bits, _replicates, clusters: clusters)
    summed = counted(monkeypatch, Draws, "_keep", lambda _draws, key, *_given: key)
    cases = counted(monkeypatch, run_failures, "cases_of", lambda _describer, scores, name: (id(scores), name))
    sheets = counted(
        monkeypatch, compare, "_SheetBuilder", lambda columns, _outcomes, name, *_given: (id(columns), name)
    )
    make_site(runs, tmp_path / "site")
    assert len(cases) == len(sheets) == RUNS * 3
    for work in (drawn, summed, cases, sheets):
        assert set(work.values()) == {1}


def test_each_trajectory_is_read_twice(runs: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """To be scored, with all that tables and comparisons need, and to be shown, with the examples of failures."""
    read = counted(monkeypatch, store, "decode", lambda line, kind: line if kind is Trajectory else None)
    make_site(runs, tmp_path / "site")
    lines = [line for run in runs for line in (run / "trajectories.jsonl").read_bytes().splitlines()]
    assert set(lines) <= set(read)
    assert all(read[line] <= 2 * lines.count(line) for line in lines)


def test_each_task_is_prepared_for_judging_once(
    runs: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepared = counted(monkeypatch, AnnotatedTask, "__init__", lambda _self, session, task: (session.id, task.index))
    load._load_once.cache_clear()
    make_site(runs, tmp_path / "site")
    assert len(prepared) > 10
    assert set(prepared.values()) == {1}
