"""The main path of a run: take a conversation, drive it, append what was said; thousands at once, killed at any moment.

    units -> converse (episode <-> model) -> trajectories.jsonl

Nothing is scored here, and nothing is kept in memory of a conversation that is over.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from toolgauge.benchmarks.graph import Unit
from toolgauge.chat import Reply, Request
from toolgauge.episode import Episode, Trajectory
from toolgauge.errors import ProviderError, StoreError
from toolgauge.models.model import Model
from toolgauge.runs.budget import Budget, BudgetSpent
from toolgauge.runs.store import Failure, RunStore

GIVE_UP_AFTER = 10
"""So many conversations that failed in a row, none succeeding, and the endpoint is taken to be down."""
GRACE_SECONDS = 5.0
"""After an interrupt, requests under way may still come back for so long."""


class Watcher:
    """Looks on while a run goes; this one keeps what it sees to itself."""

    def begin(self, already_done: int) -> None:
        """The run directory is open and holds so many of the conversations."""

    def ended(self, unit: Unit, trajectory: Trajectory | None) -> None:
        """A conversation ended; None: it could not be had."""


class Outcome(Struct):
    """How a run ended. stopped: why it ended early, in words; interrupted: by the user."""

    done: int = 0
    failed: int = 0
    stopped: str | None = None
    interrupted: bool = False
    seconds: float = 0.0


class Runner:
    """Drives the units of one run with one model."""

    def __init__(
        self, episode: Callable[[Unit], Episode], model: Model, store: RunStore, budget: Budget, watch: Watcher
    ) -> None:
        self.episode, self.model, self.store, self.budget, self.watch = episode, model, store, budget, watch
        self.outcome = Outcome()
        self._failures_in_a_row = 0
        self._stopping = asyncio.Event()

    def all_done(self, units: Sequence[Unit]) -> bool:
        return all(unit.key in self.store.finished for unit in units)

    async def run(self, units: Sequence[Unit], concurrency: int) -> Outcome:
        """Have every conversation that is not finished yet; returns early when stopped."""
        started = time.monotonic()
        waiting = iter([unit for unit in units if unit.key not in self.store.finished])
        workers = [asyncio.ensure_future(self._work(waiting)) for _ in range(min(concurrency, len(units)))]
        try:
            await self._until_done(workers)
        finally:
            await _cancelled(workers)
            for unit in waiting:
                self._fail(unit, "harness", f"not asked: {self.outcome.stopped}")
            self.outcome.seconds = time.monotonic() - started
        return self.outcome

    async def _until_done(self, workers: Sequence[asyncio.Future[None]]) -> None:
        """Wait for the workers; once the run is stopping, only for the grace period."""
        stop = asyncio.ensure_future(self._stopping.wait())
        everything = asyncio.gather(*workers)
        try:
            await asyncio.wait({everything, stop}, return_when=asyncio.FIRST_COMPLETED)  # type: ignore[type-var]
            if not everything.done():
                await asyncio.wait({everything}, timeout=GRACE_SECONDS)
            if everything.done():
                everything.result()
        finally:
            stop.cancel()
            everything.cancel()

    def interrupt(self) -> None:
        """Begin no further conversation and no further step; called from the signal handler."""
        self.outcome.interrupted = True
        self.stop("interrupted")

    def stop(self, why: str) -> None:
        if self.outcome.stopped is None:
            self.outcome.stopped = why
        self._stopping.set()

    async def _work(self, waiting: Iterator[Unit]) -> None:
        for unit in waiting:
            try:
                trajectory = await self._converse(unit)
            except _Stopped:
                self._fail(unit, "harness", f"stopped: {self.outcome.stopped}")
            except asyncio.CancelledError:
                self._fail(unit, "harness", f"stopped under way: {self.outcome.stopped}")
                raise
            except BudgetSpent as error:
                self._fail(unit, "harness", str(error))
                self.stop(f"the budget is spent ({error})")
            except ProviderError as error:
                self._fail(unit, "provider", str(error))
                self._count_failure(error)
            else:
                self.store.add_trajectory(trajectory)
                self._failures_in_a_row = 0
                self.outcome.done += 1
                self.watch.ended(unit, trajectory)
            if self._stopping.is_set():
                return

    async def _converse(self, unit: Unit) -> Trajectory:
        """One conversation: replies given before a restart are taken from the journal, the others asked for."""
        episode, known = self.episode(unit), self.store.begun.get(unit.key, [])
        request, asked = next(episode), 0
        while True:
            fresh = asked >= len(known)
            reply = await self._ask(request) if fresh else known[asked]
            try:
                request = episode.send(reply)
            except StopIteration as end:
                self.store.begun.pop(unit.key, None)
                trajectory: Trajectory = end.value
                return trajectory
            if fresh:
                self.store.add_reply(unit.key, asked, reply)
            asked += 1

    async def _ask(self, request: Request) -> Reply:
        if self._stopping.is_set():
            raise _Stopped
        self.budget.check()
        reply = await self.model.ask(request)
        self.budget.add(reply.usage)
        return reply

    def _fail(self, unit: Unit, blame: str, reason: str) -> None:
        self.outcome.failed += 1
        try:
            self.store.add_failure(Failure(unit.key, unit.session_id, blame, reason))
        except StoreError as error:
            self.stop(str(error))  # a failure that cannot be noted is simply tried again
        self.watch.ended(unit, None)

    def _count_failure(self, error: ProviderError) -> None:
        self._failures_in_a_row += 1
        if self._failures_in_a_row >= GIVE_UP_AFTER:
            self.stop(f"{self._failures_in_a_row} conversations in a row could not be had, the last because: {error}")


class _Stopped(Exception):
    """The run is stopping: no further request."""


async def _cancelled(workers: Sequence[asyncio.Future[None]]) -> None:
    for worker in workers:
        worker.cancel()
    await asyncio.gather(*workers, return_exceptions=True)
