"""When a run began: kept in run.json, by runs that go on too, and told on pages and in exports."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import toolgauge
from tests.end_to_end.playing import call, command
from toolgauge.errors import StoreError
from toolgauge.report.citations import citations_of
from toolgauge.report.exports.catalogue import export
from toolgauge.report.exports.export_request import ExportRequest
from toolgauge.report.leaderboard import LeaderboardRow
from toolgauge.report.pages import board_effort
from toolgauge.report.pages.facts import facts_of
from toolgauge.results import open_run, open_runs
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


def test_a_generation_says_when_it_began(tmp_path: Path) -> None:
    code, _out, err = call(command("generate", "--demo", "--paths", "single", "--out", "made"), tmp_path)
    assert code == 0, err
    assert MOMENT.fullmatch(json.loads((tmp_path / "made" / MANIFEST).read_bytes())["started"])


def test_an_old_run_is_read_and_goes_on_without_a_date(run: Path) -> None:
    change(run, started=None)
    toolgauge.run("mini", "builtin/noisy", out=run, limit=2)
    assert not read_manifest(run).started
    opened = open_run(run)
    assert "started (UTC)" not in [fact.heading for fact in facts_of(opened, "en")]
    assert "note" not in citations_of(ExportRequest.of([opened]).entries)[0].bibtex


@pytest.mark.parametrize("moment", ["yesterday", "2026-02-03", THEN + "\n", "<b>", 7])
def test_a_date_that_is_none_is_refused(run: Path, moment: object) -> None:
    change(run, started=moment)
    with pytest.raises(StoreError, match=r"run\.json: cannot be parsed"):
        read_manifest(run)


def test_the_set_up_and_the_board_tell_the_date(run: Path) -> None:
    change(run, started=THEN)
    (entry,) = ExportRequest.of([open_run(run)]).entries
    assert ("started (UTC)", "2026-02-03 04:05:06") in [fact[:2] for fact in facts_of(entry.run, "en")]
    rows = [LeaderboardRow("mini", (), entry)]
    (date,) = [column for column in board_effort.effort_columns(rows, "en") if column.key == "date"]
    assert (date.heading, date.cells[0].text) == ("Date", "2026-02-03")


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
