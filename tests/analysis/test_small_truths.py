"""Sentences that were true of some runs only."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from toolgauge.analysis.notes import notes
from toolgauge.analysis.numbers import Metrics, Rate, Tables
from toolgauge.analysis.show import show
from toolgauge.locale import translated


def rate(correct: int, total: int, ci95: tuple[float, float] | None = None) -> Rate:
    return Rate(value=correct / total if total else None, correct=correct, total=total, ci95=ci95)


def of(tables: Tables, scored: int = 8) -> Metrics:
    overall = {"task_accuracy": rate(6, 8, (0.4, 0.9)), "session_accuracy": rate(1, 2)}
    return Metrics(
        benchmark="mini", language="en", headline="exact", requested=scored, scored=scored,
        scorings={"exact": {"overall": overall} | tables},
    )  # fmt: skip


def shown(metrics: Metrics, language: str = "en") -> str:
    file = io.StringIO()
    show(metrics, "exact", Console(file=file, width=100, force_terminal=False), language)
    return " ".join(file.getvalue().split())


def short(**kinds: int) -> Tables:
    near = {kind: rate(kinds.get(kind, 0), 4) for kind in ("single", "multi", "clarify", "chat")}
    return {"near_misses": {"one_task_short": rate(4, 9), **near}}


@pytest.mark.parametrize(
    ("kinds", "words"),
    [
        ({"single": 3, "chat": 1}, "most often single-tool (3)."),
        ({"single": 2, "clarify": 2}, "most often single-tool, clarify (2 each)."),
    ],
)
def test_ties_are_named(kinds: dict[str, int], words: str) -> None:
    assert words in shown(of(short(**kinds)))


def test_where_shapes_count_other_tasks_than_labels_it_is_said() -> None:
    def text(labelled: int) -> str:
        shapes = {"acc_parallel": rate(3, 7)}
        return shown(of({"by_type": {"parallel_tools": rate(3, labelled)}, "orchestration": shapes}))

    assert "not by the label of the task" in text(6)
    assert "not by the label of the task" not in text(7)


@pytest.mark.parametrize(
    ("accuracy", "words"),
    [
        (
            rate(128, 128, (0.891, 1.0)),
            "Everything that is scored is right (95% interval from 89.1%): the benchmark is saturated",
        ),
        (rate(8, 8, (0.63, 1.0)), "Everything that is scored is right, but that is little: the 95% interval begins"),
        (rate(127, 128, (0.9, 0.9999)), "The 95% interval reaches 100%"),
    ],
)
def test_a_perfect_run_says_that_the_benchmark_is_saturated(accuracy: Rate, words: str) -> None:
    (note,) = notes(of({"overall": {"task_accuracy": accuracy}}))
    assert translated(note.text, "en").startswith(words)


def test_a_run_with_room_above_says_nothing_of_it() -> None:
    assert notes(of({})) == []
    assert notes(of({"overall": {"task_accuracy": rate(0, 0)}})) == []
