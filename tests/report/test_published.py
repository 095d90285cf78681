"""What is published of runs: a data set for Hugging Face's hub, Every Eval Ever's records, the hub's results.

`make publish-check` has the hub's own library and the published JSON Schemas read the same.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

import toolgauge
from toolgauge.errors import UsageError
from toolgauge.report.exports.catalogue import export
from toolgauge.report.exports.export_request import ExportRequest, Publication
from toolgauge.results import open_runs

FIXTURES = Path(__file__).parents[1] / "fixtures"
KINDS: dict[str, tuple[type, ...]] = {"string": (str,), "int64": (int,), "float64": (float, int), "bool": (bool,)}
RUN_COLUMNS = {"benchmark", "language", "model", "run", "started"}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """mini task by task and session by session, with hostile replies in one; ACEBench."""
    root = tmp_path_factory.mktemp("runs")
    toolgauge.run("mini", "builtin/noisy", out=root / "noisy", limit=6)
    toolgauge.run("mini", "builtin/noisy", out=root / "own", limit=4, options={"history": "own"}, epochs=2)
    toolgauge.run("acebench", "builtin/noisy", data=FIXTURES / "acebench", out=root / "ace")
    lines = (root / "noisy" / "trajectories.jsonl").read_text("utf-8").splitlines()
    first = json.loads(lines[0])
    call = {"id": None, "name": "x\ud800", "arguments": '["no object", \u202e'}
    first["steps"][-1]["reply"] = {
        "content": "half \ud83d \x1b[31m",
        "tool_calls": [call, {"arguments": {"n": 10**30}}],
    }
    (root / "noisy" / "trajectories.jsonl").write_text("\n".join([json.dumps(first), *lines[1:]]) + "\n")
    toolgauge.score(root / "noisy")
    return {path.name: path for path in root.iterdir()}


def wanted(runs: dict[str, Path], *names: str, **choices: Any) -> ExportRequest:
    return ExportRequest.of(open_runs([runs[name] for name in names]), **choices)


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def fits(value: object, column: dict[str, Any]) -> bool:
    """Is a value what the card declares of its column? Any may be null but lists."""
    if "list" in column:
        return isinstance(value, list) and all(fits(one, {"struct": column["list"]}) for one in value)
    if value is None:
        return True
    if "struct" in column:
        assert isinstance(value, dict)
        fields = column["struct"]
        return list(value) == [one["name"] for one in fields] and all(fits(value[one["name"]], one) for one in fields)
    return isinstance(value, KINDS[column["dtype"]]) and (column["dtype"] == "bool" or not isinstance(value, bool))


def test_the_card_declares_every_file_and_every_column(runs: dict[str, Path], tmp_path: Path) -> None:
    card, *files = export(wanted(runs, "noisy", "own", "ace"), "hf", tmp_path / "hf").paths
    _before, header, text = card.read_text("utf-8").split("---\n", 2)
    told = yaml.safe_load(header)
    assert told["language"] == ["en"]
    assert told["license"] == "unknown", "the conversations of ACEBench are not ours"
    assert {"# Runs of tool-use benchmarks", "# 工具调用评测的运行结果"} <= set(text.splitlines())
    parts = {one["config_name"]: one["data_files"] for one in told["configs"]}
    assert [part[0]["path"] for part in parts.values()] == [str(file.relative_to(card.parent)) for file in files]
    for info, file in zip(told["dataset_info"], files, strict=True):
        found = rows(file)
        (split,) = info["splits"]
        assert (split["num_examples"], split["num_bytes"]) == (len(found), file.stat().st_size)
        assert all(fits(row, {"struct": info["features"]}) for row in found), file
        assert set(found[0]) >= RUN_COLUMNS


def test_the_rows_are_those_of_the_run(runs: dict[str, Path], tmp_path: Path) -> None:
    request = wanted(runs, "own")
    _card, tasks, conversations, rates = export(request, "hf", tmp_path / "hf").paths
    run = request.entries[0].run
    assert [(row["task_id"], row["correct"]) for row in rows(tasks)] == [
        (score.task_id, score.readings["exact"].correct) for score in run.scores
    ]
    assert {row["epoch"] for row in rows(tasks)} == {0, 1}
    right = {(row["session_id"], row["epoch"]): True for row in rows(tasks)}
    for row in rows(tasks):
        right[row["session_id"], row["epoch"]] &= row["correct"]
    assert [row["correct"] for row in rows(conversations)] == [
        right[row["session_id"], row["epoch"]] for row in rows(conversations)
    ]
    (main,) = [
        row
        for row in rows(rates)
        if (row["scoring"], row["table"], row["row"]) == ("exact", "overall", "task_accuracy")
    ]
    assert main["value"] == pytest.approx(sum(row["correct"] for row in rows(tasks)) / len(rows(tasks)))


def test_the_embedded_benchmark_is_free(runs: dict[str, Path], tmp_path: Path) -> None:
    card = export(wanted(runs, "own"), "hf", tmp_path / "hf").paths[0]
    assert yaml.safe_load(card.read_text("utf-8").split("---\n", 2)[1])["license"] == "apache-2.0"


def test_a_changed_card_is_kept(runs: dict[str, Path], tmp_path: Path) -> None:
    """Whoever publishes names a licence there."""
    card = export(wanted(runs, "own"), "hf", tmp_path / "hf").paths[0]
    card.write_text("mine", "utf-8")
    with pytest.raises(UsageError, match=r"README\.md"):
        export(wanted(runs, "own"), "hf", tmp_path / "hf")
    assert card.read_text("utf-8") == "mine"


def test_records_have_what_the_schema_of_every_eval_ever_demands(runs: dict[str, Path], tmp_path: Path) -> None:
    """Facts of its schema 0.3.0, and of the checks that its data store makes."""
    publication = Publication("A laboratory", "https://example.org/runs")
    request = wanted(runs, "noisy", "own", "ace", publication=publication)
    files = export(request, "eee", tmp_path / "eee").paths
    assert len(files) == 6
    for samples, record in zip(files[::2], files[1::2], strict=True):
        place = str(samples.relative_to(tmp_path / "eee"))
        assert re.fullmatch(
            r"data/[^/]+/[^/]+/[^/]+/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}_samples\.jsonl",
            place,
        )
        check_record(json.loads(record.read_text("utf-8")), samples, place)


def check_record(record: dict[str, Any], samples: Path, place: str) -> None:
    assert set(record) == {
        "schema_version", "evaluation_id", "evaluation_timestamp", "retrieved_timestamp", "source_metadata",
        "model_info", "eval_library", "evaluation_results", "detailed_evaluation_results",
    }  # fmt: skip
    source, model = record["source_metadata"], record["model_info"]
    assert (source["source_type"], source["evaluator_relationship"]) == ("evaluation_run", "other")
    assert source["source_organization_name"] == "A laboratory"
    assert {"deployment_type", "model_availability"} <= set(model["additional_details"])
    assert record["retrieved_timestamp"].isdecimal()
    files = record["detailed_evaluation_results"]
    found = rows(samples)
    assert files["file_path"] == place
    assert files["total_rows"] == len(found) > 0
    assert files["checksum"] == hashlib.sha256(samples.read_bytes()).hexdigest()
    results = {one["evaluation_result_id"]: one for one in record["evaluation_results"]}
    assert len(results) == len(record["evaluation_results"])
    for one in results.values():
        metric, score = one["metric_config"], one["score_details"]["score"]
        assert metric["score_type"] == "continuous"
        assert metric["min_score"] <= score <= metric["max_score"]
        assert set(one["generation_config"]["generation_args"]) <= {"temperature", "top_p", "max_tokens"}
        assert one["source_data"]["source_type"] in ("url", "hf_dataset", "other")
        assert all(isinstance(value, str) for value in one["score_details"]["details"].values())
    for sample in found:
        check_sample(sample, record)
    main = results[found[0]["evaluation_result_id"]]["score_details"]
    if "mini" in place:
        assert main["score"] == pytest.approx(sum(one["evaluation"]["score"] for one in found) / len(found))


def check_sample(sample: dict[str, Any], record: dict[str, Any]) -> None:
    assert (sample["evaluation_id"], sample["model_id"]) == (record["evaluation_id"], record["model_info"]["id"])
    assert sample["interaction_type"] == "agentic"
    assert "output" not in sample
    assert [message["turn_idx"] for message in sample["messages"]] == list(range(len(sample["messages"])))
    for message in sample["messages"]:
        for call in message.get("tool_calls", ()):
            assert isinstance(call["id"], str)
            assert all(isinstance(value, str) for value in call["arguments"].values())
    for answer in sample["answer_attribution"]:
        assert set(answer) == {"turn_idx", "source", "extracted_value", "extraction_method", "is_terminal"}
    assert sample["evaluation"]["is_correct"] is (sample["evaluation"]["score"] == 1)


def test_a_session_s_samples_end_with_their_task(runs: dict[str, Path], tmp_path: Path) -> None:
    """Own history is one conversation: each of its tasks has what was said until its end."""
    samples = rows(export(wanted(runs, "own"), "eee", tmp_path / "eee").paths[0])
    first, second = (next(one for one in samples if one["sample_id"] == f"mini_0/{number}") for number in (0, 1))
    assert second["messages"][: len(first["messages"]) - 1] == first["messages"][:-1]
    assert len(second["messages"]) > len(first["messages"])
    assert first["input"]["raw"] != second["input"]["raw"]


def test_a_record_keeps_its_name(runs: dict[str, Path], tmp_path: Path) -> None:
    first, second = (
        export(wanted(runs, "ace"), "eee", tmp_path / "eee", overwrite).paths for overwrite in (False, True)
    )
    assert first == second


@pytest.mark.parametrize("started", [{}, {"started": "2026-01-02T03:04:05Z"}])
def test_runs_with_the_same_replies_have_records_of_their_own(
    started: dict[str, str], runs: dict[str, Path], tmp_path: Path
) -> None:
    """Begun in the same second or not, in whichever order they are named; the first is called as it is alone."""
    again = tmp_path / "zz-again"
    shutil.copytree(runs["ace"], again)
    told = json.loads((again / "run.json").read_bytes())
    (again / "run.json").write_text(json.dumps(told | started))
    made = [
        export(ExportRequest.of(open_runs(order)), "eee", tmp_path / str(number)).paths
        for number, order in enumerate(([runs["ace"], again], [again, runs["ace"]], [runs["ace"]]))
    ]
    both, turned, alone = ([path.name for path in paths] for paths in made)
    assert len(set(both)) == 4
    assert both == turned[2:] + turned[:2]
    assert alone == both[:2]
    ids = {json.loads(path.read_bytes())["evaluation_id"] for path in made[0] if path.suffix == ".json"}
    assert len(ids) == 2


def test_the_hub_s_evaluation_results(runs: dict[str, Path], tmp_path: Path) -> None:
    publication = Publication("lab", "https://example.org/runs", "owner/name:special")
    (path,) = export(wanted(runs, "own", publication=publication), "eval-results", tmp_path / "a.yaml").paths
    (result,) = yaml.safe_load(path.read_text("utf-8"))
    assert result["dataset"] == {"id": "owner/name", "task_id": "special"}
    assert result["source"] == {"url": "https://example.org/runs", "name": "toolgauge run", "org": "lab"}
    metrics = open_runs([runs["own"]])[0].metrics
    rate = metrics.rate("exact", "overall", "task_accuracy")
    assert rate is not None
    assert rate.value is not None
    assert result["value"] == round(100 * rate.value, 2)
    assert "scoring: exact" in result["notes"]


def test_what_the_hub_s_results_need_is_asked_for(runs: dict[str, Path]) -> None:
    with pytest.raises(UsageError, match="name the benchmark's data set"):
        export(wanted(runs, "own"), "eval-results")
    with pytest.raises(UsageError, match="hub_dataset"):
        Publication(hub_dataset="no name")
    with pytest.raises(UsageError, match="evidence"):
        Publication(evidence="javascript:alert(1)")
