"""The scoring `released`: WildToolBench's public evaluator label for label; only its crashes become errors.

Names are matched step by step under the four rules, the first candidate decides (B1, D1); within a step calls are
paired with annotated calls by text order (B2); a call of a pseudo-action counts as that action (B3); the earliest
error decides. Keys such as B1: docs/rules.md#defect-by-defect. An argument is checked against the schema, then
compared, with the evaluator's values and error texts (docs/rules.md#wildtoolbenchs-rule); the rule of `exact`
(judge/values.py) repairs it.

The next steps that the released evaluators admit: four rules instead of "any set of ready calls".
Source: docs/rules.md#the-four-rules-of-the-public-evaluators, observed on the path lists of both public
evaluators. With R the ready calls in index order:

1. candidates are the non-empty subsets of R, by size, then lexicographically;
2. of the subsets with the same sequence of names only the first is kept;
3. R is split into maximal runs of neighbours with equal names; a subset of two or more calls whose lowest call
   belongs to a run longer than one is kept only if it begins with that whole run;
4. the single first call of a run longer than one becomes a chain: the run's calls one by one, nothing in between.

So a step commits to the first candidate whose names agree. Here that candidate is found without listing the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from toolgauge.data.session import Call
from toolgauge.judge.arguments import ArgumentFault, Faults, fault, join, keys_fault, schema_faults, unreadable_faults
from toolgauge.judge.causes import Situation, cause_of
from toolgauge.judge.exact import RUN_ENDS
from toolgauge.judge.graph import CallGraph, Calls, bits
from toolgauge.judge.mistakes import Mistake
from toolgauge.judge.reasons import DialogueCode
from toolgauge.judge.replies import CALLS, TEXT, AnnotatedTask, Checks, MadeCall, ReadReply
from toolgauge.judge.similarity import same_but_spacing, unlike
from toolgauge.judge.verdict import ERROR, Verdict, argument_failure, failure, success


class State(NamedTuple):
    """Where a run stands. done: mask of the calls made; chain: calls that must follow one by one."""

    done: int = 0
    chain: tuple[int, ...] = ()


class Option(NamedTuple):
    """One admissible assignment of a step: the annotated call of each call made, in order, and the state after."""

    assigned: tuple[int, ...]
    state: State


class ReleasedMatcher:
    """Follows a run by the four rules, for names alone: what a call may stand for is every call of its name.

    steps: per step the annotated call of each call made.
    """

    def __init__(self, graph: CallGraph) -> None:
        self.graph, self.state = graph, State()
        self.steps: tuple[tuple[int, ...], ...] = ()

    def ready(self) -> int:
        """Mask of the calls that are admitted now."""
        return 1 << self.state.chain[0] if self.state.chain else self.graph.ready(self.state.done)

    @property
    def complete(self) -> bool:
        return self.graph.is_complete(self.state.done)

    def advance(self, calls: Calls) -> bool:
        """Take one step by the first admissible assignment, to which the released code commits; False, and nothing
        changes, where there is none."""
        option = next(options(self.graph, self.state, calls), None)
        if option is None:
            return False
        self.state, self.steps = option.state, (*self.steps, option.assigned)
        return True


def options(graph: CallGraph, state: State, calls: Calls) -> Iterator[Option]:
    """Admissible assignments of a step in the order of the released path lists."""
    if not calls or not all(calls):
        return
    names = [graph.names[(mask & -mask).bit_length() - 1] for mask in calls]
    if state.chain:
        if len(names) == 1 and names[0] == graph.names[state.chain[0]]:
            yield Option(state.chain[:1], State(state.done | 1 << state.chain[0], state.chain[1:]))
        return
    ready = graph.ready(state.done)
    for chosen in _candidates(graph, ready, names):
        run = _run_of(graph, ready, chosen[0])
        if len(chosen) == 1:
            chain = tuple(run[1:]) if chosen[0] == run[0] else ()
            yield Option(chosen, State(state.done | 1 << chosen[0], chain))
        elif len(run) == 1 or list(chosen[: len(run)]) == run:
            done = state.done | sum(1 << index for index in chosen)
            yield Option(_in_order_of(names, graph, chosen), State(done))


def _candidates(graph: CallGraph, ready: int, names: list[str]) -> Iterable[tuple[int, ...]]:
    """The subsets of the ready calls with these names that rules 1 and 2 keep, in their order; mostly there is one."""
    called = first = 0
    for name in names:
        named = graph.by_name[name] & ready
        free = named & ~first
        if not free:
            return ()
        called |= named
        first |= free & -free
    if len(names) == 1 or first == called:
        return (tuple(bits(first)),)
    return _first_embeddings(graph, list(bits(ready)), Counter(names))


def _first_embeddings(graph: CallGraph, ready: list[int], wanted: Counter[str]) -> Iterator[tuple[int, ...]]:
    """For every sequence of names that uses `wanted` up: its first subset of `ready`, in lexicographic order.

    The first subset with a given sequence of names is its leftmost embedding, so choosing at each point among the next
    occurrences of the names still wanted meets every sequence once.
    """
    stack: list[tuple[int, tuple[int, ...], Counter[str]]] = [(0, (), wanted)]
    while stack:
        start, chosen, left = stack.pop()
        if not left:
            yield chosen
            continue
        branches = []
        seen: set[str] = set()
        for position in range(start, len(ready)):
            name = graph.names[ready[position]]
            if name in left and name not in seen:
                seen.add(name)
                branches.append((position + 1, (*chosen, ready[position]), left - Counter((name,))))
            if len(seen) == len(left):
                break
        if not left.keys() <= seen:
            continue  # some name does not come any more
        stack.extend(reversed(branches))


def _run_of(graph: CallGraph, ready: int, call: int) -> list[int]:
    """The maximal run of neighbours among the ready calls with the name of `call` that contains it."""
    named = graph.by_name[graph.names[call]] & ready
    if not named & (named - 1):
        return [call]
    order = list(bits(ready))
    low = high = order.index(call)
    while low and named >> order[low - 1] & 1:
        low -= 1
    while high + 1 < len(order) and named >> order[high + 1] & 1:
        high += 1
    return order[low : high + 1]


def _in_order_of(names: list[str], graph: CallGraph, chosen: tuple[int, ...]) -> tuple[int, ...]:
    """The chosen calls rearranged so that each stands where its name was called."""
    left = list(chosen)
    arranged = []
    for name in names:
        index = next(index for index in left if graph.names[index] == name)
        left.remove(index)
        arranged.append(index)
    return tuple(arranged)


def released_faults(schema: Mapping[str, object], predicted: object, call: Call) -> Faults:
    """What does not fit the schema, then what is not as annotated. An `ArgumentRule`."""
    if isinstance(predicted, dict):
        yield from schema_faults(predicted, schema)
        yield from differences(predicted, call.arguments, "")
    else:
        yield from unreadable_faults(predicted)


def differences(predicted: Any, gold: Any, path: str) -> Faults:
    """Where a value is not the annotated one, in the order of the annotation.

    `200` and `200.0` differ, `true` and `1` too (Q2).
    """
    values = {"made": predicted, "expected": gold}
    if type(predicted) is not type(gold):
        yield fault(DialogueCode.TYPE_DIFFERS, path, Mistake.WRONG_TYPE, **values)
    elif isinstance(gold, str):
        if predicted != gold and not same_but_spacing(predicted, gold) and (unlikeness := unlike(predicted, gold)):
            yield fault(unlikeness.code, path, Mistake.WRONG_VALUE, score=unlikeness.score, **values)
    elif isinstance(gold, dict):
        if predicted.keys() != gold.keys():
            yield keys_fault(predicted, gold, path)
        for key, value in gold.items():
            if key in predicted:
                yield from differences(predicted[key], value, join(path, key))
    elif isinstance(gold, list):
        if len(predicted) != len(gold):
            yield fault(DialogueCode.LENGTH_DIFFERS, path, Mistake.WRONG_VALUE, **values)
            return
        for index, value in enumerate(gold):
            yield from differences(predicted[index], value, f"{path}[{index}]")
    elif predicted != gold:
        yield fault(DialogueCode.VALUE_DIFFERS, path, Mistake.WRONG_VALUE, **values)


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
