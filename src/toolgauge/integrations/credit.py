"""How much of a step was right: the annotated calls due, and how near a wrong step comes to them.

A step that the exact rules admit has credit 1. A wrong one made of calls earns, for each call whose name is due, a half
for the name and up to a half for its arguments, divided by the calls made or due, whichever are more; never more than
WRONG_AT_MOST. Words where calls are due earn nothing, and calls where words are due neither.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from toolgauge.benchmarks.benchmark import Benchmark, JudgesSteps, Sample
from toolgauge.chat import Reply
from toolgauge.episode import Trajectory
from toolgauge.errors import UsageError
from toolgauge.judge.alignment import align
from toolgauge.judge.arguments import ArgumentRule
from toolgauge.judge.exact import RUN_ENDS, ExactJudge
from toolgauge.judge.replies import CALLS, AnnotatedTask, MadeCall, ReadReply, exact_turns
from toolgauge.judge.verdict import Verdict

NAME_SHARE = 0.5
"""What the right name of a wrong call earns; its arguments earn the rest."""
WRONG_AT_MOST = 0.9


class StepCredit(Struct, frozen=True):
    """right: the step is legal and its arguments right; share: of the calls due now, those it makes rightly; credit:
    see above; verdict: on a wrong step, why."""

    right: bool
    share: float
    credit: float
    verdict: Verdict | None = None


class RunCredit(Struct, frozen=True):
    """A whole run: its verdict in the exact scoring, and the share of the task done, partial credit included."""

    verdict: Verdict
    credit: float


def step_credit(task: AnnotatedTask, rule: ArgumentRule, before: Sequence[Reply], reply: Reply) -> StepCredit | None:
    """What one reply is worth after others; None where these did not leave a task to go on with."""
    judge = ExactJudge(task, rule, before)
    if judge.failing != len(before):
        return None
    (turn,) = exact_turns([reply], task.tools)
    due = _due(task, judge.matcher.ready())
    if judge.matcher.advance(judge.right_calls(turn)):
        return StepCredit(True, min(len(turn.calls) / due, 1.0) if turn.kind == CALLS else 1.0, 1.0)
    return StepCredit(False, 0.0, _wrong_credit(judge, turn, due), judge.failure(len(before), turn))


def run_credit(task: AnnotatedTask, rule: ArgumentRule, replies: Sequence[Reply]) -> RunCredit:
    """What a whole run is worth; 1 exactly where it is right."""
    judge = ExactJudge(task, rule, replies)
    verdict = judge.verdict()
    done, size = verdict.progress
    credit = done / size
    if judge.failing is not None and judge.failing < len(judge.turns):
        due = _due(task, judge.matcher.ready())
        credit += _wrong_credit(judge, judge.turns[judge.failing], due) * min(due, size - done) / size
    return RunCredit(verdict, credit)


def _due(task: AnnotatedTask, ready: int) -> int:
    """How many calls a step should hold now: those that may come next and are needed; words count as one."""
    return (ready & ~task.ask_mask & ~task.final_mask & ~task.optional_mask).bit_count() or 1


def _wrong_credit(judge: ExactJudge, turn: ReadReply, due: int) -> float:
    """Each call takes the free due call of its name that it comes nearest to."""
    if turn.kind != CALLS:
        return 0.0
    ready, calls = judge.matcher.ready(), turn.calls

    def credit(row: int, node: int) -> float:
        return _call_credit(judge, calls[row], node)

    earned = 0.0
    for row, node in enumerate(align([(judge.task.named(made) & ready,) for made in calls], credit)):
        earned += 0.0 if node is None else credit(row, node)  # `sum` rounds otherwise from Python 3.12 on
    return min(earned / max(len(turn.calls), due), WRONG_AT_MOST)


def _call_credit(judge: ExactJudge, made: MadeCall, node: int) -> float:
    if judge.checks.fault(made, node) is None:
        return 1.0
    gold = judge.task.task.calls[node].arguments
    if not isinstance(made.value, dict):
        return NAME_SHARE
    keys = len(gold.keys() | made.value.keys())
    return NAME_SHARE + (1 - NAME_SHARE) * (judge.checks.nearness(made, node) / keys if keys else 0.0)


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
