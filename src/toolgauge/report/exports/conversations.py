"""What was really said, conversation by conversation, and which of it is right."""

from __future__ import annotations

from collections.abc import Iterator

from toolgauge.analysis.error_analysis.cases import EPOCH
from toolgauge.chat import Message
from toolgauge.data.training.conversation import TrainingConversation
from toolgauge.episode import ASSISTANT, Trajectory
from toolgauge.report.exports.export_request import ExportRequest
from toolgauge.runs.scored import ScoredRun


def conversations(wanted: ExportRequest) -> Iterator[TrainingConversation]:
    """All conversations of the runs, in the order in which they ended; trajectories stream by."""
    for entry in wanted.entries:
        right = _Right(entry.run, wanted.reading_of(entry))
        for trajectory in entry.run.trajectories():
            yield TrainingConversation(_messages(trajectory), trajectory.tools, right.of(trajectory))


def _messages(trajectory: Trajectory) -> tuple[Message, ...]:
    steps = [step for step in trajectory.steps if step.role == ASSISTANT]
    said = [message for step in steps for message in step.messages]
    return (*said, steps[-1].reply.message()) if steps else ()


class _Right:
    """Which tasks and which passes through a session are right."""

    def __init__(self, run: ScoredRun, reading: str) -> None:
        self._tasks: dict[str, bool] = {}
        self._passes: dict[tuple[str, int], bool] = {}
        for score in run.scores:
            verdict = score.readings.get(reading)
            right = verdict is not None and verdict.correct
            self._tasks[score.task_id] = right
            epoch = EPOCH.search(score.task_id)
            key = (score.session_id, int(epoch[1]) if epoch else 0)
            self._passes[key] = self._passes.get(key, True) and right

    def of(self, trajectory: Trajectory) -> bool:
        if trajectory.task_id in self._tasks:
            return self._tasks[trajectory.task_id]
        return trajectory.task_index is None and self._passes.get((trajectory.session_id, trajectory.epoch), False)
