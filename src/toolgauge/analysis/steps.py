"""The steps of each task, from the trajectory of a task or of a whole session."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from toolgauge.episode import ASSISTANT, Step, Trajectory
from toolgauge.models.endings import is_cut_off


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


def cut_off_replies(trajectories: Iterable[Trajectory]) -> tuple[int, int]:
    """How many replies of the measured model the limit of tokens cut off, and how many there are."""
    ends = [
        is_cut_off(step.reply.finish_reason)
        for trajectory in trajectories
        for step in trajectory.steps
        if step.role == ASSISTANT
    ]
    return sum(ends), len(ends)
