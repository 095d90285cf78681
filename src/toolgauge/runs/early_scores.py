"""Scores of finished trajectories, made while a run waits for its endpoint: so that little is left to do at its end.

Whatever was not scored by then is scored afterwards, by the same function and from the same bytes.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from hashlib import sha256

from toolgauge.benchmarks.benchmark import Benchmark, Data
from toolgauge.episode import Trajectory
from toolgauge.judge.verdict import Score
from toolgauge.runs.lines import decode, encode

Judge = Callable[[Data, Trajectory], Iterator[Score]]
"""The scores of the tasks of a trajectory: what `Benchmark.scores` is."""

PAUSE = 0.002
"""Seconds between two trajectories: replies that came meanwhile are read first."""
LOAD_AFTER = 0.3
"""Seconds after the start: two threads that load and send take longer than one after the other."""
MOST_BYTES = 1_000_000
"""Of lines that wait to be scored, as after a burst of replies; what comes then is scored after the run."""


class EarlyScores:
    """Is told of every line of trajectories.jsonl that a run writes; scores it when the event loop has nothing to do.

    What is kept are the scores, which scoring makes at the end anyway.
    """

    def __init__(self, benchmark: Benchmark, dataset: Data) -> None:
        self._benchmark, self._dataset = benchmark, dataset
        self._waiting: deque[bytes] = deque()
        self._made: dict[bytes, tuple[Score, ...]] = {}
        self._bytes = 0
        self._working = self._warm = False

    def written(self, line: bytes) -> None:
        """A trajectory was written."""
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:  # nothing here waits for anything
            return
        if self._bytes + len(line) <= MOST_BYTES:
            self._bytes += len(line)
            self._waiting.append(line)
        if self._waiting and not self._working:
            self._working = True
            loop.call_later(PAUSE, self._work, loop)

    def begun(self) -> None:
        """The first requests are about to be sent: load what makes tables, beside the event loop, when they are."""
        if not self._warm:
            self._warm = True
            loop = asyncio.get_running_loop()
            loop.call_later(LOAD_AFTER, loop.run_in_executor, None, self._load)

    def _load(self) -> None:
        from toolgauge.analysis.reports import report_of

        with suppress(Exception):  # a defect of a benchmark shows when the run is scored
            report_of(self._benchmark).metrics(self._benchmark.name, self._dataset, (), (), ())

    def _work(self, loop: asyncio.AbstractEventLoop) -> None:
        """Score one trajectory, and come back for the next."""
        line = self._waiting.popleft()
        self._bytes -= len(line)
        with suppress(Exception):  # shows when the run is scored
            trajectory = decode(line, Trajectory)
            self._made[_digest(trajectory)] = tuple(self._benchmark.scores(self._dataset, trajectory))
        self._working = bool(self._waiting)
        if self._working:
            loop.call_later(PAUSE, self._work, loop)

    def scores(self, dataset: Data, trajectory: Trajectory) -> Iterator[Score]:
        """As `Benchmark.scores`; at most once what was made before."""
        made = self._made.pop(_digest(trajectory), None) if dataset is self._dataset else None
        return self._benchmark.scores(dataset, trajectory) if made is None else iter(made)


def _digest(trajectory: Trajectory) -> bytes:
    """Of all that a trajectory says."""
    return sha256(encode(trajectory)).digest()
