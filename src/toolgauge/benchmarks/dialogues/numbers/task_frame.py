"""The tasks of a run as columns of equal length: what they are (`TaskFrame`), how a scoring judged them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from msgspec import UNSET
from numpy.typing import NDArray

from toolgauge.analysis.ids import parse_task_id
from toolgauge.analysis.intervals import Floats
from toolgauge.benchmarks.dialogues.numbers.arguments import PARAMETER_TYPES, SOURCES, argument_sources, parameter_types
from toolgauge.data.session import Dataset, Task
from toolgauge.errors import ToolgaugeError
from toolgauge.judge.verdict import CORRECT, Score, Verdict, scoring_names

Mask = NDArray[np.bool_]
Names = NDArray[np.str_]
Integers = NDArray[np.int64]

POSITIONS = 4
"""Tasks per session in the public sets; tables by position have at least this many rows."""
TOOL_KINDS = ("single", "multi")
"""The kinds of tasks that need a tool: one of the two groups of Figure 7 (docs/rules.md#changes-of-task-type)."""


class Place(NamedTuple):
    """Where a task stands: number of its session in the data set, epoch, number of the task (all from 0)."""

    session: int
    epoch: int
    task: int


class TaskFrame:
    """All tasks that were requested or scored, in the order of the data set: session, epoch, task.

    requested: task ids, or None where only the scored ones are known. Raises ToolgaugeError for a task that the data
    set does not have. Of two scores of one task the later counts.
    """

    def __init__(self, dataset: Dataset, scores: Sequence[Score], requested: Sequence[str] | None) -> None:
        self._dataset = dataset
        self.sessions = len(dataset.sessions)
        self._numbers = {session.id: number for number, session in enumerate(dataset.sessions)}
        found: dict[Place, Score | None] = {}
        if requested is not None:
            found = {self._place(task_id): None for task_id in requested}
        asked = frozenset(found)
        found.update((self._place(score.task_id), score) for score in scores)
        self.places = sorted(found)
        self.scores = [found[place] for place in self.places]
        self.tasks: list[Task] = [dataset.sessions[place.session].tasks[place.task] for place in self.places]
        self.requested: Mask | None = None
        if requested is not None:
            self.requested = np.array([place in asked for place in self.places], dtype=bool)

    def _place(self, task_id: str) -> Place:
        session_id, index, epoch = parse_task_id(task_id)
        number = self._numbers.get(session_id)
        if number is None or index >= len(self._dataset.sessions[number].tasks):
            raise ToolgaugeError(
                f"task {task_id[:80]!r} is not in the data set {self._dataset.name}; use the data the run was made with"
            )
        return Place(number, epoch, index)

    def __len__(self) -> int:
        return len(self.places)

    @cached_property
    def scorings(self) -> tuple[str, ...]:
        """The scorings of the scores, in the order in which they first occur."""
        return scoring_names(score for score in self.scores if score)

    @cached_property
    def cluster_starts(self) -> NDArray[np.intp]:
        """Where each session begins, for `numpy.add.reduceat`."""
        return _starts([place.session for place in self.places])

    @cached_property
    def clusters(self) -> NDArray[np.intp]:
        """The number of each session that has a task here, in the data set (from 0)."""
        return np.array([self.places[start].session for start in self.cluster_starts], dtype=np.intp)

    @cached_property
    def unit_starts(self) -> NDArray[np.intp]:
        """Where each pass through a session begins: one per session and epoch."""
        return _starts([place[:2] for place in self.places])

    @cached_property
    def unit_sizes(self) -> Integers:
        """How many tasks the session of each pass has in the data set."""
        sessions = self._dataset.sessions
        return np.array([len(sessions[self.places[start].session].tasks) for start in self.unit_starts], dtype=np.int64)

    @cached_property
    def unit_lengths(self) -> Integers:
        """How many tasks of each pass are here."""
        return np.diff(np.append(self.unit_starts, len(self)))

    @cached_property
    def unit_sessions(self) -> Integers:
        """The number of each pass's session in the data set."""
        return np.array([self.places[start].session for start in self.unit_starts], dtype=np.int64)

    @cached_property
    def longest(self) -> int:
        """The number of tasks of the longest session."""
        return max((len(session.tasks) for session in self._dataset.sessions), default=0)

    @cached_property
    def everything(self) -> Mask:
        return np.ones(len(self), dtype=bool)

    @cached_property
    def kind(self) -> Names:
        return np.array([task.type.kind for task in self.tasks], dtype=np.str_)

    @cached_property
    def type(self) -> Names:
        return np.array([task.type.value for task in self.tasks], dtype=np.str_)

    @cached_property
    def shape(self) -> Names:
        """The shape of the graph, empty for fewer than two calls."""
        return np.array([task.shape.value if task.shape else "" for task in self.tasks], dtype=np.str_)

    @cached_property
    def reference(self) -> Names:
        return np.array([task.reference.value for task in self.tasks], dtype=np.str_)

    @cached_property
    def position(self) -> Integers:
        """The number of the task in its session, from 1."""
        return np.array([place.task + 1 for place in self.places], dtype=np.int64)

    @cached_property
    def positions(self) -> range:
        """The positions that tables have rows for."""
        return range(1, max(POSITIONS, int(self.position.max())) + 1)

    @cached_property
    def needs_context(self) -> Mask:
        """MMTB's true multi-turn tasks; the first task of a session never is one."""
        return np.array([task.index > 0 and task.true_multi_turn for task in self.tasks], dtype=bool)

    @cached_property
    def tools_offered(self) -> Integers:
        return np.array([len(self._dataset.sessions[place.session].tools) for place in self.places], dtype=np.int64)

    @cached_property
    def tool_calls(self) -> Integers:
        """Annotated tool calls."""
        return np.array([sum(call.is_tool for call in task.calls) for task in self.tasks], dtype=np.int64)

    @cached_property
    def unservable(self) -> Mask:
        """Tasks that no tool can serve, by annotation."""
        return np.array([task.unservable for task in self.tasks], dtype=bool)

    @cached_property
    def facts(self) -> Integers:
        """Annotated facts that the reply must mention."""
        return np.array([len(task.facts) for task in self.tasks], dtype=np.int64)

    @cached_property
    def facts_mentioned(self) -> tuple[Floats, Floats]:
        """Facts mentioned, and facts in all, of the scored tasks."""
        found = [score.facts if score else UNSET for score in self.scores]
        mentioned = _floats(min(max(one.mentioned, 0), one.total) if one else 0 for one in found)
        return mentioned, _floats(max(one.total, 0) if one else 0 for one in found)

    @cached_property
    def parameter_types(self) -> dict[str, Mask]:
        """The tasks with an annotated argument of a type, for each that there is."""
        sessions = self._dataset.sessions
        found = [
            parameter_types(sessions[place.session].tools_by_name, task)
            for place, task in zip(self.places, self.tasks, strict=True)
        ]
        return _members(PARAMETER_TYPES, found)

    @cached_property
    def argument_sources(self) -> dict[str, Mask]:
        """The tasks with an argument that comes from a source, by annotation, for each that there is."""
        return _members(SOURCES, [argument_sources(task) for task in self.tasks])

    @cached_property
    def routes(self) -> list[tuple[str, ...]]:
        """Per task, the kinds of the session's tasks up to and including it."""
        kinds = [tuple(task.type.kind for task in session.tasks) for session in self._dataset.sessions]
        return [kinds[place.session][: place.task + 1] for place in self.places]

    @cached_property
    def kind_before(self) -> Names:
        """The kind of the task before, empty for the first."""
        return np.array([route[-2] if len(route) > 1 else "" for route in self.routes], dtype=np.str_)

    @cached_property
    def transitions(self) -> Integers:
        """Changes of kind among the session's tasks up to this one."""
        return np.array([_changes(route) for route in self.routes], dtype=np.int64)

    @cached_property
    def group_transitions(self) -> Integers:
        """The same with two kinds only: a tool is needed or not."""
        return np.array([_changes([kind in TOOL_KINDS for kind in route]) for route in self.routes], dtype=np.int64)


class Outcomes:
    """What one scoring says of the tasks: 0 or 1 each, progress in calls, 0 where there is no verdict.

    mistakes: of wrong tasks the class of the cause; counted: the class by the scoring's own procedure; unjudgeable:
    tasks that have no verdict because their recording ends too early.
    """

    def __init__(self, columns: TaskFrame, scoring: str) -> None:
        verdicts = [score.scorings.get(scoring) if score else None for score in columns.scores]
        self.scored: Mask = np.array([verdict is not None for verdict in verdicts], dtype=bool)
        self.unjudgeable: Mask = np.array(
            [score is not None and not score.is_judgeable(scoring) for score in columns.scores], dtype=bool
        )
        self.correct = _floats(v is not None and v.correct for v in verdicts)
        self.action = _floats(v is not None and v.action_label == CORRECT for v in verdicts)
        self.optimal = _floats(v is not None and v.correct and v.optimal for v in verdicts)
        self.failed = self.scored.astype(float) - self.correct
        self.done = _floats(min(max(v.progress[0], 0), v.progress[1]) if v else 0 for v in verdicts)
        self.calls = _floats(v.progress[1] if v else 0 for v in verdicts)
        self.executed = _floats(_executed(v) for v in verdicts)
        self.counted = [v.mistake if v and not v.correct else None for v in verdicts]
        self.mistakes = [score.mistake(scoring) if score else None for score in columns.scores]


def _executed(verdict: Verdict | None) -> int:
    """Calls done as the published progress counts them: an argument error counts as complete
    (docs/rules.md#defect-by-defect, M7)."""
    if verdict is None:
        return 0
    by_arguments = not verdict.correct and verdict.action_label == CORRECT
    return verdict.progress[1] if by_arguments else verdict.progress[0]


def _members(names: Sequence[str], found: Sequence[frozenset[str]]) -> dict[str, Mask]:
    """For each of the names that any task has, which tasks have it."""
    there: set[str] = set().union(*found)
    return {name: np.array([name in one for one in found], dtype=bool) for name in names if name in there}


def _floats(values: Any) -> Floats:
    return np.array(list(values), dtype=float)


def _starts(keys: Sequence[object]) -> NDArray[np.intp]:
    return np.array([i for i, key in enumerate(keys) if i == 0 or key != keys[i - 1]], dtype=np.intp)


def _changes(values: Sequence[object]) -> int:
    return sum(a != b for a, b in pairwise(values))
