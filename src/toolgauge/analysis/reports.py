"""What a benchmark says of its numbers: the table of a run, its rows, details, and what its tasks are like."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import UNSET

from toolgauge.analysis.layout import Layout
from toolgauge.analysis.numbers import Metrics, RouteNumbers
from toolgauge.benchmarks.benchmark import Benchmark, OwnData
from toolgauge.benchmarks.registry import SESSIONS_BENCHMARK, blamed_on, find_benchmark, reason_texts
from toolgauge.episode import ASSISTANT, Trajectory
from toolgauge.judge.verdict import Score

if TYPE_CHECKING:
    from toolgauge.analysis.causes.examples import ErrorExample, TaskDescriber
    from toolgauge.analysis.causes.losses import Losses
    from toolgauge.analysis.sheet import RateRow, Sheet
    from toolgauge.analysis.table import RunTable

DIALOGUES = "graph"
"""The kind of tables that metrics.json does not name."""


class Report(ABC):
    """What a benchmark says of its numbers, and the metrics made of it. `dataset` is what its own `load` returned.

    layout: which of them are shown where; sheets: names of the files that `write_details` writes beside details.csv.
    """

    layout: Layout
    sheets: tuple[str, ...] = ()

    @abstractmethod
    def table(
        self,
        dataset: OwnData,
        scores: Iterable[Score],
        requested: Iterable[str] | None,
        trajectories: Iterable[Trajectory],
    ) -> RunTable:
        """A run as a table. requested: ids of tasks, None where only the scored ones are known."""

    @abstractmethod
    def rows(self, sheet: Sheet) -> Iterator[RateRow]:
        """All rates of a run in one scoring, but those of the layout's further facets."""

    @abstractmethod
    def write_details(
        self, path: Path, dataset: OwnData, scores: Sequence[Score], trajectories: Iterable[Trajectory], model: str = ""
    ) -> None:
        """Write details.csv, a row per task. model: its name, for reports that show it."""

    @abstractmethod
    def describer(self, dataset: OwnData) -> TaskDescriber:
        """What error analysis knows of the tasks."""

    def figures(self, sheet: Sheet) -> RouteNumbers | None:  # noqa: ARG002 - for those who derive
        """What is drawn and is no rate."""
        return None

    def metrics(
        self,
        benchmark: str,
        dataset: OwnData,
        scores: Sequence[Score],
        requested: Sequence[str],
        trajectories: Iterable[Trajectory] = (),
        model: str = "",
    ) -> Metrics:
        """Every value is a rate from 0 to 1, null where nothing was scored: a missing task is never counted as wrong.

        `correct` and `total` are the rate's two counts, `requested`, `scored` and `missing` count the row's tasks (in
        session_accuracy: whole sessions). The same scores give the same bytes. Raises ToolgaugeError for a task that
        the data set does not have.
        """
        from toolgauge.analysis.effort import Meter
        from toolgauge.analysis.rates import tables_of
        from toolgauge.analysis.sensitivity import differences, sensitivity
        from toolgauge.analysis.sheet import Sheet

        meter = Meter({ASSISTANT: model})
        watched = meter.watch(trajectories)
        table = self.table(dataset, scores, requested, watched)
        for _rest in watched:  # a table that does not need them has not read them
            pass
        sheets = {scoring: Sheet(table, scoring) for scoring in table.scorings}
        pairs, scored = sensitivity(table), sum(score is not None for score in table.scores)
        figures = {scoring: drawn for scoring, sheet in sheets.items() if (drawn := self.figures(sheet)) is not None}
        return Metrics(
            benchmark=benchmark,
            data=dataset.name if benchmark == SESSIONS_BENCHMARK else UNSET,
            tables=UNSET if self.layout.kind == DIALOGUES else self.layout.kind,
            language=dataset.language,
            tasks=int(table.sizes.sum()),
            sessions=len(table.sizes),
            requested=0 if table.requested is None else int(table.requested.sum()),
            scored=scored,
            missing=len(table) - scored,
            effort=meter.effort(scores),
            differences=differences(pairs, table.scorings),
            sensitivity=pairs,
            scorings=tables_of({scoring: rows_of(self, sheet) for scoring, sheet in sheets.items()}),
            figures=figures or UNSET,
        )


def rows_of(report: Report, sheet: Sheet) -> list[RateRow]:
    """All rates of a run in one scoring."""
    return [*report.rows(sheet), *(row for facet in report.layout.facets for row in sheet.facet(facet))]


def report_of(benchmark: Benchmark | str) -> Report:
    """The report of a benchmark, or of the one of that name; raises UsageError for an unknown name."""
    known_benchmark = find_benchmark(benchmark) if isinstance(benchmark, str) else benchmark
    with blamed_on(known_benchmark):
        report: Report = known_benchmark.report()
    return report


def describer_of(benchmark: Benchmark, dataset: OwnData) -> TaskDescriber | None:
    """What a benchmark knows of the tasks of a run for `losses`; None without a data set."""
    return None if dataset is None else report_of(benchmark).describer(dataset)


def find_examples(
    benchmark: Benchmark, dataset: OwnData, losses: Losses, top: int, trajectories: Iterable[Trajectory]
) -> dict[str, ErrorExample]:
    """The examples of the biggest losses, by task id; nothing without a data set."""
    from toolgauge.analysis.causes.examples import collect_examples

    described = describer_of(benchmark, dataset)
    ids = [task_id for loss in losses.losses[:top] for task_id in loss.examples]
    return collect_examples(described, trajectories, ids) if described else {}


def find_losses(benchmark: Benchmark, dataset: OwnData, scores: Sequence[Score], scoring: str) -> Losses:
    """The losses of a run (`losses`), with all that its benchmark knows. dataset: None where it is not at hand."""
    from toolgauge.analysis.causes import losses

    described, texts = describer_of(benchmark, dataset), reason_texts(benchmark, "en")
    return losses(dataset, scores, scoring, describer=described, texts=texts)
