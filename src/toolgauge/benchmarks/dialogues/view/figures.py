"""The charts of a run of WildToolBench, MMTB or data of one's own."""

from __future__ import annotations

from collections.abc import Iterator

from toolgauge.analysis.numbers import Metrics
from toolgauge.benchmarks.dialogues.numbers.report import TYPES
from toolgauge.benchmarks.dialogues.view.matrix import kind_position
from toolgauge.benchmarks.dialogues.view.routes import route_triangle
from toolgauge.benchmarks.dialogues.view.transitions import transition_curve
from toolgauge.locale import _
from toolgauge.report.display import Published
from toolgauge.report.figures.bars import drawn_bars, headed
from toolgauge.report.figures.channels import say_in
from toolgauge.report.figures.mistakes import mistake_profile
from toolgauge.report.vega import Spec

ORCHESTRATION = (
    "acc_parallel", "acc_sequential", "acc_mixed", "op_parallel", "op_mixed", "ap_sequential", "ap_mixed",
)  # fmt: skip


def dialogue_figures(
    metrics: Metrics, scoring: str, language: str, published: Published | None, paper: str
) -> Iterator[tuple[str, Spec | None]]:
    """paper: the table with the mistakes of the benchmark's paper."""
    tables, say = metrics.scorings[scoring], say_in(language)
    accuracy = headed(language, tables, ("overall", ("task_accuracy", "session_accuracy")), ("by_type", TYPES))
    yield "accuracy", drawn_bars(accuracy, say, _("accuracy"))
    yield "matrix", kind_position(tables.get("layers", {}), say, language)
    yield "mistakes", mistake_profile(metrics, scoring, say, language)
    yield "counted", mistake_profile(metrics, scoring, say, language, published, paper) if published else None
    yield "orchestration", drawn_bars(headed(language, tables, ("orchestration", ORCHESTRATION)), say, _("rate"))
    yield "transitions", transition_curve(tables, say)
    yield "routes", route_triangle((metrics.figures or {}).get(scoring), say, language)
