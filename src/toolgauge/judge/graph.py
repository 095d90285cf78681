"""What may be called next: the graph of annotated calls and a matcher that follows a run without enumerating paths.

The public evaluators list every legal order of execution, which explodes with independent calls. The list is not
needed: what may come next depends only on which calls are done. The `Matcher` keeps the sets of done calls that the
steps so far allow - as bit masks, one bit per annotated call - and the fewest steps are the depth of the graph.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Protocol

from msgspec import Struct

Calls = Sequence[int]
"""One step of a run: for each call made, the mask of the annotated calls it may stand for."""

STATE_LIMIT = 4096
"""States kept at most after a step. Real data needs a handful; only hostile graphs come near."""


def bits(mask: int) -> Iterator[int]:
    """Positions of the set bits, ascending."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


class CallGraph:
    """The annotated calls of a task: names and direct predecessors, without a circle.

    names: the tool (or pseudo-action) of each call; before: mask of each call's direct predecessors; layers: masks of
    the calls that may be made in the first, second, ... step of the shortest run.
    """

    def __init__(self, names: Sequence[str], after: Sequence[Iterable[int]], identical: Iterable[object] | None = None):
        """`identical`: a key per call, read when first needed; the calls' names where there is none."""
        self.names = tuple(names)
        self._identical = self.names if identical is None else identical
        self.complete = (1 << len(self.names)) - 1
        self.by_name: dict[str, int] = {}
        before: list[int] = []
        for index, (name, others) in enumerate(zip(self.names, after, strict=True)):
            self.by_name[name] = self.by_name.get(name, 0) | 1 << index
            mask = 0
            for other in others:
                mask |= 1 << other
            before.append(mask)
        self.before = tuple(before)
        self.layers = self._layers()

    def _layers(self) -> tuple[int, ...]:
        done, layers = 0, []
        while layer := self.ready(done):
            layers.append(layer)
            done |= layer
        return tuple(layers)

    @property
    def depth(self) -> int:
        """Calls on the longest chain, which is the least number of steps (paper, section 3.3: optimal path)."""
        return len(self.layers)

    @cached_property
    def twins(self) -> tuple[int, ...]:
        """For each call the mask of the calls that it could be exchanged with unnoticed (itself included).

        These have the same key, predecessors and successors.
        """
        keys = list(self._identical)
        needed_by = [sum(1 << i for i, others in enumerate(self.before) if others >> j & 1) for j in range(len(keys))]
        groups: dict[tuple[object, int, int], int] = {}
        profiles = list(zip(keys, self.before, needed_by, strict=True))
        for index, profile in enumerate(profiles):
            groups[profile] = groups.get(profile, 0) | 1 << index
        return tuple(groups[profile] for profile in profiles)

    def ready(self, done: int) -> int:
        """Mask of the calls not done whose predecessors all are."""
        missing, ready, bit = ~done, 0, 1
        for others in self.before:
            if missing & bit and not others & missing:
                ready |= bit
            bit <<= 1
        return ready


class State(Struct, frozen=True):
    """Where a run can stand: the calls done, and (released rules only) calls that must follow one by one."""

    done: int
    chain: tuple[int, ...] = ()


class Option(Struct, frozen=True):
    """One admissible reading of a step: the annotated call of each call made, in their order, and the state after."""

    assigned: tuple[int, ...]
    state: State


class Rules(Protocol):
    """Which next steps are admissible from a state, given what was called."""

    first_only: bool
    """Whether a step commits to the first admissible reading."""

    def options(self, graph: CallGraph, state: State, calls: Calls) -> Iterable[Option]: ...


class LegalOrders:
    """Algorithm 1 of the paper: any non-empty set of ready calls is a legal step."""

    first_only = False

    def options(self, graph: CallGraph, state: State, calls: Calls) -> Iterable[Option]:
        """Every distinct set of calls done after the step, with one assignment that leads there.

        Calls are placed one after the other on the partial results so far; equal results merge, so that distinct
        names cost nothing and interchangeable calls are tried once.
        """
        ready = graph.ready(state.done)
        placed: dict[int, tuple[int, ...]] = {state.done: ()}
        for candidates in calls:
            further: dict[int, tuple[int, ...]] = {}
            for done, assigned in placed.items():
                free = candidates & ready & ~done
                while free:
                    low = free & -free
                    call = low.bit_length() - 1
                    further.setdefault(done | low, (*assigned, call))
                    free ^= low
                    if free:
                        free &= ~graph.twins[call]
                if len(further) >= STATE_LIMIT:
                    break
            placed = further
        return [Option(assigned, State(done)) for done, assigned in placed.items()] if calls else []


class Trail(Struct, frozen=True):
    """A state with the way that led to it: per step the annotated call of each call made."""

    state: State
    steps: tuple[tuple[int, ...], ...]


class Matcher:
    """Follows a run step by step; `trails` are the readings of the steps so far that are still possible."""

    __slots__ = ("graph", "rules", "trails")

    def __init__(self, graph: CallGraph, rules: Rules) -> None:
        self.graph, self.rules = graph, rules
        self.trails: list[Trail] = [Trail(State(0), ())]

    def advance(self, calls: Calls) -> bool:
        """Take one step; False, and nothing changes, if no possible reading admits it."""
        found: dict[State, Trail] = {}
        limit = 1 if self.rules.first_only else STATE_LIMIT
        for trail in self.trails:
            for option in self.rules.options(self.graph, trail.state, calls):
                if option.state not in found:
                    found[option.state] = Trail(option.state, (*trail.steps, option.assigned))
                if len(found) >= limit:
                    break
            if len(found) >= limit:
                break
        if not found:
            return False
        self.trails = list(found.values())
        return True

    def ready(self) -> int:
        """Mask of the calls that at least one reading admits now."""
        mask = 0
        for trail in self.trails:
            mask |= 1 << trail.state.chain[0] if trail.state.chain else self.graph.ready(trail.state.done)
        return mask

    @property
    def complete(self) -> bool:
        return self.graph.complete in [trail.state.done for trail in self.trails]
