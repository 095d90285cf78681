"""Where a loss concentrates: places in which it happens more often than chance explains.

A place (a kind of task, a position, a tool ...) is named if all of this holds:

- it has at least `FEWEST_TASKS` tasks in `FEWEST_SESSIONS` sessions, and so has the rest; the loss has `FEWEST_HITS` or
  more tasks there, and its rate there is at least `RATIO` times the rate elsewhere;
- Fisher's exact test, one-sided, speaks for it after both counts were reduced to the size that independent tasks would
  have (Rao and Scott, Biometrics 48, 1992): tasks of a session share a dialogue;
- that p-value, times the number of places tested for all losses of the run (Bonferroni), is at most `ALPHA`.

So of runs that fail at random at most one in twenty is said to concentrate anywhere. After the clearest place the
others are judged by the tasks outside of it: what is only its shadow is not named.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from toolgauge.analysis.causes.examples import ANY, About, Place

FEWEST_TASKS, FEWEST_SESSIONS = 5, 3
ALPHA = 0.05
RATIO = 1.5
FEWEST_HITS = 3
MOST_PLACES = 3
"""Named of one loss."""

Mask = NDArray[np.bool_]


class Concentration(Struct, frozen=True):
    """A place where a loss is more frequent: `tasks` of `of` there, `elsewhere_tasks` of `elsewhere_of` outside of it
    (and of the places named before). rate: tasks / of, from 0 to 1; p: adjusted for all tests of the run."""

    dimension: str
    name: str
    tasks: int
    of: int
    rate: float
    elsewhere_tasks: int
    elsewhere_of: int
    elsewhere_rate: float
    p: float


class Places:
    """Where the tasks of a table stand. of: the places of each; members: the tasks (their numbers) in each place;
    clusters: the number of each task's session; inside: which tasks stand in each place that is wide enough at all."""

    def __init__(self, about: Sequence[About], clusters: NDArray[np.int64]) -> None:
        self.of = [places for places, _circumstances in about]
        self.circumstances = [circumstances for _places, circumstances in about]
        self.clusters = clusters
        self.members: dict[Place, list[int]] = {}
        for number, places_of_task in enumerate(self.of):
            for place in places_of_task:
                self.members.setdefault(place, []).append(number)
        self.inside = {
            place: self.mask(numbers)
            for place, numbers in sorted(self.members.items())
            if len(numbers) >= FEWEST_TASKS and len(np.unique(clusters[numbers])) >= FEWEST_SESSIONS
        }

    def mask(self, numbers: Sequence[int]) -> Mask:
        mask = np.zeros(len(self.of), dtype=bool)
        mask[numbers] = True
        return mask

    def is_wide(self, place: Place, among: Mask) -> bool:
        """Are enough of these tasks in a place, and enough outside of it?"""
        sides = (self.inside[place] & among, ~self.inside[place] & among)
        return all(
            np.count_nonzero(side) >= FEWEST_TASKS
            and np.count_nonzero(np.bincount(self.clusters[side])) >= FEWEST_SESSIONS
            for side in sides
        )

    def effective(self, hits: Mask, among: Mask) -> tuple[float, float]:
        """Hits and trials of some tasks, reduced for their sessions."""
        size = int(self.clusters.max()) + 1
        trials, right = (np.bincount(self.clusters[mask], minlength=size) for mask in (among, hits & among))
        return effective(right[trials > 0], trials[trials > 0])


class Search:
    """All tests of a run in a scoring: `found[mistake]` lists where that loss concentrates, the clearest place first.

    failed: by mistake, the numbers of its tasks; scored: which tasks have a verdict; wrong: the parameters
    ("tool.parameter") that were wrong in a task, by its number. at_risk[mistake]: number of tasks in which the mistake
    was possible; needs: see `TaskDescriber`.
    """

    def __init__(
        self,
        failed: Mapping[str, Sequence[int]],
        scored: Mask,
        wrong: Mapping[int, Collection[str]],
        needs: Mapping[str, str],
        places: Places,
    ) -> None:
        self._places, self._wrong = places, wrong
        risks: dict[str, Mask] = {}
        tested: dict[str, list[Place]] = {}
        wide: dict[bytes, list[Place]] = {}  # mistakes have few different risks
        for mistake, numbers in failed.items():
            possible = np.array([needs.get(mistake, ANY) in own for own in places.circumstances], dtype=bool)
            risk = risks[mistake] = possible & scored if possible[numbers].all() else scored
            if len(numbers) >= FEWEST_HITS:
                if (key := risk.tobytes()) not in wide:
                    wide[key] = [place for place in places.inside if places.is_wide(place, risk)]
                tested[mistake] = wide[key]
        tests = sum(map(len, tested.values()))
        self.at_risk = {mistake: int(risk.sum()) for mistake, risk in risks.items()}
        self.found = {
            mistake: self._where(failed[mistake], risk, tested.get(mistake, ()), tests)
            for mistake, risk in risks.items()
        }

    def _where(
        self, failed: Sequence[int], risk: Mask, tested: Sequence[Place], tests: int
    ) -> tuple[Concentration, ...]:
        hits, left = self._places.mask(failed), risk.copy()
        concentrations: list[Concentration] = []
        while len(concentrations) < MOST_PLACES:
            counts = Counter(place for number in failed if left[number] for place in self._places.of[number])
            judged = (self._judge(place, hits, left, tests) for place in tested if counts[place] >= FEWEST_HITS)
            clear = [place for place in judged if place is not None]
            if not clear:
                break
            concentrations.append(min(clear, key=lambda place: (place.p, -place.tasks, place.dimension, place.name)))
            left &= ~self._places.inside[concentrations[-1].dimension, concentrations[-1].name]
        return tuple(concentrations)

    def _judge(self, place: Place, hits: Mask, left: Mask, tests: int) -> Concentration | None:
        """The place, if the loss is more frequent there among the tasks that are left; tests: of the run."""
        inside = self._places.inside[place]
        there, rest = inside & left, ~inside & left
        own = hits & there
        if place[0] == "parameter":
            own &= self._places.mask([number for number, parameters in self._wrong.items() if place[1] in parameters])
        if (tasks := int(np.count_nonzero(own))) < FEWEST_HITS:
            return None
        of, others, rest_of = (int(np.count_nonzero(mask)) for mask in (there, hits & rest, rest))
        if tasks * rest_of < RATIO * others * of or not self._places.is_wide(place, left):
            return None
        p = min(1.0, tests * fisher(*self._places.effective(own, there), *self._places.effective(hits, rest)))
        if p > ALPHA:
            return None
        return Concentration(*place, tasks, of, tasks / of, others, rest_of, others / rest_of, p)


def effective(hits: NDArray[np.int64], trials: NDArray[np.int64]) -> tuple[float, float]:
    """Hits and trials of a rate, reduced to what independent trials would be worth (Rao and Scott, 1992).

    hits, trials: per cluster, trials > 0. Where all or none are hits the variance tells nothing, and each cluster
    counts as one trial.
    """
    x, n, clusters = float(hits.sum()), float(trials.sum()), len(trials)
    rate = x / n
    if clusters < 2 or rate in (0.0, 1.0):
        design = n / clusters
    else:
        variance = clusters / (clusters - 1) * float(((hits - trials * rate) ** 2).sum()) / n**2
        design = max(1.0, variance * n / (rate * (1 - rate)))
    return x / design, n / design


def fisher(hits: float, trials: float, other_hits: float, other_trials: float) -> float:
    """One-sided p-value of Fisher's exact test: as many hits or more in the first group, both margins given.

    Fractions, as `effective` gives them, are rounded against the finding.
    """
    x, n, m = math.floor(hits + 1e-9), max(1, math.floor(trials + 1e-9)), max(1, math.floor(other_trials + 1e-9))
    y = min(m, math.ceil(other_hits - 1e-9))
    total = x + y
    most, least = min(n, total), max(0, total - m)
    every = _choose(n + m, total)
    logs = [_choose(n, k) + _choose(m, total - k) - every for k in range(max(x, least), most + 1)]
    return min(1.0, math.fsum(math.exp(value) for value in logs))


def _choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
