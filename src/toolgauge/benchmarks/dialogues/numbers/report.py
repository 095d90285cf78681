"""The numbers of WildToolBench, MMTB and data of one's own. The parts are imported when they are needed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.analysis.layout import Layout
from toolgauge.analysis.numbers import Metrics
from toolgauge.analysis.titles import declare
from toolgauge.benchmarks.dialogues.numbers.sections import dialogue_sections
from toolgauge.benchmarks.dialogues.numbers.titles import NOTES, TITLES
from toolgauge.data.session import Dataset
from toolgauge.episode import Trajectory
from toolgauge.judge.verdict import Score

if TYPE_CHECKING:
    from toolgauge.analysis.compare.pairing import Pairs, Side
    from toolgauge.analysis.decide import PairedTable
    from toolgauge.analysis.error_analysis.cases import TaskDescriber
    from toolgauge.analysis.rates import RateRow
    from toolgauge.benchmarks.dialogues.numbers.trajectory_features import TrajectoryFeatures

TYPES = ("single", "multi", "parallel_tools", "sequential_tools", "mixed_tools", "clarify", "chat")
_ACCURACIES = (("overall", "task_accuracy"), ("overall", "session_accuracy"))
declare(TITLES, NOTES)
LAYOUT = Layout(
    "graph",
    dialogue_sections,
    main=("overall", "task_accuracy"),
    tiles=(*_ACCURACIES, ("orchestration", "op_overall"), ("orchestration", "ap_overall")),
    compared=_ACCURACIES,
    charted=(*_ACCURACIES, *(("by_type", row) for row in TYPES)),
    of_steps=tuple(("orchestration", row) for row in ("op_parallel", "op_mixed", "op_overall")),
)


def layout_for(decides: str) -> Layout:
    """The layout of a benchmark of which this accuracy decides."""
    return replace(LAYOUT, decides=("overall", decides))


class DialogueReport(Struct, frozen=True):
    """The tables of benchmarks whose answers are graphs of calls. family: whose argument rule they have."""

    family: str = "wildtoolbench"
    sheets: tuple[str, ...] = ()
    layout: Layout = LAYOUT

    def metrics(
        self,
        benchmark: str,
        dataset: Dataset,
        scores: Sequence[Score],
        requested: Sequence[str],
        trajectories: Iterable[Trajectory],
        model: str = "",
    ) -> Metrics:
        from toolgauge.analysis.effort import Meter
        from toolgauge.benchmarks.dialogues.numbers.metrics import metrics

        meter = Meter(model)
        features = self.features(dataset, scores, meter.watch(trajectories))
        return metrics(benchmark, dataset, scores, requested, features, meter)

    def rows(
        self,
        dataset: Dataset,
        scores: Sequence[Score],
        requested: Sequence[str] | None,
        trajectories: Iterable[Trajectory],
        scoring: str,
    ) -> list[RateRow]:
        from toolgauge.benchmarks.dialogues.numbers.metrics import graph_rows

        features = self.features(dataset, scores, trajectories)
        return graph_rows(dataset, scores, requested, features).get(scoring, [])

    def write_details(
        self,
        path: Path,
        dataset: Dataset,
        scores: Sequence[Score],
        trajectories: Iterable[Trajectory],
        model: str = "",  # noqa: ARG002 - the rows do not name it
    ) -> None:
        from toolgauge.benchmarks.dialogues.judge.scorings import ARGUMENT_RULES
        from toolgauge.benchmarks.dialogues.numbers.details import write_details

        write_details(path, dataset, scores, trajectories, ARGUMENT_RULES[self.family])

    def features(
        self, dataset: Dataset, scores: Sequence[Score], trajectories: Iterable[Trajectory]
    ) -> Mapping[str, TrajectoryFeatures]:
        from toolgauge.benchmarks.dialogues.numbers.trajectory_features import trajectory_features

        return trajectory_features(dataset, scores, trajectories)

    def compare(self, sides: tuple[Side, Side], pairs: Pairs, scorings: Sequence[str]) -> dict[str, PairedTable]:
        from toolgauge.benchmarks.dialogues.numbers.compare import compare_graph

        return compare_graph(sides, pairs, scorings)

    def describer(self, dataset: Dataset) -> TaskDescriber:
        from toolgauge.analysis.error_analysis.examples import SessionDescriber
        from toolgauge.benchmarks.dialogues.judge.scorings import ARGUMENT_RULES

        return SessionDescriber(dataset, ARGUMENT_RULES[self.family])
