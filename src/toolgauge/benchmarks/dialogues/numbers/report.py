"""The numbers of WildToolBench, MMTB and data of one's own. The parts are imported when they are needed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from toolgauge.analysis.layout import Layout
from toolgauge.analysis.numbers import RouteNumbers
from toolgauge.analysis.reports import Report
from toolgauge.analysis.titles import declare
from toolgauge.benchmarks.dialogues.numbers.facets import TASKS_ALIKE
from toolgauge.benchmarks.dialogues.numbers.sections import NOTES, TITLES, dialogue_sections
from toolgauge.data.session import Dataset
from toolgauge.episode import Trajectory
from toolgauge.judge.verdict import Score

if TYPE_CHECKING:
    from toolgauge.analysis.causes.examples import TaskDescriber
    from toolgauge.analysis.sheet import RateRow, Sheet
    from toolgauge.analysis.table import RunTable

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
    facets=TASKS_ALIKE,
    context=(
        *(("references", row) for row in ("later", "coreference", "partial_information", "long_range")),
        *(("by_order", row) for row in "234"),
        *(("by_distance", row) for row in "123"),
    ),
)


class DialogueReport(Report):
    """The tables of benchmarks whose answers are graphs of calls.

    family: whose argument rule they have; decides: the accuracy by which one run is better than another.
    """

    def __init__(self, family: str = "wildtoolbench", decides: str = "task_accuracy") -> None:
        self.family = family
        self.layout = replace(LAYOUT, decides=("overall", decides))

    def table(
        self,
        dataset: Dataset,
        scores: Iterable[Score],
        requested: Iterable[str] | None,
        trajectories: Iterable[Trajectory],
    ) -> RunTable:
        from toolgauge.benchmarks.dialogues.numbers.tables import dialogue_table

        return dialogue_table(dataset, scores, requested, trajectories)

    def rows(self, sheet: Sheet) -> Iterator[RateRow]:
        from toolgauge.benchmarks.dialogues.numbers.tables import dialogue_rows

        return dialogue_rows(sheet)

    def figures(self, sheet: Sheet) -> RouteNumbers:
        from toolgauge.benchmarks.dialogues.numbers.tables import route_numbers

        return route_numbers(sheet)

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

        write_details(path, dataset, scores, trajectories, ARGUMENT_RULES[self.family], self.layout.facets)

    def write_as_published(
        self, path: Path, dataset: Dataset, scores: Sequence[Score], trajectories: Iterable[Trajectory]
    ) -> None:
        """The original's table of details, for `export --as-published`."""
        from toolgauge.benchmarks.dialogues.numbers.details import write_as_published

        write_as_published(path, dataset, scores, trajectories)

    def describer(self, dataset: Dataset) -> TaskDescriber:
        from toolgauge.analysis.causes.examples import SessionDescriber
        from toolgauge.benchmarks.dialogues.judge.scorings import ARGUMENT_RULES

        return SessionDescriber(dataset, ARGUMENT_RULES[self.family])
