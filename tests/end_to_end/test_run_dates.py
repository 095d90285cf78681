"""When a run began: kept in run.json, by runs that go on too, and told on pages and in exports."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import toolgauge
from toolgauge.report.citations import citations_of
from toolgauge.report.exports.catalogue import export
from toolgauge.report.exports.export_request import ExportRequest
from toolgauge.results import open_runs
from toolgauge.runs.manifest import MANIFEST, read_manifest

MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
THEN = "2026-02-03T04:05:06Z"


def change(folder: Path, **changed: object) -> None:
    content = json.loads((folder / MANIFEST).read_bytes())
    kept = {name: value for name, value in (content | changed).items() if value is not None}
    (folder / MANIFEST).write_text(json.dumps(kept))


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    toolgauge.run("mini", "builtin/noisy", out=folder, limit=2)
    return folder


def test_a_run_says_when_it_began(run: Path) -> None:
    assert MOMENT.fullmatch(str(read_manifest(run).started))


def test_a_run_that_goes_on_keeps_its_date_and_is_no_other_run(run: Path) -> None:
    change(run, started=THEN)
    toolgauge.run("mini", "builtin/noisy", out=run, limit=2)
    assert read_manifest(run).started == THEN
    toolgauge.run("mini", "builtin/noisy", out=run, limit=3)
    assert read_manifest(run).started == THEN


def test_exports_tell_the_date(run: Path, tmp_path: Path) -> None:
    change(run, started=THEN)
    other = tmp_path / "second"
    toolgauge.run("mini", "builtin/noisy", out=other, limit=3)
    change(other, started="2026-02-05T00:00:00Z")
    wanted = ExportRequest.of(open_runs([run, other]))
    card, *files = export(wanted, "hf", tmp_path / "hf").paths
    for file in files:
        assert json.loads(file.read_text("utf-8").splitlines()[0])["started"] == "2026-02-03 04:05:06 UTC"
    assert f"started `{THEN}`" in card.read_text("utf-8")
    assert "note    = {Runs of 2026-02-03 to 2026-02-05}" in citations_of(wanted.entries)[0].bibtex
