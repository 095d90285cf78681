"""What is published of runs: a data set for Hugging Face's hub.

`make publish-check` has the hub's own library read the same.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

import toolgauge
from toolgauge.errors import UsageError
from toolgauge.report.exports.catalogue import export
from toolgauge.report.exports.export_request import ExportRequest
from toolgauge.results import open_runs

FIXTURES = Path(__file__).parents[1] / "fixtures"
KINDS: dict[str, tuple[type, ...]] = {"string": (str,), "int64": (int,), "float64": (float, int), "bool": (bool,)}
RUN_COLUMNS = {"benchmark", "language", "model", "run", "started"}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """mini task by task and session by session, with hostile replies in one; ACEBench."""
    root = tmp_path_factory.mktemp("runs")
    toolgauge.run("mini", "builtin/noisy", out=root / "noisy", limit=6)
    toolgauge.run("mini", "builtin/noisy", out=root / "own", limit=4, history="own", epochs=2)
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
        (score.task_id, score.scorings["exact"].correct) for score in run.scores
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


def test_a_changed_card_is_kept(runs: dict[str, Path], tmp_path: Path) -> None:
    """Whoever publishes names a licence there."""
    card = export(wanted(runs, "own"), "hf", tmp_path / "hf").paths[0]
    card.write_text("mine", "utf-8")
    with pytest.raises(UsageError, match=r"README\.md"):
        export(wanted(runs, "own"), "hf", tmp_path / "hf")
    assert card.read_text("utf-8") == "mine"
