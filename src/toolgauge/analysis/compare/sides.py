"""A run as one side of a comparison, with what its benchmark needs for it."""

from __future__ import annotations

from toolgauge.analysis.compare.pairing import Scored, Side
from toolgauge.analysis.reports import report_of


def side_of(run: Scored, dataset: object = None) -> Side:
    """A run made ready for comparisons; made once, it serves any number of them.

    dataset: the run's data, where they are at hand; else they are read. Raises UsageError where they are not there.
    """
    dataset = dataset or run.required_dataset()
    facts = report_of(run.benchmark.name).features(dataset, run.scores, run.trajectories())
    return Side(run, dataset, {score.task_id: score for score in run.scores}, facts, {})
