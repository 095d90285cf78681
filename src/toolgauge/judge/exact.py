"""The scoring `exact`: what the benchmarks mean.

Every legal order and grouping counts, calls are assigned to annotated calls in the best way, the benchmark's argument
rule decides about values. A run is right if one consistent assignment of its calls has all arguments right.

Source: docs/rules.md#scorings; keys such as B1: docs/rules.md#defect-by-defect.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from toolgauge.chat import Reply
from toolgauge.judge.arguments import ArgumentFault, ArgumentRule
from toolgauge.judge.causes import Situation, as_unfinished, cause_of
from toolgauge.judge.graph import Calls, Matcher, bits
from toolgauge.judge.mistakes import ARGUMENT_MISTAKES, Mistake
from toolgauge.judge.reasons import DialogueCode
from toolgauge.judge.replies import CALLS, TEXT, AnnotatedTask, Checks, MadeCall, ReadReply, exact_turns
from toolgauge.judge.verdict import ERROR, Verdict, argument_failure, failure, success
from toolgauge.reasons import Reason

RUN_ENDS = Reason(DialogueCode.RUN_ENDS)


def judge_exact(task: AnnotatedTask, rule: ArgumentRule, replies: Sequence[Reply]) -> Verdict:
    """The verdict of `exact` on the replies to one task."""
    return ExactJudge(task, rule, replies).verdict()


class ExactJudge:
    """Judges the replies to one task, step by step. failing: the step (from 0) that no right assignment admits; the
    number of steps where all of them are right and the task is not done; None of a right run."""

    def __init__(self, task: AnnotatedTask, rule: ArgumentRule, replies: Sequence[Reply]) -> None:
        self.task, self.checks = task, Checks(task, rule)
        self.turns = exact_turns(replies, task.tools)
        self.matcher = Matcher(task.legal_graph)
        self.failing = self._follow()

    def _follow(self) -> int | None:
        for step, turn in enumerate(self.turns):
            if not self.matcher.advance(self.right_calls(turn)):
                return step
            if self.matcher.complete:
                return None
        return len(self.turns)

    def verdict(self) -> Verdict:
        if self.failing is None:
            return self._right_verdict()
        if self.failing == len(self.turns):
            return failure(ERROR, self.progress(), None, RUN_ENDS)
        return self.failure(self.failing, self.turns[self.failing])

    def _right_verdict(self) -> Verdict:
        """In the fewest steps means: in no more than the calls that were made take; optional ones may be among them."""
        states = [trail.done for trail in self.matcher.trails if self.task.legal_graph.is_complete(trail.done)]
        steps = len(self.matcher.trails[0].steps)
        optimal = any(self.task.graph.depth_of(done) == steps for done in states)
        return success(optimal, max(map(int.bit_count, states)))

    def done(self) -> int:
        """The annotated calls made rightly, in the assignment that has most of them."""
        return max((trail.done for trail in self.matcher.trails), key=int.bit_count)

    def progress(self) -> tuple[int, int]:
        """Calls made rightly, and those plus what is still needed: an optional call counts only where it is made."""
        done = self.done()
        return done.bit_count(), self.task.size - (self.task.optional_mask & ~done).bit_count()

    def right_calls(self, turn: ReadReply) -> Calls:
        """For each call of a turn the annotated calls that it makes rightly, arguments included."""
        ready = self.matcher.ready()
        if turn.kind == TEXT:
            return [self.task.text_call(ready)]
        return [
            sum(1 << node for node in bits(self.task.named(call) & ready) if self.checks.fault(call, node) is None)
            for call in turn.calls
        ]

    def failure(self, step: int, turn: ReadReply) -> Verdict:
        """The verdict on a run whose step admits no right assignment: its arguments are wrong if the names agree."""
        offered = self.task.tools.keys()
        if self._names_fit(turn):
            call, fault = self._first_fault(turn)
            verdict = argument_failure(call.name, self.progress(), fault)
        else:
            graph, ready, unservable = self.task.legal_graph, self.matcher.ready(), self.task.task.unservable
            mistake, why = cause_of(Situation(graph, offered, self.done(), ready, step, unservable), turn)
            verdict = failure(ERROR, self.progress(), mistake.value, why)
        return as_unfinished(verdict, turn, offered)

    def _names_fit(self, turn: ReadReply) -> bool:
        """Whether a step that admits no right assignment goes wrong by its arguments alone."""
        probe = Matcher(self.task.legal_graph, self.matcher.trails)
        return probe.advance([self.task.named(call) for call in turn.calls])

    def _first_fault(self, turn: ReadReply) -> tuple[MadeCall, ArgumentFault]:
        for call, node in self._wrong_pairs(turn):
            if (fault := self.checks.fault(call, node)) is not None:
                return call, fault
        call = turn.calls[0]  # each call is right for some trail, but no single trail admits them together
        return call, ArgumentFault("", Reason(DialogueCode.OF_ANOTHER_CALL), Mistake.WRONG_VALUE)

    def wrong_calls(self) -> list[tuple[MadeCall, int]]:
        """The calls of the failing step whose arguments are wrong, with the annotated calls that they stand for;
        nothing where no step fails, or one fails by its names."""
        if self.failing is None or self.failing == len(self.turns):
            return []
        turn = self.turns[self.failing]
        by_arguments = self.failure(self.failing, turn).mistake in ARGUMENT_MISTAKES
        return self._wrong_pairs(turn) if by_arguments else []

    def _wrong_pairs(self, turn: ReadReply) -> list[tuple[MadeCall, int]]:
        """Under the assignment with the most right calls, near misses next to what they miss."""
        ready = self.matcher.ready()
        due = [(self.task.named(call) & ready,) for call in turn.calls]
        nodes = self.checks.align(turn.calls, due, shared=True)
        pairs = [(turn.calls[row], node) for row, node in enumerate(nodes) if node is not None]
        return [(call, node) for call, node in pairs if self.checks.fault(call, node) is not None]


# Which annotated call each call of a run stands for, also after the run went wrong: for whoever shows both


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
    """made: everything that a run did, in order. failing: as `ExactJudge` has it. due: the annotated calls that could
    have come in that step. checks: what was found of the calls on the way."""

    made: list[Followed]
    failing: int | None
    due: tuple[int, ...]
    checks: Checks


def follow(task: AnnotatedTask, rule: ArgumentRule, replies: Sequence[Reply]) -> Following:
    """What a run did, and where it went wrong.

    As far as the run is right under `exact`, its assignment is taken. From there on each call takes the free annotated
    call of its name whose arguments it gets right, else the one that it comes nearest to.
    """
    judge = ExactJudge(task, rule, replies)
    right = max(judge.matcher.trails, key=lambda trail: trail.done.bit_count()).steps
    due = tuple(bits(judge.matcher.ready())) if judge.failing is not None else ()
    followed: list[Followed] = []
    done = 0
    for step, turn in enumerate(judge.turns):
        ready = task.legal_graph.ready(done)
        nodes: Sequence[int | None] = ()
        if turn.kind == TEXT:
            nodes = [next(bits(task.text_call(ready)), None)]
        elif step < len(right):
            nodes = right[step]
        elif turn.kind == CALLS:
            masks = [task.named(call) for call in turn.calls]
            rows = [(mask & ready, mask) for mask in masks]  # ready ones first
            nodes = judge.checks.align(turn.calls, rows, taken=done)
        followed += _followed(step, turn, nodes, ready)
        done |= sum(1 << node for node in nodes if node is not None)
    return Following(followed, judge.failing, due, judge.checks)


def _followed(step: int, turn: ReadReply, nodes: Sequence[int | None], ready: int) -> Iterator[Followed]:
    if turn.kind == TEXT:
        yield Followed(step, node=nodes[0])
    for position, (call, node) in enumerate(zip(turn.calls, nodes, strict=False)):
        yield Followed(step, position, call, node, node is not None and not ready >> node & 1)
