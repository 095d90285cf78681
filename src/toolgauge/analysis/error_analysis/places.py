"""The places of scored tasks, and which of them are wide enough to be tested: the same in every scoring that has
verdicts on the same tasks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolgauge.analysis.error_analysis.cases import Case, Place

FEWEST_TASKS, FEWEST_SESSIONS = 5, 3

Mask = NDArray[np.bool_]


class Candidate(NamedTuple):
    """A place, and which tasks stand in it."""

    place: Place
    inside: Mask


class Places:
    """members: the numbers of the tasks in each place; clusters: the number of each task's session (from 0);
    candidates: the places that are wide enough at all, in their order."""

    def __init__(self, cases: Sequence[Case]) -> None:
        self._tasks = [case.task_id for case in cases]
        self._circumstances = [case.circumstances for case in cases]
        sessions: dict[str, int] = {}
        clusters = [sessions.setdefault(case.session_id, len(sessions)) for case in cases]
        self.clusters = np.array(clusters, dtype=np.intp)
        self.members: dict[Place, list[int]] = {}
        for number, case in enumerate(cases):
            for place in case.places:
                self.members.setdefault(place, []).append(number)
        self.candidates = [
            Candidate(place, self._mask(numbers))
            for place, numbers in sorted(self.members.items())
            if len(numbers) >= FEWEST_TASKS and len({clusters[one] for one in numbers}) >= FEWEST_SESSIONS
        ]
        self._at_risk: dict[str, Mask] = {}
        self._wide: dict[bytes, list[Candidate]] = {}

    def are_of(self, cases: Sequence[Case]) -> bool:
        """Whether these are the same tasks."""
        return self._tasks == [case.task_id for case in cases]

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
        mask = np.zeros(len(self._tasks), dtype=bool)
        mask[numbers] = True
        return mask
