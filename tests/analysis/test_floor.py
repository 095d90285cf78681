"""What silence scores, beside the score of a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec import UnsetType

from toolgauge.analysis.notes import notes
from toolgauge.analysis.numbers import Floor
from toolgauge.analysis.show import summary_line
from toolgauge.api import run
from toolgauge.benchmarks.dialogues.benchmark import MINI, MINI_FILE
from toolgauge.data.session import TaskType


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_floor_is_what_the_silent_model_scores(language: str, tmp_path: Path) -> None:
    metrics = run("mini", "builtin/silent", language=language, out=tmp_path / "run").metrics
    rate = metrics.rate("exact", "overall", "task_accuracy")
    assert rate is not None
    assert metrics.floor == Floor(0.25, False)
    assert rate.value == 0.25
    assert "no better than silence" in [str(note.short) for note in notes(metrics)]


def test_a_good_run_stands_above_it(tmp_path: Path) -> None:
    metrics = run("mini", "builtin/oracle", out=tmp_path / "run").metrics
    assert metrics.floor == Floor(0.25, True)
    assert "task accuracy 100.0% [89.1 – 100.0] (silence: 25.0%)" in summary_line(metrics, "exact")
    assert "no better than silence" not in [str(note.short) for note in notes(metrics)]


def test_few_sessions_say_nothing(tmp_path: Path) -> None:
    assert run("mini", "builtin/silent", limit=2, out=tmp_path / "run").metrics.floor == Floor(0.25, None)


@pytest.mark.parametrize(("kind", "floor"), [(TaskType.CHAT, 1.0), (TaskType.SINGLE_TOOL, 0.0)])
def test_it_is_of_the_tasks_that_are_scored(kind: TaskType, floor: float, tmp_path: Path) -> None:
    data = MINI.load(MINI_FILE, "en")
    task = next(of.task_id(task.index) for of in data.sessions for task in of.tasks if task.type is kind)
    assert run("mini", "builtin/oracle", ids=(task,), out=tmp_path / "run").metrics.floor == Floor(floor, None)


def test_ids_of_ones_own_may_have_the_mark_of_epochs_in_them(tmp_path: Path) -> None:
    records = [json.loads(line) for line in MINI_FILE.read_text("utf-8").splitlines()]
    marked = [json.dumps(record | {"id": f"ticket#{number}"}) for number, record in enumerate(records)]
    (tmp_path / "own.jsonl").write_text("\n".join(marked), "utf-8")

    def floor(**settings: Any) -> Floor | UnsetType:
        return run("sessions", "builtin/silent", data=tmp_path / "own.jsonl", **settings).metrics.floor

    assert floor(epochs=2, out=tmp_path / "run") == Floor(0.25, False)
    same = run("mini", "builtin/silent", ids=(records[1]["id"],), out=tmp_path / "same").metrics.floor
    assert floor(ids=("ticket#1",), history="own", epochs=2, out=tmp_path / "session") == same
    task = run("sessions", "builtin/oracle", data=tmp_path / "own.jsonl", ids=("ticket#1/0",), out=tmp_path / "task")
    assert task.metrics.requested == 1
