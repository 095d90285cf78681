"""A log in which people write both languages: a file of sessions has one."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from tests.logs.log_files import Json, written
from toolgauge.cli.data import app

ENGLISH: Json = {"messages": [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "Hi!"}]}
CHINESE: Json = {"messages": [{"role": "user", "content": "你好"}, {"role": "assistant", "content": "您好！"}]}


def imported(log: Path, out: Path) -> dict[str, int]:
    """The files of sessions, and how many each has; each of them is sound."""
    done = CliRunner().invoke(app, ["import", str(log), "--from", "openai", "--out", str(out)])
    assert done.exit_code == 0, done.output
    files = {path.name: len(path.read_bytes().splitlines()) for path in out.glob("sessions*.jsonl")}
    assert all(str(out / name) in done.stdout for name in files)
    for name in files:
        assert CliRunner().invoke(app, ["check", str(out / name)]).exit_code == 0
    return files


def test_each_language_has_a_file_and_the_first_one_the_usual_name(tmp_path: Path) -> None:
    both = written(tmp_path / "both.jsonl", [CHINESE, ENGLISH, CHINESE])
    assert imported(both, tmp_path / "out") == {"sessions.jsonl": 2, "sessions.en.jsonl": 1}
    assert "tasks" in json.loads((tmp_path / "out" / "sessions.jsonl").read_text().splitlines()[0])
    one = written(tmp_path / "one.jsonl", [ENGLISH])
    assert imported(one, tmp_path / "out") == {"sessions.jsonl": 1}, "no file of another import is left"
