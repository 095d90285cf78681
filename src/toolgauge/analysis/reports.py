"""Which tables a benchmark has: one report per kind of benchmark, found by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

from toolgauge.chat import Json
from toolgauge.data.session import Dataset
from toolgauge.episode import Trajectory
from toolgauge.judge.verdict import Score


class Report(Protocol):
    """Metrics and details of a run. `dataset` is of the kind that the report is for."""

    def metrics(
        self,
        benchmark: str,
        dataset: Any,
        scores: Sequence[Score],
        requested: Sequence[str],
        trajectories: Iterable[Trajectory],
    ) -> Json:
        """The content of metrics.json."""
        ...

    def write_details(
        self, path: Path, dataset: Any, scores: Sequence[Score], trajectories: Iterable[Trajectory]
    ) -> None:
        """Write details.csv, a row per task."""
        ...


class GraphReport:
    """The tables of WildToolBench and MMTB."""

    def metrics(
        self,
        benchmark: str,
        dataset: Dataset,
        scores: Sequence[Score],
        requested: Sequence[str],
        trajectories: Iterable[Trajectory],
    ) -> Json:
        from toolgauge.analysis.facts import collect_facts
        from toolgauge.analysis.metrics import metrics

        return metrics(benchmark, dataset, scores, requested, dict(collect_facts(dataset, scores, trajectories)))

    def write_details(
        self, path: Path, dataset: Dataset, scores: Sequence[Score], trajectories: Iterable[Trajectory]
    ) -> None:
        from toolgauge.analysis.details import write_details

        write_details(path, dataset, scores, trajectories)


REPORTS: dict[str, Report] = {"graph": GraphReport()}


def report_of(kind: str) -> Report:
    """The report for a benchmark's `tables`."""
    return REPORTS[kind]
