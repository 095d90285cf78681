"""How a run goes: take a conversation, drive it, append what was said; thousands at once, killed at any moment.

    units -> converse (episode <-> model) -> trajectories.jsonl

Nothing is scored here, and nothing is kept in memory of a conversation that is over.
"""

from __future__ import annotations

import asyncio
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Protocol

from msgspec import Struct

from toolgauge.benchmarks.benchmark import Sample
from toolgauge.chat import Reply, Request
from toolgauge.episode import Episode, Trajectory
from toolgauge.errors import ProviderError, StoreError
from toolgauge.models.limit import limit_of
from toolgauge.models.model import Model
from toolgauge.runs.budget import Budget, BudgetSpent
from toolgauge.runs.store import Failure, RoleMap, by_role

GIVE_UP_AFTER = 10
"""So many conversations that failed in a row, none succeeding, and the endpoint is taken to be down."""
GRACE_SECONDS = 5.0
"""After an interrupt, requests under way may still come back for so long."""
GLANCE_SECONDS = 0.05
"""Between two looks whether anything is still under way then."""


class ProgressListener:
    """Looks on while a run goes; this one keeps what it sees to itself."""

    def begin(self, already_done: int) -> None:
        """The run directory is open and holds so many of the conversations."""

    def ended(self, sample: Sample, trajectory: Trajectory | None) -> None:
        """A conversation ended; None: it could not be had."""

    def batch(self, batch: str, status: str, done: int, total: int) -> None:
        """A batch is under way, or over: so many of its requests are answered (engine `batch.py`)."""

    def waiting(self, model: str, until: float) -> None:
        """An endpoint asks everybody to wait until then (seconds since the epoch)."""

    def interrupted(self) -> None:
        """The user wants the run to end; what is under way has `GRACE_SECONDS` to come back."""


class RunOutcome(Struct):
    """How a run ended. failed: conversations that failed; stopped: why it ended early, in words.

    refused: how many of the failed ones their endpoint is to blame for; trouble: what it said last. interrupted: by the
    user.
    """

    done: int = 0
    failed: int = 0
    refused: int = 0
    trouble: str | None = None
    stopped: str | None = None
    interrupted: bool = False
    seconds: float = 0.0


class TrajectorySink(Protocol):
    """Where a runner notes what was said: the run directory, or who sends it there."""

    finished: set[str]
    begun: dict[str, list[Reply]]

    def add_reply(self, key: str, step: int, reply: Reply, role: str) -> None: ...
    def add_trajectory(self, trajectory: Trajectory) -> None: ...
    def add_failure(self, failure: Failure) -> None: ...
    def forget_failures(self) -> None: ...
    def check(self) -> None:
        """Raise StoreError where what is said can no longer be noted; called before every request."""


class ExecutorBase:
    """What a drive has whoever drives: how it goes, how it is stopped, what could not be had."""

    def __init__(self, store: TrajectorySink, budget: Budget, listener: ProgressListener) -> None:
        self.store, self.budget, self.listener = store, budget, listener
        self.outcome = RunOutcome()
        self.draining = asyncio.Event()
        """Set when what is under way has only the grace period left."""
        self.broken: Exception | None = None
        """Why nothing can be had any more; raised at the end."""

    def unfinished(self, samples: Sequence[Sample]) -> list[Sample]:
        return [sample for sample in samples if sample.key not in self.store.finished]

    def interrupt(self) -> None:
        """Begin no further conversation and no further step; called from the signal handler."""
        self.outcome.interrupted = True
        self.stop("interrupted")
        self.listener.interrupted()

    def stop(self, why: str, draining: bool = True) -> None:
        """Ask nothing more. hurry: what is under way has only the grace period left to come back."""
        if self.outcome.stopped is None:
            self.outcome.stopped = why
        if draining:
            self.draining.set()
            self.hold()

    def hold(self) -> None:
        """Let no request that waits be sent any more."""

    def idle(self) -> bool:
        """Whether nothing is worth the grace period: nothing that comes back could be kept, or nothing is under way."""
        return self.broken is not None

    def lose(self, error: Exception) -> None:
        """Nothing can be written down any more: stop at once, for what is asked now is paid for and lost."""
        self.broken = self.broken or error
        self.stop(str(error))

    def finish(self, sample: Sample, trajectory: Trajectory) -> None:
        """A conversation was had and is written down."""
        self.outcome.done += 1
        self.listener.ended(sample, trajectory)

    def fail(self, sample: Sample, blame: str, reason: str) -> None:
        """A conversation could not be had: note it and who is to blame."""
        self.outcome.failed += 1
        if blame == "provider":
            self.outcome.refused += 1
            self.outcome.trouble = reason
        try:
            self.store.add_failure(Failure(sample.key, sample.session_id, blame, reason))
        except StoreError as error:
            self.lose(error)
        self.listener.ended(sample, None)

    def result(self) -> RunOutcome:
        """How it ended; raises what broke it."""
        if self.broken is not None:
            raise self.broken
        if self.outcome.failed == 0:  # the interrupt came when everything was said
            self.outcome.stopped = None
        return self.outcome


class LocalExecutor(ExecutorBase):
    """Drives the units of one run."""

    def __init__(
        self,
        episode: Callable[[Sample], Episode],
        cast: Mapping[str, Model],
        store: TrajectorySink,
        budget: Budget,
        listener: ProgressListener,
        role_map: RoleMap = by_role,
    ) -> None:
        """cast: who answers requests; casting: who of them in a role of a conversation."""
        super().__init__(store, budget, listener)
        self.episode, self.cast, self.role_map = episode, cast, role_map
        for model in cast.values():
            if limit := limit_of(model):
                limit.told = partial(listener.waiting, model.name)
        self._failures_in_a_row = 0

    async def run(self, samples: Sequence[Sample], concurrency: int) -> RunOutcome:
        """Have every conversation that is not finished yet; returns early when stopped.

        Raises StoreError where what is said can no longer be written down.
        """
        started = time.monotonic()
        todo = self.unfinished(samples)
        waiting = iter(todo)
        self.store.forget_failures()
        workers = [asyncio.ensure_future(self._work(waiting)) for _ in todo[:concurrency]]
        try:
            await until_done(workers, self.draining, self.idle)
        finally:
            for sample in waiting:
                self.fail(sample, "harness", f"not asked: {self.outcome.stopped}")
            self.outcome.seconds = time.monotonic() - started
        return self.result()

    async def _work(self, waiting: Iterator[Sample]) -> None:
        for sample in waiting:
            await self.run_sample(sample)
            if self.outcome.stopped is not None:
                return

    async def run_sample(self, sample: Sample) -> None:
        """One conversation and where it leads: a trajectory, or a failure and who is to blame for it."""
        try:
            trajectory = await self._converse(sample)
            self.store.add_trajectory(trajectory)
        except asyncio.CancelledError:
            self.stop("interrupted")
            self.fail(sample, "harness", f"broken off: {self.outcome.stopped}")
            raise
        except _Stopped:
            self.fail(sample, "harness", f"not finished: {self.outcome.stopped}")
        except BudgetSpent as error:
            self.stop(f"the budget is spent ({error})", draining=False)  # what is under way is paid for: wait for it
            self.fail(sample, "harness", str(error))
        except StoreError as error:
            self.lose(error)
            self.fail(sample, "harness", str(error))
        except ProviderError as error:
            self.fail(sample, "provider", str(error))
            self._count_failure(str(error))
        except Exception as error:  # a defect, ours or a plugin's, in one conversation: the others go on
            reason = _described(error)
            self.fail(sample, "harness", reason)
            self._count_failure(reason)
        else:
            self._failures_in_a_row = 0
            self.finish(sample, trajectory)

    async def _converse(self, sample: Sample) -> Trajectory:
        """Drive one episode: replies given before a restart are taken from the journal, the others asked for."""
        episode, known = self.episode(sample), self.store.begun.get(sample.key, [])
        request, asked = next(episode), 0
        while True:
            fresh, role = asked >= len(known), request.role
            reply = await self._ask(sample, request) if fresh else known[asked]
            try:
                request = episode.send(reply)
            except StopIteration as end:
                self.store.begun.pop(sample.key, None)
                trajectory: Trajectory = end.value
                return trajectory
            if fresh:
                self.store.add_reply(sample.key, asked, reply, role)
            asked += 1

    async def _ask(self, sample: Sample, request: Request) -> Reply:
        if self.outcome.stopped is not None:
            raise _Stopped
        self.store.check()
        self.budget.check()
        member = self.role_map(sample.key, request.role)
        reply = await self.cast[member].ask(request)
        self.budget.add(member, reply.usage)
        return reply

    def hold(self) -> None:
        for model in self.cast.values():
            if limit := limit_of(model):
                limit.close()

    def idle(self) -> bool:
        limits = [limit_of(model) for model in self.cast.values()]
        return super().idle() or all(limit is not None and limit.in_flight == 0 for limit in limits)

    def _count_failure(self, reason: str) -> None:
        self._failures_in_a_row += 1
        if self._failures_in_a_row >= GIVE_UP_AFTER:
            self.stop(f"{self._failures_in_a_row} conversations in a row could not be had, the last because: {reason}")


async def until_done(
    workers: Sequence[asyncio.Future[None]], draining: asyncio.Event, idle: Callable[[], bool] = lambda: False
) -> None:
    """Wait for the workers; from the moment that there is a hurry, only for the grace period.

    idle: whether nothing comes back that is worth waiting for; then it ends sooner.
    """
    everything = asyncio.gather(*workers, return_exceptions=True)
    grace = asyncio.ensure_future(_grace(draining, idle))
    either: list[asyncio.Future[Any]] = [everything, grace]
    try:
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
    finally:
        grace.cancel()
        for worker in workers:
            worker.cancel()
        await everything
    for worker in workers:
        if not worker.cancelled():
            worker.result()  # raises what no worker should raise


async def _grace(draining: asyncio.Event, idle: Callable[[], bool]) -> None:
    await draining.wait()
    end = time.monotonic() + GRACE_SECONDS
    while time.monotonic() < end and not idle():  # noqa: ASYNC110 - what ends is counted in several places
        await asyncio.sleep(GLANCE_SECONDS)


class _Stopped(Exception):
    """The run is stopping: no further request."""


def _described(error: Exception) -> str:
    """An unexpected error in one line, with the place where it arose."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    words = " ".join(str(error)[:300].split())
    return f"unexpected {type(error).__name__}: {words} ({place.filename}:{place.lineno})"
