"""Runs on corrected data: which recorded conversations count, asked, scored again, continued."""

from __future__ import annotations

import copy
import json
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

import toolgauge
from tests.sizes import sized
from toolgauge.analysis.glossary import scoring_name
from toolgauge.benchmarks.benchmark import Setup
from toolgauge.benchmarks.dialogues.benchmark import MINI, MINI_FILE
from toolgauge.chat import Reply, Request
from toolgauge.cli.main import app
from toolgauge.data.corrections import between, corrected_lines, encoded, read_corrections
from toolgauge.data.session import Dataset
from toolgauge.episode import Episode, Trajectory, drive
from toolgauge.errors import DataError, StoreError, UsageError
from toolgauge.models.builtin.models import noisy
from toolgauge.results import open_run
from toolgauge.runs.corrections import Standing
from toolgauge.runs.manifest import read_manifest
from toolgauge.runs.scoring import score_all
from toolgauge.runs.store import RunStore

OF_MINI = 6
FIELDS = ("english_tasks", "english_answer_list", "english_tools", "english_env_info")
MEANT = ("arguments", "observation", "user_input", "description")
Leaf = tuple[str | int, ...]


@cache
def records() -> list[dict[str, Any]]:
    with MINI_FILE.open(encoding="utf-8") as file:
        return [json.loads(line) for _unused, line in zip(range(OF_MINI), file, strict=False)]


def leaves(value: Any, at: Leaf = ()) -> Iterator[Leaf]:
    """The places of texts that a sound record may have otherwise: words, arguments, results."""
    if isinstance(value, str):
        if {"english_tasks", "english_env_info", *MEANT} & set(at) and at[-1] not in ("tool_name", "answer_type"):
            yield at
    elif isinstance(value, (dict, list)):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            if key != "missing_required_parameters":
                yield from leaves(part, (*at, key))


places = st.sampled_from([(n, leaf) for n in range(OF_MINI) for leaf in leaves({f: records()[n][f] for f in FIELDS})])


def write(path: Path, lines: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return path


def recorded(data: Dataset, setup: Setup) -> list[Trajectory]:
    play = noisy(5, 0.3)
    return [drive(MINI.episode(data, sample, setup), play) for sample in MINI.samples(data, setup)]


def played_again(episode: Episode, said: Trajectory) -> Trajectory | None:
    """None where it would have gone on."""
    left = list(said.replies)

    def answer(_request: Request) -> Reply:
        if not left:
            raise LookupError
        return left.pop(0)

    try:
        return drive(episode, answer)
    except LookupError:
        return None


@pytest.mark.parametrize("history", ["gold", "own"])
@settings(max_examples=sized(15, 60), deadline=None)
@given(chosen=st.lists(places, min_size=1, max_size=4, unique=True))
def test_what_counts_is_what_would_have_been_said_anyway(
    history: Literal["gold", "own"], chosen: list[tuple[int, Leaf]]
) -> None:
    setup = Setup(options={"history": history})
    edited = copy.deepcopy(records())
    for number, leaf in chosen:
        holder: Any = edited[number]
        for step in leaf[:-1]:
            holder = holder[step]
        holder[leaf[-1]] += "!" if "env_info" not in str(leaf[0]) else " "
    with TemporaryDirectory() as folder:
        before, file = write(Path(folder) / "before.jsonl", records()), Path(folder) / "corrections.jsonl"
        pairs = zip(records(), edited, strict=True)
        file.write_bytes(encoded(one for old, new in pairs for one in between(old["id"], old, new)))
        corrections = read_corrections(file)
        original, corrected = MINI.load(before, "en"), MINI.load(before, "en", corrections)
        after = Path(folder) / "after.jsonl"
        after.write_bytes(b"".join(corrected_lines(before, corrections)))
        direct = MINI.load(after, "en")
    assert corrected.sessions == direct.sessions, "read with corrections, or from a corrected file"
    said = recorded(original, setup)
    standing = Standing(MINI, setup, corrected, corrections.sha256)
    counting = [one for one in said if standing(one)]
    for one in said:
        (sample,) = MINI.samples(direct, Setup(ids=(one.task_id,), options={"history": history}))
        again = played_again(MINI.episode(direct, sample, setup), one)
        same = again is not None and again.steps == one.steps and again.tools == one.tools
        assert same == (one in counting), one.task_id
    assert score_all(MINI, corrected, counting) == score_all(MINI, direct, counting)


OFTEN_WRONG = "builtin/noisy?rate=0.4&seed=1"
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
    toolgauge.run("mini", OFTEN_WRONG, out=folder, limit=3)
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

    result = toolgauge.run("mini", OFTEN_WRONG, out=run, limit=3, corrections=cologne)
    assert result.outcome.done == 3
    assert (result.metrics.scored, result.metrics.missing) == (12, 0)
    assert (run / "trajectories.jsonl").read_bytes().startswith(said)
    assert toolgauge.run("mini", OFTEN_WRONG, out=run, limit=3, corrections=run / "corrections.jsonl").outcome.done == 0


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
        toolgauge.run("mini", OFTEN_WRONG, out=run, limit=3, corrections=cologne)
    toolgauge.score(run, corrections=cologne)
    for other in (None, file_of(tmp_path / "last.jsonl", LAST)):
        with pytest.raises(UsageError, match="was run with --corrections"):
            toolgauge.run("mini", OFTEN_WRONG, out=run, limit=3, corrections=other)


@pytest.mark.parametrize(
    ("lines", "error"),
    [
        ([correction("/english_tasks/9", "x", "y")], r"c.jsonl:1: /english_tasks/9: .*index '9' not found"),
        ([correction(DESTINATION, "Rome", "x")], r"c.jsonl:1: .*`old` is 'Rome'"),
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
        toolgauge.run("mini", OFTEN_WRONG, out=tmp_path / "new", limit=3, corrections=file)
    assert not (tmp_path / "new").exists()


def test_a_run_that_goes_on_gets_no_other_corrections(run: Path, cologne: Path) -> None:
    store = RunStore(run).open(read_manifest(run))
    try:
        with pytest.raises(StoreError, match=r"in use|another process"):
            toolgauge.score(run, corrections=cologne)
    finally:
        store.close(complete=False)
    assert not read_manifest(run).corrections
