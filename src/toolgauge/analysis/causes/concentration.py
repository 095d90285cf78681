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
from typing import NamedTuple

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from toolgauge.analysis.causes.examples import ANY, About, Place

FEWEST_TASKS, FEWEST_SESSIONS = 5, 3

Mask = NDArray[np.bool_]


class Candidate(NamedTuple):
    """A place, and which tasks stand in it."""

    place: Place
    inside: Mask


class Places:
    """Where the tasks of a table stand. of: the places of each; members: the tasks (their numbers) in each place;
    clusters: the number of each task's session; candidates: the places that are wide enough at all, in their order."""

    def __init__(self, about: Sequence[About], clusters: NDArray[np.int64]) -> None:
        self.of = [places for places, _circumstances in about]
        self.clusters = clusters
        self._circumstances = [circumstances for _places, circumstances in about]
        self.members: dict[Place, list[int]] = {}
        for number, own in enumerate(self.of):
            for place in own:
                self.members.setdefault(place, []).append(number)
        self.candidates = [
            Candidate(place, self._mask(numbers))
            for place, numbers in sorted(self.members.items())
            if len(numbers) >= FEWEST_TASKS and len(np.unique(clusters[numbers])) >= FEWEST_SESSIONS
        ]
        self._at_risk: dict[str, Mask] = {}
        self._wide: dict[bytes, list[Candidate]] = {}

    def at_risk(self, circumstance: str) -> Mask:
        """The tasks that have a circumstance."""
        if circumstance not in self._at_risk:
            self._at_risk[circumstance] = np.array([circumstance in one for one in self._circumstances], dtype=bool)
        return self._at_risk[circumstance]

    def wide(self, among: Mask) -> list[Candidate]:
        """The places that are wide enough among some of the tasks, and leave enough of them outside."""
        key = among.tobytes()
        if key not in self._wide:
            self._wide[key] = [one for one in self.candidates if self.is_wide(one.inside, among)]
        return self._wide[key]

    def is_wide(self, inside: Mask, among: Mask) -> bool:
        return all(
            np.count_nonzero(side) >= FEWEST_TASKS
            and np.count_nonzero(np.bincount(self.clusters[side])) >= FEWEST_SESSIONS
            for side in (inside & among, ~inside & among)
        )

    def _mask(self, numbers: Sequence[int]) -> Mask:
        mask = np.zeros(len(self.of), dtype=bool)
        mask[numbers] = True
        return mask


ALPHA = 0.05
RATIO = 1.5
FEWEST_HITS = 3
MOST_PLACES = 3
"""Named of one loss."""


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
        self._failed, self._scored, self._places = failed, scored, places
        self._wrong: dict[str, Mask] = {}  # in which tasks a parameter was wrong
        for number, parameters in wrong.items():
            for parameter in parameters:
                self._wrong.setdefault(parameter, np.zeros(len(scored), dtype=bool))[number] = True
        risks = {mistake: self._at_risk(mistake, needs.get(mistake, ANY)) for mistake in failed}
        self.at_risk = {mistake: int(risk.sum()) for mistake, risk in risks.items()}
        tested = {
            mistake: places.wide(risk) if len(failed[mistake]) >= FEWEST_HITS else [] for mistake, risk in risks.items()
        }
        tests = sum(map(len, tested.values()))
        self.found = {mistake: self._where(mistake, risks[mistake], tested[mistake], tests) for mistake in risks}

    def _at_risk(self, mistake: str, needed: str) -> Mask:
        """The tasks in which a mistake is possible; all, where it happened in others."""
        risk = self._places.at_risk(needed)
        return risk & self._scored if risk[self._failed[mistake]].all() else self._scored

    def _where(self, mistake: str, risk: Mask, candidates: Sequence[Candidate], tests: int) -> list[Concentration]:
        failed, hits = self._failed[mistake], np.zeros(len(self._scored), dtype=bool)
        hits[failed] = True
        left, found = risk.copy(), []
        for _ in range(MOST_PLACES):
            counts = Counter(place for one in failed if left[one] for place in self._places.of[one])
            judged = [self._judge(one, hits, left, tests) for one in candidates if counts[one.place] >= FEWEST_HITS]
            clear = [one for one in judged if one is not None]
            if not clear:
                break
            best = min(clear, key=lambda one: (one.p, -one.tasks, one.dimension, one.name))
            found.append(best)
            left &= ~next(one.inside for one in candidates if one.place == (best.dimension, best.name))
        return found

    def _judge(self, one: Candidate, hits: Mask, left: Mask, tests: int) -> Concentration | None:
        there = one.inside & left
        own = hits & there
        if one.place[0] == "parameter":
            own &= self._wrong.get(one.place[1], False)
        if (tasks := int(np.count_nonzero(own))) < FEWEST_HITS:
            return None
        rest = ~one.inside & left
        of, others, rest_of = (int(np.count_nonzero(mask)) for mask in (there, hits & rest, rest))
        if tasks * rest_of < RATIO * others * of or not self._places.is_wide(one.inside, left):
            return None
        inside, outside = self._effective(own, there), self._effective(hits, rest)
        p = min(1.0, tests * fisher(*inside, *outside))
        if p > ALPHA:
            return None
        return Concentration(*one.place, tasks, of, tasks / of, others, rest_of, others / rest_of, p)

    def _effective(self, hits: Mask, among: Mask) -> tuple[float, float]:
        clusters = self._places.clusters
        size = int(clusters.max()) + 1
        trials = np.bincount(clusters[among], minlength=size)
        right = np.bincount(clusters[hits & among], minlength=size)
        return effective(right[trials > 0], trials[trials > 0])


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
