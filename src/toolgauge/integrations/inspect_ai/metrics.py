"""Metrics over samples: of tasks, of their clusters, of whole sessions.

A sample is one conversation: a task, or with `history=own` a session of several, whose value is the share of its tasks
that are right. Metadata: `session`, and `tasks`, how many tasks it holds.
"""

from __future__ import annotations

import math
from collections import defaultdict

from inspect_ai.scorer import Metric, SampleScore, metric

SESSION, TASKS = "session", "tasks"


@metric
def task_accuracy() -> Metric:
    """The share of tasks that are right."""

    def measure(scores: list[SampleScore]) -> float:
        tasks = sum(map(_tasks, scores))
        return sum(_tasks(score) * score.score.as_float() for score in scores) / tasks if tasks else math.nan

    return measure


@metric
def stderr() -> Metric:
    """The standard error of the task accuracy, clustered by session (Miller 2024, appendix A; here of a ratio, since
    conversations may hold different numbers of tasks, and with the correction for few clusters)."""

    def measure(scores: list[SampleScore]) -> float:
        tasks = sum(map(_tasks, scores))
        if not tasks:
            return math.nan
        mean = sum(_tasks(score) * score.score.as_float() for score in scores) / tasks
        residuals: dict[str, float] = defaultdict(float)
        for score in scores:
            residuals[_session(score)] += _tasks(score) * (score.score.as_float() - mean)
        clusters = len(residuals)
        if clusters < 2:
            return 0.0
        return math.sqrt(sum(one**2 for one in residuals.values()) * clusters / (clusters - 1)) / tasks

    return measure


@metric
def session_accuracy() -> Metric:
    """The share of sessions of which every task that was asked is right, in every epoch."""

    def measure(scores: list[SampleScore]) -> float:
        right: dict[str, bool] = {}
        for score in scores:
            session = _session(score)
            right[session] = right.get(session, True) and score.score.as_float() == 1
        return sum(right.values()) / len(right) if right else math.nan

    return measure


def _tasks(score: SampleScore) -> int:
    return int((score.sample_metadata or {}).get(TASKS) or 1)


def _session(score: SampleScore) -> str:
    return str((score.sample_metadata or {}).get(SESSION, score.sample_id))
