"""What the user wanted, what was expected and what the model did in some tasks, a short line each."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby, zip_longest

from toolgauge.analysis.error_analysis.call_text import LINE, call_text, in_order
from toolgauge.analysis.error_analysis.cases import (
    ANSWERS,
    ASKS,
    NO_ID,
    SESSION_NEEDS,
    SILENT,
    About,
    ErrorExample,
    TaskDescriber,
    about_task,
)
from toolgauge.chat import Reply, ToolCall
from toolgauge.data.session import ASK, Dataset, Task
from toolgauge.episode import ASSISTANT, Trajectory
from toolgauge.judge.arguments import ArgumentRule, BadJson, read_arguments
from toolgauge.judge.exact import Followed, follow
from toolgauge.judge.replies import AnnotatedTask, annotated_task
from toolgauge.judge.searches import judged_replies
from toolgauge.judge.values import exact_faults
from toolgauge.judge.verdict import Score
from toolgauge.judge.wrong_arguments import wrong_arguments
from toolgauge.visible import one_line

MOST_CALLS = 8


class ExampleCollector:
    """Collects the examples of some tasks (ids) in `found` while trajectories stream by."""

    def __init__(self, describer: TaskDescriber, ids: Collection[str]) -> None:
        self._describer, self._wanted = describer, set(ids)
        self.found: dict[str, ErrorExample] = {}

    @property
    def has_all(self) -> bool:
        return len(self.found) == len(self._wanted)

    def watch(self, trajectories: Iterable[Trajectory]) -> Iterator[Trajectory]:
        """The same trajectories."""
        for trajectory in trajectories:
            if not self.has_all:
                self.found.update(self._describer.examples(trajectory, self._wanted))
            yield trajectory


def collect_examples(
    describer: TaskDescriber, trajectories: Iterable[Trajectory], ids: Collection[str]
) -> dict[str, ErrorExample]:
    """The examples of some tasks. Of tasks that are not there, none."""
    collector = ExampleCollector(describer, ids)
    for _trajectory in collector.watch(trajectories) if ids else ():
        if collector.has_all:
            break
    return collector.found


class SessionDescriber:
    """The tasks of a data set of sessions. rule: the benchmark's; without it no wrong arguments are told."""

    needs = SESSION_NEEDS

    def __init__(self, dataset: Dataset, rule: ArgumentRule | None = None) -> None:
        self._dataset, self._rule = dataset, rule
        self._about: dict[tuple[str, int], About] = {}

    def about(self, score: Score) -> About:
        place = score.session_id, score.task_index
        if place not in self._about:
            session = self._dataset.by_id.get(score.session_id)
            self._about[place] = about_task(score.task_index, session.tasks if session else ())
        return self._about[place]

    def length(self, session_id: str) -> int:
        session = self._dataset.by_id.get(session_id)
        return len(session.tasks) if session else 0

    def examples(self, trajectory: Trajectory, wanted: Collection[str]) -> Iterator[tuple[str, ErrorExample]]:
        session = self._dataset.by_id.get(trajectory.session_id)
        only = trajectory.task_index
        if session is None or (only is not None and session.task_id(only, trajectory.epoch) not in wanted):
            return
        for index, group in groupby(trajectory.steps, key=lambda step: step.task_index):
            number = index if only is None else only
            if 0 <= number < len(session.tasks):
                task_id = session.task_id(number, trajectory.epoch)
                if task_id in wanted:
                    replies = [step.reply for step in group if step.role == ASSISTANT]
                    task = annotated_task(session, number)
                    yield task_id, self._example(task, judged_replies(session, replies))

    def _example(self, task: AnnotatedTask, replies: Sequence[Reply]) -> ErrorExample:
        followed = follow(task, self._rule or exact_faults, replies).made
        expected, done = _expected(task.task, followed), tuple(_done(task.task, replies, followed))
        wrong = wrong_arguments(task, self._rule, replies) if self._rule else ()
        return ErrorExample(one_line(task.task.utterance, LINE), expected, done, wrong)


class Positions:
    """Where there is no data set: only the position in the session is known of a task."""

    needs = SESSION_NEEDS

    def about(self, score: Score) -> About:
        return about_task(score.task_index, ())

    def length(self, session_id: str) -> int:  # noqa: ARG002 - nothing is known of any
        return 0

    def examples(self, trajectory: Trajectory, wanted: Collection[str]) -> Iterator[tuple[str, ErrorExample]]:  # noqa: ARG002
        return iter(())


def _expected(task: Task, followed: Sequence[Followed]) -> tuple[str, ...]:
    """The annotated calls, those that can be made together in one step; each beside the call that stands for it."""
    beside = {one.node: one.made.value for one in followed if one.made is not None and one.node is not None}
    depths: dict[int, int] = {}
    for call in task.calls:
        depths[call.index] = 1 + max((depths.get(before, 0) for before in call.after), default=0)
    steps = []
    for _, group in groupby(sorted(task.calls, key=lambda call: depths[call.index]), lambda call: depths[call.index]):
        calls = list(group)
        made = [call_text(call.name, call.arguments, beside.get(call.index)) for call in calls if call.is_tool]
        asked = [ASKS for call in calls if call.name == ASK]
        steps.append(" + ".join([*made, *asked]) or ANSWERS)
    return tuple(steps)


def _done(task: Task, replies: Sequence[Reply], followed: Sequence[Followed]) -> Iterator[str]:
    """The replies, each call beside the annotated one that it stands for."""
    found = {(one.step, one.call): one for one in followed}
    for step, reply in enumerate(replies):
        calls = [found.get((step, place)) for place in range(len(reply.tool_calls))]
        nodes = (one.node if one else None for one in calls)
        yield said_in(reply, [None if node is None else task.calls[node].arguments for node in nodes])


def said_in(reply: Reply, beside: Sequence[object] = ()) -> str:
    """A reply as a step of an example. beside: per call the arguments expected of it, whose order its keys take."""
    if reply.tool_calls:
        pairs = list(zip_longest(reply.tool_calls, beside[: len(reply.tool_calls)]))
        more = [f"… {len(pairs) - MOST_CALLS}"] if len(pairs) > MOST_CALLS else []
        return " + ".join([_made(call, gold) for call, gold in pairs[:MOST_CALLS]] + more)
    text = one_line(reply.content or "", LINE)
    return f"{ANSWERS} {text}" if text else SILENT


def _made(call: ToolCall, beside: object) -> str:
    """A call of a model, which may lack what makes it readable."""
    value = "?" if call.arguments is None else read_arguments(call.arguments)
    shown = call.arguments if isinstance(value, BadJson) else in_order(value, beside)
    said = call_text(call.name, shown, beside)
    return f"{said} {NO_ID}" if call.id is None else said
