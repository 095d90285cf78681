"""`toolgauge compare` on runs of the built-in models."""

from __future__ import annotations

import json
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


def test_wrong_usage(runs: Path) -> None:
    assert "two run directories" in str(compare(runs / "noisy").exception)
    wrong = compare(runs / "noisy", runs / "oracle", "--scoring", "nonsense").exception
    assert isinstance(wrong, UsageError)
    assert "scoring 'nonsense'" in str(wrong)


def test_anybodys_results_get_the_same_sentence_as_runs(runs: Path, tmp_path: Path) -> None:
    """A run, and its labels as CSV with sessions, and as JSON beside a run: one test, one answer."""
    rows = {}
    for name in ("noisy", "oracle"):
        lines = [json.loads(line) for line in (runs / name / "scores.jsonl").read_text().splitlines()]
        rows[name] = {line["task_id"]: line["scorings"]["exact"]["label"] == CORRECT for line in lines}
    csv, other = tmp_path / "noisy.csv", tmp_path / "oracle.json"
    lines = [f"{task},{str(right).lower()},{task.partition('/')[0]}" for task, right in rows["noisy"].items()]
    csv.write_text("id,right,session\n" + "\n".join(lines) + "\n")
    other.write_text(json.dumps(rows["oracle"]))
    verdicts = [
        compare(one, two).output.splitlines()[0]
        for one, two in (
            (runs / "noisy", runs / "oracle"),
            (csv, other),
            (csv, runs / "oracle"),
            (runs / "noisy", other),
        )
    ]
    assert len(set(verdicts)) == 1
    assert verdicts[0].startswith("B is better: +")
    file = tmp_path / "difference.json"
    assert compare(csv, other, "--json", file, "--all").exit_code == 0
    (found,) = json.loads(file.read_bytes())["comparisons"]
    (run,) = toolgauge.compare(runs / "noisy", runs / "oracle").comparisons
    row = found["scorings"]["results"]["tables"]["overall"]["task_accuracy"]
    expected = run.scorings["exact"].tables["overall"]["task_accuracy"]
    assert (row["p"], tuple(row["ci95"])) == (expected.p, expected.ci95)
    assert len(found["scorings"]["results"]["fixed"]) == expected.fixed


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("id,right\na,maybe\n", "line 2: must be id,right[,cluster]"),
        ("a,true\na,false\n", "'a' stands there twice"),
        ('{"a": 3}', "must be true or false"),
        ('{"a": true', "invalid JSON"),
        ("", "no results"),
        ("b,true\n", "no id in common"),
        ("a,true,y\n", "is in cluster 'x' and in 'y'"),
    ],
)
def test_results_that_cannot_be_read_say_where(tmp_path: Path, text: str, error: str) -> None:
    good, bad = tmp_path / "good.csv", tmp_path / "bad"
    good.write_text("a,true,x\n")
    bad.write_text(text)
    found = compare(good, bad).exception
    assert isinstance(found, UsageError)
    assert error in str(found)


def test_runs_with_different_histories_say_what_the_context_costs(tmp_path: Path) -> None:
    """Every row of it is shown, significant or not; first tasks, which have no history, are not in the pairs."""
    for history in ("none", "gold"):
        toolgauge.run("mini", "builtin/noisy?seed=1", history=history, out=tmp_path / history)
    result = compare(tmp_path / "none", tmp_path / "gold")
    assert result.exit_code == 0
    said = " ".join(result.output.split())
    assert "Note: different history: none and gold" in said
    assert "96 tasks in pairs" in said
    assert "What the earlier tasks are" in said
    assert "Hidden information: later" in said
    assert "1 task back" in said
    assert "What the earlier tasks" not in compare(tmp_path / "gold", tmp_path / "gold").output
