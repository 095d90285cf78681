"""Expected against actual of a task, call by call: for the diff and the drawing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.chat import Reply
from toolgauge.judge.arguments import ArgumentRule
from toolgauge.judge.exact import Followed, follow
from toolgauge.judge.replies import AnnotatedTask, Checks
from toolgauge.judge.searches import JudgedReply
from toolgauge.judge.wrong_arguments import WrongArgument, wrong_in_call
from toolgauge.report.task_views.differences import DifferenceRow, differences, value_text
from toolgauge.report.task_views.divergence import ComparedCall, Divergence

NodeState = Literal["right", "wrong", "early", "open"]
"""Of an annotated call: done rightly, done with wrong arguments, done before what it needs, not reached."""


class Made(Struct, frozen=True, omit_defaults=True):
    """One call of the run, or (call None) a text (`Followed`). wrong: its wrong arguments; rows: all of them against
    the annotated ones."""

    step: int
    call: int | None = None
    name: str | None = None
    node: int | None = None
    early: bool = False
    wrong: tuple[WrongArgument, ...] = ()
    rows: tuple[DifferenceRow, ...] = ()


class Alignment(Struct, frozen=True, omit_defaults=True):
    """states: of the annotated calls in their order; made: everything that the run did, in order. failing, due: the
    step where the run went wrong and the annotated calls that could have come there (`Following`)."""

    states: tuple[NodeState, ...]
    made: tuple[Made, ...]
    failing: int | None = None
    due: tuple[int, ...] = ()


def compare(task: AnnotatedTask, rule: ArgumentRule, replies: Sequence[Reply]) -> Alignment:
    """Expected against actual of one task."""
    followed = follow(task, rule, replies)
    made = [_made(followed.checks, one) for one in followed.made]
    states: list[NodeState] = ["open"] * task.size
    for one in made:
        if one.node is not None:
            states[one.node] = "early" if one.early else "wrong" if one.wrong else "right"
    return Alignment(tuple(states), tuple(made), followed.failing, followed.due)


def divergence_of(task: AnnotatedTask, found: Alignment, replies: Sequence[Reply]) -> Divergence:
    """Where the task went wrong by `exact`; of a right one, what its calls are beside the annotated ones."""
    here = [one for one in found.made if found.failing in (None, one.step)]
    compared = [ComparedCall(one.name or "", one.wrong, one.rows) for one in here if one.call is not None]
    if found.failing is None:
        return Divergence(compared=compared)
    reply = replies[found.failing] if found.failing < len(replies) else Reply()
    called = [one.name or "" for one in here if one.call is not None]
    due = [task.graph.names[node] for node in found.due]
    return Divergence(found.failing, called, "" if called else reply.content or "", due, compared)


def in_whole_run(
    found: Alignment, divergence: Divergence, kept: Sequence[JudgedReply], replies: int
) -> tuple[Alignment, Divergence]:
    """The same with steps and calls in their places among all of a run's replies. kept: those that were compared."""

    def step(place: int | None) -> int | None:
        if place is None:
            return None
        return kept[place].step if place < len(kept) else replies

    made = tuple(
        replace(one, step=kept[one.step].step, call=None if one.call is None else kept[one.step].calls[one.call])
        for one in found.made
    )
    return replace(found, made=made, failing=step(found.failing)), replace(divergence, step=step(divergence.step))


def _made(checks: Checks, one: Followed) -> Made:
    call, node = one.made, one.node
    if call is None or node is None:
        return Made(one.step, one.call, call.name if call else None, node)
    expected = checks.task.task.calls[node].arguments
    if isinstance(call.value, dict):
        rows = differences(expected, call.value)
    else:
        rows = (DifferenceRow("", "different", value_text(expected), value_text(call.raw)),)
    return Made(one.step, one.call, call.name, node, one.early, wrong_in_call(checks, call, node), rows)
