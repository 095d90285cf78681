"""The tables in the terminal: whatever the width, complete, aligned and never misread."""

from __future__ import annotations

import io
import subprocess
import sys

import pytest
from rich.cells import cell_len
from rich.console import Console

from tests.analysis.synthetic import dataset, score, scores, verdict
from toolgauge.analysis.numbers import Metrics
from toolgauge.analysis.show import show, summary_line
from toolgauge.benchmarks.dialogues.numbers.metrics import metrics
from toolgauge.benchmarks.dialogues.numbers.trajectory_features import TrajectoryFeatures
from toolgauge.errors import UsageError

DATA = dataset(64)


def printed(content: Metrics, scoring: str = "tables", width: int = 80) -> str:
    file = io.StringIO()
    show(content, scoring, Console(file=file, width=width), "en")
    return file.getvalue()


@pytest.fixture(scope="module")
def content() -> Metrics:
    return metrics("wildtoolbench", DATA, scores(DATA)[:-4])


@pytest.mark.parametrize("width", [40, 60, 80, 117, 118, 120, 200])
def test_no_line_is_wider_than_the_terminal(content: Metrics, width: int) -> None:
    text = printed(content, width=width)
    assert max(cell_len(line) for line in text.splitlines()) <= width


@pytest.mark.parametrize("width", [80, 120])
def test_everything_is_there(content: Metrics, width: int) -> None:
    text = printed(content, width=width)
    overall = content.scorings["tables"]["overall"]["task_accuracy"]
    assert overall.ci95
    low, high = overall.ci95
    line = next(line for line in text.splitlines() if line.startswith("task accuracy"))
    assert f"{overall.value:.1%}" in line
    assert f"{low * 100:.1f} – {high * 100:.1f}" in line
    assert f"{content.scorings['exact']['overall']['task_accuracy'].value:.1%}" in line
    for heading in ("Accuracy", "Multi-tool tasks", "Hidden information", "By type changes", "Failure causes"):
        assert heading in text
    assert "252 of 256 tasks scored" in text
    assert "Missing: 4 tasks" in text
    assert "Tasks judged differently by other scorings: exact" in text
    assert "…" not in text


def test_the_scoring_exact_stands_alone_and_shows_our_classes(content: Metrics) -> None:
    text = printed(content, "exact")
    assert "missed clarification" in text
    header = next(line for line in text.splitlines() if line.startswith("Accuracy"))
    assert header.split() == ["Accuracy", "exact", "95%", "interval", "n"]


def test_mmtb_shows_its_own_classes() -> None:
    text = printed(metrics("mmtb", DATA, scores(DATA)), width=120)
    assert "early stop" in text
    assert "Needs the context" in text


def test_a_row_without_tasks_is_a_dash() -> None:
    of = DATA.sessions[0]
    text = printed(metrics("mini", DATA, [score(of, 0, {"exact": verdict(True)})], 1), "exact")
    line = next(line for line in text.splitlines() if line.startswith("multi-tool"))
    assert line.split() == ["multi-tool", "–", "–", "0"]


def test_names_from_data_are_no_markup() -> None:
    of = DATA.sessions[0]
    made = [score(of, 0, {"exact": verdict(False)})]
    facts = {of.task_id(0): TrajectoryFeatures(2, {"exact": ('["string"]', "[bold]x[/nothing]")})}
    text = printed(metrics("mini", DATA, made, 1, facts), "exact")
    assert "\nstring " in text
    assert "[bold]x[/nothing]" in text


def test_types_of_wrong_parameters_are_said_in_words() -> None:
    of = DATA.sessions[0]
    nested = '["array", ["object", [["string"], []]]]'
    facts = {of.task_id(0): TrajectoryFeatures(2, {"exact": ("[]", '["array", []]', nested)})}
    content = metrics("mini", DATA, [score(of, 0, {"exact": verdict(False)})], 1, facts)
    text = printed(content, "exact")
    assert "\nnot a parameter of the tool " in text
    assert "\narray " in text
    assert "\narray of object (string, any) " in text


def test_an_unknown_scoring_is_said_in_words(content: Metrics) -> None:
    with pytest.raises(UsageError, match="choose one of exact, released, tables"):
        show(content, "nothing", Console(file=io.StringIO()))


def test_summary_line(content: Metrics) -> None:
    line = summary_line(content, "tables")
    assert line.startswith("wildtoolbench en, paper tables: task accuracy ")
    assert line.endswith("252 of 256 tasks scored, 4 missing")
    assert "\n" not in line


def test_showing_needs_no_numpy() -> None:
    modules = "toolgauge.analysis.show, toolgauge.benchmarks.dialogues.numbers.details"
    code = f"import sys, {modules}; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
