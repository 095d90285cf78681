"""The tables in the terminal: whatever the width, complete, aligned and never misread."""

from __future__ import annotations

import io

import pytest
from msgspec.structs import replace
from rich.cells import cell_len
from rich.console import Console

from tests.analysis.synthetic import dataset, metrics, score, scores, verdict
from toolgauge.analysis.numbers import Metrics
from toolgauge.analysis.show import show
from toolgauge.errors import UsageError

DATA = dataset(64)


def printed(content: Metrics, scoring: str = "tables", width: int = 80) -> str:
    file = io.StringIO()
    show(content, scoring, Console(file=file, width=width))
    return file.getvalue()


@pytest.fixture(scope="module")
def content() -> Metrics:
    return metrics("wildtoolbench", DATA, scores(DATA)[:-4])


@pytest.mark.parametrize("width", [40, 60, 80, 117, 118, 120, 200])
def test_no_line_is_wider_than_the_terminal(content: Metrics, width: int) -> None:
    text = printed(content, width=width)
    assert max(cell_len(line) for line in text.splitlines()) <= width


def test_names_from_data_are_no_markup() -> None:
    of = DATA.sessions[0]
    made = [score(of, 0, {"exact": replace(verdict(False), mistake="[bold]x[/nothing]")})]
    assert "[bold]x[/nothing]" in printed(metrics("mini", DATA, made, [of.task_id(0)]), "exact")


def test_an_unknown_scoring_is_said_in_words(content: Metrics) -> None:
    with pytest.raises(UsageError, match="choose one of exact, released, tables"):
        show(content, "nothing", Console(file=io.StringIO()))
