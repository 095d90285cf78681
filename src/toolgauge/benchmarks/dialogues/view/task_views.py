"""Task views of the benchmarks whose answers are graphs of calls, and of data of one's own."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.benchmarks.dialogues.numbers.arguments import EarlierValue, earlier_values
from toolgauge.chat import Reply
from toolgauge.data.nodes import written_annotations
from toolgauge.data.session import Call, Dataset, Session, Task
from toolgauge.data.task_ids import with_epoch
from toolgauge.episode import Step, Trajectory
from toolgauge.judge.arguments import ArgumentRule
from toolgauge.judge.graph import bits
from toolgauge.judge.replies import AnnotatedTask, annotated_task
from toolgauge.judge.searches import judged, judged_replies
from toolgauge.judge.verdict import FactsMentioned, facts_mentioned
from toolgauge.report.task_views.alignment_view import Alignment, compare, divergence_of, in_whole_run
from toolgauge.report.task_views.differences import value_text
from toolgauge.report.task_views.divergence import Divergence
from toolgauge.report.task_views.task_view import (
    Pool,
    SharedSession,
    Shown,
    TaskListRow,
    called_names,
    last_words,
    said,
    turns_of,
)


class NodeView(Struct, frozen=True, omit_defaults=True):
    """An annotated call as it is shown: values as JSON text. layer: the earliest step it can be made in, from 0.

    annotations: what else is right, and what a reply must mention, as the file has it.
    """

    name: str
    layer: int
    arguments: str | None = None
    after: tuple[int, ...] = ()
    observation: str | None = None
    user_input: str | None = None
    sources: str | None = None
    annotations: str | None = None


class GraphAnnotation(Struct, frozen=True, omit_defaults=True):
    """An annotated task. steps: the fewest that it takes; earlier: what it takes from earlier tasks."""

    utterance: str
    kind: str
    type: str
    reference: str
    position: int
    nodes: tuple[NodeView, ...]
    steps: int
    clock: str
    shape: str | None = None
    earlier: tuple[EarlierValue, ...] = ()


class GraphTaskViews:
    """What is shown of the tasks of one run. dataset: None where it is not at hand."""

    def __init__(self, rule: ArgumentRule, dataset: Dataset | None) -> None:
        self.rule, self.dataset = rule, dataset

    def row(self, session_id: str, key: str) -> TaskListRow:
        """What the list tells of a task before anything was said."""
        session = self.dataset.by_id.get(session_id) if self.dataset else None
        index = int(key)
        if session is None or index >= len(session.tasks):
            return TaskListRow(position=index + 1)
        task = session.tasks[index]
        route = ">".join(one.type.kind for one in session.tasks[: index + 1])
        return TaskListRow(
            task.utterance, task.type.kind, task.type.value, task.reference.value, index + 1, route=route
        )

    def key(self, task_index: int, task_id: str) -> str:  # noqa: ARG002 - the other kind of benchmark goes by the id
        """The name of a task's annotation within its session."""
        return str(task_index)

    def annotate(self, shared: SharedSession, key: str) -> None:  # noqa: ARG002 - all tasks of a session at once
        """Put what the data set knows of a session into the shared material."""
        session = self.dataset.by_id.get(shared.id) if self.dataset else None
        if session is not None and not shared.tasks:
            shared.tools.place(session.tools)
            for task in session.tasks:
                shared.annotate(str(task.index), _annotation(session, task))

    def shown(self, trajectory: Trajectory, shared: SharedSession, own: Pool) -> Iterator[Shown]:
        """The tasks of a trajectory: one, or all of a session that was asked in one conversation."""
        self.annotate(shared, "")
        tools = shared.tools.place(trajectory.tools) if trajectory.tools else None
        whole = trajectory.task_index is None
        before: list[int] = []
        for index, steps in _tasks(trajectory):
            turns = turns_of(steps, shared.messages, own, is_opening_shared=not whole)
            task_id = with_epoch(f"{trajectory.session_id}/{index}", trajectory.epoch) if whole else trajectory.task_id
            row = self.row(trajectory.session_id, str(index))
            replies = [step.reply for step in steps]
            annotated = self._annotated(trajectory.session_id, index)
            compared, divergence = self._compared(annotated, trajectory.session_id, replies)
            yield Shown(
                task_id,
                replace(row, text=row.text or last_words(steps), **said(steps, called_names(steps))),
                {
                    "tools": tools,
                    "before": tuple(before),
                    "turns": tuple(turns),
                    "stopped": trajectory.stopped,
                    "comparison": compared,
                    **_facts(annotated, replies),
                },
                divergence,
            )
            before += [place for turn in turns for place in turn.messages]

    def _compared(
        self, annotated: AnnotatedTask | None, session_id: str, replies: list[Reply]
    ) -> tuple[Alignment | None, Divergence]:
        """Expected against actual, steps and calls in their places among all replies."""
        if annotated is None or self.dataset is None:
            return None, Divergence()
        session = self.dataset.by_id[session_id]
        counted = judged_replies(session, replies)
        found = compare(annotated, self.rule, counted)
        divergence = divergence_of(annotated, found, counted)
        if not session.searched:
            return found, divergence
        return in_whole_run(found, divergence, judged(session, replies), len(replies))

    def _annotated(self, session_id: str, index: int) -> AnnotatedTask | None:
        session = self.dataset.by_id.get(session_id) if self.dataset else None
        if session is None or not 0 <= index < len(session.tasks):
            return None
        return annotated_task(session, index)


def _facts(annotated: AnnotatedTask | None, replies: list[Reply]) -> dict[str, FactsMentioned]:
    """Which annotated facts the reply mentions, where there are any."""
    facts = annotated.task.facts if annotated else ()
    return {"mentioned": facts_mentioned(facts, replies)} if facts else {}


def _tasks(trajectory: Trajectory) -> Iterator[tuple[int, tuple[Step, ...]]]:
    if trajectory.task_index is not None:
        yield trajectory.task_index, trajectory.steps
        return
    for index, steps in groupby(trajectory.steps, key=lambda step: step.task_index):
        yield index, tuple(steps)


def _annotation(session: Session, task: Task) -> GraphAnnotation:
    graph = annotated_task(session, task.index).graph
    layers = {node: number for number, layer in enumerate(graph.layers) for node in bits(layer)}
    return GraphAnnotation(
        utterance=task.utterance,
        kind=task.type.kind,
        type=task.type.value,
        reference=task.reference.value,
        position=task.index + 1,
        nodes=tuple(_node(call, layers[number]) for number, call in enumerate(task.calls)),
        steps=graph.depth,
        clock=task.clock or session.clock,
        shape=task.shape.value if task.shape else None,
        earlier=earlier_values(task, session.tasks[: task.index]),
    )


def _node(call: Call, layer: int) -> NodeView:
    observation, annotations = call.observation, written_annotations(call)
    return NodeView(
        name=call.name,
        layer=layer,
        arguments=value_text(call.arguments) if call.is_tool else None,
        after=call.after,
        observation=observation if observation is None or isinstance(observation, str) else value_text(observation),
        user_input=call.user_input,
        sources=value_text(call.sources) if call.sources else None,
        annotations=value_text(annotations) if annotations else None,
    )
