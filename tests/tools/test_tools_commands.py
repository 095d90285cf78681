"""`toolgauge tools ...`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from toolgauge.cli.tools import app
from toolgauge.errors import DataError, UsageError
from toolgauge.tools.toollist import read_tool_lists

SPEC = Path(__file__).parent.parent / "fixtures" / "openapi_library.yaml"
OFFERING = Path(__file__).parent / "offering.py"


@pytest.fixture(autouse=True)
def wide_english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.setenv("TOOLGAUGE_LANG", "en")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(one) for one in arguments])


def test_import_list_show_check(tmp_path: Path) -> None:
    out = tmp_path / "library.jsonl"
    done = run("import", "openapi", SPEC, "--out", out)
    assert (done.exit_code, done.stdout) == (0, "")
    assert "library.jsonl (lists: 2, tools: 8)" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["library.jsonl"]
    listed = run("list", out).output
    assert "town-library-books-1" in listed
    assert "lists: 2, tools: 8" in listed
    shown = run("show", out, "town-library-books-1").output
    assert "id* (integer)  Number of the book." in shown
    assert "shelf* (A | B | on | None)  Where it goes." in shown
    assert "page (integer, default 1)  Which page." in shown
    assert "getBook (read-only): One book." in shown
    assert "    result: object\n      title* (string)" in shown
    assert "get_loans" not in shown
    assert "get_loans" in run("show", out).output
    checked = run("check", out)
    assert (checked.exit_code, checked.stderr) == (0, "errors: 0, hints: 1\n")
    assert run("check", "--strict", out).exit_code == 1


def test_filters_and_standard_output(tmp_path: Path) -> None:
    done = run("import", "openapi", SPEC, "--tag", "books", "--method", "get", "--exclude", "search*")
    (line,) = done.stdout.splitlines()
    assert [tool["function"]["name"] for tool in json.loads(line)["tools"]] == ["getBook"]
    done = run("import", "openapi", SPEC, "--path", "/loans", "--include", "b*", "--limit", 1)
    assert [tool["function"]["name"] for tool in json.loads(done.stdout)["tools"]] == ["borrow"]


def test_deprecated_and_chosen_tools(tmp_path: Path) -> None:
    done = run("import", "openapi", SPEC, "--deprecated", "--include", "books*")
    assert '"deprecated":true' in done.stdout
    pytest.importorskip("mcp", reason="the extra mcp is not installed")
    server = ("--", sys.executable, OFFERING, "stdio")
    done = run("import", "mcp", "--include", "*point*", "--exclude", "get*", *server)
    assert [tool["function"]["name"] for tool in json.loads(done.stdout)["tools"]] == ["list_points"]


def test_alternatives_are_shown(tmp_path: Path) -> None:
    day = {"type": "object", "properties": {"day": {"type": "string", "default": "today"}}, "required": ["day"]}
    week = {"type": "object", "properties": {"week": {"type": "integer"}}}
    when = {"description": "When.", "oneOf": [day, {"type": "string"}, week]}
    file = tmp_path / "t.jsonl"
    schema = {"type": "object", "properties": {"when": when, "note": {"anyOf": [week, {"type": "null"}]}}}
    file.write_text(json.dumps([{"name": "a", "deprecated": True, "parameters": schema}]))
    shown = [line.rstrip() for line in run("show", file).output.splitlines()]
    assert shown[2:] == [
        "  a (deprecated):",
        "    when (object or string)  When.",
        "      alternative 1:",
        "        day* (string, default 'today')",
        "      alternative 3:",
        "        week (integer)",
        "    note (object or null)",
        "      week (integer)",
        "",
    ]


def test_import_of_a_server(tmp_path: Path) -> None:
    pytest.importorskip("mcp", reason="the extra mcp is not installed")
    out = tmp_path / "points.jsonl"
    done = run("import", "mcp", "--out", out, "--timeout", 60, "--", sys.executable, OFFERING, "stdio")
    assert done.exit_code == 0, done.output
    assert len(read_tool_lists(out)[0].tools) == 5
    assert "Note: renamed 'get.point' to get_point" in done.stderr
    checked = run("check", out)
    assert "instructs the model instead of describing the tool: '<important>'" in checked.stdout


def test_nothing_is_asked_where_it_could_not_be_written(tmp_path: Path) -> None:
    out, started = tmp_path / "mine.jsonl", tmp_path / "started"
    out.write_text("mine\n")
    told = run("import", "mcp", "--out", out, "--", "touch", started)
    assert isinstance(told.exception, UsageError)
    assert not started.exists()
    assert run("import", "openapi", SPEC, "--out", out).stderr == "", "the notes on the document are for its lists"


def test_check_prints_errors_first_and_no_more_than_asked(tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    file.write_text('[{"name": "a"}, {"name": "b"}]\n[{"name": "c c\\u001b[2J"}, {"name": "d"}]\n')
    done = run("check", file, "--max", 2)
    assert done.exit_code == 1
    first, second = done.stdout.splitlines()
    assert first.startswith(f"{file}:2: ['c c\\x1b[2J'].name: some APIs reject the name 'c c\\x1b[2J'")
    assert second.startswith(f"{file}:1: a.description: hint: missing")
    assert done.stderr == "errors: 1, hints: 4\nnot shown: 3 more\n"


def test_nothing_on_the_terminal_but_text(tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    nasty = "x\x1b[2J\r\n[bold]y"
    schema = {"type": "object", "properties": {nasty: {"type": nasty, "description": nasty, "enum": [nasty]}}}
    tool = {"name": nasty, "description": nasty, "parameters": schema}
    file.write_text(json.dumps({"id": nasty, "name": nasty, "tools": [tool, tool]}))
    for verb in ("list", "show", "check"):
        output = run(verb, file).output
        assert "\x1b" not in output
        assert "\r" not in output
    assert "[bold]y" in run("list", file).output


def test_wrong_usage(tmp_path: Path) -> None:
    for arguments, kind in (
        (("import", "openapi", tmp_path / "absent.yaml"), DataError),
        (("import", "openapi", SPEC, "--method", "steal"), UsageError),
        (("import", "mcp"), UsageError),
        (("import", "mcp", "--url", "http://127.0.0.1:9", "--env", "HOME"), UsageError),
        (("import", "mcp", "--token-env", "HOME", "--", "x"), UsageError),
        (("check", tmp_path / "absent.jsonl"), DataError),
        (("show", SPEC), DataError),
    ):
        error = run(*arguments).exception
        assert isinstance(error, kind)
        assert error.exit_code == 2
    file = tmp_path / "t.jsonl"
    file.write_text('[{"name": "a"}]')
    assert isinstance(run("show", file, "b").exception, UsageError)


def test_the_embedded_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    listed = run("list").output
    assert "flight_booking" in listed
    assert "Finding and booking flights" in listed
    assert "机票查询与预订" in run("list", "--language", "zh").output
    shown = run("show", "library", "flight_booking").output
    assert "airport_from* (string)  IATA code" in shown
    assert "city_weather" not in shown
    assert isinstance(run("list", "--language", "fr").exception, UsageError)
    Path("library").write_text('[{"name": "own_tool"}]')
    assert "own_tool" in run("list", "library").output
    assert isinstance(run("list", "library", "--language", "en").exception, UsageError)
