"""The scoring `exact`: what the benchmarks mean.

Every legal order and grouping counts, calls are assigned to annotated calls in the best way, the benchmark's argument
rule decides about values. A run is right if one consistent assignment of its calls has all arguments right.

Source: docs/rules.md#scorings; keys such as B1: docs/rules.md#defect-by-defect.
"""

from __future__ import annotations

from collections.abc import Sequence

from toolgauge.judge.alignment import RightPairs
from toolgauge.judge.arguments import ArgumentFault
from toolgauge.judge.causes import Situation, cause_of
from toolgauge.judge.graph import Calls, LegalOrders, Matcher, bits
from toolgauge.judge.mistakes import ARGUMENT_MISTAKES, Mistake
from toolgauge.judge.reasons import DialogueCode
from toolgauge.judge.replies import CALLS, TEXT, Checks, MadeCall, ReadReply, align_calls
from toolgauge.judge.unfinished import as_unfinished
from toolgauge.judge.verdict import ERROR, Verdict, argument_failure, failure
from toolgauge.reasons import Reason

RUN_ENDS = Reason(DialogueCode.RUN_ENDS)


class ExactJudge:
    """Judges the turns of one task."""

    def __init__(self, checks: Checks, turns: Sequence[ReadReply]) -> None:
        self.checks, self.task, self.fault, self.turns = checks, checks.task, checks.fault, turns
        self.matcher = Matcher(self.task.legal_graph, LegalOrders())

    def verdict(self) -> Verdict:
        for step, turn in enumerate(self.turns):
            if not self.matcher.advance(self.right_calls(turn)):
                return self.failure(step, turn)
            if self.matcher.complete:
                return self.right_verdict(step + 1)
        return failure(ERROR, self.progress(), None, RUN_ENDS)

    def right_verdict(self, steps: int) -> Verdict:
        """In the fewest steps means: in no more than the calls that were made take; optional ones may be among them."""
        states = [done for done in self.done() if self.task.legal_graph.is_complete(done)]
        optimal = any(self.task.graph.depth_of(done) == steps for done in states)
        size = max(map(int.bit_count, states))
        return self.task.right(optimal, size)

    def done(self) -> list[int]:
        """The annotated calls made rightly, in every assignment that is still possible."""
        return [trail.state.done for trail in self.matcher.trails]

    def progress(self) -> tuple[int, int]:
        """Calls made rightly, and those plus what is still needed: an optional call counts only where it is made."""
        done = max(self.done(), key=int.bit_count)
        return done.bit_count(), self.task.size - (self.task.optional_mask & ~done).bit_count()

    def right_calls(self, turn: ReadReply) -> Calls:
        """For each call of a turn the annotated calls that it makes rightly, arguments included."""
        ready = self.matcher.ready()
        if turn.kind == TEXT:
            return [self.task.text_call(ready)]
        if turn.kind != CALLS:
            return []
        return [self.right(made, ready) for made in turn.calls]

    def right(self, made: MadeCall, ready: int) -> int:
        right = 0
        for node in bits(self.task.named(made) & ready):
            if self.fault(made, node) is None:
                right |= 1 << node
        return right

    def failure(self, step: int, turn: ReadReply) -> Verdict:
        """The verdict on a run whose step admits no right assignment."""
        return as_unfinished(self.fault_of(step, turn), turn, self.task.tools.keys())

    def fault_of(self, step: int, turn: ReadReply) -> Verdict:
        """What is wrong with the step as it stands: its arguments if the names agree."""
        if self.names_fit(turn):
            made, fault = self.nearest_fault(turn)
            return argument_failure(made.name, self.progress(), fault)
        done = max(self.done(), key=int.bit_count)
        graph, offered = self.task.legal_graph, self.task.tools.keys()
        what = self.task.task
        situation = Situation(graph, offered, done, self.matcher.ready(), step, what.unservable, what.utterance)
        mistake, why = cause_of(situation, turn)
        return failure(ERROR, self.progress(), mistake.value, why)

    def names_fit(self, turn: ReadReply) -> bool:
        """Whether a step that admits no right assignment goes wrong by its arguments alone."""
        if turn.kind != CALLS:
            return False
        probe = Matcher(self.task.legal_graph, LegalOrders())
        probe.trails = self.matcher.trails
        return probe.advance([self.task.named(made) for made in turn.calls])

    def wrong_calls(self) -> list[tuple[MadeCall, int]]:
        """The calls of the failing step whose arguments are wrong, with the annotated calls that they stand for;
        nothing where no step fails, or one fails by its names."""
        for step, turn in enumerate(self.turns):
            if not self.matcher.advance(self.right_calls(turn)):
                by_arguments = self.failure(step, turn).mistake in ARGUMENT_MISTAKES
                return self.wrong_in(turn) if by_arguments else []
            if self.matcher.complete:
                break
        return []

    def wrong_in(self, turn: ReadReply) -> list[tuple[MadeCall, int]]:
        """Under the assignment with the most right calls, near misses next to what they miss."""
        ready = self.matcher.ready()
        due = [(self.task.named(made) & ready,) for made in turn.calls]
        nodes = align_calls(self.checks, turn.calls, due, RightPairs.MOST, shared=True)
        pairs = zip(turn.calls, nodes, strict=True)
        return [(made, node) for made, node in pairs if node is not None and self.fault(made, node) is not None]

    def nearest_fault(self, turn: ReadReply) -> tuple[MadeCall, ArgumentFault]:
        """What is wrong with the first wrong call."""
        for made, node in self.wrong_in(turn):
            fault = self.fault(made, node)
            if fault is not None:
                return made, fault
        made = turn.calls[0]  # each call is right for some trail, but no single trail admits them together
        return made, ArgumentFault("", Reason(DialogueCode.OF_ANOTHER_CALL), Mistake.WRONG_VALUE)
