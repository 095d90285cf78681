"""`toolgauge tools ...`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from toolgauge.cli.tools import app
from toolgauge.errors import DataError, UsageError

SPEC = Path(__file__).parent.parent / "fixtures" / "openapi_library.yaml"


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
    assert (checked.exit_code, checked.stderr) == (0, "")
    one = tmp_path / "one.jsonl"
    one.write_text('[{"name": "one", "description": "Does it."}]\n')
    assert (run("check", one).exit_code, run("check", "--strict", one).exit_code) == (0, 1)


def test_filters_and_standard_output(tmp_path: Path) -> None:
    done = run("import", "openapi", SPEC, "--tag", "books", "--method", "get", "--exclude", "search*")
    (line,) = done.stdout.splitlines()
    assert [tool["function"]["name"] for tool in json.loads(line)["tools"]] == ["getBook"]
    done = run("import", "openapi", SPEC, "--path", "/loans", "--include", "b*", "--limit", 1)
    assert [tool["function"]["name"] for tool in json.loads(done.stdout)["tools"]] == ["borrow"]


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
