"""Which annotated call each call of a run stands for, also after the run went wrong: for whoever shows both.

As far as the run is right under the scoring `exact`, its assignment is taken. From there on each call takes the free
annotated call of its name whose arguments it gets right, else the one that it comes nearest to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from toolgauge.chat import Reply
from toolgauge.judge.alignment import RightPairs
from toolgauge.judge.exact import ExactJudge
from toolgauge.judge.graph import bits
from toolgauge.judge.replies import CALLS, TEXT, Checks, MadeCall, ReadReply, align_calls, read_turns


class Followed(NamedTuple):
    """One call of a run, or (made None) a text. step, call: which, from 0; node: the annotated call it stands for.

    early: it was made before what it needs was done.
    """

    step: int
    call: int | None = None
    made: MadeCall | None = None
    node: int | None = None
    early: bool = False


class Following(NamedTuple):
    """made: everything that a run did, in order. failing: the step (from 0) that no right assignment admits, or the
    number of steps where all of them are right and the task is not done; None of a right run. due: the annotated calls
    that could have come in it."""

    made: list[Followed]
    failing: int | None
    due: tuple[int, ...]


def follow(checks: Checks, replies: Sequence[Reply]) -> Following:
    """What a run did, and where it went wrong."""
    follower = _Follower(checks, read_turns(replies, exact=True))
    made = [one for step, turn in enumerate(follower.turns) for one in follower.take(step, turn)]
    return Following(made, follower.failing, follower.due)


class _Follower:
    """Takes the turns one after the other; `done`: mask of the annotated calls that are taken."""

    def __init__(self, checks: Checks, turns: Sequence[ReadReply]) -> None:
        self.task, self.checks, self.turns = checks.task, checks, turns
        # Per step that is right under `exact`, the annotated call of each call made
        judge = ExactJudge(self.checks, turns)
        self.failing: int | None = len(turns)
        for step, turn in enumerate(judge.turns):
            if not judge.matcher.advance(judge.right_calls(turn)):
                self.failing = step
                break
            if judge.matcher.complete:
                self.failing = None
                break
        self.due = tuple(bits(judge.matcher.ready())) if self.failing is not None else ()
        self.right = max(judge.matcher.trails, key=lambda trail: trail.state.done.bit_count()).steps
        self.done = 0

    def take(self, step: int, turn: ReadReply) -> Iterator[Followed]:
        ready = self.task.legal_graph.ready(self.done)
        if turn.kind == TEXT:
            nodes: list[int | None] = [next(bits(self.task.text_call(ready)), None)]
        elif turn.kind == CALLS:
            nodes = list(self.right[step]) if step < len(self.right) else self._nearest(turn, ready)
        else:
            return
        for node in nodes:
            self.done |= 0 if node is None else 1 << node
        if turn.kind == TEXT:
            yield Followed(step, node=nodes[0])
            return
        for position, (made, node) in enumerate(zip(turn.calls, nodes, strict=True)):
            yield Followed(step, position, made, node, node is not None and not ready >> node & 1)

    def _nearest(self, turn: ReadReply, ready: int) -> list[int | None]:
        """A free annotated call of the name for each call, as far as there are any; ready ones first."""
        named = [self.task.named(call) for call in turn.calls]
        rows = [(mask & ready, mask) for mask in named]
        return align_calls(self.checks, turn.calls, rows, RightPairs.MOST, taken=self.done)
