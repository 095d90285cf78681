"""The data of the task pages: what a browser decodes is what trajectories, scores and annotations say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.report.task_data import Loaded, acebench, messages, mini, plain, played, run_directory
from toolgauge.benchmarks.benchmark import Setup
from toolgauge.benchmarks.registry import find_benchmark
from toolgauge.data.session import Dataset
from toolgauge.episode import Stop, Trajectory, drive
from toolgauge.models.builtin.models import oracle
from toolgauge.reasons import Blame
from toolgauge.report.task_views.task_view import VerdictView
from toolgauge.results import open_run
from toolgauge.runs.manifest import MANIFEST
from toolgauge.runs.scored import METRICS, ScoredRun
from toolgauge.runs.store import Failure


def assert_replies(data: Loaded, trajectory: Trajectory, task_id: str, steps: Any) -> None:
    task, session, pool = data.task(task_id)
    assert [turn["reply"] for turn in task["turns"]] == [plain(step.reply) for step in steps]
    assert [turn.get("role", "assistant") for turn in task["turns"]] == [step.role for step in steps]
    for turn, step in zip(task["turns"], steps, strict=True):
        assert messages(turn.get("messages", ()), session, pool) == [plain(message) for message in step.messages]
    offered = session["tools"][task["tools"]] if "tools" in task else []
    assert offered == [plain(tool) for tool in trajectory.tools]


def assert_index(data: Loaded, run: ScoredRun) -> None:
    index = data.index()
    scores = {score.task_id: score for score in run.scores}
    assert set(index["scorings"]) == set(run.benchmark.scorings)
    for scoring, columns in index["scorings"].items():
        for place, task_id in enumerate(index["columns"]["id"]):
            verdict, cause = scores[task_id].scorings[scoring], scores[task_id].cause(scoring)
            assert columns["result"][place] == ("correct" if verdict.correct else "failed")
            assert columns["mistake"][place] == (cause.mistake if cause else None)
            assert columns["counted"][place] == (None if verdict.correct else verdict.mistake)
            why = plain(cause.why.cut(300)) if cause and cause.why else None
            assert columns["why"][place] == why
            task, _, _ = data.task(task_id)
            assert task["verdicts"][scoring] == plain(VerdictView.of(verdict))
            assert (task.get("causes", {}).get(scoring) or {}).get("mistake") == (cause.mistake if cause else None)


def test_graph_tasks(tmp_path: Path) -> None:
    benchmark, dataset = mini()
    assert isinstance(dataset, Dataset)
    setup = Setup(limit=10)
    trajectories = played(benchmark, dataset, setup)
    run = run_directory(tmp_path / "run", benchmark, dataset, trajectories, setup)
    data = Loaded(tmp_path / "data", run)
    assert_index(data, run)
    columns = data.index()["columns"]
    assert columns["id"] == [session.task_id(n) for session in dataset.sessions[:10] for n in range(4)]
    for trajectory in trajectories:
        place = columns["id"].index(trajectory.task_id)
        replies = trajectory.replies
        names = {call.name for reply in replies for call in reply.tool_calls if call.name}
        assert set(columns["tools"][place]) == names
        assert columns["steps"][place] == len(replies)
        assert columns["input_tokens"][place] == sum(reply.usage.input_tokens for reply in replies)
        assert_replies(data, trajectory, trajectory.task_id, trajectory.steps)
        session, index = dataset.by_id[trajectory.session_id], trajectory.task_index or 0
        task, shared, _ = data.task(trajectory.task_id)
        annotated = shared["tasks"][task["key"]]
        assert columns["text"][place] == annotated["utterance"] == session.tasks[index].utterance
        assert columns["type"][place] == annotated["type"] == session.tasks[index].type.value
        assert columns["position"][place] == index + 1
        assert [node["name"] for node in annotated["nodes"]] == [call.name for call in session.tasks[index].calls]
        for node, call in zip(annotated["nodes"], session.tasks[index].calls, strict=True):
            assert tuple(node.get("after", ())) == call.after
            assert not call.is_tool or json.loads(node["arguments"]) == call.arguments
        if run_is_right(run, trajectory.task_id):
            assert set(task["comparison"]["states"]) == {"right"}


def run_is_right(run: ScoredRun, task_id: str) -> bool:
    return next(score.scorings["exact"].correct for score in run.scores if score.task_id == task_id)


def test_a_recording_that_ends_too_early_has_a_result_of_its_own(tmp_path: Path) -> None:
    benchmark, dataset = mini()
    setup = Setup(limit=2)
    first, *others = [drive(benchmark.episode(dataset, sample), oracle) for sample in benchmark.samples(dataset, setup)]
    early = replace(first, steps=first.steps[:1], stopped=Stop.RECORDING)
    assert len(first.steps) > 1
    run = run_directory(tmp_path / "run", benchmark, dataset, [early, *others], setup)
    data = Loaded(tmp_path / "data", run)
    scorings, place = data.index()["scorings"], data.index()["columns"]["id"].index(first.task_id)
    assert {name: found["result"][place] for name, found in scorings.items()} == {
        "exact": "not_judgeable",
        "released": "failed",
        "tables": "failed",
    }
    assert (scorings["exact"]["mistake"][place], scorings["exact"]["why"][place]) == (None, None)
    task, _, _ = data.task(first.task_id)
    assert (set(task["verdicts"]), task["stopped"]) == ({"released", "tables"}, "end of the recording")
    assert set(scorings["exact"]["result"]) == {"not_judgeable", "correct"}


def test_whole_sessions_are_split_into_their_tasks(tmp_path: Path) -> None:
    benchmark, dataset = mini()
    setup = Setup(limit=3, options={"history": "own"})
    trajectories = played(benchmark, dataset, setup)
    run = run_directory(tmp_path / "run", benchmark, dataset, trajectories, setup)
    data = Loaded(tmp_path / "data", run)
    assert_index(data, run)
    for trajectory in trajectories:
        told: list[Any] = []
        for index in range(4):
            steps = [step for step in trajectory.steps if step.task_index == index]
            task_id = f"{trajectory.session_id}/{index}"
            assert_replies(data, trajectory, task_id, steps)
            task, session, pool = data.task(task_id)
            assert messages(task.get("before", ()), session, pool) == told
            told += [plain(message) for step in steps for message in step.messages]


@pytest.mark.parametrize(("language", "style"), [("en", "prompt"), ("zh", "native")])
def test_acebench_entries(tmp_path: Path, language: str, style: Any) -> None:
    benchmark, dataset = acebench(language)
    setup = Setup(options={"style": style})
    trajectories = played(benchmark, dataset, setup)
    run = run_directory(tmp_path / "run", benchmark, dataset, trajectories, setup)
    data = Loaded(tmp_path / "data", run)
    assert_index(data, run)
    columns = data.index()["columns"]
    entries: Any = dataset.by_id  # type: ignore[attr-defined]
    assert columns["id"] == list(entries)
    right = {score.task_id for score in run.scores if score.scorings["exact"].correct}
    assert right
    assert len(right) < len(columns["id"])
    for trajectory in trajectories:
        entry = entries[trajectory.task_id]
        assert_replies(data, trajectory, trajectory.task_id, trajectory.steps)
        task, shared, _ = data.task(trajectory.task_id)
        annotated, compared = shared["tasks"][entry.id], task.get("comparison", {})
        assert (annotated["utterance"], annotated["type"]) == (entry.question, entry.category)
        assert [one["name"] for one in annotated["functions"]] == [one.name for one in entry.functions]
        if entry.kind.group == "agent":
            assert compared.get("process", []) == trajectory.extra["process"]
            assert entry.id not in right or all(row["state"] == "same" for row in compared["state"])
        elif entry.kind.group == "normal" and entry.id in right:
            assert compared["pairs"]
            assert not any("wrong" in pair for pair in compared["pairs"])
            assert all("made" in pair and "expected" in pair for pair in compared["pairs"])


def test_what_was_not_asked_stands_in_its_place_with_the_reason(tmp_path: Path) -> None:
    benchmark, dataset = mini()
    setup = Setup(limit=2)
    trajectories = played(benchmark, dataset, setup)
    lost = min(trajectory.task_id for trajectory in trajectories)
    kept = [trajectory for trajectory in trajectories if trajectory.task_id != lost]
    failure = Failure(lost, lost.partition("/")[0], Blame.PROVIDER, "no answer within 5 s")
    run = run_directory(tmp_path / "run", benchmark, dataset, kept, setup, [failure])
    data = Loaded(tmp_path / "data", run)
    index = data.index()
    place = index["columns"]["id"].index(lost)
    assert [index["scorings"][name]["result"][place] for name in run.benchmark.scorings] == ["missing"] * 3
    assert index["columns"]["text"][place]
    assert index["count"] == 8
    assert index["scorings"]["exact"]["result"].count("missing") == 1
    task, session, _ = data.task(lost)
    assert (task["lacking"], task["reason"]) == (["replies"], "no answer within 5 s")
    assert task["key"] in session["tasks"]
    assert "turns" not in task


def test_without_the_data_set_there_is_still_what_was_said(tmp_path: Path) -> None:
    benchmark, dataset = mini()
    setup = Setup(limit=2)
    trajectories = played(benchmark, dataset, setup)
    folder = tmp_path / "run"
    run_directory(folder, benchmark, dataset, trajectories, setup)
    manifest = json.loads((folder / MANIFEST).read_text())
    (folder / MANIFEST).write_text(json.dumps(manifest | {"data_file": "gone.jsonl", "benchmark": "wildtoolbench"}))
    metrics = json.loads((folder / METRICS).read_text())
    wild = {"benchmark": "wildtoolbench", "headline": find_benchmark("wildtoolbench").headline}
    (folder / METRICS).write_text(json.dumps(metrics | wild))
    run = open_run(folder)
    assert run.dataset is None
    data = Loaded(tmp_path / "data", run)
    assert_index(data, run)
    for trajectory in trajectories:
        assert_replies(data, trajectory, trajectory.task_id, trajectory.steps)
        task, session, _ = data.task(trajectory.task_id)
        assert task["lacking"] == ["data"]
        assert "comparison" not in task
        assert session["tasks"] == {}
        columns = data.index()["columns"]
        place = columns["id"].index(trajectory.task_id)
        assert columns["text"][place] == trajectory.steps[0].messages[-1].content
        assert columns["position"][place] == (trajectory.task_index or 0) + 1
