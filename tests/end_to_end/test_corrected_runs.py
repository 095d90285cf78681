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
from toolgauge.data.corrections import read_corrections
from toolgauge.data.versions import corrected_lines
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


def test_corrections_in_a_run_are_as_corrections_in_the_file(run: Path, tmp_path: Path) -> None:
    """Scores on data corrected while they are read are those on a corrected copy of the file."""
    file = file_of(tmp_path / "both.jsonl", LAST, correction("/english_answer_list/2/1/dependency_list", [0], []))
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(b"".join(corrected_lines(MINI_FILE, read_corrections(file))))
    toolgauge.score(run, corrections=file)
    other = Path(shutil.copytree(run, tmp_path / "other"))
    toolgauge.score(other, corrections="none")
    with pytest.warns(UserWarning, match="2 corrections of the data"):
        metrics = toolgauge.score(other, data=copy)
    assert metrics.corrections
    assert scores(run) == scores(other)
    fresh = tmp_path / "fresh"
    toolgauge.run("mini", "builtin/oracle", out=fresh, limit=3, corrections=file)
    direct = tmp_path / "direct"
    toolgauge.run("wildtoolbench", "builtin/oracle", data=copy, out=direct, limit=3)
    assert scores(fresh) == scores(direct)


def test_a_copy_that_differs_in_blanks_only_is_the_same_data(run: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.jsonl"
    copy.write_text(MINI_FILE.read_text("utf-8").replace("\n", " \n"), encoding="utf-8")
    assert not toolgauge.score(run, data=copy).corrections


def test_corrections_are_taken_back(run: Path, cologne: Path, finished: Path) -> None:
    toolgauge.score(run, corrections=cologne)
    toolgauge.run("mini", NOISY, out=run, limit=3, corrections=cologne)
    toolgauge.score(run, corrections="none")
    assert scores(run) == scores(finished), "what was asked about the corrected data does not count any more"
    assert not read_manifest(run).corrections
    assert toolgauge.run("mini", NOISY, out=run, limit=3).outcome.done == 0


def test_other_corrections_keep_what_they_do_not_touch(run: Path, cologne: Path, tmp_path: Path) -> None:
    toolgauge.score(run, corrections=cologne)
    toolgauge.run("mini", NOISY, out=run, limit=3, corrections=cologne)
    both = file_of(tmp_path / "both.jsonl", COLOGNE, LAST)
    assert toolgauge.score(run, corrections=both).missing == 0, "what was asked with the first still is what is asked"
    last = file_of(tmp_path / "last.jsonl", LAST)
    assert toolgauge.score(run, corrections=last).missing == 0, "the first conversations count again"


def test_an_own_history_session_is_one_conversation(tmp_path: Path, cologne: Path) -> None:
    run = tmp_path / "own"
    toolgauge.run("mini", "builtin/oracle", out=run, limit=2, history="own")
    metrics = toolgauge.score(run, corrections=cologne)
    assert metrics.corrections
    assert not metrics.corrections.outdated, "its history is what the model said itself"
    words = file_of(tmp_path / "words.jsonl", correction("/english_tasks/2", task_text(0, 2), "another question"))
    metrics = toolgauge.score(run, corrections=words)
    assert metrics.corrections
    assert metrics.corrections.outdated == ("mini_0/0", "mini_0/1", "mini_0/2", "mini_0/3")
    assert toolgauge.run("mini", "builtin/oracle", out=run, limit=2, history="own", corrections=words).outcome.done == 1


def task_text(session: int, task: int) -> str:
    with MINI_FILE.open(encoding="utf-8") as file:
        text: str = [json.loads(line) for line in file][session]["english_tasks"][task]
    return text


def test_a_run_with_other_corrections_is_not_continued(run: Path, cologne: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="was run with --corrections"):
        toolgauge.run("mini", NOISY, out=run, limit=3, corrections=cologne)
    toolgauge.score(run, corrections=cologne)
    for other in (None, file_of(tmp_path / "last.jsonl", LAST)):
        with pytest.raises(UsageError, match="was run with --corrections"):
            toolgauge.run("mini", NOISY, out=run, limit=3, corrections=other)


def test_runs_with_different_corrections_are_not_compared(run: Path, finished: Path, cologne: Path) -> None:
    toolgauge.score(run, corrections=cologne)
    with pytest.raises(UsageError, match="different corrections of the data"):
        toolgauge.compare(finished, run)
    assert toolgauge.make_site([run, finished], run.parent / "site")


@pytest.mark.parametrize(
    ("lines", "error"),
    [
        ([correction("/english_tasks/9", "x", "y")], r"c.jsonl:1: /english_tasks/9: .*has none at '9'"),
        ([correction(DESTINATION, "Rome", "x")], r"c.jsonl:1: .*the data have 'Cologne' here, not 'Rome'"),
        ([COLOGNE, COLOGNE], r"c.jsonl:2: .*\(changed by line 1\)"),
        ([COLOGNE, correction("/english_tools", None, [])], "c.jsonl:2: "),
        ([COLOGNE | {"session": "normal_preference_3"}], "'normal_preference_3' not found in the data"),
        ([COLOGNE | {"language": "zh"}], "no correction of the data in en"),
        ([COLOGNE, LAST, correction("/english_task_types/1", "single", 7)], r"c.jsonl:3: .*with this change"),
        ([correction("/id/0", "mini_0", "x")], "the id of a session stays"),
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


def test_the_copy_in_the_run_directory_is_what_counts(run: Path, cologne: Path) -> None:
    toolgauge.score(run, corrections=cologne)
    cologne.unlink()
    assert open_run(run).metrics.missing == 3
    copy = run / "corrections.jsonl"
    copy.write_bytes(copy.read_bytes().replace("Köln".encode(), b"Bonn").replace(b"K\\u00f6ln", b"Bonn"))
    with pytest.raises(UsageError, match="different sha256"):
        toolgauge.score(run)
    with pytest.raises(UsageError, match="was edited; pass it with --corrections"):
        toolgauge.score(run, corrections=file_of(cologne, COLOGNE))
    toolgauge.score(run, corrections=copy)  # who edits it there may say so
    copy.unlink()
    copy.symlink_to(cologne)
    with pytest.raises(StoreError, match="symbolic link"):
        toolgauge.score(run)


def test_without_its_data_a_corrected_run_shows_what_was_saved(run: Path, cologne: Path, tmp_path: Path) -> None:
    data = tmp_path / "data.jsonl"
    data.write_bytes(MINI_FILE.read_bytes())
    folder = tmp_path / "there"
    toolgauge.run("wildtoolbench", NOISY, data=data, out=folder, limit=3)
    toolgauge.score(folder, corrections=cologne)
    toolgauge.run("wildtoolbench", NOISY, data=data, out=folder, limit=3, corrections=cologne)
    told = [one.task_id for one in open_run(folder).trajectories()]
    asked = {one.task_id: one.corrections for one in open_run(folder).trajectories()}
    data.unlink()
    opened = open_run(folder)
    assert not opened.verified
    assert [one.task_id for one in opened.trajectories()] == told
    assert {one.task_id: one.corrections for one in opened.trajectories()} == asked
    assert len(told) == 12


def test_a_run_that_goes_on_gets_no_other_corrections(run: Path, cologne: Path) -> None:
    store = RunStore(run).open(read_manifest(run))
    try:
        with pytest.raises(StoreError, match=r"in use|another process"):
            toolgauge.score(run, corrections=cologne)
    finally:
        store.close(complete=False)
    assert not read_manifest(run).corrections


def test_replies_under_way_are_forgotten_for_they_answered_other_requests(run: Path, cologne: Path) -> None:
    (run / "replies.jsonl").write_bytes(b'{"key":"mini_0/3","step":0,"reply":{"content":"x"}}\n')
    toolgauge.score(run, corrections=cologne)
    assert not (run / "replies.jsonl").exists()


def test_an_interrupted_run_with_corrections_is_continued(cologne: Path, tmp_path: Path) -> None:
    run, whole = tmp_path / "run", tmp_path / "whole"
    toolgauge.run("mini", NOISY, out=run, limit=1, ids=["mini_0/0", "mini_0/1"], corrections=cologne)
    manifest = json.loads((run / "run.json").read_text("utf-8"))
    manifest["selection"]["ids"] = []
    (run / "run.json").write_text(json.dumps(manifest), encoding="utf-8")
    assert toolgauge.run("mini", NOISY, out=run, limit=1, corrections=cologne).outcome.done == 2
    toolgauge.run("mini", NOISY, out=whole, limit=1, corrections=cologne)
    assert scores(run) == scores(whole)


def test_known_corrections_are_those_of_the_benchmark(run: Path) -> None:
    with pytest.raises(UsageError, match="mini has no known corrections"):
        toolgauge.score(run, corrections="known")


def test_data_changed_without_the_earlier_version_say_what_to_do(run: Path, tmp_path: Path) -> None:
    data = tmp_path / "data.jsonl"
    data.write_bytes(MINI_FILE.read_bytes())
    folder = tmp_path / "there"
    toolgauge.run("wildtoolbench", NOISY, data=data, out=folder, limit=1)
    data.write_bytes(data.read_bytes().replace(b"Cologne", b"Bonn"))
    with pytest.raises(UsageError, match="toolgauge data correct NEW --since OLD"):
        toolgauge.score(folder, data=data)
