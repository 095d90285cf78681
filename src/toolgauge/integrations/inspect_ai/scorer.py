"""The scorer: our judge, in all its scorings, on what the sample's store says was said."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec
from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from toolgauge.benchmarks.benchmark import Setup
from toolgauge.episode import Trajectory
from toolgauge.errors import UsageError
from toolgauge.integrations.inspect_ai.metrics import session_accuracy, stderr, task_accuracy
from toolgauge.integrations.inspect_ai.solver import TRAJECTORY
from toolgauge.integrations.inspect_ai.task_spec import TASKS, TaskSpec, explained, open_asked
from toolgauge.judge.verdict import Score as TaskScore


@scorer(metrics={"*": [task_accuracy(), stderr(), session_accuracy()]})
def labels(
    benchmark: str,
    language: str = "en",
    data: str | None = None,
    scoring: str | None = None,
    corrections: str | None = None,
) -> Scorer:
    """A value per scoring: 1 or 0, of whole sessions the share of their tasks that are right.

    scoring: one only. The metadata have the verdicts in full: task -> scoring -> label, mistake, detail, progress ...
    """
    with explained():
        asked = open_asked(benchmark, language, data, Setup(), corrections)
        names = _chosen(asked, scoring)

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - the annotation is in the data
        said = state.store.get(TRAJECTORY)
        if said is None:
            return Score.unscored(
                reason="scoring_failed", explanation="no trajectory: the task must use the solver toolgauge/converse"
            )
        found = list(asked.benchmark.scores(asked.dataset, msgspec.convert(said, Trajectory)))
        tasks = int(state.metadata.get(TASKS) or 1)  # of a conversation that was broken off, more than were judged
        lines = (
            f"{one.task_id} {name}: {_in_words(one, name)}" for one in found for name in names if name in one.scorings
        )
        return Score(
            value={name: _share_right(found, name, tasks) for name in names},
            answer=state.output.completion,
            explanation="\n".join(lines),
            metadata={
                one.task_id: {name: msgspec.to_builtins(one.scorings[name]) for name in names if name in one.scorings}
                for one in found
            },
        )

    return score


def _share_right(found: Sequence[TaskScore], scoring: str, tasks: int) -> float:
    """Of the tasks that are judgeable in a scoring; NaN, which Inspect leaves out, where none is."""
    tasks -= sum(not one.is_judgeable(scoring) for one in found)
    right = sum(one.scorings[scoring].correct for one in found if scoring in one.scorings)
    return right / tasks if tasks else math.nan


def _chosen(asked: TaskSpec, scoring: str | None) -> tuple[str, ...]:
    """The scorings to score in, the one of the published numbers first."""
    known, headline = asked.benchmark.scorings, asked.benchmark.headline
    if scoring is None:
        return (headline, *(name for name in known if name != headline))
    if scoring not in known:
        raise UsageError(f"unknown scoring '{scoring}'; {asked.benchmark.name} has {', '.join(known)}")
    return (scoring,)


def _in_words(score: TaskScore, scoring: str) -> str:
    label, cause = score.scorings[scoring].label, score.cause(scoring)
    parts = (label, cause.mistake, cause.why.detail if cause.why else None) if cause else (label,)
    return " - ".join(part for part in parts if part)
