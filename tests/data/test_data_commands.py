"""`toolgauge data ...`."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from toolgauge.cli.data import app, resolve
from toolgauge.data.fetch import FetchError
from toolgauge.errors import DataError, UsageError


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLGAUGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "160")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


def test_check_says_what_is_wrong(small_wildtoolbench: Path, tmp_path: Path) -> None:
    result = run("check", str(small_wildtoolbench))
    assert (result.exit_code, "no problems" in result.output) == (0, True)
    bad = tmp_path / "bad.jsonl"
    bad.write_text("oops\n7\n")
    result = run("check", str(bad))
    assert result.exit_code == 1
    assert f"{bad}:1: invalid JSON" in result.output
    assert "2 problems" in result.output


def test_unusable_input(tmp_path: Path, small_mmtb: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    for arguments, kind in (
        (("check", str(empty)), DataError),
        (("check", "no-such-thing"), UsageError),
        (("check", str(small_mmtb), "--format", "csv"), UsageError),
        (("check", str(small_mmtb), "--language", "fr"), UsageError),
        (("stats", str(small_mmtb), "--language", "fr"), UsageError),
        (("fetch", "no-such-thing"), UsageError),
    ):
        error = run(*arguments).exception
        assert isinstance(error, kind)
        assert error.exit_code == 2


def test_names_of_data_sets() -> None:
    mini = resolve("mini")
    assert mini.parts[-3:] == ("dialogues", "mini", "sessions.jsonl")
    with pytest.raises(FetchError, match="toolgauge data fetch wildtoolbench"):
        resolve("wildtoolbench")
    result = run("fetch", "mini")
    assert Path(result.output.strip()) == mini
    assert isinstance(run("fetch", "mmtb", "--offline").exception, FetchError)
