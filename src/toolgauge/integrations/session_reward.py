"""What a conversation is worth, while it goes on and at its end, for environments that play it step by step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from toolgauge.benchmarks.benchmark import Benchmark, JudgesSteps, Sample
from toolgauge.chat import Reply
from toolgauge.episode import Trajectory
from toolgauge.errors import UsageError
from toolgauge.judge.exact import RUN_ENDS
from toolgauge.judge.verdict import Verdict


class WholeReward(Struct, frozen=True):
    """A finished conversation: reward from 0 to 1, and of its first task that failed (or the last) why."""

    reward: float
    correct: bool
    progress: float
    mistake: str | None = None
    detail: str | None = None

    def info(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in self.__struct_fields__}


class SessionReward:
    """Measures conversations of one benchmark in one scoring and shape ("label" or "progress")."""

    def __init__(self, benchmark: Benchmark, dataset: Any, scoring: str, shape: str) -> None:
        if scoring not in benchmark.scorings:
            raise UsageError(f"unknown scoring '{scoring}'; {benchmark.name} has {', '.join(benchmark.scorings)}")
        if shape not in ("label", "progress"):
            raise UsageError(f"unknown shape '{shape}'; choose one of label, progress")
        self.benchmark, self.dataset, self.scoring, self.shape = benchmark, dataset, scoring, shape

    def so_far(self, sample: Sample, said: Sequence[Reply]) -> float:
        """What the replies earned before the end: under "progress", of single tasks, the calls made rightly."""
        if self.shape == "label" or not isinstance(self.benchmark, JudgesSteps) or sample.task_index is None:
            return 0.0
        task = self.benchmark.annotated(self.dataset, sample)
        return share_done(self.benchmark.judge_scoring(self.scoring, task, said))

    def of(self, trajectory: Trajectory) -> WholeReward:
        """The whole: the mean over the tasks it holds."""
        scores = list(self.benchmark.scores(self.dataset, trajectory))
        verdicts = [score.scorings[self.scoring] for score in scores if score.is_judgeable(self.scoring)]
        if not verdicts:
            return WholeReward(0.0, False, 0.0, None, RUN_ENDS.text)
        progress = sum(map(share_done, verdicts)) / len(verdicts)
        labels = sum(verdict.correct for verdict in verdicts) / len(verdicts)
        shown = next((verdict for verdict in verdicts if not verdict.correct), verdicts[-1])
        reward = labels if self.shape == "label" else progress
        return WholeReward(reward, labels == 1.0, progress, shown.mistake, shown.detail)


def share_done(verdict: Verdict) -> float:
    """What was done, from 0 to 1: of ACEBench's agents the share of milestones, else of the annotated calls."""
    if verdict.correct:
        return 1.0
    if isinstance(verdict.process, float):
        return min(max(verdict.process, 0.0), 1.0)
    done, size = verdict.progress
    return done / size
