"""ACEBench's tables in the terminal."""

from __future__ import annotations

import io
import subprocess
import sys

import pytest
from rich.cells import cell_len
from rich.console import Console

from tests.benchmarks.acebench.ace_synthetic import BOOL, dataset, ids, marked, scores, trajectory
from toolgauge.analysis.numbers import Metrics
from toolgauge.analysis.show import show, summary_line
from toolgauge.benchmarks.acebench.numbers.metrics import ace_metrics

DATA = dataset(sessions=8)


def printed(content: Metrics, scoring: str = "released", width: int = 120) -> str:
    file = io.StringIO()
    show(content, scoring, Console(file=file, width=width), "en")
    return file.getvalue()


@pytest.fixture(scope="module")
def content() -> Metrics:
    return ace_metrics("acebench", DATA, scores(DATA)[:-1], ids(DATA), map(trajectory, DATA.entries))


@pytest.mark.parametrize("width", [40, 60, 80, 118, 200])
def test_no_line_is_wider_than_the_terminal(content: Metrics, width: int) -> None:
    text = printed(content, width=width)
    assert max(cell_len(line) for line in text.splitlines()) <= width


def test_everything_is_there(content: Metrics) -> None:
    text = printed(content, width=80)
    tables = content.scorings["released"]
    overall = next(line for line in text.splitlines() if line.startswith("overall  "))
    assert f"{tables['overall']['overall'].value:.1%}" in overall
    for heading in (
        "Groups",
        "Normal",
        "Special",
        "Agent",
        "As the public scorer counts them",
        "As the original prints it",
    ):
        assert heading in text
    for line in (
        str(content.formula),
        "Missing: 1 task without",
        "Style of asking: prompt",
        "Tasks judged differently by other scorings: exact",
    ):
        assert line in text
    assert str(tables["published"]["normal"].value) in text


def test_the_published_numbers_stand_with_the_scoring_they_belong_to(content: Metrics) -> None:
    assert "As the original prints it" not in printed(content, "exact")


def test_Q33_incomplete_stands_in_place_of_a_number() -> None:
    data = dataset([BOOL], 2)
    content = ace_metrics("acebench", data, marked(data, "+-"), ids(data))
    lines = [line.split() for line in printed(content, width=80).splitlines()]
    assert ["overall", "incomplete", "–", "incomplete", "2"] in lines
    assert ["overall", "incomplete"] in lines
    assert "overall incomplete, normal incomplete" in summary_line(content, "released")


def test_categories_that_were_not_asked_for_are_not_shown() -> None:
    data = dataset([BOOL], 2)
    text = printed(ace_metrics("acebench", data, marked(data, "+-"), ids(data)))
    assert "atom: bool" in text
    assert "atom: enum" not in text
    assert "Special" not in text


def test_summary_line(content: Metrics) -> None:
    line = summary_line(content, "released")
    value = content.scorings["released"]["groups"]["agent"].value
    assert line.startswith("acebench en, official code: overall ")
    assert f"agent {value:.1%} [" in line
    assert line.endswith("tasks scored, 1 missing")


def test_showing_and_writing_need_no_numpy() -> None:
    numbers = "toolgauge.benchmarks.acebench.numbers"
    modules = f"toolgauge.analysis.sections, {numbers}.details, {numbers}.metrics"
    code = f"import sys, {modules}; sys.exit('numpy' in sys.modules or 'xlsxwriter' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
