"""`toolgauge compare` on runs of the built-in models."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import toolgauge
from toolgauge.cli.main import app
from toolgauge.errors import UsageError
from toolgauge.judge.verdict import CORRECT

FIXTURES = Path(__file__).parent.parent / "fixtures"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs on the embedded benchmark, and one on other data."""
    folder = tmp_path_factory.mktemp("runs")
    toolgauge.run("mini", "builtin/noisy?seed=1", out=folder / "noisy")
    toolgauge.run("mini", "builtin/oracle", out=folder / "oracle")
    toolgauge.run("mini", "builtin/oracle", language="zh", out=folder / "chinese")
    toolgauge.run("mini", "builtin/silent", limit=3, history="own", out=folder / "silent")
    small = FIXTURES / "wildtoolbench_small.jsonl"
    toolgauge.run("wildtoolbench", "builtin/oracle", data=small, out=folder / "wild")
    return folder


def compare(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["compare", *map(str, arguments)], env={"TOOLGAUGE_LANG": "en", "COLUMNS": "80"})


def mistakes(run: Path) -> dict[str, str]:
    """Of the failed tasks in the scoring `exact`, read from the file."""
    lines = [json.loads(line) for line in (run / "scores.jsonl").read_text().splitlines()]
    verdicts = {line["task_id"]: line["scorings"]["exact"] for line in lines}
    return {task: verdict["mistake"] for task, verdict in verdicts.items() if verdict["label"] != CORRECT}


def test_noisy_against_oracle(runs: Path, tmp_path: Path) -> None:
    file = tmp_path / "all.json"
    result = compare(runs / "noisy", runs / "oracle", "--json", file, "--scoring", "exact")
    assert result.exit_code == 0
    (content,) = json.loads(file.read_bytes())["comparisons"]
    found, failed = content["scorings"]["exact"], mistakes(runs / "noisy")
    assert len(failed) > 20
    assert {task["task_id"]: task["mistake"] for task in found["fixed"]} == failed
    assert (found["broken"], content["notes"]) == ([], [])
    assert found["tasks"]["fixed"] == len(failed)
    assert f"Written: {file}" in result.output.replace("\n", "")
    metrics = json.loads((runs / "noisy" / "metrics.json").read_bytes())["scorings"]["exact"]
    assert found["tables"]["by_type"]["chat"]["a"] == metrics["by_type"]["chat"]["value"]
    assert found["tables"]["by_messages"].keys() <= metrics["by_messages"].keys()
    assert found["tables"]["by_messages"]


@pytest.mark.parametrize(
    ("other", "reason"),
    [("chinese", "different languages, en and zh"), ("wild", "different benchmarks, mini and wild")],
)
def test_refusals_name_the_reason_and_write_nothing(runs: Path, tmp_path: Path, other: str, reason: str) -> None:
    result = compare(runs / "noisy", runs / "oracle", runs / other, "--json", tmp_path / "all.json")
    assert isinstance(result.exception, UsageError)
    assert result.exception.exit_code == 2
    assert reason in str(result.exception)
    assert result.output == ""
    assert not (tmp_path / "all.json").exists()


def test_other_data_are_refused(runs: Path, tmp_path: Path) -> None:
    shutil.copytree(runs / "noisy", tmp_path / "other")
    manifest = json.loads((tmp_path / "other" / "run.json").read_bytes())
    manifest["dataset"]["sha256"] = "f" * 64
    (tmp_path / "other" / "run.json").write_text(json.dumps(manifest))
    with pytest.raises(UsageError, match=r"different data \(sha256\)"):
        toolgauge.compare(runs / "noisy", tmp_path / "other")


def test_wrong_usage(runs: Path) -> None:
    assert "two run directories" in str(compare(runs / "noisy").exception)
    wrong = compare(runs / "noisy", runs / "oracle", "--scoring", "nonsense").exception
    assert isinstance(wrong, UsageError)
    assert "scoring 'nonsense'" in str(wrong)
