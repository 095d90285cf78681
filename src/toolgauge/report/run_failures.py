"""What error analysis finds in a run, scoring by scoring: found once, shown on pages in both languages."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from toolgauge.analysis.error_analysis import Losses
from toolgauge.analysis.error_analysis.cases import ErrorExample
from toolgauge.analysis.error_analysis.crossing import Crossing
from toolgauge.analysis.error_analysis.examples import collect_examples
from toolgauge.analysis.reports import describer_of, find_crossing, find_losses
from toolgauge.judge.verdict import Cause
from toolgauge.runs.scored import ScoredRun


class FoundFailures(Struct, frozen=True):
    """In one scoring. crossing: None where nothing failed, or nothing tells tasks apart; examples: of those losses that
    name some, by task id, none without the data set; causes: of the same tasks."""

    losses: Losses
    crossing: Crossing | None
    examples: Mapping[str, ErrorExample]
    causes: Mapping[str, Cause]


def find_failures(run: ScoredRun) -> dict[str, FoundFailures]:
    """By scoring. The trajectories are read once, for the examples of all of them."""
    dataset: object = run.dataset
    losses = {name: find_losses(run.benchmark, dataset, run.scores, name) for name in run.metrics.readings}
    wanted = {name: {id_ for loss in found.losses for id_ in loss.examples} for name, found in losses.items()}
    described = describer_of(run.benchmark, dataset)
    ids = sorted(set().union(*wanted.values()))
    examples = collect_examples(described, run.trajectories(), ids) if described and ids else {}
    scores = {score.task_id: score for score in run.scores}
    return {
        name: FoundFailures(
            found,
            find_crossing(run.benchmark, dataset, run.scores, name),
            examples,
            {id_: cause for id_ in sorted(wanted[name]) if (cause := scores[id_].cause(name))},
        )
        for name, found in losses.items()
    }
