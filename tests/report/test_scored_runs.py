"""Runs opened with their scores and data sets, wherever these are by now."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from toolgauge.api import run, score
from toolgauge.benchmarks.dialogues.benchmark import MINI_FILE
from toolgauge.errors import StoreError, UsageError
from toolgauge.results import open_run, open_runs
from toolgauge.runs.scoring import derive
from toolgauge.runs.store import read_trajectories, recorded


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


def test_a_data_file_that_is_gone_or_changed_leaves_the_run_readable(tmp_path: Path, data: Path) -> None:
    folder = made(tmp_path / "run", data)
    data.write_text(data.read_text(encoding="utf-8").replace("mini_2", "mini_9"), encoding="utf-8")
    assert open_run(folder).dataset is None
    data.unlink()
    assert open_run(folder).dataset is None
    with pytest.raises(UsageError, match="data"):
        open_run(folder).required_dataset()


def test_what_cannot_be_opened_says_what_to_do(tmp_path: Path, data: Path) -> None:
    """Without the data nothing can be computed anew."""
    folder = made(tmp_path / "run", data)
    data.unlink()
    with pytest.raises(UsageError, match="given twice"):
        open_runs([folder, tmp_path / "run" / "." / ""])
    metrics = json.loads((folder / "metrics.json").read_text(encoding="utf-8"))
    for changed, error, message in (
        (metrics | {"version": 1}, UsageError, f"toolgauge score {folder}"),
        (metrics | {"language": "../../../OUTSIDE"}, StoreError, "belongs to another run"),
        (metrics | {"benchmark": "mini"}, StoreError, "belongs to another run"),
        (metrics | {"scorings": {"<b>": {}}}, StoreError, "belongs to another run"),
        (metrics | {"not_judgeable": {"<b>": 1}}, StoreError, "belongs to another run"),
        (metrics | {"scorings": [1]}, StoreError, r"metrics\.json: Expected `object`"),
        (metrics | {"sources": {}}, UsageError, "the scores do not match trajectories.jsonl"),
    ):
        (folder / "metrics.json").write_text(json.dumps(changed), encoding="utf-8")
        with pytest.raises(error, match=message):
            open_run(folder)
    (folder / "metrics.json").write_text("{", encoding="utf-8")
    with pytest.raises(StoreError, match=r"metrics\.json"):
        open_run(folder)
    (folder / "metrics.json").unlink()
    with pytest.raises(UsageError, match=f"toolgauge score {folder}"):
        open_run(folder)


def edited(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def planted(folder: Path) -> None:
    """Every task is right, every rate is 1, and the checksums fit: what a stranger could have made."""
    edited(folder / "scores.jsonl", '"error"', '"correct"')
    metrics = json.loads((folder / "metrics.json").read_bytes())
    metrics["scorings"]["exact"]["overall"]["task_accuracy"]["value"] = 1.0
    metrics["sources"]["scores.jsonl"] = hashlib.sha256((folder / "scores.jsonl").read_bytes()).hexdigest()
    (folder / "metrics.json").write_text(json.dumps(metrics), encoding="utf-8")


def test_what_is_saved_is_not_believed_but_computed_anew(tmp_path: Path) -> None:
    folder, lines = made(tmp_path / "run"), list[str]()
    honest = open_run(folder, tell=lambda line: lines.append(str(line)))
    assert lines == []
    planted(folder)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    opened = open_run(folder, tell=lambda line: lines.append(str(line)))
    assert (opened.scores, opened.metrics) == (honest.scores, honest.metrics)
    (line,) = lines
    assert "scores.jsonl and metrics.json missing, outdated or edited" in line
    assert f"`toolgauge score {folder}` saves them" in line
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before, "readers write nothing"


def test_what_was_scored_here_is_not_judged_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = made(tmp_path / "run")
    monkeypatch.setattr("toolgauge.results.derive", None)
    opened = open_run(folder)
    assert len(opened.scores) == opened.metrics.scored == 8


@pytest.mark.parametrize(
    "change",
    [
        lambda folder, _cache: edited(folder / "run.json", '"limit": 2', '"limit": 3'),
        lambda folder, _cache: (folder / "failures.jsonl").write_text("{}\n"),
        lambda folder, _cache: edited(folder / "scores.jsonl", '"error"', '"correct"'),
        lambda folder, _cache: edited(folder / "metrics.json", '"rules": "', '"rules": "0'),
        lambda _folder, cache: (cache / "seal.key").write_bytes(b"k" * 32),
        lambda _folder, cache: (cache / "seal.key").write_bytes(b"short"),
    ],
)
def test_what_is_not_as_it_was_is_judged_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path, Path], object]
) -> None:
    """Another question, other failures, edited scores, other rules, the seal of another user, no seal."""
    cache, again = tmp_path / "cache", list[object]()
    monkeypatch.setenv("TOOLGAUGE_CACHE", str(cache))
    folder = made(tmp_path / "run")
    assert (cache / "seal.key").stat().st_mode & 0o777 == 0o600
    change(folder, cache)

    def judged_again(*given: Any) -> Any:
        again.append(given)
        return derive(*given)

    monkeypatch.setattr("toolgauge.results.derive", judged_again)
    assert len(open_run(folder, tell=lambda _: None).scores) == 8
    assert len(again) == 1


@pytest.mark.parametrize("name", ["scores.jsonl", "metrics.json"])
@pytest.mark.parametrize("content", [None, b"", b"{", b'{"version": 1}'])
def test_missing_and_broken_files_are_computed_anew(tmp_path: Path, name: str, content: bytes | None) -> None:
    folder, lines = made(tmp_path / "run"), list[str]()
    honest = open_run(folder)
    (folder / name).unlink() if content is None else (folder / name).write_bytes(content)
    opened = open_run(folder, tell=lambda line: lines.append(str(line)))
    assert (opened.scores, opened.metrics) == (honest.scores, honest.metrics)
    assert name in lines[0]


def test_scores_older_than_the_trajectories_are_not_shown(tmp_path: Path, data: Path) -> None:
    """A run that was resumed and killed before it scored."""
    folder, lines = tmp_path / "run", list[str]()
    run("wildtoolbench", "builtin/noisy", data=data, limit=2, out=folder)
    whole = (folder / "trajectories.jsonl").read_bytes()
    (folder / "trajectories.jsonl").write_bytes(b"".join(whole.splitlines(keepends=True)[:3]))
    score(folder)
    (folder / "trajectories.jsonl").write_bytes(whole)
    assert len(open_run(folder, tell=lambda line: lines.append(str(line))).scores) == 8
    (line,) = lines
    assert f"`toolgauge score {folder}` saves them" in line, "nobody edited anything"
    data.unlink()
    with pytest.raises(UsageError, match=r"the scores do not match trajectories\.jsonl"):
        open_run(folder)


def test_what_a_run_appends_meanwhile_is_left_out(tmp_path: Path) -> None:
    """Scores, tables and what was said are of one moment."""
    folder = made(tmp_path / "run")
    path = folder / "trajectories.jsonl"
    whole = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(whole[:3]) + whole[3][:10])
    extent = recorded(folder)
    assert extent.sha256 == hashlib.sha256(b"".join(whole[:3])).hexdigest()
    opened = open_run(folder, tell=lambda _: None)
    path.write_bytes(b"".join(whole))
    assert len(list(read_trajectories(folder, extent.size))) == len(list(opened.trajectories())) == 3
    assert len(opened.scores) == 3
