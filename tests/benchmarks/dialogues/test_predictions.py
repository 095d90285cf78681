"""Result files of the original projects: read as trajectories, scored like the run they came from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import toolgauge
from tests.original_format import mmtb_lines, wildtoolbench_lines
from tests.sizes import sized
from toolgauge.benchmarks.dialogues.benchmark import GRAPH_BENCHMARKS, GraphBenchmark
from toolgauge.benchmarks.dialogues.predictions import GraphPredictions
from toolgauge.chat import Reply, Request
from toolgauge.data.session import Dataset
from toolgauge.episode import Trajectory, drive
from toolgauge.errors import DataError
from toolgauge.models.builtin.mistakes import plan_mistakes

FIXTURES = Path(__file__).parents[2] / "fixtures"
FILES = {"wildtoolbench": FIXTURES / "wildtoolbench_small.jsonl", "mmtb": FIXTURES / "mmtb_small.jsonl"}
WRITERS = {"wildtoolbench": wildtoolbench_lines, "mmtb": mmtb_lines}


def spoilt(request: Request) -> Reply:
    """A player that makes the n-th possible mistake in the n-th episode."""
    assert request.gold_hint is not None
    possible = plan_mistakes(request)
    choice = sum(request.episode.encode()) % (len(possible) + 1)
    return possible[choice][1] if choice < len(possible) else request.gold_hint.reply


def played(benchmark: GraphBenchmark, dataset: Dataset) -> list[Trajectory]:
    return [drive(benchmark.episode(dataset, sample), spoilt) for sample in benchmark.samples(dataset)]


@pytest.mark.parametrize("language", ["en", "zh"][: sized(1, 2)])
@pytest.mark.parametrize("name", ["wildtoolbench", "mmtb"])
def test_a_result_file_scores_like_the_run_it_came_from(name: str, language: str, tmp_path: Path) -> None:
    benchmark = GRAPH_BENCHMARKS[name]
    dataset = benchmark.load(FILES[name], language)
    trajectories = played(benchmark, dataset)
    expected = [score for trajectory in trajectories for score in benchmark.scores(dataset, trajectory)]
    file = tmp_path / "result.jsonl"
    file.write_text("".join(WRITERS[name](dataset, trajectories)), encoding="utf-8")
    read = list(GraphPredictions(benchmark.family, file, dataset))
    assert [t.task_id for t in read] == [t.task_id for t in trajectories]
    if name == "wildtoolbench":
        assert [score for t in read for score in benchmark.scores(dataset, t)] == expected
        assert read[0].usage == trajectories[0].usage
    metrics = toolgauge.score(
        benchmark=name, data=FILES[name], predictions=file, language=language, out=tmp_path / "out"
    )
    right = sum(score.scorings[benchmark.headline].correct for score in expected)
    assert metrics.scorings[benchmark.headline]["overall"]["task_accuracy"].correct == right
    assert metrics.missing == 0
    closed = {
        t.task_id: t.stopped == "answered" for t in trajectories
    }  # the fixture's writer notes "correct" everywhere
    assert metrics.agreement
    assert metrics.agreement.compared == len(trajectories)
    assert set(metrics.agreement.differing) == {task_id for task_id, right in closed.items() if not right}
    again = toolgauge.score(tmp_path / "out")
    assert again == metrics


def test_a_partial_file_in_any_order_is_paired_by_id(tmp_path: Path) -> None:
    """B9: the released scorer looks records up by their position in the file."""
    benchmark = GRAPH_BENCHMARKS["wildtoolbench"]
    dataset = benchmark.load(FILES["wildtoolbench"], "en")
    lines = list(wildtoolbench_lines(dataset, played(benchmark, dataset)))
    file = tmp_path / "result.jsonl"
    file.write_text("".join(reversed(lines[1:])), encoding="utf-8")
    found = {
        score.task_id
        for t in GraphPredictions("wildtoolbench", file, dataset)
        for score in benchmark.scores(dataset, t)
    }
    assert found == {s.task_id(t.index) for s in dataset.sessions[1:] for t in s.tasks}
    metrics = toolgauge.score(
        benchmark="wildtoolbench", data=FILES["wildtoolbench"], predictions=file, out=tmp_path / "out"
    )
    assert metrics.missing == 4


test_B9_records_are_found_by_id = test_a_partial_file_in_any_order_is_paired_by_id


def test_B6_progress_is_counted_in_the_language_of_the_run(tmp_path: Path) -> None:
    """Two more annotated calls on the Chinese side change nothing for an English run."""
    records = [json.loads(line) for line in FILES["wildtoolbench"].read_text(encoding="utf-8-sig").splitlines() if line]
    records[0]["answer_list"][0] = [
        *(
            {"idx": i, "action": {"name": "find_plant", "arguments": {"name": "x"}}, "dependency_list": []}
            for i in (0, 1)
        ),
        {
            "idx": 2,
            "action": {"name": "prepare_to_answer", "arguments": {}},
            "dependency_list": [0, 1],
            "observation": "x",
        },
    ]
    file = tmp_path / "data.jsonl"
    file.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), encoding="utf-8")
    benchmark = GRAPH_BENCHMARKS["wildtoolbench"]
    dataset = benchmark.load(file, "en")
    sample = benchmark.samples(dataset)[0]
    (score,) = benchmark.scores(
        dataset, drive(benchmark.episode(dataset, sample), lambda r: r.gold_hint.reply if r.gold_hint else Reply())
    )
    assert {verdict.progress for verdict in score.scorings.values()} == {(2, 2)}


def test_a_session_the_released_runner_gave_up_is_missing_not_wrong(tmp_path: Path) -> None:
    benchmark = GRAPH_BENCHMARKS["wildtoolbench"]
    dataset = benchmark.load(FILES["wildtoolbench"], "en")
    lines = list(wildtoolbench_lines(dataset, played(benchmark, dataset)))
    gone = json.dumps({"id": dataset.sessions[0].id, "result": "Error during inference: out of luck"})
    file = tmp_path / "result.jsonl"
    file.write_text(gone + "\n" + "".join(lines[1:]), encoding="utf-8")
    metrics = toolgauge.score(
        benchmark="wildtoolbench", data=FILES["wildtoolbench"], predictions=file, out=tmp_path / "out"
    )
    assert metrics.missing == 4
    assert "out of luck" in (tmp_path / "out" / "failures.jsonl").read_text()


def test_M3_a_task_that_is_not_in_the_file_shifts_nothing(tmp_path: Path) -> None:
    benchmark = GRAPH_BENCHMARKS["mmtb"]
    dataset = benchmark.load(FILES["mmtb"], "en")
    trajectories = played(benchmark, dataset)
    file = tmp_path / "result.jsonl"
    file.write_text("".join(mmtb_lines(dataset, trajectories[:1] + trajectories[3:])), encoding="utf-8")
    metrics = toolgauge.score(benchmark="mmtb", data=FILES["mmtb"], predictions=file, out=tmp_path / "out")
    assert metrics.missing == 2
    scored = {json.loads(line)["task_id"] for line in (tmp_path / "out" / "scores.jsonl").read_text().splitlines()}
    assert scored == {t.task_id for t in trajectories[:1] + trajectories[3:]}


ODD_OUTPUTS: list[Any] = [
    None,
    "a text",
    [{"content": "a list"}],
    {"content": "\ud800", "tool_calls": float("inf")},
    {},
    {"content": None, "tool_calls": None},
    {"content": 5, "tool_calls": "x"},
    {"content": "", "tool_calls": [None, 3, {}, {"function": None}, {"function": {"name": 1, "arguments": 2}}]},
    {"content": ["a"], "tool_calls": [{"id": 7, "function": {"name": "find_plant", "arguments": {"name": "basil"}}}]},
]


@pytest.mark.parametrize("output", ODD_OUTPUTS)
def test_odd_outputs_get_a_label(output: Any, tmp_path: Path) -> None:
    benchmark = GRAPH_BENCHMARKS["wildtoolbench"]
    dataset = benchmark.load(FILES["wildtoolbench"], "en")
    log = {"task_idx": 0, "begin_of_current_task": None, "step_0": {"inference_output": output, "inference_input": 3}}
    result = [{"inference_log": log, "latency": "soon", "input_token_count": [None]} for _ in dataset.sessions[0].tasks]
    file = tmp_path / "result.jsonl"
    file.write_text(json.dumps({"id": dataset.sessions[0].id, "result": result}) + "\n")
    scores = [s for t in GraphPredictions("wildtoolbench", file, dataset) for s in benchmark.scores(dataset, t)]
    assert len(scores) == 4
    assert all(v.label in ("correct", "error") for s in scores for v in s.scorings.values())


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ('{"id": "nobody", "result": []}', None),
        ('{"id": "nobody", "result": [{"inference_log": {}}]}', "session 'nobody' is not in"),
        ('{"id": "garden_0"}', "invalid result line of wildtoolbench"),
        ('{"id": "garden_0", "result": 7}', "invalid result line of wildtoolbench"),
        ("{", "invalid JSON"),
        ("[" * 100_000, "invalid JSON"),
    ],
)
def test_unusable_lines_name_their_place(content: str, complaint: str | None, tmp_path: Path) -> None:
    dataset = GRAPH_BENCHMARKS["wildtoolbench"].load(FILES["wildtoolbench"], "en")
    file = tmp_path / "result.jsonl"
    file.write_text("\n" + content + "\n")
    if complaint is None:
        assert list(GraphPredictions("wildtoolbench", file, dataset)) == []
        return
    with pytest.raises(DataError, match=complaint) as caught:
        list(GraphPredictions("wildtoolbench", file, dataset))
    assert f"{file}:2:" in str(caught.value)
    assert "\n" not in str(caught.value)
