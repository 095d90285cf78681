"""Runs of one model are told apart on the overview and in Markdown, by what they were asked."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace
from typer.testing import CliRunner

import toolgauge
from tests.report.published_pages import run, site_of
from toolgauge.cli.main import app
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
