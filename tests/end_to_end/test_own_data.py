"""Data of one's own: a file of sessions in place of a benchmark's name, under its own name everywhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from toolgauge.api import run
from toolgauge.benchmarks.dialogues.benchmark import MINI_FILE
from toolgauge.cli.main import app
from toolgauge.errors import UsageError


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    lines = MINI_FILE.read_text(encoding="utf-8").splitlines(keepends=True)[:2]
    path = tmp_path / "kitchen.jsonl"
    path.write_text("".join(lines), encoding="utf-8")
    return path


def test_a_file_is_run_by_exact_under_its_own_name(file: Path) -> None:
    done = CliRunner().invoke(app, ["run", file.name, "-m", "builtin/oracle"])
    assert done.exit_code == 0, done.output
    assert "kitchen en, exact: task accuracy 100.0%" in done.output
    folder = Path("runs/kitchen/en/builtin_oracle")
    metrics = json.loads((folder / "metrics.json").read_bytes())
    assert (metrics["benchmark"], metrics["data"], list(metrics["scorings"])) == ("sessions", "kitchen", ["exact"])
    again = CliRunner().invoke(app, ["run", "sessions", "--data", file.name, "-m", "builtin/oracle"])
    assert again.exit_code == 0, again.output


def test_a_folder_of_a_generation_gives_the_name(file: Path, tmp_path: Path) -> None:
    made = tmp_path / "made" / "weather"
    made.mkdir(parents=True)
    file.rename(made / "sessions.jsonl")
    assert run("made/weather", "builtin/oracle").folder == Path("runs/weather/en/builtin_oracle")
    made.rename(tmp_path / "tides")
    assert run("tides", "builtin/oracle").folder == Path("runs/tides/en/builtin_oracle")
    (tmp_path / "tides").rename(made)
    assert run("made/weather/sessions.jsonl", "builtin/silent").folder == Path("runs/weather/en/builtin_silent")


def test_a_file_with_a_benchmarks_name_is_told_from_it(file: Path) -> None:
    file.rename("WildToolBench.jsonl")
    metrics = run("WildToolBench.jsonl", "builtin/oracle", out="run").metrics
    assert metrics.title == "WildToolBench.jsonl"


def test_the_data_are_named_once(file: Path) -> None:
    with pytest.raises(UsageError, match="name the data once"):
        run(file.name, "builtin/oracle", data=file)
    with pytest.raises(UsageError, match="name a file with --data"):
        run("sessions", "builtin/oracle")
