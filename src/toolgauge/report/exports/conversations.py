"""What was really said, conversation by conversation, and which of it is right."""

from __future__ import annotations

from collections.abc import Iterator

from toolgauge.chat import Message
from toolgauge.data.task_ids import split_epoch
from toolgauge.episode import ASSISTANT, Step, Trajectory
from toolgauge.judge.verdict import Score
from toolgauge.report.exports.export_request import ExportRequest
from toolgauge.report.exports.training import TrainingConversation
from toolgauge.runs.scored import ScoredRun


def conversations(wanted: ExportRequest) -> Iterator[TrainingConversation]:
    """All conversations of the runs, in the order in which they ended; trajectories stream by."""
    for entry in wanted.entries:
        scoring = wanted.scoring_of(entry)
        for trajectory, scores in judged(entry.run):
            right = all_right(scores, scoring)
            yield TrainingConversation(messages_of(model_steps(trajectory)), trajectory.tools, right)


def judged(run: ScoredRun) -> Iterator[tuple[Trajectory, tuple[Score, ...]]]:
    """The conversations of a run with the scores of the tasks in them; none of one that is not scored."""
    tasks = {score.task_id: (score,) for score in run.scores}
    passes: dict[tuple[str, int], list[Score]] = {}
    for score in run.scores:
        passes.setdefault((score.session_id, split_epoch(score.task_id)[1]), []).append(score)
    for trajectory in run.trajectories():
        found: tuple[Score, ...] = tasks.get(trajectory.task_id, ())
        if not found and trajectory.task_index is None:
            found = tuple(passes.get((trajectory.session_id, trajectory.epoch), ()))
        yield trajectory, found


def all_right(scores: tuple[Score, ...], scoring: str) -> bool:
    """Are there scores, and is every one right?"""
    verdicts = [score.scorings.get(scoring) for score in scores]
    return bool(verdicts) and all(verdict is not None and verdict.correct for verdict in verdicts)


def model_steps(trajectory: Trajectory, last_task: int | None = None) -> list[Step]:
    """The steps of the measured model; last_task: up to the end of that task."""
    steps = [step for step in trajectory.steps if step.role == ASSISTANT]
    return steps if last_task is None else [step for step in steps if step.task_index <= last_task]


def messages_of(steps: list[Step]) -> tuple[Message, ...]:
    """The messages that the model was sent, each once, and its last reply."""
    said = [message for step in steps for message in step.messages]
    return (*said, steps[-1].reply.message()) if steps else ()
