"""`toolgauge data import`: what it writes, what it says, and that what comes out is data like any other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tests.logs.log_files import WEATHER, Json, dialogue, written
from toolgauge.benchmarks.data_files import files_for
from toolgauge.cli.data import app
from toolgauge.cli.main import app as toolgauge
from toolgauge.errors import UsageError
from toolgauge.logs.files import read_conversations

LINE: Json = {"messages": dialogue(), "tools": [WEATHER]}


@pytest.fixture(autouse=True)
def wide_english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.setenv("TOOLGAUGE_LANG", "en")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(one) for one in arguments])


def lines(path: Path) -> list[Json]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_log_becomes_a_folder_of_sessions(tmp_path: Path) -> None:
    log = written(tmp_path / "log.jsonl", [{"id": "a", **LINE}, "no json", {"id": "a", **LINE}])
    out = tmp_path / "out"
    done = run("import", log, "--from", "openai", "--out", out)
    assert done.exit_code == 1
    assert f"{log}:2: invalid JSON" in done.stderr
    assert "conversations: 2, sessions: 2, tasks: 4" in done.stdout
    names = {"sessions.jsonl", "conversations.jsonl", "splits.jsonl", "import.json"}
    assert {path.name for path in out.iterdir()} == names
    report = json.loads((out / "import.json").read_text())
    assert (report["conversations"], report["rejected"], report["files"]) == (2, 1, ["log.jsonl"])
    assert [(one["line"], one["file"]) for one in report["problems"]] == [(2, "log.jsonl")]
    assert [one["id"] for one in lines(out / "sessions.jsonl")] == ["a", "a-2"]
    assert files_for(out / "sessions.jsonl").check(out / "sessions.jsonl", None).problems == []


def test_messages_and_tools_come_back_as_they_were(tmp_path: Path) -> None:
    """The round trip that docs/logs.md claims: openai -> data import -> openai."""
    log = written(tmp_path / "log.jsonl", [LINE, {"messages": [{"role": "user", "content": '你好\n\t"x"'}]}])
    run("import", log, "--from", "openai", "--out", tmp_path / "out")
    kept = tmp_path / "out" / "conversations.jsonl"
    assert CliRunner().invoke(toolgauge, ["export", str(kept), "--to", "openai"]).exit_code == 0
    chosen = CliRunner().invoke(toolgauge, ["export", str(kept), "--to", "openai", "--only", "correct"])
    assert "--scoring, --data and --only need runs" in str(chosen.exception)
    assert lines(tmp_path / "out" / "openai.jsonl") == lines(log)
    run("import", tmp_path / "out" / "conversations.jsonl", "--from", "openai", "--out", tmp_path / "again")
    for name in ("sessions.jsonl", "conversations.jsonl"):
        assert (tmp_path / "again" / name).read_bytes() == (tmp_path / "out" / name).read_bytes()


def test_corrected_splits_are_never_overwritten(tmp_path: Path) -> None:
    log = written(tmp_path / "log.jsonl", [LINE])
    command = ("import", log, "--from", "openai", "--out", tmp_path / "out")
    assert run(*command).exit_code == 0
    splits = tmp_path / "out" / "splits.jsonl"
    before = splits.read_bytes()
    done = run(*command, "--splits", splits, "--overwrite")
    assert "which this command reads" in str(done.exception)
    assert splits.read_bytes() == before


def test_splits_can_be_corrected(tmp_path: Path) -> None:
    log = written(tmp_path / "log.jsonl", [{"id": "a", **LINE}])
    run("import", log, "--from", "openai", "--out", tmp_path / "out")
    splits = lines(tmp_path / "out" / "splits.jsonl")
    assert [one["message"] for one in splits] == [1, 6]
    corrected = written(tmp_path / "splits.jsonl", [splits[0], {**splits[1], "begins": not splits[1]["begins"]}])
    before = len(lines(tmp_path / "out" / "sessions.jsonl")[0]["english_tasks"])
    run("import", log, "--from", "openai", "--out", tmp_path / "out", "--splits", corrected)
    assert len(lines(tmp_path / "out" / "sessions.jsonl")[0]["english_tasks"]) != before
    other = written(tmp_path / "other.jsonl", [{"conversation": "b", "message": 1, "begins": True}])
    done = run("import", log, "--from", "openai", "--out", tmp_path / "out", "--splits", other)
    assert "conversations not found in the log: 1" in done.stderr


def test_nothing_that_was_replaced_is_written_or_said(tmp_path: Path) -> None:
    secrets = ["ada@example.org", "13912345678", "Ada Lovelace", "4111111111111111"]
    said = [{"role": "user", "content": f"I am {secrets[2]}, {secrets[0]}, {secrets[1]}, {secrets[3]}"}]
    good = {"id": f"of {secrets[0]}", "messages": [*said, {"role": "assistant", "content": secrets[0]}]}
    bad: list[object] = [
        {"messages": [{"role": secrets[0], "content": "x"}]},
        {"messages": {secrets[0]: 1}},
        {"messages": [secrets[0]]},
        f'{{"{secrets[0]}": ',
        {"id": secrets[1], "messages": [{"role": "assistant", "content": "alone"}]},
    ]
    log = written(tmp_path / "log of ada@example.org.jsonl", [good, *bad])
    (tmp_path / "names.txt").write_text("Ada Lovelace\n")
    out = tmp_path / "out"
    done = run("import", log, "--from", "openai", "--out", out, "--redact-names", tmp_path / "names.txt")
    assert done.exit_code == 1
    shown = done.output.replace(str(log), "").replace("ada@example.org.jsonl", "")
    for secret in secrets:
        assert secret not in shown
        assert all(secret not in path.read_text(encoding="utf-8") for path in out.iterdir())
    report = json.loads((out / "import.json").read_text())
    assert report["redacted"] == {
        "card": {"distinct": 1, "places": 1},
        "email": {"distinct": 1, "places": 3},
        "name": {"distinct": 1, "places": 1},
        "phone": {"distinct": 2, "places": 2},
    }


def test_tools_from_a_file(tmp_path: Path) -> None:
    """Only the list with what is called, and nothing that the log defines itself."""
    other = {"name": "get_weather", "inputSchema": {"type": "object", "properties": {}}}
    lists = [
        {"id": "w", "tools": [WEATHER, {"name": "b", "input_schema": {}}]},
        {"id": "x", "tools": [{"name": "c"}, {"name": "d"}]},
    ]
    tools = written(tmp_path / "tools.jsonl", lists)
    log = written(tmp_path / "log.jsonl", [{"messages": dialogue()}, {"messages": dialogue(), "tools": [other]}])
    run("import", log, "--from", "openai", "--out", tmp_path / "out", "--tools", tools)
    first, second = read_conversations(tmp_path / "out" / "conversations.jsonl")
    assert [tool.name for tool in first.tools] == ["get_weather", "b"]
    assert [tool.parameters for tool in second.tools] == [other["inputSchema"]]


def test_each_language_has_a_file_of_sessions_and_the_first_one_the_usual_name(tmp_path: Path) -> None:
    english: Json = {"messages": [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "Hi!"}]}
    chinese: Json = {"messages": [{"role": "user", "content": "你好"}, {"role": "assistant", "content": "您好！"}]}
    out = tmp_path / "out"
    for said, files in (([chinese, english, chinese], {"sessions.jsonl": 2, "sessions.en.jsonl": 1}),
                        ([english], {"sessions.jsonl": 1})):  # fmt: skip
        assert run("import", written(tmp_path / "log.jsonl", said), "--from", "openai", "--out", out).exit_code == 0
        assert {path.name: len(lines(path)) for path in out.glob("sessions*.jsonl")} == files
        assert all(run("check", out / name).exit_code == 0 for name in files)


def test_a_redacted_import_is_not_replaced_by_an_open_one(tmp_path: Path) -> None:
    said = {"role": "user", "content": "I am ada@example.org"}
    log = written(tmp_path / "log.jsonl", [{"messages": [said, {"role": "assistant", "content": "Hello."}]}])
    out = tmp_path / "out"
    assert run("import", log, "--out", out, "--redact").exit_code == 0
    refused = run("import", log, "--out", out)
    assert isinstance(refused.exception, UsageError)
    assert "was imported with --redact" in str(refused.exception)
    assert b"ada@" not in (out / "sessions.jsonl").read_bytes()
    assert run("import", log, "--out", out, "--overwrite").exit_code == 0
    assert b"ada@" in (out / "sessions.jsonl").read_bytes()
