"""The episodes of the graph benchmarks: one task over its gold history, or a whole session over the model's own."""

from __future__ import annotations

from collections.abc import Generator

from toolgauge.benchmarks.dialogues.environment import TaskEnvironment
from toolgauge.benchmarks.dialogues.prompts import prompt
from toolgauge.benchmarks.dialogues.tool_search import ToolSearch
from toolgauge.chat import Message, Reply, Request
from toolgauge.data.session import Session
from toolgauge.episode import Episode, Step, Trajectory
from toolgauge.judge.arguments import ArgumentRule
from toolgauge.judge.replies import CALLS, EMPTY, AnnotatedTask, ReadReply, with_empty_arguments
from toolgauge.judge.searches import MOST_SEARCHES


def task_episode(
    session: Session, task: AnnotatedTask, rule: ArgumentRule, history: tuple[Message, ...], epoch: int = 0
) -> Episode:
    """One task: `history` up to and including its utterance, then as many steps as the environment admits."""
    index = task.task.index
    key = session.task_id(index, epoch)
    environment, search = TaskEnvironment(task, rule), ToolSearch(session, history)
    steps, _ = yield from _conversation(environment, search, key, index, history, history)
    return Trajectory(key, session.id, tuple(steps), index, epoch, session.tools, environment.stopped)


def session_episode(
    session: Session, tasks: list[AnnotatedTask], rule: ArgumentRule, opening: Message, key: str, epoch: int = 0
) -> Episode:
    """All tasks of a session in one conversation, over what the model itself said and was told before.

    After a failed task the dialogue goes on with the next utterance. What the model said stays; calls that got no
    result get a tool message that says so, an unreadable or empty reply is left out (docs/rules.md).
    """
    messages: tuple[Message, ...] = (opening,)
    search = ToolSearch(session)
    unsent, steps = messages, []
    for task in tasks:
        utterance = Message("user", task.task.utterance)
        messages, unsent = (*messages, utterance), (*unsent, utterance)
        environment = TaskEnvironment(task, rule)
        search.left = MOST_SEARCHES
        index = task.task.index
        done, messages = yield from _conversation(
            environment, search, session.task_id(index, epoch), index, messages, unsent
        )
        steps += done
        unsent = tuple(_aftermath(with_empty_arguments(done[-1].reply, task.tools), session.language))
        messages = (*messages, *unsent)
    return Trajectory(key, session.id, tuple(steps), None, epoch, session.tools)


def _conversation(
    environment: TaskEnvironment,
    search: ToolSearch,
    task_id: str,
    index: int,
    messages: tuple[Message, ...],
    unsent: tuple[Message, ...],
) -> Generator[Request, Reply, tuple[list[Step], tuple[Message, ...]]]:
    """Ask until the environment ends the task; the steps taken and the messages of the last request."""
    steps: list[Step] = []
    while True:
        hint = search.hinted(environment.gold_hint())
        reply = yield Request("assistant", messages, search.offered, task_id, len(steps), hint)
        steps.append(Step(unsent, reply, index))
        following = search.answer(reply, environment)
        if following is None:
            return steps, messages
        unsent = following
        messages = (*messages, *following)


def _aftermath(reply: Reply, language: str) -> list[Message]:
    """The last reply of a task as the later tasks see it."""
    kind = ReadReply(reply).kind
    if kind == EMPTY:
        return []
    if reply.tool_calls and kind != CALLS:
        return [Message("assistant", reply.content)] if reply.content else []
    results = [Message("tool", prompt("unanswered", language), tool_call_id=call.id) for call in reply.tool_calls]
    return [reply.message(), *results]
