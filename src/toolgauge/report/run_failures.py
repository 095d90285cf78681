"""What error analysis finds in a run, scoring by scoring: found once, shown on pages in both languages."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from toolgauge.analysis.causes.examples import ErrorExample, ExampleCollector, TaskDescriber
from toolgauge.analysis.causes.losses import (
    Crossing,
    Losses,
    ScoredTasks,
    crossing,
    default_describer,
    losses_of,
)
from toolgauge.analysis.reports import describer_of
from toolgauge.analysis.sheet import Sheet
from toolgauge.benchmarks.registry import reason_texts
from toolgauge.episode import Trajectory
from toolgauge.judge.verdict import Cause
from toolgauge.runs.scored import ScoredRun

EXAMPLES = 2
"""Of each loss that pages show."""


class FoundFailures(Struct, frozen=True):
    """In one scoring. crossing: None where nothing failed, or nothing tells tasks apart; examples: of those losses that
    name some, by task id, none without the data set; causes: of the same tasks."""

    losses: Losses
    crossing: Crossing | None
    examples: Mapping[str, ErrorExample]
    causes: Mapping[str, Cause]


class FailureSearch:
    """Finds them in the scores of a run, and their examples while its trajectories stream by. described: what the
    benchmark knows of the tasks, None without the data set. found: by scoring."""

    def __init__(self, run: ScoredRun, described: TaskDescriber | None) -> None:
        texts, tasks = reason_texts(run.benchmark, "en"), ScoredTasks(run.scores, described or default_describer(None))
        losses: dict[str, Losses] = {}
        crossings: dict[str, Crossing | None] = {}
        for name in run.metrics.scorings:
            sheet = Sheet(tasks.table, name)
            losses[name] = losses_of(tasks, sheet, texts, described is not None)
            crossings[name] = crossing(tasks, sheet)
        wanted = {
            name: {id_ for loss in found.losses for id_ in loss.examples[:EXAMPLES]} for name, found in losses.items()
        }
        scores = {score.task_id: score for score in run.scores}
        self._examples = ExampleCollector(tasks.described, set().union(*wanted.values()) if described else ())
        self.found = {
            name: FoundFailures(
                found,
                crossings[name],
                self._examples.found,
                {id_: cause for id_ in sorted(wanted[name]) if (cause := scores[id_].cause(name))},
            )
            for name, found in losses.items()
        }

    def watch(self, trajectories: Iterable[Trajectory]) -> Iterator[Trajectory]:
        """The same trajectories."""
        return self._examples.watch(trajectories)


def find_failures(run: ScoredRun) -> dict[str, FoundFailures]:
    """By scoring, where nobody else reads the trajectories."""
    search = FailureSearch(run, describer_of(run.benchmark, run.dataset))
    deque(search.watch(run.trajectories()), maxlen=0)
    return search.found
