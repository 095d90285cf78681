"""What error analysis finds in a run, scoring by scoring: found once, shown on pages in both languages."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from toolgauge.analysis.error_analysis import Losses
from toolgauge.analysis.error_analysis.cases import ErrorExample, cases_of
from toolgauge.analysis.error_analysis.crossing import Crossing, crossing
from toolgauge.analysis.error_analysis.examples import collect_examples
from toolgauge.analysis.error_analysis.losses import default_describer, losses_of
from toolgauge.analysis.reports import describer_of
from toolgauge.benchmarks.registry import reason_texts
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
    described, texts = describer_of(run.benchmark, dataset), reason_texts(run.benchmark, "en")
    describer = described or default_describer(dataset)
    losses: dict[str, Losses] = {}
    crossings: dict[str, Crossing | None] = {}
    for name in run.metrics.readings:
        cases = cases_of(describer, run.scores, name)
        losses[name] = losses_of(cases, name, describer, texts, dataset is not None)
        crossings[name] = crossing(cases)
    wanted = {name: {id_ for loss in found.losses for id_ in loss.examples} for name, found in losses.items()}
    ids = sorted(set().union(*wanted.values()))
    examples = collect_examples(described, run.trajectories(), ids) if described and ids else {}
    scores = {score.task_id: score for score in run.scores}
    return {
        name: FoundFailures(
            found,
            crossings[name],
            examples,
            {id_: cause for id_ in sorted(wanted[name]) if (cause := scores[id_].cause(name))},
        )
        for name, found in losses.items()
    }
