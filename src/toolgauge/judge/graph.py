"""What may be called next: the graph of annotated calls and a matcher that follows a run without enumerating paths.

The public evaluators list every legal order of execution, which explodes with independent calls. The list is not
needed: what may come next depends only on which calls are done. The `Matcher` keeps the sets of done calls that the
steps so far allow - as bit masks, one bit per annotated call - and the fewest steps are the depth of the graph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
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
    the calls that may be made in the first, second, ... step of the shortest run. optional: mask of the calls that may
    be left out.
    """

    def __init__(
        self,
        names: Sequence[str],
        after: Sequence[Iterable[int]],
        identical: Callable[[], Sequence[object]] | None = None,
        optional: int = 0,
    ):
        """`identical`: makes a key per call, when they are first needed; the calls' names if it is None."""
        self.names, self.optional = tuple(names), optional
        self._identical = identical
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

    def is_complete(self, done: int) -> bool:
        """Whether nothing that is needed is missing."""
        return not self.complete & ~self.optional & ~done

    @cached_property
    def ancestors(self) -> tuple[int, ...]:
        """For each call the mask of all calls that must come before it, direct or not."""
        found = list(self.before)
        for index in (index for layer in self.layers for index in bits(layer)):
            for other in bits(self.before[index]):
                found[index] |= found[other]
        return tuple(found)

    def depth_of(self, done: int) -> int:
        """The least number of steps that some of the calls take where the others are left out."""
        if done == self.complete:
            return self.depth
        depth: dict[int, int] = {}
        for index in (index for layer in self.layers for index in bits(layer & done)):
            depth[index] = 1 + max((depth[other] for other in bits(self.ancestors[index] & done)), default=0)
        return max(depth.values(), default=0)

    @cached_property
    def twins(self) -> tuple[int, ...]:
        """For each call the mask of the calls that it could be exchanged with unnoticed (itself included).

        These have the same key, predecessors and successors.
        """
        keys = self._identical() if self._identical else self.names
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


class Trail(Struct, frozen=True):
    """A state with the way that led to it: per step the annotated call of each call made."""

    state: State
    steps: tuple[tuple[int, ...], ...]


class OrderRules(Protocol):
    """Which next steps are admissible, given what was called."""

    def advance(self, graph: CallGraph, trails: Sequence[Trail], calls: Calls) -> list[Trail]:
        """The assignments of the step from any of the trails, each state once; none if it is not admissible."""
        ...


class LegalOrders:
    """Algorithm 1 of the paper: any non-empty set of ready calls is a legal step."""

    def advance(self, graph: CallGraph, trails: Sequence[Trail], calls: Calls) -> list[Trail]:
        """Every distinct set of calls done after the step, with one way that leads there.

        Calls are placed one after the other on the partial results of all trails; results that agree in what is done
        and what the rest of the step may still take merge, so that distinct names cost nothing and interchangeable
        calls are tried once.
        """
        if not calls:
            return []
        if len(trails) == len(calls) == 1:  # most steps; one call has as many assignments as there are calls it may be
            return self._with_one(graph, trails[0], calls[0])
        placed: dict[tuple[int, int], tuple[Trail, tuple[int, ...]]] = {
            (trail.state.done, graph.ready(trail.state.done)): (trail, ()) for trail in trails
        }
        for candidates in calls:
            further: dict[tuple[int, int], tuple[Trail, tuple[int, ...]]] = {}
            for (done, ready), (trail, assigned) in placed.items():
                free = candidates & ready
                while free:
                    low = free & -free
                    call = low.bit_length() - 1
                    further.setdefault((done | low, ready ^ low), (trail, (*assigned, call)))
                    free ^= low
                    if free:
                        free &= ~graph.twins[call]
                if len(further) >= STATE_LIMIT:
                    break
            placed = further
        found: dict[int, Trail] = {}
        for (done, _), (trail, assigned) in placed.items():
            if done not in found:
                found[done] = Trail(State(done), (*trail.steps, assigned))
        return list(found.values())

    def _with_one(self, graph: CallGraph, trail: Trail, candidates: int) -> list[Trail]:
        found = []
        free = candidates & graph.ready(trail.state.done)
        while free:
            low = free & -free
            call = low.bit_length() - 1
            found.append(Trail(State(trail.state.done | low), (*trail.steps, (call,))))
            free ^= low
            if free:
                free &= ~graph.twins[call]
        return found


class Matcher:
    """Follows a run step by step; `trails` are the assignments of the steps so far that are still possible."""

    __slots__ = ("graph", "rules", "trails")

    def __init__(self, graph: CallGraph, rules: OrderRules) -> None:
        self.graph, self.rules = graph, rules
        self.trails: list[Trail] = [Trail(State(0), ())]

    def advance(self, calls: Calls) -> bool:
        """Take one step; False, and nothing changes, if no possible assignment admits it."""
        found = self.rules.advance(self.graph, self.trails, calls)
        if found:
            self.trails = found
        return bool(found)

    def ready(self) -> int:
        """Mask of the calls that at least one assignment admits now."""
        mask = 0
        for trail in self.trails:
            mask |= 1 << trail.state.chain[0] if trail.state.chain else self.graph.ready(trail.state.done)
        return mask

    @property
    def complete(self) -> bool:
        return any(self.graph.is_complete(trail.state.done) for trail in self.trails)
