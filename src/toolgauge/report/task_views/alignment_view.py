"""Which annotated call each call of a run stands for, also after the run went wrong: for the diff and the drawing.

As far as the run is right under the reading `exact`, its assignment is taken. From there on each call takes the free
annotated call of its name whose arguments it gets right, else the one that it comes nearest to.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from toolgauge.chat import Reply
from toolgauge.judge.alignment import RightPairs
from toolgauge.judge.exact import ExactJudge
from toolgauge.judge.graph import bits
from toolgauge.judge.replies import (
    CALLS,
    TEXT,
    AnnotatedTask,
    ArgumentRule,
    Checks,
    MadeCall,
    ReadReply,
    align_calls,
    read_turns,
)
from toolgauge.reasons import Explanation
from toolgauge.report.task_views.differences import DifferenceRow, differences, value_text

NodeState = Literal["right", "wrong", "early", "open"]
"""Of an annotated call: done rightly, done with wrong arguments, done before what it needs, not reached."""


class ArgumentMismatch(Struct, frozen=True, omit_defaults=True):
    """What the benchmark's rule says of a call's arguments. path: the argument; why: without the path."""

    path: str
    why: Explanation
    mistake: str


class Made(Struct, frozen=True, omit_defaults=True):
    """One call of the run, or (call None) a text. step, call: which, from 0; node: the annotated call it stands for.

    early: it was made before what it needs was done. rows: its arguments against the annotated ones.
    """

    step: int
    call: int | None = None
    name: str | None = None
    node: int | None = None
    early: bool = False
    fault: ArgumentMismatch | None = None
    rows: tuple[DifferenceRow, ...] = ()


class Alignment(Struct, frozen=True):
    """states: of the annotated calls in their order; made: everything that the run did, in order."""

    states: tuple[NodeState, ...]
    made: tuple[Made, ...]


def compare(task: AnnotatedTask, rule: ArgumentRule, replies: Sequence[Reply]) -> Alignment:
    """Expected against actual of one task."""
    turns = read_turns(replies)
    follower = _Follower(task, rule, turns)
    made = [one for step, turn in enumerate(turns) for one in follower.take(step, turn)]
    states: list[NodeState] = ["open"] * task.size
    for one in made:
        if one.node is not None:
            states[one.node] = "early" if one.early else "wrong" if one.fault else "right"
    return Alignment(tuple(states), tuple(made))


class _Follower:
    """Takes the turns one after the other; `done`: mask of the annotated calls that are taken."""

    def __init__(self, task: AnnotatedTask, rule: ArgumentRule, turns: Sequence[ReadReply]) -> None:
        self.task, self.checks = task, Checks(task, rule)
        # Per step that is right under `exact`, the annotated call of each call made
        judge = ExactJudge(self.checks, turns)
        for turn in judge.turns:
            if not judge.matcher.advance(judge.right_readings(turn)) or judge.matcher.complete:
                break
        self.right = max(judge.matcher.trails, key=lambda trail: trail.state.done.bit_count()).steps
        self.done = 0

    def take(self, step: int, turn: ReadReply) -> list[Made]:
        ready = self.task.legal_graph.ready(self.done)
        if turn.kind == TEXT:
            nodes: list[int | None] = [next(bits(self.task.text_call(ready)), None)]
        elif turn.kind == CALLS:
            nodes = list(self.right[step]) if step < len(self.right) else self._nearest(turn, ready)
        else:
            return []
        for node in nodes:
            self.done |= 0 if node is None else 1 << node
        if turn.kind == TEXT:
            return [Made(step, node=nodes[0])]
        pairs = zip(turn.calls, nodes, strict=True)
        return [self._made(step, position, call, node, ready) for position, (call, node) in enumerate(pairs)]

    def _nearest(self, turn: ReadReply, ready: int) -> list[int | None]:
        """A free annotated call of the name for each call, as far as there are any; ready ones first."""
        named = [self.task.named(call) for call in turn.calls]
        rows = [(mask & ready, mask) for mask in named]
        return align_calls(self.checks, turn.calls, rows, RightPairs.MOST, taken=self.done)

    def _made(self, step: int, position: int, call: MadeCall, node: int | None, ready: int) -> Made:
        if node is None:
            return Made(step, position, call.name)
        found = self.checks.fault(call, node)
        fault = ArgumentMismatch(found.path, found.reason.explained(), found.mistake.value) if found else None
        expected = self.task.task.calls[node].arguments
        if isinstance(call.value, dict):
            rows = differences(expected, call.value)
        else:
            rows = (DifferenceRow("", "different", value_text(expected), value_text(call.raw)),)
        return Made(step, position, call.name, node, not ready >> node & 1, fault, rows)
