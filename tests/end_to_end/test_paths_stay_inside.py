"""What is read from strangers' files is checked before it becomes a part of a path."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from tests.end_to_end.playing import go
from toolgauge.cli.main import app
from toolgauge.errors import StoreError, ToolgaugeError
from toolgauge.files import below, folder_below, write_below

VERBS: tuple[tuple[str, ...], ...] = (
    ("report", "--out", "inside/site"),
    ("export", "--to", "figures", "--out", "inside/figures", "--overwrite"),
)
NAMES = ("../../../OUTSIDE", "\x00模型/OUTSIDE" + "x" * 5000, "../../../OUTSIDE")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole") / "run"
    go(folder, limit=1)
    return folder


@pytest.fixture
def run(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A stranger's run; nothing may be written but below `inside`."""
    folder = tmp_path / "deep" / "down" / "run"
    shutil.copytree(whole, folder)
    monkeypatch.chdir(folder.parent)
    yield folder
    for path in tmp_path.rglob("*OUTSIDE*"):
        assert folder.parent / "inside" in path.parents, path


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(app, [*map(str, arguments)], env={"TOOLGAUGE_LANG": "en", "COLUMNS": "200"})


def change(file: Path, key: str, value: Any) -> None:
    content = json.loads(file.read_bytes())
    content[key] = value
    file.write_text(json.dumps(content))


def test_a_model_may_be_called_anything(run: Path) -> None:
    """Two names beside one another, one of which is there twice."""
    runs = []
    for number, model in enumerate(NAMES):
        runs.append(run.with_name(f"r{number}"))
        shutil.copytree(run, runs[-1])
        change(runs[-1] / "run.json", "model", {"name": model, "provider": "builtin"})
    for verb in VERBS:
        result = invoke(verb[0], *runs, *verb[1:])
        assert result.exit_code == 0, (verb, result.output, result.exception)


def test_ids_may_be_anything(run: Path) -> None:
    trajectories = (run / "trajectories.jsonl").read_text()
    failure = {"key": "../../../OUTSIDE", "session_id": "../../../OUTSIDE", "blame": "model", "reason": "../OUTSIDE"}
    (run / "failures.jsonl").write_text(json.dumps(failure) + "\n")
    (run / "trajectories.jsonl").write_text(trajectories.replace("mini_0", "../../../OUTSIDE"))
    scores = (run / "scores.jsonl").read_text()
    (run / "scores.jsonl").write_text(scores.replace("mini_0", "../../../OUTSIDE"))
    for verb in VERBS:
        result = invoke(verb[0], run, *verb[1:])
        assert result.exception is None or isinstance(result.exception, ToolgaugeError | SystemExit), result.exception


@pytest.mark.parametrize(
    "name", ["..", ".", "", "/x", "x/", "a//b", "a/../b", ".hidden", "a/.b", "a\\b", "a b", "a\n", "a\0", "é", "~/x:y"]
)
def test_the_last_check_where_a_path_is_made(name: str, tmp_path: Path) -> None:
    for make in (below, folder_below, lambda folder, one: write_below(folder, one, b"")):
        with pytest.raises(StoreError, match="invalid file name"):
            make(tmp_path, name)
    assert list(tmp_path.iterdir()) == []
