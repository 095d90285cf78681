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

from toolgauge.benchmarks.benchmark import Unit
from toolgauge.chat import Reply, Request
from toolgauge.episode import Episode, Trajectory
from toolgauge.errors import ProviderError, StoreError
from toolgauge.models.limit import limit_of
from toolgauge.models.model import Model
from toolgauge.runs.budget import Budget, BudgetSpent
from toolgauge.runs.store import Casting, Failure, by_role

GIVE_UP_AFTER = 10
"""So many conversations that failed in a row, none succeeding, and the endpoint is taken to be down."""
GRACE_SECONDS = 5.0
"""After an interrupt, requests under way may still come back for so long."""
GLANCE_SECONDS = 0.05
"""Between two looks whether anything is still under way then."""


class Watcher:
    """Looks on while a run goes; this one keeps what it sees to itself."""

    def begin(self, already_done: int) -> None:
        """The run directory is open and holds so many of the conversations."""

    def ended(self, unit: Unit, trajectory: Trajectory | None) -> None:
        """A conversation ended; None: it could not be had."""

    def batch(self, batch: str, status: str, done: int, total: int) -> None:
        """A batch is under way, or over: so many of its requests are answered (engine `batch.py`)."""

    def waiting(self, model: str, until: float) -> None:
        """An endpoint asks everybody to wait until then (seconds since the epoch)."""

    def interrupted(self) -> None:
        """The user wants the run to end; what is under way has `GRACE_SECONDS` to come back."""


class Outcome(Struct):
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


class Ledger(Protocol):
    """Where a runner notes what was said: the run directory, or who sends it there."""

    finished: set[str]
    begun: dict[str, list[Reply]]

    def add_reply(self, key: str, step: int, reply: Reply, role: str) -> None: ...
    def add_trajectory(self, trajectory: Trajectory) -> None: ...
    def add_failure(self, failure: Failure) -> None: ...
    def forget_failures(self) -> None: ...
    def check(self) -> None:
        """Raise StoreError where what is said can no longer be noted; called before every request."""


class Conductor:
    """What a drive has whoever drives: how it goes, how it is stopped, what could not be had."""

    def __init__(self, store: Ledger, budget: Budget, watch: Watcher) -> None:
        self.store, self.budget, self.watch = store, budget, watch
        self.outcome = Outcome()
        self.hurry = asyncio.Event()
        """Set when what is under way has only the grace period left."""
        self.broken: Exception | None = None
        """Why nothing can be had any more; raised at the end."""

    def unfinished(self, units: Sequence[Unit]) -> list[Unit]:
        return [unit for unit in units if unit.key not in self.store.finished]

    def interrupt(self) -> None:
        """Begin no further conversation and no further step; called from the signal handler."""
        self.outcome.interrupted = True
        self.stop("interrupted")
        self.watch.interrupted()

    def stop(self, why: str, hurry: bool = True) -> None:
        """Ask nothing more. hurry: what is under way has only the grace period left to come back."""
        if self.outcome.stopped is None:
            self.outcome.stopped = why
        if hurry:
            self.hurry.set()
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

    def finish(self, unit: Unit, trajectory: Trajectory) -> None:
        """A conversation was had and is written down."""
        self.outcome.done += 1
        self.watch.ended(unit, trajectory)

    def fail(self, unit: Unit, blame: str, reason: str) -> None:
        """A conversation could not be had: note it and who is to blame."""
        self.outcome.failed += 1
        if blame == "provider":
            self.outcome.refused += 1
            self.outcome.trouble = reason
        try:
            self.store.add_failure(Failure(unit.key, unit.session_id, blame, reason))
        except StoreError as error:
            self.lose(error)
        self.watch.ended(unit, None)

    def result(self) -> Outcome:
        """How it ended; raises what broke it."""
        if self.broken is not None:
            raise self.broken
        if self.outcome.failed == 0:  # the interrupt came when everything was said
            self.outcome.stopped = None
        return self.outcome


class Runner(Conductor):
    """Drives the units of one run."""

    def __init__(
        self,
        episode: Callable[[Unit], Episode],
        cast: Mapping[str, Model],
        store: Ledger,
        budget: Budget,
        watch: Watcher,
        casting: Casting = by_role,
    ) -> None:
        """cast: who answers requests; casting: who of them in a role of a conversation."""
        super().__init__(store, budget, watch)
        self.episode, self.cast, self.casting = episode, cast, casting
        for model in cast.values():
            if limit := limit_of(model):
                limit.told = partial(watch.waiting, model.name)
        self._failures_in_a_row = 0

    async def run(self, units: Sequence[Unit], concurrency: int) -> Outcome:
        """Have every conversation that is not finished yet; returns early when stopped.

        Raises StoreError where what is said can no longer be written down.
        """
        started = time.monotonic()
        todo = self.unfinished(units)
        waiting = iter(todo)
        self.store.forget_failures()
        workers = [asyncio.ensure_future(self._work(waiting)) for _ in todo[:concurrency]]
        try:
            await until_done(workers, self.hurry, self.idle)
        finally:
            for unit in waiting:
                self.fail(unit, "harness", f"not asked: {self.outcome.stopped}")
            self.outcome.seconds = time.monotonic() - started
        return self.result()

    async def _work(self, waiting: Iterator[Unit]) -> None:
        for unit in waiting:
            await self.have(unit)
            if self.outcome.stopped is not None:
                return

    async def have(self, unit: Unit) -> None:
        """One conversation and where it leads: a trajectory, or a failure and who is to blame for it."""
        try:
            trajectory = await self._converse(unit)
            self.store.add_trajectory(trajectory)
        except asyncio.CancelledError:
            self.stop("interrupted")
            self.fail(unit, "harness", f"broken off: {self.outcome.stopped}")
            raise
        except _Stopped:
            self.fail(unit, "harness", f"not finished: {self.outcome.stopped}")
        except BudgetSpent as error:
            self.stop(f"the budget is spent ({error})", hurry=False)  # what is under way is paid for: wait for it
            self.fail(unit, "harness", str(error))
        except StoreError as error:
            self.lose(error)
            self.fail(unit, "harness", str(error))
        except ProviderError as error:
            self.fail(unit, "provider", str(error))
            self._count_failure(str(error))
        except Exception as error:  # a defect, ours or a plugin's, in one conversation: the others go on
            reason = _described(error)
            self.fail(unit, "harness", reason)
            self._count_failure(reason)
        else:
            self._failures_in_a_row = 0
            self.finish(unit, trajectory)

    async def _converse(self, unit: Unit) -> Trajectory:
        """Drive one episode: replies given before a restart are taken from the journal, the others asked for."""
        episode, known = self.episode(unit), self.store.begun.get(unit.key, [])
        request, asked = next(episode), 0
        while True:
            fresh, role = asked >= len(known), request.role
            reply = await self._ask(unit, request) if fresh else known[asked]
            try:
                request = episode.send(reply)
            except StopIteration as end:
                self.store.begun.pop(unit.key, None)
                trajectory: Trajectory = end.value
                return trajectory
            if fresh:
                self.store.add_reply(unit.key, asked, reply, role)
            asked += 1

    async def _ask(self, unit: Unit, request: Request) -> Reply:
        if self.outcome.stopped is not None:
            raise _Stopped
        self.store.check()
        self.budget.check()
        member = self.casting(unit.key, request.role)
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
    workers: Sequence[asyncio.Future[None]], hurry: asyncio.Event, idle: Callable[[], bool] = lambda: False
) -> None:
    """Wait for the workers; from the moment that there is a hurry, only for the grace period.

    idle: whether nothing comes back that is worth waiting for; then it ends sooner.
    """
    everything = asyncio.gather(*workers, return_exceptions=True)
    grace = asyncio.ensure_future(_grace(hurry, idle))
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


async def _grace(hurry: asyncio.Event, idle: Callable[[], bool]) -> None:
    await hurry.wait()
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
