"""Rewards for training: what one reply, or a whole run of replies, is worth on an annotated task.

    rewards = Rewards("mini", "en", shape="partial")
    rewards.trajectory("mini_0/0", [{"role": "assistant", "tool_calls": [...]}, ...]).reward   # 0.0 to 1.0

Rules and labels are those of the evaluation (judge/). Nothing is asked, written or remembered between calls: any number
of threads may share an instance, and an instance that is pickled is made anew from its arguments. docs/training.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, get_args

from msgspec import Struct

from toolgauge.benchmarks.benchmark import JudgesSteps, Sample
from toolgauge.chat import Json, Message, Reply, Tool
from toolgauge.data.session import Dataset
from toolgauge.episode import Trajectory
from toolgauge.errors import UsageError
from toolgauge.integrations.credit import run_credit, share_done, step_credit
from toolgauge.integrations.message_adapter import MessageAdapter, replies_of, reply_of
from toolgauge.integrations.source import NotEnough, annotated_course, play, spec_of
from toolgauge.judge.exact import RUN_ENDS
from toolgauge.judge.reasons import DialogueCode
from toolgauge.judge.verdict import EXACT, Verdict
from toolgauge.models.provider_adapter import wire_message

Shape = Literal["label", "progress", "partial"]
"""label: 1 for right, else 0. progress: the share of the annotated calls done rightly before the first mistake.
partial: progress, and on top what the first wrong step comes near to (credit.py)."""
SHAPES: tuple[Shape, ...] = get_args(Shape)
WRONG_BEFORE = "an earlier reply already failed or finished the task"


class Reward(Struct, frozen=True):
    """reward: from 0 to 1, by the shape; correct: the label; progress: from 0 to 1; mistake: a name in
    judge/mistakes.py (of ACEBench the reference's error type), None where nothing is wrong; detail: why, in words."""

    reward: float
    correct: bool
    progress: float
    mistake: str | None = None
    detail: str | None = None


class DecisionPoint(Struct, frozen=True):
    """A moment at which the model has to speak. answer: what the annotation would have it say, calls with JSON text."""

    messages: tuple[Message, ...]
    tools: tuple[Tool, ...]
    answer: Reply

    def prompt(self) -> list[Json]:
        """The messages as chat templates and endpoints take them."""
        return [wire_message(message) for message in self.messages]

    def offered(self) -> list[Json]:
        """The tools in the same form."""
        return [tool.wire() for tool in self.tools]


class RewardTask(Struct, frozen=True):
    """A task with the moments of its annotated course, in the fewest steps."""

    id: str
    points: tuple[DecisionPoint, ...]


class Rewards:
    """Scores replies on the tasks of one source, in one scoring and shape."""

    def __init__(
        self,
        source: str | Path | Dataset,
        language: str = "en",
        scoring: str = EXACT,
        shape: Shape = "label",
        *,
        dialect: str | None = None,
        benchmark: str | None = None,
        offline: bool = False,
    ) -> None:
        """source: a benchmark's name, a file of sessions (as `toolgauge generate` writes them; `benchmark`: whose
        layout and rules it has), or a data set in memory. dialect: how raw text writes calls. Raises UsageError and
        DataError."""
        self._made_of = (source, language, scoring, shape, dialect, benchmark, offline)
        self.scoring, self.shape = scoring, shape
        self._read = MessageAdapter(dialect)
        opened = spec_of(source, language, benchmark, offline).open()
        self.benchmark, self.dataset = opened.benchmark, opened.dataset
        self._check_choices()
        samples = self.benchmark.samples(self.dataset)
        self._units = {sample.key: sample for sample in samples}
        self._graph = self.benchmark if isinstance(self.benchmark, JudgesSteps) else None
        annotated = self._graph.annotated if self._graph else None
        self._prepared = {one.key: annotated(self.dataset, one) for one in samples} if annotated else {}
        self._courses: dict[str, tuple[Reply, ...]] = {}

    def _check_choices(self) -> None:
        if self.shape not in SHAPES:
            raise UsageError(f"unknown shape '{self.shape}'; choose one of {', '.join(SHAPES)}")
        if self.scoring not in self.benchmark.scorings:
            scorings = ", ".join(self.benchmark.scorings)
            raise UsageError(f"unknown scoring '{self.scoring}'; {self.benchmark.name} has {scorings}")
        if self.shape == "partial" and (self.scoring != EXACT or not isinstance(self.benchmark, JudgesSteps)):
            raise UsageError("shape 'partial' needs call graphs and scoring 'exact'; choose 'progress'")

    def __reduce__(self) -> tuple[object, ...]:
        return _again, self._made_of

    @property
    def task_ids(self) -> tuple[str, ...]:
        """The ids of all tasks in the order of the data."""
        return tuple(self._units)

    def task(self, task_id: str) -> RewardTask:
        """A task with its prompts; raises UsageError for an unknown id."""
        sample = self._unit(task_id)
        course = annotated_course(self.benchmark.episode(self.dataset, sample))
        points = (DecisionPoint(request.messages, request.tools, reply) for request, reply in course)
        return RewardTask(sample.key, tuple(points))

    def prompts(self) -> Iterator[Json]:
        """A row for every point of every task: task_id, step, prompt and tools (plain JSON), for a training set.

        With a dialect the prompt is text alone, tools, calls and results as the dialect writes them; tools is empty.
        """
        for task_id in self._units:
            for step, point in enumerate(self.task(task_id).points):
                row = {"task_id": task_id, "step": step}
                yield row | self._asked(point)

    def _asked(self, point: DecisionPoint) -> dict[str, object]:
        if self._read.dialect is None:
            return {"prompt": point.prompt(), "tools": point.offered()}
        rendered = self._read.dialect.render(point.messages, point.tools, self.dataset.language)
        return {"prompt": [wire_message(message) for message in rendered], "tools": []}

    def trajectory(self, task: str | RewardTask, replies: object) -> Reward:
        """What a whole run is worth: the model's replies in their order; messages of others among them are passed over.

        Raises UsageError for an unknown task or for what is no reply at all; whatever a model says is scored.
        """
        sample, said = self._unit(task), replies_of(replies, self._read)
        if self._graph is None:
            return self._played(sample, said)
        prepared = self._prepared[sample.key]
        if self.shape == "partial":
            run = run_credit(prepared, self._graph.argument_rule, said)
            return _of(run.verdict, run.credit)
        verdict = self._graph.judge_scoring(self.scoring, prepared, said)
        return _of(verdict, None if self.shape == "label" else share_done(verdict))

    def completion(self, task: str | RewardTask, before: int | Sequence[object], completion: object) -> Reward:
        """What one reply is worth where `before` was said: so many steps of the annotated course, or these replies.

        progress is the share of the calls due now that the reply makes rightly. A wrong reply is worth 0, and under
        "partial" its nearness to what is due. ACEBench: single-turn entries, with nothing before.
        """
        sample, reply = self._unit(task), reply_of(completion, self._read)
        history = self._first(sample, before) if isinstance(before, int) else replies_of(before, self._read)
        if self._graph is None:
            return self._single(sample, history, reply)
        if self.scoring != EXACT:
            return self._next_in_scoring(self._graph, sample, history, reply)
        step = step_credit(self._prepared[sample.key], self._graph.argument_rule, history, reply)
        if step is None:
            return Reward(0.0, False, 0.0, None, WRONG_BEFORE)
        worth = {"label": float(step.right), "progress": step.share, "partial": step.credit}[self.shape]
        if step.verdict is None:
            return Reward(worth, step.right, step.share)
        return Reward(worth, step.right, step.share, step.verdict.mistake, step.verdict.detail)

    def _next_in_scoring(self, graph: JudgesSteps, sample: Sample, history: Sequence[Reply], reply: Reply) -> Reward:
        """In the scoring of the public evaluator: right as long as it finds no mistake in what was said so far."""
        if graph.judges_whole_runs(self.scoring):
            raise UsageError(f"scoring '{self.scoring}' judges whole tasks only; use trajectory(), or scoring 'exact'")
        task = self._prepared[sample.key]
        before = graph.judge_scoring(self.scoring, task, history)
        if before.code != DialogueCode.RUN_ENDS:
            return Reward(0.0, False, 0.0, None, WRONG_BEFORE)
        verdict = graph.judge_scoring(self.scoring, task, (*history, reply))
        right = verdict.correct or verdict.code == DialogueCode.RUN_ENDS
        return Reward(float(right), right, float(right), verdict.mistake, None if right else verdict.detail)

    def _single(self, sample: Sample, history: Sequence[Reply], reply: Reply) -> Reward:
        if not history:
            with suppress(NotEnough):
                return self._scored(play(self.benchmark.episode(self.dataset, sample), (reply,)))
        raise UsageError(f"{sample.key}: completion() only scores single-turn tasks; use trajectory()")

    def _played(self, sample: Sample, said: Sequence[Reply]) -> Reward:
        """By playing the episode with these replies, simulated users by their script."""
        try:
            return self._scored(play(self.benchmark.episode(self.dataset, sample), said))
        except NotEnough:
            return Reward(0.0, False, 0.0, None, RUN_ENDS.text)

    def _scored(self, trajectory: Trajectory) -> Reward:
        verdict = next(self.benchmark.scores(self.dataset, trajectory)).scorings.get(self.scoring)
        if verdict is None:  # a benchmark of another package may find a task not judgeable
            return Reward(0.0, False, 0.0, None, RUN_ENDS.text)
        return _of(verdict, None if self.shape == "label" else share_done(verdict))

    def _unit(self, task: str | RewardTask) -> Sample:
        task_id = task.id if isinstance(task, RewardTask) else task
        sample = self._units.get(task_id)
        if sample is None:
            example = next(iter(self._units), "none")
            raise UsageError(f"unknown task '{task_id}' in {self.dataset.name}; ids look like '{example}'")
        return sample

    def _first(self, sample: Sample, steps: int) -> tuple[Reply, ...]:
        """The first replies of the annotated course, which is worked out once (twice, if two threads need it now)."""
        if steps == 0:
            return ()
        course = self._courses.get(sample.key)
        if course is None:
            played = annotated_course(self.benchmark.episode(self.dataset, sample))
            course = self._courses[sample.key] = tuple(reply for _, reply in played)
        if not 0 <= steps < len(course):
            raise UsageError(f"{sample.key}: step {steps} not found; the annotation has steps 0 to {len(course) - 1}")
        return course[:steps]


def _of(verdict: Verdict, worth: float | None) -> Reward:
    """worth: what the shape gives for it, None: the label alone."""
    right = verdict.correct
    reward = float(right) if worth is None or right else worth
    return Reward(reward, right, share_done(verdict), verdict.mistake, verdict.detail)


def _again(source: Any, language: str, scoring: str, shape: Shape, *rest: Any) -> Rewards:
    """An unpickled instance."""
    dialect, benchmark, offline = rest
    return Rewards(source, language, scoring, shape, dialect=dialect, benchmark=benchmark, offline=offline)


__all__ = ["SHAPES", "DecisionPoint", "Reward", "RewardTask", "Rewards", "Shape"]
