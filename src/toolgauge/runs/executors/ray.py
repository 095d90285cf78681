"""A run on a Ray cluster: workers run the samples, this process alone writes the run directory.

    samples -> work_queue.py -> ray_worker.py (a LocalExecutor each) -> updates -> RunStore

Replies and trajectories come back within a fraction of a second, so the run directory is at every moment what a run on
this machine would have left: killed, it is continued by the same command, on a cluster or without one. Nothing is kept
on the nodes, which need no common disk. A sample whose worker died goes on in another one.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from typing import Any

from toolgauge.benchmarks.benchmark import Sample
from toolgauge.chat import Usage
from toolgauge.episode import Trajectory
from toolgauge.errors import MissingExtra, StoreError, UsageError
from toolgauge.locale import _, joined, named_field, plain
from toolgauge.locale.foreign import cause, os_cause
from toolgauge.models.limit import NOTICED
from toolgauge.models.settings import travelling_settings
from toolgauge.reasons import Blame
from toolgauge.runs.budget import Budget
from toolgauge.runs.executors.executor import (
    GIVE_UP_AFTER,
    Executor,
    ExecutorFactory,
    ProgressListener,
    RunOutcome,
    RunSpec,
)
from toolgauge.runs.executors.local import until_done
from toolgauge.runs.executors.ray_worker import Worker, WorkerCommand, WorkerConfig, WorkerJob, WorkerUpdate, WorkItem
from toolgauge.runs.executors.work_queue import WorkQueue, even_shares
from toolgauge.runs.lines import decode
from toolgauge.runs.store import Failure, JournalLine, RunStore
from toolgauge.version import __version__

WORTH_A_WORKER = 8
"""Conversations at once that make a worker worth its process."""
EXCHANGE_SECONDS, SLOWEST_EXCHANGE_SECONDS = 0.1, 2.0
"""Seconds between two calls to a worker, with few of them and with many."""
MOST_CALLS = 50
"""Calls to all workers together in a second, as far as SLOWEST_EXCHANGE_SECONDS allows: each costs some 1.5 ms here."""
CONNECT_SECONDS = 10.0
PLACE_SECONDS = 120.0
"""A cluster that has no place for the first worker for so long is taken to be busy with other things."""
STORE_BYTES = 128 * 2**20
"""Memory that a cluster of one machine, started for one run, sets aside for what workers are given."""


def on_ray(address: str | None = None, workers: int | None = None) -> ExecutorFactory:
    """An `ExecutorFactory`: a Ray cluster.

    address: "HOST:PORT" of a cluster, "auto" for the one of this machine; None: what RAY_ADDRESS says, else a cluster
    of this machine alone that ends with the run. workers: at most so many (None: one per CPU, while there are at least
    `WORTH_A_WORKER` conversations at once for each). Raises UsageError where Ray is not installed.
    """
    if workers is not None and workers < 1:
        raise UsageError(_("{workers_field} is a whole number from 1 on"))
    _imported()

    @contextmanager
    def ray_executor(spec: RunSpec, store: RunStore, budget: Budget, listener: ProgressListener) -> Iterator[Executor]:
        executor = RayExecutor(spec, store, budget, listener, workers)
        listener.show()
        with _cluster(address) if executor.unfinished(spec.samples) else nullcontext():
            yield executor

    return ray_executor


@contextmanager
def _cluster(address: str | None) -> Iterator[None]:
    """Connected to a cluster; where this process is already, that is used and left as it is."""
    ray = _imported()
    if ray.is_initialized():
        yield
        return
    place = address or os.environ.get("RAY_ADDRESS") or "local"
    if place.startswith("ray://"):
        raise UsageError(
            _("{address_field} {at}: a Ray client cannot be used; start this on a machine of the cluster", at=place)
        )
    logging.getLogger("ray").setLevel(logging.ERROR)
    _require_listener(place)
    options: dict[str, Any] = {"configure_logging": False, "logging_level": "ERROR", "log_to_driver": False}
    if place == "local":
        options |= {"include_dashboard": False, "object_store_memory": STORE_BYTES}
    try:
        ray.init(address=place, **options)
    except Exception as error:  # an open set: whatever a cluster that is not as expected leads to
        reason = " ".join(str(error).split())[:300]
        raise UsageError(
            _("{address_field} {place}: no Ray cluster can be used there ({reason})", place=place, reason=reason)
        ) from error
    try:
        yield
    finally:
        ray.shutdown()


def _require_listener(place: str) -> None:
    """Raise UsageError where nobody listens at an address, for which Ray would wait very long."""
    host, colon, port = place.rpartition(":")
    if not colon:
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()
    except (OSError, ValueError, OverflowError) as error:
        reason = os_cause(error) if isinstance(error, OSError) else cause(error)
        raise UsageError(
            _("{address_field} {place}: no Ray cluster can be used there ({reason})", place=place, reason=reason)
        ) from None


def _imported() -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is reported to anybody
    try:
        import ray
    except ImportError:
        raise MissingExtra(joined([named_field("engine"), "ray"], " "), "Ray", "ray") from None
    return ray


class RayExecutor(Executor):
    """Runs samples on the cluster that this process is connected with."""

    store: RunStore

    def __init__(
        self,
        spec: RunSpec,
        store: RunStore,
        budget: Budget,
        listener: ProgressListener,
        most_workers: int | None = None,
    ) -> None:
        if set(spec.openings) != set(spec.models):
            raise UsageError(_("{engine_field} ray: these models can only be asked from this process"))
        super().__init__(store, budget, listener)
        self.spec, self.most_workers = spec, most_workers
        self.queue = WorkQueue(())
        self._numbers = itertools.count()
        self._began = False
        self._pace = EXCHANGE_SECONDS
        self._deaths_in_a_row = 0
        self._earlier = dict(budget.spent)
        self._spent: dict[int, dict[str, Usage]] = {}
        """Tokens by worker, dead ones included."""
        self._waits_until: dict[str, float] = {}

    async def run(self, samples: Sequence[Sample], concurrency: int) -> RunOutcome:
        ray, started = _imported(), time.monotonic()
        self.queue = WorkQueue(self.unfinished(samples))
        self.store.forget_failures()
        job = ray.put(WorkerJob(self.spec.episode, self.spec.role_map))
        slots = even_shares(concurrency, self.most_workers or _useful_workers(ray, concurrency))
        self._pace = min(SLOWEST_EXCHANGE_SECONDS, max(EXCHANGE_SECONDS, len(slots) / MOST_CALLS))
        places = [asyncio.ensure_future(self._keep_worker(count, job)) for count in slots]
        try:
            await until_done(places, self.draining, self.is_drained)
        finally:
            for sample in self.queue.under_way():
                self.fail(sample, Blame.HARNESS, _("broken off: {stopped}", stopped=self.outcome.stopped))
            for sample in self.queue.rest():
                self.fail(sample, Blame.HARNESS, _("not asked: {stopped}", stopped=self.outcome.stopped))
            self.outcome.seconds = time.monotonic() - started
        return self.result()

    def _done(self) -> bool:
        return not self.queue.open or self.outcome.stopped is not None

    async def _keep_worker(self, slots: int, job: object) -> None:
        """Keep one worker busy until nothing is left to do; one that dies is replaced."""
        ray = _imported()
        kind = ray.remote(Worker).options(num_cpus=1, max_restarts=0, scheduling_strategy="SPREAD")
        while not self._done():
            number, actor = next(self._numbers), kind.remote()
            try:
                if await self._is_placed(actor):
                    await self._start(actor, slots, job)
                    await self._feed(actor, number, slots)
            except ray.exceptions.RayError as error:
                self._died(number, error)
            except (UsageError, StoreError) as error:
                self.abort(error)
            finally:
                with suppress(Exception):
                    ray.kill(actor)

    async def _is_placed(self, actor: Any) -> bool:
        """Wait until a worker has its place on the cluster; False where that is no longer wanted."""
        identity, began = asyncio.ensure_future(actor.identify.remote()), time.monotonic()
        while not identity.done():
            if self._done():
                identity.cancel()
                return False
            if not self._began and time.monotonic() - began > PLACE_SECONDS:
                raise UsageError(
                    _("{engine_field} ray: the cluster has had no free CPU for {time:.0f} seconds", time=PLACE_SECONDS)
                )
            await asyncio.wait([identity], timeout=EXCHANGE_SECONDS)
        self._began = True
        return True

    async def _start(self, actor: Any, slots: int, job: Any) -> None:
        """Tell a worker what it is to ask and whom; raises UsageError where it cannot."""
        version, host = await actor.identify.remote()
        if version != __version__:
            raise UsageError(
                _(
                    "{host}: has toolgauge {version}, this is {here}; install the same on every node",
                    host=host,
                    version=version,
                    here=__version__,
                )
            )
        config = WorkerConfig(
            self.spec.openings,
            {name: model.describe() for name, model in self.spec.models.items()},
            travelling_settings(),
            slots,
            self.budget.max_cost,
            self.budget.max_tokens,
            self._pace,
        )
        if (problem := await actor.start.remote(job, config)) is not None:
            raise UsageError(joined([host, problem], ": "))

    async def _feed(self, actor: Any, number: int, slots: int) -> None:
        """Give a worker samples and write down its updates, until nothing is left to do."""
        while self.queue.open and (not self._done() or self.queue.held(number)):
            self.store.check()
            samples = [] if self._done() else self.queue.take(number, slots)
            command = WorkerCommand(
                [WorkItem(sample, self.store.begun.get(sample.key, [])) for sample in samples],
                self._spent_without(number),
                self.outcome.stopped,
                self.draining.is_set(),
            )
            self._record(number, await actor.exchange.remote(command))

    def _record(self, number: int, update: WorkerUpdate) -> None:
        """Write down what a worker reports."""
        self._spent[number] = update.spent
        self.budget.spent = self._spent_without(None)
        for model, until in update.waits:
            # Say it once for all workers: each of them is asked to wait
            if until > self._waits_until.get(model, 0.0) + NOTICED:
                self._waits_until[model] = until
                self.listener.waiting(model, until)
        for asked in update.asked:
            self.listener.asking(*asked)
        for retried in update.retries:
            self.listener.retrying(*retried)
        for line in update.replies:
            entry = decode(line, JournalLine)
            self.store.add_reply(entry.key, entry.step, entry.reply, entry.role)
            self.listener.replied(entry.key, entry.role, entry.reply)
            self.store.begun.setdefault(entry.key, []).append(entry.reply)
        for line in update.trajectories:
            self._finished(number, decode(line, Trajectory))
        for line in update.failures:
            failure = decode(line, Failure)
            if (sample := self.queue.ended(number, failure.key)) is not None:
                self.fail(sample, failure.blame, plain(failure.reason))
        self.outcome.trouble = update.trouble or self.outcome.trouble
        if update.stopped is not None:
            self.stop(update.stopped, update.draining)

    def _finished(self, number: int, trajectory: Trajectory) -> None:
        sample = self.queue.ended(number, trajectory.task_id)
        if sample is None or sample.key in self.store.finished:
            return
        self.store.add_trajectory(trajectory)
        self.store.begun.pop(sample.key, None)
        self._deaths_in_a_row = 0
        if trajectory.steps:  # its last reply is not in the journal
            self.listener.replied(sample.key, trajectory.steps[-1].role, trajectory.steps[-1].reply)
        self.finish(sample, trajectory)

    def _died(self, number: int, error: Exception) -> None:
        """A worker died: its samples go on in others, except those that were under way at too many deaths."""
        for sample in self.queue.lost(number):
            reason = _("the worker died every time this conversation was under way")
            self.fail(sample, Blame.HARNESS, reason)
        self._deaths_in_a_row += 1
        if self._deaths_in_a_row >= GIVE_UP_AFTER:
            # An error of Ray's in one line; they bring whole tracebacks along
            lines = [line.strip() for line in str(error).splitlines() if line.strip()]
            self.stop(
                _(
                    "{deaths} workers in a row died, the last because: {error}",
                    deaths=self._deaths_in_a_row,
                    error=(lines[0] if lines else type(error).__name__)[:300],
                )
            )

    def _spent_without(self, number: int | None) -> dict[str, Usage]:
        """Tokens by model, earlier goes included; without those of a worker."""
        total = dict(self._earlier)
        for worker, spent in self._spent.items():
            if worker != number:
                for name, usage in spent.items():
                    total[name] = total.get(name, Usage()) + usage
        return total


def _useful_workers(ray: Any, concurrency: int) -> int:
    """How many workers are worth starting on this cluster for so many conversations at once."""
    processors = int(ray.cluster_resources().get("CPU", 1))
    return max(1, min(processors, -(-concurrency // WORTH_A_WORKER)))
