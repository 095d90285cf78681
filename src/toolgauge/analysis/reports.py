"""Which tables a benchmark has: one report per kind of benchmark, found by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from toolgauge.chat import Json
from toolgauge.data.acebench import AceDataset
from toolgauge.data.session import Dataset
from toolgauge.episode import Trajectory
from toolgauge.judge.verdict import Score

if TYPE_CHECKING:
    from toolgauge.analysis.row_builder import RateRow


class Report(Protocol):
    """Metrics and details of a run. `dataset` is of the kind that the report is for.

    sheets: names of the files that `write_details` writes beside details.csv.
    """

    @property
    def sheets(self) -> tuple[str, ...]: ...

    def metrics(
        self,
        benchmark: str,
        dataset: Any,
        scores: Sequence[Score],
        requested: Sequence[str],
        trajectories: Iterable[Trajectory],
        model: str = "",
    ) -> Json:
        """The content of metrics.json. model: its name as the user wrote it, which prices are known by."""
        ...

    def rows(
        self,
        dataset: Any,
        scores: Sequence[Score],
        requested: Sequence[str] | None,
        trajectories: Iterable[Trajectory],
        reading: str,
    ) -> list[RateRow]:
        """The rates of a reading as hits and trials per session of the data set: what comparisons are made of.

        requested: ids of tasks, None where only the scored ones are known. Without `trajectories` the rows that need
        them are left out. A reading that the scores do not have has no rows.
        """
        ...

    def write_details(
        self, path: Path, dataset: Any, scores: Sequence[Score], trajectories: Iterable[Trajectory], model: str = ""
    ) -> None:
        """Write details.csv, a row per task. model: its name, for reports that show it."""
        ...


class GraphReport:
    """The tables of WildToolBench and MMTB."""

    sheets: tuple[str, ...] = ()

    def metrics(
        self,
        benchmark: str,
        dataset: Dataset,
        scores: Sequence[Score],
        requested: Sequence[str],
        trajectories: Iterable[Trajectory],
        model: str = "",
    ) -> Json:
        from toolgauge.analysis.effort import Meter
        from toolgauge.analysis.metrics import metrics
        from toolgauge.analysis.trajectory_features import collect_facts

        meter = Meter(model)
        facts = dict(collect_facts(dataset, scores, meter.watch(trajectories)))
        return metrics(benchmark, dataset, scores, requested, facts, meter)

    def rows(
        self,
        dataset: Dataset,
        scores: Sequence[Score],
        requested: Sequence[str] | None,
        trajectories: Iterable[Trajectory],
        reading: str,
    ) -> list[RateRow]:
        from toolgauge.analysis.metrics import graph_rows
        from toolgauge.analysis.trajectory_features import collect_facts

        facts = dict(collect_facts(dataset, scores, trajectories))
        return graph_rows(dataset, scores, requested, facts).get(reading, [])

    def write_details(
        self,
        path: Path,
        dataset: Dataset,
        scores: Sequence[Score],
        trajectories: Iterable[Trajectory],
        model: str = "",  # noqa: ARG002 - the rows do not name it
    ) -> None:
        from toolgauge.analysis.details import write_details

        write_details(path, dataset, scores, trajectories)


class AceReport:
    """The tables of ACEBench, and the sheets that the original offers beside details.csv."""

    @property
    def sheets(self) -> tuple[str, ...]:
        from toolgauge.analysis.acebench.details import SUMMARY_CSV, SUMMARY_XLSX

        return SUMMARY_CSV, SUMMARY_XLSX

    def metrics(
        self,
        benchmark: str,
        dataset: AceDataset,
        scores: Sequence[Score],
        requested: Sequence[str],
        trajectories: Iterable[Trajectory],
        model: str = "",
    ) -> Json:
        from toolgauge.analysis.acebench.metrics import ace_metrics

        return ace_metrics(benchmark, dataset, scores, requested, trajectories, model)

    def rows(
        self,
        dataset: AceDataset,
        scores: Sequence[Score],
        requested: Sequence[str] | None,
        trajectories: Iterable[Trajectory],  # noqa: ARG002 - no row needs them
        reading: str,
    ) -> list[RateRow]:
        from toolgauge.analysis.acebench.rows import ace_rows

        return ace_rows(dataset, scores, requested, reading)

    def write_details(
        self,
        path: Path,
        dataset: AceDataset,
        scores: Sequence[Score],
        trajectories: Iterable[Trajectory],
        model: str = "",
    ) -> None:
        from toolgauge.analysis.acebench.details import write_ace_details

        write_ace_details(path, dataset, scores, trajectories, model)


REPORTS: dict[str, Report] = {"graph": GraphReport(), "acebench": AceReport()}


def report_of(kind: str) -> Report:
    """The report for a benchmark's `tables`."""
    return REPORTS[kind]
