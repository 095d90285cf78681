"""ACEBench's result files: paired by id, all categories or those that are there, odd lines named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import toolgauge
from toolgauge.benchmarks.acebench.benchmark import AceBench
from toolgauge.benchmarks.acebench.builtin import perfect_text
from toolgauge.benchmarks.acebench.data.entries import AceDataset
from toolgauge.errors import DataError

DATA = Path(__file__).parents[2] / "fixtures" / "acebench" / "data_all"
BENCH = AceBench()


def write_results(dataset: AceDataset, folder: Path, keep: tuple[str, ...] = ()) -> dict[str, list[dict[str, Any]]]:
    """A folder as the original leaves it, with perfect answers."""
    lines: dict[str, list[dict[str, Any]]] = {}
    for entry in dataset.entries:
        if keep and entry.category not in keep:
            continue
        line: dict[str, Any] = {"id": entry.id, "result": perfect_text(entry) if entry.kind.group != "agent" else []}
        if entry.kind.group == "agent":
            line |= {"result": list(entry.final_state), "process": list(entry.milestones[0])}
        lines.setdefault(entry.category, []).append(line)
    folder.mkdir()
    for category, found in lines.items():
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in reversed(found))
        (folder / f"data_{category}_result.json").write_text(text, encoding="utf-8")
    return lines


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_folder_of_result_files(language: str, tmp_path: Path) -> None:
    dataset = BENCH.load(DATA, language)
    write_results(dataset, tmp_path / "model")
    metrics = toolgauge.score(
        benchmark="acebench", data=DATA, language=language, predictions=tmp_path / "model", out=tmp_path / "out"
    )
    assert metrics.missing == 0
    assert metrics.requested == len(dataset.entries)
    lines = [json.loads(line) for line in (tmp_path / "out" / "scores.jsonl").read_text().splitlines()]
    assert {line["task_id"] for line in lines} == set(dataset.by_id)
    assert all(scoring["label"] == "correct" for line in lines for scoring in line["scorings"].values())
    agents = [line for line in lines if line["task_id"].startswith("agent")]
    assert all(line["scorings"]["released"]["process"] == 1.0 for line in agents)
    assert toolgauge.score(tmp_path / "out") == metrics


def test_a_missing_entry_is_missing_and_a_result_that_is_no_text_is_wrong(tmp_path: Path) -> None:
    dataset = BENCH.load(DATA, "en")
    lines = write_results(dataset, tmp_path / "model", ("special_incomplete",))["special_incomplete"]
    file = tmp_path / "model" / "data_special_incomplete_result.json"
    file.write_text(json.dumps({"id": lines[0]["id"], "result": {"no": "text"}}) + "\n")
    metrics = toolgauge.score(benchmark="acebench", data=DATA, predictions=file, out=tmp_path / "out")
    assert metrics.missing == len(lines) - 1
    (line,) = [json.loads(line) for line in (tmp_path / "out" / "scores.jsonl").read_text().splitlines()]
    assert line["scorings"]["released"]["mistake"] == "error_detection"


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ('{"id": "nobody_0", "result": ""}', "no results for these data"),
        ('{"result": ""}', "missing id"),
        ("[]", "missing id"),
        ("{", "JSON"),
    ],
)
def test_unusable_lines_name_their_place(content: str, complaint: str, tmp_path: Path) -> None:
    file = tmp_path / "data_normal_atom_bool_result.json"
    file.write_text(content + "\n")
    with pytest.raises(DataError, match=complaint) as caught:
        toolgauge.score(benchmark="acebench", data=DATA, predictions=file, out=tmp_path / "out")
    assert str(file) in str(caught.value)


def test_unknown_and_repeated_ids_are_reported_and_the_first_counts(tmp_path: Path) -> None:
    dataset = BENCH.load(DATA, "en")
    lines = write_results(dataset, tmp_path / "model", ("normal_atom_bool",))["normal_atom_bool"]
    file = tmp_path / "model" / "data_normal_atom_bool_result.json"
    again, stranger = {"id": lines[0]["id"], "result": "[]"}, {"id": "nobody_0", "result": "[]"}
    with file.open("a", encoding="utf-8") as results:
        results.write(json.dumps(again) + "\n" + json.dumps(stranger) + "\n")
    metrics = toolgauge.score(benchmark="acebench", data=DATA, predictions=file, out=tmp_path / "out")
    assert (metrics.missing, metrics.scored) == (0, len(lines))
    assert metrics.scorings["released"]["categories"]["normal_atom_bool"].value == 1.0
    noted = (tmp_path / "out" / "failures.jsonl").read_text()
    assert f"{file.name}:{len(lines) + 1}: duplicate line" in noted
    assert f"{file.name}:{len(lines) + 2}: not in the data" in noted
