"""What a benchmark says of its numbers: tables, rows for comparisons, details, and what its tasks are like."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from toolgauge.analysis.layout import Layout
from toolgauge.analysis.numbers import Metrics
from toolgauge.benchmarks.benchmark import Benchmark, OwnData
from toolgauge.benchmarks.registry import find_benchmark, reason_texts
from toolgauge.episode import Trajectory
from toolgauge.judge.verdict import Score

if TYPE_CHECKING:
    from toolgauge.analysis.compare.pairing import Pairs, Side
    from toolgauge.analysis.decide import PairedTable
    from toolgauge.analysis.error_analysis.cases import ErrorExample, TaskDescriber
    from toolgauge.analysis.error_analysis.losses import Losses
    from toolgauge.analysis.rates import RateRow


class Report(Protocol):
    """The numbers of a benchmark's runs. `dataset` is what the benchmark's own `load` returned.

    layout: which of them are shown where; sheets: names of the files that `write_details` writes beside details.csv.
    """

    @property
    def layout(self) -> Layout: ...
    @property
    def sheets(self) -> tuple[str, ...]: ...

    def metrics(
        self,
        benchmark: str,
        dataset: OwnData,
        scores: Sequence[Score],
        requested: Sequence[str],
        trajectories: Iterable[Trajectory],
        model: str = "",
    ) -> Metrics:
        """The numbers of a run. model: its name as the user wrote it, which prices are known by."""
        ...

    def rows(
        self,
        dataset: OwnData,
        scores: Sequence[Score],
        requested: Sequence[str] | None,
        trajectories: Iterable[Trajectory],
        scoring: str,
    ) -> list[RateRow]:
        """The rates of a scoring as hits and trials per session of the data set: what comparisons are made of.

        requested: ids of tasks, None where only the scored ones are known. Without `trajectories` the rows that need
        them are left out. A scoring that the scores do not have has no rows.
        """
        ...

    def write_details(
        self, path: Path, dataset: OwnData, scores: Sequence[Score], trajectories: Iterable[Trajectory], model: str = ""
    ) -> None:
        """Write details.csv, a row per task. model: its name, for reports that show it."""
        ...

    def features(
        self, dataset: OwnData, scores: Sequence[Score], trajectories: Iterable[Trajectory]
    ) -> Mapping[str, object]:
        """What comparisons need of the trajectories, by task id; nothing where scores are enough."""
        ...

    def compare(self, sides: tuple[Side, Side], pairs: Pairs, scorings: Sequence[str]) -> dict[str, PairedTable]:
        """The comparison of two runs in each of the scorings."""
        ...

    def describer(self, dataset: OwnData) -> TaskDescriber:
        """What error analysis knows of the tasks."""
        ...


def report_of(benchmark: Benchmark | str) -> Report:
    """The report of a benchmark, or of the one of that name; raises UsageError for an unknown name."""
    report: Report = (find_benchmark(benchmark) if isinstance(benchmark, str) else benchmark).report()
    return report


def describer_of(benchmark: Benchmark, dataset: OwnData) -> TaskDescriber | None:
    """What a benchmark knows of the tasks of a run for `losses`; None without a data set."""
    return None if dataset is None else report_of(benchmark).describer(dataset)


def find_examples(
    benchmark: Benchmark, dataset: OwnData, found: Losses, top: int, trajectories: Iterable[Trajectory]
) -> dict[str, ErrorExample]:
    """The examples of the biggest losses, by task id; nothing without a data set."""
    from toolgauge.analysis.error_analysis.examples import collect_examples

    described = describer_of(benchmark, dataset)
    ids = [task_id for loss in found.losses[:top] for task_id in loss.examples]
    return collect_examples(described, trajectories, ids) if described else {}


def find_losses(benchmark: Benchmark, dataset: OwnData, scores: Sequence[Score], scoring: str) -> Losses:
    """The losses of a run (`losses`), with all that its benchmark knows. dataset: None where it is not at hand."""
    from toolgauge.analysis.error_analysis import losses

    described, texts = describer_of(benchmark, dataset), reason_texts(benchmark, "en")
    return losses(dataset, scores, scoring, describer=described, texts=texts)
