"""`toolgauge data fetch acebench`, against a server on this machine that serves the small data set."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tests.benchmarks.acebench.ace_building import demo_tables, write_scenarios
from tests.data.fetch_server import COMMIT, Server, git_blob, served_data
from toolgauge.benchmarks.acebench.data import published
from toolgauge.benchmarks.catalogue import CATALOGUE
from toolgauge.cli.data import app
from toolgauge.data.fetch import FetchError
from toolgauge.data.files import DataSource, RemoteFile

FIXTURES = Path(__file__).parents[2] / "fixtures" / "acebench"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, contents: dict[str, bytes]) -> Iterator[Server]:
    """Serves our own texts under the published paths; the catalogue knows their blob ids."""
    monkeypatch.setenv("COLUMNS", "160")
    with served_data(monkeypatch, tmp_path / "cache") as one:
        offer(one, monkeypatch, contents)
        yield one


@pytest.fixture(scope="module")
def contents(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """A content for every published path: the fixtures, and scenario files of the demonstration's tables."""
    folder = tmp_path_factory.mktemp("served")
    for language in ("en", "zh"):
        write_scenarios(folder / "scenarios" / language, demo_tables(language))
    places = {"data_all": FIXTURES, "scenarios": folder}
    files = published.published_files()
    return {file.path: (places[file.safe_name.partition("/")[0]] / file.safe_name).read_bytes() for file in files}


def offer(server: Server, monkeypatch: pytest.MonkeyPatch, served: dict[str, bytes]) -> None:
    real = CATALOGUE["acebench"]
    files = tuple(RemoteFile(one.path, git_blob(served[one.path]), one.place) for one in real.files)
    for path, content in served.items():
        server.offer(path, content)
    ours = DataSource("acebench", real.about, "owner/name", COMMIT, files, real.folder, real.finish)
    monkeypatch.setitem(CATALOGUE, "acebench", ours)
    monkeypatch.setattr(published, "ACEBENCH", ours)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


def test_the_commands(server: Server) -> None:
    result = run("fetch", "acebench", "--offline")
    assert isinstance(result.exception, FetchError)
    assert "toolgauge data fetch acebench" in str(result.exception)
    result = run("fetch", "acebench")
    assert result.exit_code == 0, result.output
    assert result.stdout.strip().endswith("data_all")
    assert result.stdout.count("\n") == 1
    assert "acebench" in run("list").output
    assert run("check", "acebench").output.strip().endswith("no problems")
    result = run("stats", "acebench", "--language", "zh")
    assert result.exit_code == 0
    assert "normal_multi_turn_user_adjust" in result.output
