"""Runs opened with their scores and data sets, wherever these are by now."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from toolgauge.api import run
from toolgauge.benchmarks.registry import MINI_FILE
from toolgauge.errors import StoreError, UsageError
from toolgauge.runs.scored import open_run, open_runs


@pytest.fixture
def data(tmp_path: Path) -> Path:
    copy = tmp_path / "data" / "sessions.jsonl"
    copy.parent.mkdir()
    copy.write_text("".join(MINI_FILE.read_text(encoding="utf-8").splitlines(keepends=True)[:3]), encoding="utf-8")
    return copy


def made(folder: Path, data: Path | None = None) -> Path:
    return run("wildtoolbench" if data else "mini", "builtin/noisy", data=data, limit=2, out=folder).folder


def test_a_run_has_its_scores_its_data_and_what_was_said(tmp_path: Path, data: Path) -> None:
    opened = open_run(made(tmp_path / "run", data))
    assert (opened.model, opened.language, len(opened.scores)) == ("builtin/noisy", "en", 8)
    assert opened.dataset is not None
    assert {trajectory.session_id for trajectory in opened.trajectories()} == {"mini_0", "mini_1"}


def test_runs_opened_together_share_their_data_set(tmp_path: Path) -> None:
    one, other = open_runs([made(tmp_path / "one"), made(tmp_path / "other")])
    assert one.dataset is other.dataset is not None


def test_a_data_file_that_is_gone_or_changed_leaves_the_run_readable(tmp_path: Path, data: Path) -> None:
    folder = made(tmp_path / "run", data)
    data.write_text(data.read_text(encoding="utf-8").replace("mini_2", "mini_9"), encoding="utf-8")
    assert open_run(folder).dataset is None
    data.unlink()
    assert open_run(folder).dataset is None
    with pytest.raises(UsageError, match="--data"):
        open_run(folder).required_dataset()


def test_a_data_file_that_moved_is_named(tmp_path: Path, data: Path) -> None:
    folders = [made(tmp_path / "run", data), made(tmp_path / "mini")]
    moved = shutil.move(data, tmp_path / "elsewhere.jsonl")
    assert all(opened.dataset is not None for opened in open_runs(folders, Path(moved)))
    with pytest.raises(UsageError, match="another sha256"):
        open_runs(folders[:1], MINI_FILE)


def test_data_of_one_run_leave_the_other_without(tmp_path: Path, data: Path) -> None:
    second = data.with_name("second.jsonl")
    second.write_text(data.read_text(encoding="utf-8").replace("mini_2", "mini_9"), encoding="utf-8")
    folders = [made(tmp_path / "run", data), made(tmp_path / "other", second)]
    data.unlink()
    second.rename(tmp_path / "moved.jsonl")
    first, other = open_runs(folders, tmp_path / "moved.jsonl")
    assert first.dataset is None
    assert other.dataset is not None


def test_what_cannot_be_opened_says_what_to_do(tmp_path: Path) -> None:
    folder = made(tmp_path / "run")
    with pytest.raises(UsageError, match="named twice"):
        open_runs([folder, tmp_path / "run" / "." / ""])
    metrics = json.loads((folder / "metrics.json").read_text(encoding="utf-8"))
    (folder / "metrics.json").write_text(json.dumps(metrics | {"version": 1}), encoding="utf-8")
    with pytest.raises(UsageError, match=f"toolgauge score {folder}"):
        open_run(folder)
    (folder / "metrics.json").write_text("{", encoding="utf-8")
    with pytest.raises(StoreError, match=r"metrics\.json"):
        open_run(folder)
    (folder / "metrics.json").unlink()
    with pytest.raises(UsageError, match=f"toolgauge score {folder}"):
        open_run(folder)
