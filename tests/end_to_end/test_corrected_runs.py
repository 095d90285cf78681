"""Runs on corrected data: asked, scored again, continued; what does not fit is said before anything is changed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import toolgauge
from toolgauge.analysis.glossary import scoring_name
from toolgauge.benchmarks.dialogues.benchmark import MINI_FILE
from toolgauge.cli.main import app
from toolgauge.errors import DataError, StoreError, UsageError
from toolgauge.results import open_run
from toolgauge.runs.manifest import read_manifest
from toolgauge.runs.store import RunStore

NOISY = "builtin/noisy?rate=0.4&seed=1"
DESTINATION = "/english_answer_list/0/0/action/arguments/destination"
"""Of mini_0: part of the history of the session's later tasks."""


def correction(pointer: str, old: object, new: object, session: str = "mini_0") -> dict[str, Any]:
    return {"session": session, "pointer": pointer, "old": old, "new": new}


COLOGNE = correction(DESTINATION, "Cologne", "Köln")
LAST = correction("/english_answer_list/3/0/action/arguments/guest/name", "Nele Vossen", "Nele Vos")
"""Of the session's last task: no request is another one."""


def file_of(path: Path, *corrections: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in corrections), encoding="utf-8")
    return path


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(app, list(map(str, arguments)), env={"COLUMNS": "200"})


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("finished") / "run"
    toolgauge.run("mini", NOISY, out=folder, limit=3)
    return folder


@pytest.fixture
def run(finished: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(finished, tmp_path / "run"))


@pytest.fixture
def cologne(tmp_path: Path) -> Path:
    return file_of(tmp_path / "cologne.jsonl", COLOGNE)


def scores(folder: Path) -> dict[str, Any]:
    return {one.task_id: one.scorings for one in open_run(folder).scores}


def test_a_run_is_scored_again_and_asks_only_what_became_another_question(run: Path, cologne: Path) -> None:
    before, said = scores(run), (run / "trajectories.jsonl").read_bytes()
    metrics = toolgauge.score(run, corrections=cologne)
    assert metrics.corrections
    assert metrics.corrections.outdated == ("mini_0/1", "mini_0/2", "mini_0/3"), "the history of these tasks is another"
    assert (metrics.scored, metrics.missing) == (9, 3)
    assert (run / "trajectories.jsonl").read_bytes() == said, "nothing that was said is lost"
    after = scores(run)
    assert after["mini_0/0"] != before["mini_0/0"]
    assert {task: before[task] for task in after if task != "mini_0/0"} == {
        task: after[task] for task in after if task != "mini_0/0"
    }
    shown = invoke("score", run).output
    assert "Of 3 tasks the corrected data ask something else" in shown
    assert "mini_0/1, mini_0/2, mini_0/3" in shown

    result = toolgauge.run("mini", NOISY, out=run, limit=3, corrections=cologne)
    assert result.outcome.done == 3
    assert (result.metrics.scored, result.metrics.missing) == (12, 0)
    assert (run / "trajectories.jsonl").read_bytes().startswith(said)
    assert toolgauge.run("mini", NOISY, out=run, limit=3, corrections=run / "corrections.jsonl").outcome.done == 0


def test_with_and_without_stand_beside_each_other(run: Path, cologne: Path) -> None:
    plain = toolgauge.score(run)
    only = file_of(cologne.parent / "last.jsonl", LAST)
    metrics = toolgauge.score(run, corrections=only)
    assert metrics.corrections
    assert (metrics.corrections.count, metrics.corrections.outdated) == (1, ())
    for scoring, tables in metrics.corrections.without.items():
        for table, rows in tables.items():
            for row, rate in rows.items():
                assert rate == plain.rate(scoring, table, row)
                assert rate != metrics.rate(scoring, table, row)
    for scoring in plain.scorings:
        with_it, without = (one.rate(scoring, "overall", "task_accuracy") for one in (metrics, plain))
        assert with_it
        assert without
        changed = f"task accuracy {with_it.value:.1%} (without: {without.value:.1%})"
        expected = f"{scoring_name(scoring)}: {changed}, session accuracy "
        assert expected in " ".join(invoke("score", run).output.split())


def test_a_run_with_other_corrections_is_not_continued(run: Path, cologne: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="was run with --corrections"):
        toolgauge.run("mini", NOISY, out=run, limit=3, corrections=cologne)
    toolgauge.score(run, corrections=cologne)
    for other in (None, file_of(tmp_path / "last.jsonl", LAST)):
        with pytest.raises(UsageError, match="was run with --corrections"):
            toolgauge.run("mini", NOISY, out=run, limit=3, corrections=other)


@pytest.mark.parametrize(
    ("lines", "error"),
    [
        ([correction("/english_tasks/9", "x", "y")], r"c.jsonl:1: /english_tasks/9: .*index '9' not found"),
        ([correction(DESTINATION, "Rome", "x")], r"c.jsonl:1: .*`old` is 'Rome'"),
        ([COLOGNE, COLOGNE], r"c.jsonl:2: .*\(changed by line 1\)"),
        ([COLOGNE, correction("/english_tools", None, [])], "c.jsonl:2: "),
        ([COLOGNE | {"session": "normal_preference_3"}], "'normal_preference_3' not found in the data"),
        ([COLOGNE | {"language": "zh"}], "no correction for the en data"),
        (
            [COLOGNE, LAST, correction("/english_task_types/1", "single", 7)],
            r"c.jsonl:3: .*invalid after this correction",
        ),
        ([correction("/id/0", "mini_0", "x")], "the id of a session cannot be corrected"),
    ],
)
def test_corrections_that_cannot_be_are_an_error_before_anything_is_changed(
    run: Path, tmp_path: Path, lines: list[dict[str, Any]], error: str
) -> None:
    if "task_types" in lines[-1]["pointer"]:
        kinds = json.loads(MINI_FILE.read_text("utf-8").splitlines()[0])["english_task_types"]
        lines[-1]["old"] = kinds[1]
    file = file_of(tmp_path / "c.jsonl", *lines)
    before = {path.name: path.read_bytes() for path in run.iterdir()}
    with pytest.raises(DataError, match=error):
        toolgauge.score(run, corrections=file)
    assert {path.name: path.read_bytes() for path in run.iterdir()} == before
    with pytest.raises(DataError, match=error):
        toolgauge.run("mini", NOISY, out=tmp_path / "new", limit=3, corrections=file)
    assert not (tmp_path / "new").exists()


def test_a_run_that_goes_on_gets_no_other_corrections(run: Path, cologne: Path) -> None:
    store = RunStore(run).open(read_manifest(run))
    try:
        with pytest.raises(StoreError, match=r"in use|another process"):
            toolgauge.score(run, corrections=cologne)
    finally:
        store.close(complete=False)
    assert not read_manifest(run).corrections
