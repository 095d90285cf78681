"""The table of a run of dialogues: their tasks, and how long the conversation was at each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from toolgauge.analysis.table import Plan, RunTable
from toolgauge.benchmarks.dialogues.numbers.facets import DialogueTask
from toolgauge.data.session import Dataset
from toolgauge.episode import Step, Trajectory
from toolgauge.judge.verdict import Score

_LONGEST = 1 << 40  # tokens: a larger number is no count


def dialogue_table(
    dataset: Dataset,
    scores: Iterable[Score],
    requested: Iterable[str] | None = None,
    trajectories: Iterable[Trajectory] = (),
) -> RunTable:
    """The table of a run; without trajectories nobody knows how long conversations were."""
    sessions = [
        [(session.task_id(task.index), DialogueTask(session, task)) for task in session.tasks]
        for session in dataset.sessions
    ]
    measured = {
        session.task_id(index, trajectory.epoch): DialogueTask(session, session.tasks[index], *lengths(steps, before))
        for trajectory in trajectories
        if (session := dataset.by_id.get(trajectory.session_id)) is not None
        for index, steps, before in task_steps(trajectory, len(session.tasks))
    }
    return RunTable(Plan(dataset.name, sessions, lambda one: one.kind), scores, requested, measured)


def lengths(steps: Sequence[Step], before: int) -> tuple[int, int]:
    """Messages and tokens of the conversation at a task's first request. before: messages before the task's own."""
    if not steps:
        return 0, 0
    return before + len(steps[0].messages), min(max(0, steps[0].reply.usage.input_tokens), _LONGEST)


def task_steps(trajectory: Trajectory, tasks: int) -> Iterator[tuple[int, tuple[Step, ...], int]]:
    """A task's index, its steps and the number of messages before them; a whole session's episode has several tasks.

    tasks: how many the session has; steps of others are left out.
    """
    if trajectory.task_index is not None:
        if 0 <= trajectory.task_index < tasks:
            yield trajectory.task_index, trajectory.steps, 0
        return
    before = 0
    for index, group in groupby(trajectory.steps, key=lambda step: step.task_index):
        steps = tuple(group)
        if 0 <= index < tasks:
            yield index, steps, before
        before += sum(len(step.messages) for step in steps)
