"""What may be called next: the graph of annotated calls and a matcher that follows a run without enumerating paths.

The public evaluators list every legal order of execution, which explodes with independent calls. The list is not
needed: what may come next depends only on which calls are done. The `Matcher` keeps the sets of done calls that the
steps so far allow - as bit masks, one bit per annotated call - and the fewest steps are the depth of the graph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

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
        for index, name in enumerate(self.names):
            self.by_name[name] = self.by_name.get(name, 0) | 1 << index
        self.before = tuple(sum(1 << other for other in set(others)) for others in after)
        self.layers: list[int] = []
        done = 0
        while layer := self.ready(done):
            self.layers.append(layer)
            done |= layer

    @property
    def depth(self) -> int:
        """Calls on the longest chain, which is the least number of steps (paper, section 3.3: optimal path)."""
        return len(self.layers)

    def ready(self, done: int) -> int:
        """Mask of the calls not done whose predecessors all are."""
        missing, ready, bit = ~done, 0, 1
        for others in self.before:
            if missing & bit and not others & missing:
                ready |= bit
            bit <<= 1
        return ready

    def is_complete(self, done: int) -> bool:
        """Whether nothing that is needed is missing."""
        return not self.complete & ~self.optional & ~done

    def depth_of(self, done: int) -> int:
        """The least number of steps that some of the calls, at least one, take where the others are left out."""
        depth: dict[int, int] = {}
        for index in (index for layer in self.layers for index in bits(layer & done)):
            depth[index] = 1 + max((depth[other] for other in bits(self.ancestors[index] & done)), default=0)
        return max(depth.values())

    @cached_property
    def ancestors(self) -> tuple[int, ...]:
        """For each call the mask of all calls that must come before it, direct or not."""
        masks = list(self.before)
        for index in (index for layer in self.layers for index in bits(layer)):
            for other in bits(self.before[index]):
                masks[index] |= masks[other]
        return tuple(masks)

    @cached_property
    def twins(self) -> tuple[int, ...]:
        """For each call the mask of the calls that it could be exchanged with unnoticed (itself included): these have
        the same key, predecessors and successors."""
        keys = self._identical() if self._identical else self.names
        profiles = [
            (keys[call], others, sum(1 << other for other, mask in enumerate(self.before) if mask >> call & 1))
            for call, others in enumerate(self.before)
        ]
        groups: dict[tuple[object, int, int], int] = {}
        for index, profile in enumerate(profiles):
            groups[profile] = groups.get(profile, 0) | 1 << index
        return tuple(groups[profile] for profile in profiles)


class Trail(NamedTuple):
    """A way that a run may have gone. done: mask of the annotated calls made; steps: per step the annotated call of
    each call made."""

    done: int = 0
    steps: tuple[tuple[int, ...], ...] = ()


class Matcher:
    """Follows a run by Algorithm 1 of the paper: any non-empty set of ready calls is a legal step.

    trails: the assignments of the steps so far that are still possible, one for every set of calls done.
    """

    def __init__(self, graph: CallGraph, trails: Sequence[Trail] = (Trail(),)) -> None:
        self.graph, self.trails = graph, list(trails)

    def ready(self) -> int:
        """Mask of the calls that at least one assignment admits now."""
        mask = 0
        for trail in self.trails:
            mask |= self.graph.ready(trail.done)
        return mask

    @property
    def complete(self) -> bool:
        return any(self.graph.is_complete(trail.done) for trail in self.trails)

    def advance(self, calls: Calls) -> bool:
        """Take one step; False, and nothing changes, if no possible assignment admits it."""
        trails = self._following(calls) if calls else []
        if trails:
            self.trails = trails
        return bool(trails)

    def _following(self, calls: Calls) -> list[Trail]:
        """Every distinct set of calls done after the step, with one way that leads there.

        Calls are placed one after the other on the partial results of all trails. Results that agree in what is done
        and what the rest of the step may still take merge, so that distinct names cost nothing; interchangeable calls
        are tried once.
        """
        placed: dict[tuple[int, int], tuple[Trail, tuple[int, ...]]] = {
            (trail.done, self.graph.ready(trail.done)): (trail, ()) for trail in self.trails
        }
        for candidates in calls:
            further: dict[tuple[int, int], tuple[Trail, tuple[int, ...]]] = {}
            for (done, ready), (trail, assigned) in placed.items():
                free = candidates & ready
                while free:
                    bit = free & -free
                    call = bit.bit_length() - 1
                    further.setdefault((done | bit, ready ^ bit), (trail, (*assigned, call)))
                    free &= ~bit & ~(self.graph.twins[call] if free != bit else 0)
                if len(further) >= STATE_LIMIT:
                    break
            placed = further
        trails: dict[int, Trail] = {}
        for (done, _), (trail, assigned) in placed.items():
            trails.setdefault(done, Trail(done, (*trail.steps, assigned)))
        return list(trails.values())
