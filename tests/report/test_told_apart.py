"""Runs of one model are told apart on the overview and in Markdown, by what they were asked."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace
from typer.testing import CliRunner

import toolgauge
from tests.report.published_pages import run, site_of
from toolgauge.cli.main import app
from toolgauge.errors import UsageError
from toolgauge.report.page import entries_of
from toolgauge.report.pages import overview
from toolgauge.report.rendering import render

LANGUAGES = ("en", "zh")
HOSTILE = "<script>alert(1)</script>"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_overview_says_how_runs_of_one_model_differ(language: str) -> None:
    native, other, alone = run("m", 1), run("m", 2, history="own"), run("n", 3)
    asked = replace(other.manifest.measured, more={"dialect": HOSTILE})
    written = replace(other, manifest=replace(other.manifest, model=asked))
    entries = entries_of([native, written, alone])
    assert [one.told for one in entries] == ["history gold, 1", f"dialect {HOSTILE}, history own, 2", ""]
    assert [one.label for one in entries] == [f"m ({entries[0].told})", f"m ({entries[1].told})", "n"]
    site = site_of(native, written, alone)
    html = next(render(page, language, site) for page in overview.pages(site, language))
    assert "<bdi>m (history gold, 1)</bdi>" in html
    assert "<bdi>m (dialect &lt;script&gt;alert(1)&lt;/<wbr>script&gt;, history own, 2)</bdi>" in html
    assert HOSTILE not in html


def test_those_that_differ_in_nothing_have_numbers() -> None:
    same = [run("m", 1), run("m", 1), run("m", 1)]
    assert [one.label for one in entries_of(same)] == ["m (1)", "m (1)-2", "m (1)-3"]


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The folder `run` twice, of one model: on annotated history and on its own."""
    root = tmp_path_factory.mktemp("pair")
    folders = root / "a" / "run", root / "b" / "run"
    toolgauge.run("mini", "builtin/noisy", out=folders[0], limit=2, history="gold")
    toolgauge.run("mini", "builtin/noisy", out=folders[1], limit=2, history="own")
    return folders


def test_markdown_and_compare_name_both(pair: tuple[Path, Path]) -> None:
    environment = {"COLUMNS": "300"}
    said = CliRunner().invoke(app, ["export", *map(str, pair), "--to", "markdown", "--out", "-"], env=environment)
    assert said.exit_code == 0, said.output
    assert "`builtin/noisy (history gold, run)`" in said.output
    assert "`builtin/noisy (history own, run)`" in said.output
    compared = CliRunner().invoke(app, ["compare", *map(str, pair)], env=environment)
    assert compared.exit_code == 0, compared.output
    assert "A  builtin/noisy  history gold  (" in compared.output
    assert "B  builtin/noisy  history own  (" in compared.output


def test_a_site_of_a_run_without_a_scored_task_is_refused(pair: tuple[Path, Path], tmp_path: Path) -> None:
    shutil.copytree(pair[0], tmp_path / "run")
    (tmp_path / "run" / "trajectories.jsonl").write_bytes(b"")
    for name in ("scores.jsonl", "metrics.json", "details.csv"):
        (tmp_path / "run" / name).unlink()
    for runs in ([tmp_path / "run"], [pair[0], tmp_path / "run"]):
        with pytest.raises(UsageError, match="no scored tasks"):
            toolgauge.make_site(runs, tmp_path / "site")
    assert not (tmp_path / "site").exists()
