"""The scoring `released`: WildToolBench's public evaluator label for label; only its crashes become errors.

Names are matched step by step under the four rules, the first candidate decides (B1, D1); within a step calls are
paired with annotated calls by text order (B2); a call of a pseudo-action counts as that action (B3); the earliest
error decides. Keys such as B1: docs/rules.md#defect-by-defect.
"""

from __future__ import annotations

from collections.abc import Sequence

from toolgauge.benchmarks.dialogues.judge.released_orders import ReleasedMatcher
from toolgauge.judge.arguments import ArgumentFault
from toolgauge.judge.causes import Situation, cause_of
from toolgauge.judge.exact import RUN_ENDS
from toolgauge.judge.graph import Calls
from toolgauge.judge.replies import CALLS, TEXT, AnnotatedTask, Checks, MadeCall, ReadReply
from toolgauge.judge.verdict import ERROR, Verdict, argument_failure, failure, success


class NameRun:
    """The released matching of names over a whole run: which steps matched, and whether the task was closed by text.

    steps: per matched turn the annotated call of each call made; failed: position of the turn that did not match.
    """

    def __init__(self, task: AnnotatedTask, turns: Sequence[ReadReply]) -> None:
        self.task, self.turns = task, turns
        self.matcher = ReleasedMatcher(task.graph)
        self.closed, self.failed = False, None if turns else 0
        self.states: list[tuple[int, int]] = []  # (done, ready) before each turn
        for position, turn in enumerate(turns):
            ready = self.matcher.ready()
            self.states.append((self.matcher.state.done, ready))
            if not self.matcher.advance(self.calls(turn, ready)):
                self.failed = position
                break
            # after a called pseudo-reply nothing can be matched any more: a text there crashed the released loop (K2)
            if turn.kind == TEXT and self.matcher.complete:
                self.closed = True
                break

    def calls(self, turn: ReadReply, ready: int) -> Calls:
        if turn.kind == TEXT:
            return [self.task.text_call(ready)]
        return [self.task.graph.by_name.get(made.name, 0) for made in turn.calls]

    @property
    def steps(self) -> tuple[tuple[int, ...], ...]:
        return self.matcher.steps

    def done_before(self, position: int) -> int:
        """How many annotated calls the turns before this one executed."""
        return sum(len(step) for step in self.steps[:position])

    def situation(self, position: int) -> Situation:
        done, ready = self.states[position] if self.states else (0, self.matcher.ready())
        return Situation(self.task.graph, self.task.tools.keys(), done, ready, position)


def judge_released(run: NameRun, checks: Checks) -> Verdict:
    """The verdict of the released evaluator on one task."""
    task, turns = run.task, run.turns
    for position, (turn, nodes) in enumerate(zip(turns, run.steps, strict=False)):
        if turn.kind != CALLS:
            continue
        for made, node in pair_by_text(task, turn, nodes):
            fault = _check(checks, made, node)
            if fault is not None:
                progress = (run.done_before(position), task.size)
                return argument_failure(made.name, progress, fault)
    if run.closed:
        return success(len(run.steps) == task.graph.depth, task.size)
    progress = (run.done_before(len(run.steps)), task.size)
    if run.failed is None or not turns:
        return failure(ERROR, progress, None, RUN_ENDS)
    mistake, why = cause_of(run.situation(run.failed), turns[run.failed])
    return failure(ERROR, progress, mistake.value, why)


def pair_by_text(task: AnnotatedTask, turn: ReadReply, nodes: Sequence[int]) -> list[tuple[MadeCall, int]]:
    """Calls by (name, raw argument text) with annotated calls by (name, JSON text), one by one (B2)."""
    pairs = sorted(zip(turn.calls, nodes, strict=True), key=lambda pair: pair[0].name)
    if len({made.name for made in turn.calls}) == len(nodes):
        return pairs
    made = sorted(turn.calls, key=lambda call: (call.name, call.text))
    gold = sorted(nodes, key=lambda node: (task.task.calls[node].name, task.gold_texts[node]))
    return list(zip(made, gold, strict=True))


def _check(checks: Checks, made: MadeCall, node: int) -> ArgumentFault | None:
    """The argument check; a called pseudo-action has no schema, so only the equality of its arguments counts."""
    task = checks.task
    if made.name not in task.tools and made.value == task.task.calls[node].arguments:
        return None
    return checks.fault(made, node)
