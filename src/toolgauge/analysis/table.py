"""A run as one table: a row per task and epoch, in the order of the data set. What is counted in it stands in sheet.py.

A benchmark declares what its tasks can be grouped by (`Facet`). It is read here, once for all runs on the same data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolgauge.analysis.facet import Facet
from toolgauge.analysis.intervals import Floats
from toolgauge.data.task_ids import split_epoch
from toolgauge.errors import ToolgaugeError
from toolgauge.judge.verdict import Score, scoring_names

Mask = NDArray[np.bool_]
Integers = NDArray[np.int64]


class Groups(NamedTuple):
    """Tasks by the values of a facet. members: shape (names, tasks)."""

    names: list[str]
    members: Mask


def values_of(facet: Facet, subjects: Sequence[Any]) -> Groups:
    """The values of a facet that tasks have, and which have which."""
    values = [list(facet.of(subject)) for subject in subjects]
    names = list(dict.fromkeys(name for task_values in values for name in task_values))
    rows = {name: row for row, name in enumerate(names)}
    members = np.zeros((len(names), len(subjects)), dtype=bool)
    columns = np.repeat(np.arange(len(subjects)), [len(task_values) for task_values in values])
    members[[rows[name] for task_values in values for name in task_values], columns] = True
    return Groups(names, members)


class Plan:
    """What a data set asks: of each session its tasks, as (task id without epoch, what facets read of the task).

    kind: of a task, what scorings are compared by (`sensitivity`); first: the number of each session's first task.
    Facets are read once for all runs that have the plan.
    """

    def __init__(self, name: str, sessions: Sequence[Sequence[tuple[str, Any]]], kind: Callable[[Any], str]) -> None:
        self.name, self.sessions, self.kind = name, sessions, kind
        self.sizes = np.array([len(tasks) for tasks in sessions], dtype=np.int64)
        self.first = np.cumsum(self.sizes) - self.sizes
        self._groups: dict[str, Groups] = {}

    def groups(self, facet: Facet) -> Groups:
        """The values of a facet, of all tasks of the data."""
        if facet.name not in self._groups:
            subjects = [subject for tasks in self.sessions for _task_id, subject in tasks]
            self._groups[facet.name] = values_of(facet, subjects)
        return self._groups[facet.name]


class RunTable:
    """All tasks that were requested or scored, in the order of the data set: session, epoch, task.

    ids: of the tasks; session, epoch, index: where each stands, from 0; subjects: what facets read; scores: None where
    there is none; requested: None where only the scored ones are known; sizes: tasks of each session of the data.
    """

    def __init__(
        self,
        plan: Plan,
        scores: Iterable[Score],
        requested: Iterable[str] | None,
        more: Mapping[str, Any] | None = None,
    ) -> None:
        """Of two scores of a task the later counts. more: instead of the plan's, what facets read of a task, by id.

        Raises ToolgaugeError for a task that the data set does not have.
        """
        places = {
            task_id: (session, index)
            for session, tasks in enumerate(plan.sessions)
            for index, (task_id, _subject) in enumerate(tasks)
        }
        rows: dict[str, Score | None] = dict.fromkeys(requested or ())
        asked = set(rows)
        rows |= {score.task_id: score for score in scores}
        placed = sorted((*_place(task_id, places, plan.name), task_id) for task_id in rows)
        self.ids = [task_id for *_, task_id in placed]
        self.session, self.epoch, self.index = (
            np.array([place[:3] for place in placed], dtype=np.int64).reshape(-1, 3).T
        )
        self.scores = [rows[task_id] for task_id in self.ids]
        subjects = more or {}
        self.subjects = [
            subjects.get(task_id, plan.sessions[session][index][1]) for session, _epoch, index, task_id in placed
        ]
        self.kinds = [plan.kind(subject) for subject in self.subjects]
        self.requested = None if requested is None else np.array([task_id in asked for task_id in self.ids], dtype=bool)
        self.plan, self.sizes = plan, plan.sizes
        self._groups: dict[str, Groups] = {}

    def __len__(self) -> int:
        return len(self.ids)

    def of(self, scores: Sequence[Score]) -> RunTable:
        """The table of these scores alone, all of tasks that are here; nobody knows what was requested of it."""
        kept = {score.task_id: score for score in scores}
        rows = [row for row, task_id in enumerate(self.ids) if task_id in kept]
        part = object.__new__(RunTable)
        part.ids, part.subjects, part.kinds = (
            [column[row] for row in rows] for column in (self.ids, self.subjects, self.kinds)
        )
        part.scores = [kept[task_id] for task_id in part.ids]
        part.session, part.epoch, part.index = (column[rows] for column in (self.session, self.epoch, self.index))
        part.requested, part.plan, part.sizes = None, self.plan, self.sizes
        part._groups = self._groups if len(rows) == len(self) else {}
        return part

    @cached_property
    def scorings(self) -> tuple[str, ...]:
        """The scorings of the scores, in the order in which they first occur."""
        return scoring_names(score for score in self.scores if score)

    @cached_property
    def everything(self) -> Mask:
        return np.ones(len(self), dtype=bool)

    @cached_property
    def item(self) -> Integers:
        """A number for each task of the data, the same in every epoch."""
        return self.session * (int(self.sizes.max(initial=0)) + 1) + self.index

    @cached_property
    def times_asked(self) -> int:
        """Of the task that was asked most often."""
        return int(np.unique(self.item, return_counts=True)[1].max(initial=0))

    @cached_property
    def starts(self) -> NDArray[np.intp]:
        """Where each session begins, for `numpy.add.reduceat`."""
        return np.flatnonzero(np.diff(self.session, prepend=-1))

    @cached_property
    def unit_starts(self) -> NDArray[np.intp]:
        """Where each pass through a session begins: one per session and epoch."""
        return np.flatnonzero(np.diff(self.session, prepend=-1) | np.diff(self.epoch, prepend=-1))

    @cached_property
    def unit_sessions(self) -> Integers:
        """The number of each pass's session."""
        return self.session[self.unit_starts]

    def groups(self, facet: Facet) -> Groups:
        """The tasks in each row of a facet's table."""
        if facet.name not in self._groups:
            if facet.of_run:
                values, members = values_of(facet, self.subjects)
            else:
                values, members = self.plan.groups(facet)
                members = members[:, self.plan.first[self.session] + self.index]
            first = {value: int(row.argmax()) for value, row in zip(values, members, strict=True) if row.any()}
            occurring = sorted(first, key=lambda value: (first[value], value))
            names, nobody = list(facet.rows(occurring)), np.zeros(len(self), dtype=bool)
            rows = [members[values.index(name)] if name in first else nobody for name in names]
            self._groups[facet.name] = Groups(names, np.array(rows, dtype=bool).reshape(len(names), len(self)))
        return self._groups[facet.name]

    def by_session(self, values: Floats) -> Floats:
        """Sums over the tasks of each session of the data. values: shape (..., tasks); gives (..., sessions)."""
        sums = np.zeros((*values.shape[:-1], len(self.sizes)))
        if len(self):
            sums[..., self.session[self.starts]] = np.add.reduceat(values, self.starts, axis=-1)
        return sums


def _place(task_id: str, places: Mapping[str, tuple[int, int]], name: str) -> tuple[int, int, int]:
    """The session, epoch and index of a task id, which ends in "#<epoch>" from the second epoch on."""
    base, epoch = (task_id, 0) if task_id in places else split_epoch(task_id)
    if base not in places:
        raise ToolgaugeError(f"task {task_id[:80]!r} is not in the data set {name}; use the data the run was made with")
    session, index = places[base]
    return session, epoch, index
