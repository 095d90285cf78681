"""The numbers of dialogues from trajectories that stream by for another purpose, as scoring them is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from toolgauge.analysis.effort import Meter
from toolgauge.analysis.numbers import Metrics
from toolgauge.benchmarks.dialogues.numbers.metrics import metrics
from toolgauge.benchmarks.dialogues.numbers.trajectory_features import TrajectoryFeatures, task_steps, type_signature
from toolgauge.data.session import Dataset
from toolgauge.episode import Step, Trajectory
from toolgauge.judge.verdict import Score

_LONGEST = 1 << 40  # tokens: a larger number is no count


class DialogueWatcher:
    """What tables need of each task beyond its score, and what the run took. model: as of `Report.metrics`."""

    def __init__(self, dataset: Dataset, model: str = "") -> None:
        self._dataset, self._meter = dataset, Meter(model)
        self._lengths: dict[str, tuple[int, int]] = {}

    def watch(self, trajectories: Iterable[Trajectory]) -> Iterator[Trajectory]:
        """The same trajectories."""
        for trajectory in self._meter.watch(trajectories):
            session = self._dataset.by_id.get(trajectory.session_id)
            if session is not None:
                for index, steps, before in task_steps(trajectory, len(session.tasks)):
                    self._lengths[session.task_id(index, trajectory.epoch)] = _lengths(steps, before)
            yield trajectory

    def features(self, scores: Sequence[Score]) -> dict[str, TrajectoryFeatures]:
        """By task id, of these scores and what was watched."""
        latest = {score.task_id: score for score in scores}
        wrong = {task_id: found for task_id, score in latest.items() if (found := self._wrong_parameters(score))}
        none: dict[str, tuple[str, ...]] = {}
        features = {
            task_id: TrajectoryFeatures(messages, wrong.pop(task_id, none), tokens)
            for task_id, (messages, tokens) in self._lengths.items()
        }
        return features | {task_id: TrajectoryFeatures(0, left) for task_id, left in wrong.items()}

    def metrics(
        self, benchmark: str, scores: Sequence[Score], requested: Sequence[str], features: Mapping[str, object]
    ) -> Metrics:
        """The numbers of what was watched; features: what `features` gave for these scores."""
        known = {task_id: one for task_id, one in features.items() if isinstance(one, TrajectoryFeatures)}
        return metrics(benchmark, self._dataset, scores, requested, known, self._meter)

    def _wrong_parameters(self, score: Score) -> dict[str, tuple[str, ...]]:
        return {
            reading: tuple(self._signature(score.session_id, tool, path) for tool, path in verdict.wrong_arguments)
            for reading, verdict in score.readings.items()
            if isinstance(verdict.wrong_arguments, tuple)
        }

    def _signature(self, session_id: str, tool: str, path: str) -> str:
        known = self._dataset.by_id[session_id].tools_by_name.get(tool)
        return type_signature(known.parameters if known else {}, path)


def _lengths(steps: Sequence[Step], before: int) -> tuple[int, int]:
    """Messages and tokens of the conversation at a task's first request. before: messages before the task's own."""
    if not steps:
        return 0, 0
    return before + len(steps[0].messages), min(max(0, steps[0].reply.usage.input_tokens), _LONGEST)
