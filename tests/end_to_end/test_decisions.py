"""`toolgauge gate`, `verify` and `data correct`, with their exit codes and files."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner, Result

import toolgauge
from toolgauge.cli.main import app
from toolgauge.errors import UsageError

DATA = Path(__file__).parent.parent / "fixtures" / "wildtoolbench_small.jsonl"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    for name, model, options in (
        ("perfect", "oracle", {}),
        ("some", "noisy?seed=1", {}),
        ("silent", "silent", {}),
        ("twice", "noisy?rate=0.1&seed=1", {"epochs": 2}),
        ("alike", "noisy?rate=0.1&seed=2", {}),
    ):
        toolgauge.run("mini", f"builtin/{model}", out=folder / name, **options)
    return folder


def lines_of(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.strip()]


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(app, list(map(str, arguments)), env={"COLUMNS": "200"})


def test_a_gate_that_holds_ends_with_0_and_one_that_does_not_with_1(runs: Path, tmp_path: Path) -> None:
    file = tmp_path / "gate.xml"
    held = invoke("gate", runs / "perfect", "--min", "task_accuracy=0.8", "--max-truncated", 0, "--junit", file)
    assert held.exit_code == 0, held.output
    assert held.output.startswith("The run holds: 2 criteria met.\n")
    assert "task_accuracy at least 80.0%: holds; the rate is 100.0% of 128, 95% interval" in held.output
    root = ElementTree.fromstring(file.read_bytes())
    assert (root.get("tests"), root.get("failures"), root.get("skipped")) == ("2", "0", "0")

    fallen = invoke(
        "gate",
        runs / "silent",
        "--min",
        "task_accuracy=0.9",
        "--min",
        "by_type.single=0.9",
        "--junit",
        file,
        "--overwrite",
    )
    assert fallen.exit_code == 1
    assert fallen.output.startswith("The run does not hold: 2 of 2 criteria not met.\n")
    assert fallen.output.count(": does not hold; ") == 2
    root = ElementTree.fromstring(file.read_bytes())
    assert [case.find("failure") is not None for case in root] == [True, True]


def test_a_run_with_tasks_missing_does_not_hold(runs: Path, tmp_path: Path) -> None:
    """Also one whose wrong conversations were deleted: its rates leave them out."""
    folder = tmp_path / "some"
    shutil.copytree(runs / "some", folder)
    scores = map(json.loads, lines_of((folder / "scores.jsonl").read_text("utf-8")))
    right = {one["task_id"] for one in scores if one["scorings"]["exact"]["label"] == "correct"}
    file = folder / "trajectories.jsonl"
    kept = [line for line in lines_of(file.read_text("utf-8")) if json.loads(line)["task_id"] in right]
    file.write_text("\n".join(kept) + "\n", "utf-8")
    asked = ("gate", folder, "--min", "task_accuracy=0.8")
    stopped = invoke(*asked)
    assert stopped.exit_code == 1, stopped.output
    assert "task_accuracy at least 80.0%: holds" in stopped.output
    assert "unscored at most 1.0%: does not hold" in stopped.output
    assert invoke(*asked, "--max-unscored", 0.9).exit_code == 0


def test_too_few_tasks_are_said_and_how_many_it_would_take(runs: Path, tmp_path: Path) -> None:
    value = 0.6
    file = tmp_path / "gate.json"
    result = invoke("gate", runs / "some", "--min", f"task_accuracy={value}", "--json", file)
    (decision,) = json.loads(file.read_bytes())["decisions"]
    assert decision["outcome"] == "undecided"
    assert decision["needed"] > decision["tasks"] == 128
    assert result.exit_code == 1
    assert f"too few to decide: with about {decision['needed']:,}, such a rate is decided 4 times in 5" in result.output
    assert invoke("gate", runs / "some", "--min", f"task_accuracy={value}", "--pass-undecided").exit_code == 0


def test_a_drop_is_decided_on_pairs(runs: Path) -> None:
    fell = invoke("gate", runs / "silent", "--baseline", runs / "perfect", "--max-drop", 0.1)
    assert fell.exit_code == 1
    assert (
        "task_accuracy at most 10.0 points below the baseline: does not hold; the paired difference is" in fell.output
    )
    rose = invoke("gate", runs / "perfect", "--baseline", runs / "some", "--max-drop", "session_accuracy=0.01")
    assert rose.exit_code == 0, rose.output


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ((), "no criterion given"),
        (("--min", "0.6"), "--minimum: '0.6' must be RATE=SHARE, as in task_accuracy=0.6"),
        (("--min", "task_accuracy=60"), "task_accuracy=60 must be a share from 0 to 1"),
        (("--min", "accuracy=0.6"), "unknown rate accuracy; choose one of task_accuracy, session_accuracy"),
        (("--max-drop", "0.1"), "--baseline and --max-drop go together"),
        (("--min", "task_accuracy=0.6", "--scoring", "nearly"), "unknown scoring 'nearly'; choose one of"),
    ],
)
def test_what_cannot_be_asked_is_an_error_of_one_line(runs: Path, options: tuple[str, ...], error: str) -> None:
    result = CliRunner().invoke(app, ["gate", str(runs / "some"), *options], env={"TOOLGAUGE_LANG": "en"})
    assert isinstance(result.exception, UsageError)

    assert error in result.exception.text


def test_corrections_are_made_listed_checked_and_applied(tmp_path: Path) -> None:
    old, new, file, made = (tmp_path / name for name in ("old.jsonl", "new.jsonl", "corrections.jsonl", "made.jsonl"))
    text = DATA.read_text(encoding="utf-8-sig")
    old.write_text(text, encoding="utf-8")
    first, *others = lines_of(text)
    session = json.loads(first)
    session["english_tasks"][0] += " Please."
    new.write_text("\n".join([json.dumps(session, ensure_ascii=False), *others]) + "\n", encoding="utf-8")

    result = invoke("data", "correct", new, "--since", old, "--out", file, "--reason", "politeness")
    assert result.exit_code == 0, result.output
    (line,) = lines_of(file.read_text("utf-8"))
    assert json.loads(line)["pointer"] == "/english_tasks/0"
    assert "# 'politeness'" in invoke("data", "correct", file).output
    assert "1 correction of 1 session fit" in invoke("data", "correct", file, "--data", old, "--out", made).output
    versions = [[json.loads(one) for one in lines_of(version.read_text("utf-8"))] for version in (made, new)]
    assert versions[0] == versions[1]
    unfit = invoke("data", "correct", file, "--data", new)
    assert unfit.exit_code != 0
    assert "the data have" in str(unfit.exception)
    assert "hold the same sessions" in str(invoke("data", "correct", made, "--since", new).exception)
    assert "go with" in str(invoke("data", "correct", file, "--since", old, "--data", new).exception)
