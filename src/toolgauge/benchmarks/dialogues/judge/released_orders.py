"""The next steps that the released evaluators admit: four rules instead of "any set of ready calls".

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
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from toolgauge.judge.graph import CallGraph, Calls, bits


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
