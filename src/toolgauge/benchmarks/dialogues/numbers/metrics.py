"""From scores to metrics.json: every table of every scoring, with counts and 95% intervals clustered by session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from toolgauge.analysis.effort import Meter
from toolgauge.analysis.numbers import Metrics
from toolgauge.analysis.rates import RateRow, tables_of
from toolgauge.analysis.sensitivity import Judged, differences, sensitivity
from toolgauge.benchmarks.dialogues.numbers.routes import figures
from toolgauge.benchmarks.dialogues.numbers.row_builder import RowBuilder
from toolgauge.benchmarks.dialogues.numbers.tables import TABLES
from toolgauge.benchmarks.dialogues.numbers.task_frame import Outcomes, TaskFrame
from toolgauge.benchmarks.dialogues.numbers.trajectory_features import TrajectoryFeatures
from toolgauge.data.session import Dataset
from toolgauge.judge.verdict import Score


def metrics(
    benchmark: str,
    dataset: Dataset,
    scores: Sequence[Score],
    requested: Sequence[str] | int | None = None,
    facts: Mapping[str, TrajectoryFeatures] | None = None,
    meter: Meter | None = None,
) -> Metrics:
    """The numbers of dialogues.

    requested: ids of the tasks that were to be done, or how many there were (then the rows cannot say how many of
    theirs are missing), or None: all tasks of the data set. facts: what is known of a task beyond its score, by id.
    meter: what the run took.
    Every value is a rate from 0 to 1, null where nothing was scored: a missing task is never counted as wrong.
    `correct` and `total` are the rate's two counts, `requested`, `scored` and `missing` count the row's tasks
    (in session_accuracy: whole sessions). The same scores give the same bytes. Raises ToolgaugeError for a task that
    the data set does not have.
    """
    if requested is None:
        requested = [session.task_id(task.index) for session in dataset.sessions for task in session.tasks]
    columns = TaskFrame(dataset, scores, None if isinstance(requested, int) else requested)
    outcomes = {scoring: Outcomes(columns, scoring) for scoring in columns.scorings}
    rows = {scoring: _rows(columns, outcome, scoring, facts or {}) for scoring, outcome in outcomes.items()}
    pairs = sensitivity(_judged(columns), columns.scorings)
    asked, scored, missing = _counts(columns, requested)
    return Metrics(
        benchmark=benchmark,
        language=dataset.language,
        tasks=sum(len(session.tasks) for session in dataset.sessions),
        sessions=len(dataset.sessions),
        requested=asked,
        scored=scored,
        missing=missing,
        effort=(meter or Meter()).effort(scores),
        differences=differences(pairs, columns.scorings),
        sensitivity=pairs,
        scorings=tables_of(rows),
        figures={scoring: figures(columns, outcome) for scoring, outcome in outcomes.items()},
    )


def graph_rows(
    dataset: Dataset,
    scores: Sequence[Score],
    requested: Sequence[str] | None = None,
    facts: Mapping[str, TrajectoryFeatures] | None = None,
) -> dict[str, list[RateRow]]:
    """The rows behind the tables, by scoring: hits and trials per session of the data set (see `RateRow`)."""
    columns = TaskFrame(dataset, scores, requested)
    return {scoring: _rows(columns, Outcomes(columns, scoring), scoring, facts or {}) for scoring in columns.scorings}


def _rows(
    columns: TaskFrame, outcomes: Outcomes, scoring: str, facts: Mapping[str, TrajectoryFeatures]
) -> list[RateRow]:
    sheet = RowBuilder(columns, outcomes, scoring, facts)
    for table in TABLES:
        table(sheet)
    return sheet.rows


def _counts(columns: TaskFrame, requested: Sequence[str] | int) -> tuple[int, int, int]:
    scored = sum(score is not None for score in columns.scores)
    if columns.requested is None:
        asked = requested if isinstance(requested, int) else len(requested)
        return asked, scored, max(0, asked - scored)
    missing = sum(score is None for score in columns.scores)
    return int(columns.requested.sum()), scored, missing


def _judged(columns: TaskFrame) -> list[Judged]:
    return [
        Judged(score.task_id, task.type.kind, {name: verdict.correct for name, verdict in score.scorings.items()})
        for score, task in zip(columns.scores, columns.tasks, strict=True)
        if score is not None
    ]
