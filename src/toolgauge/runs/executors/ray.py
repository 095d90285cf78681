"""A run on a Ray cluster: workers run the samples, this process alone writes the run directory.

    samples -> SampleQueue -> ray_worker.py (a LocalExecutor each) -> events -> RunStore

One call, `Worker.exchange`, is made again and again: it takes samples to a worker and brings back what happened there
since the last call, replies of unfinished conversations included. So the run directory is at every moment what a run on
this machine would have left, and the nodes keep nothing and need no common disk. What a dead worker had goes on in
another one, after the last reply that came back.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
import socket
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from typing import Any

from toolgauge.benchmarks.benchmark import Sample
from toolgauge.chat import Reply
from toolgauge.episode import Trajectory
from toolgauge.errors import MissingExtra, StoreError, UsageError, os_cause
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
from toolgauge.runs.executors.ray_worker import Event, Worker, WorkerConfig, usage_of
from toolgauge.runs.lines import decode, encode
from toolgauge.runs.store import RunStore
from toolgauge.version import __version__

WORTH_A_WORKER = 8
"""Concurrent conversations that make a worker worth its process."""
EXCHANGE_SECONDS = 0.1
"""Time between two calls to a worker, where there are few."""
MOST_CALLS = 50
"""Calls to all workers in a second, where there are many: each costs this process about 1.5 ms."""
MOST_DEATHS = 3
"""A sample that was under way when so many workers died is not tried again."""
CONNECT_SECONDS = 10.0
PLACE_SECONDS = 120.0
"""How long the cluster may take to find a free CPU for the first worker."""
STORE_BYTES = 128 * 2**20
"""Object store of a cluster that is started for one run."""


def on_ray(address: str | None = None, workers: int | None = None) -> ExecutorFactory:
    """An `ExecutorFactory`: a Ray cluster.

    address: "HOST:PORT" of a cluster, "auto" for the one of this machine; None: RAY_ADDRESS, else a cluster of this
    machine that ends with the run. workers: maximum number (None: one per CPU, as long as each has at least
    `WORTH_A_WORKER` conversations). Raises UsageError where Ray is not installed.
    """
    if workers is not None and workers < 1:
        raise UsageError("limits.workers must be an integer >= 1")
    _imported()

    @contextmanager
    def ray_executor(spec: RunSpec, store: RunStore, budget: Budget, listener: ProgressListener) -> Iterator[Executor]:
        executor = RayExecutor(spec, store, budget, listener, workers)
        listener.show()
        with _cluster(address) if executor.unfinished(spec.samples) else nullcontext():
            yield executor

    return ray_executor


def _imported() -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # Ray reports usage to its makers by default
    try:
        import ray
    except ImportError:
        raise MissingExtra("--engine ray", "Ray", "ray") from None
    return ray


@contextmanager
def _cluster(address: str | None) -> Iterator[None]:
    """Connected to a cluster; a connection that this process has already is used and left as it is."""
    ray = _imported()
    if ray.is_initialized():
        yield
        return
    place = address or os.environ.get("RAY_ADDRESS") or "local"
    if place.startswith("ray://"):
        raise UsageError(
            f"limits.address {place}: Ray Client addresses are not supported; run this on a machine of the cluster"
        )
    logging.getLogger("ray").setLevel(logging.ERROR)
    options: dict[str, Any] = {"configure_logging": False, "logging_level": "ERROR", "log_to_driver": False}
    if place == "local":
        options |= {"include_dashboard": False, "object_store_memory": STORE_BYTES}
    try:
        host, colon, port = place.rpartition(":")
        if colon:  # Ray would wait very long for an address where nobody listens
            socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()
        ray.init(address=place, **options)
    except Exception as error:  # Ray raises errors of many kinds
        reason = " ".join(str(os_cause(error) if isinstance(error, OSError) else error).split())[:300]
        raise UsageError(f"limits.address {place}: cannot connect to a Ray cluster ({reason})") from error
    try:
        yield
    finally:
        ray.shutdown()


class SampleQueue:
    """Samples that wait, and those under way by worker. Workers are known by numbers."""

    def __init__(self, samples: Iterable[Sample]) -> None:
        self.waiting = deque(samples)
        self.under_way: dict[int, dict[str, Sample]] = {}
        self._deaths: Counter[str] = Counter()

    @property
    def open(self) -> bool:
        """Is anything waiting or under way?"""
        return bool(self.waiting or any(self.under_way.values()))

    def take(self, worker: int, slots: int) -> list[Sample]:
        """The samples that a worker with so many slots gets now.

        While much is waiting, that is half as many more than it can run at once, so that it need not wait for the next.
        A sample that the next death would give up runs alone in its worker, so that no other one shares the blame.
        """
        running = self.under_way.setdefault(worker, {})
        if any(self._runs_alone(key) for key in running):
            return []
        reserve = slots // 2 if len(self.waiting) > 2 * slots * len(self.under_way) else 0
        taken: list[Sample] = []
        while self.waiting and len(running) < slots + reserve:
            alone = self._runs_alone(self.waiting[0].key)
            if alone and running:
                break
            sample = self.waiting.popleft()
            running[sample.key] = sample
            taken.append(sample)
            if alone:
                break
        return taken

    def ended(self, worker: int, key: str) -> Sample | None:
        """A worker's sample is over; None where it has none of that key."""
        return self.under_way.get(worker, {}).pop(key, None)

    def lost(self, worker: int) -> list[Sample]:
        """A worker died: its samples wait again, before the others, those that run alone after them; returns those that
        are given up."""
        running = list(self.under_way.pop(worker, {}).values())
        self._deaths.update(sample.key for sample in running)
        self.waiting.extendleft(sample for sample in reversed(running) if self._deaths[sample.key] < MOST_DEATHS - 1)
        self.waiting.extend(sample for sample in running if self._runs_alone(sample.key))
        return [sample for sample in running if self._deaths[sample.key] >= MOST_DEATHS]

    def _runs_alone(self, key: str) -> bool:
        return self._deaths[key] == MOST_DEATHS - 1


class RayExecutor(Executor):
    """Runs samples on the cluster that this process is connected with."""

    def __init__(
        self,
        spec: RunSpec,
        store: RunStore,
        budget: Budget,
        listener: ProgressListener,
        most_workers: int | None = None,
    ) -> None:
        if set(spec.openings) != set(spec.models):
            raise UsageError("--engine ray: these models can only be called from this process")
        super().__init__(store, budget, listener)
        self.spec, self.most_workers = spec, most_workers
        self.queue = SampleQueue(())
        self._numbers = itertools.count()
        self._placed_any = False
        self._deaths_in_a_row = 0
        self._waits_until: dict[str, float] = {}

    async def run(self, samples: Sequence[Sample], concurrency: int) -> RunOutcome:
        ray, started = _imported(), time.monotonic()
        self.queue = SampleQueue(self.unfinished(samples))
        self.store.forget_failures()
        episode = ray.put(self.spec.episode)
        processors = int(ray.cluster_resources().get("CPU", 1))
        count = self.most_workers or min(processors, -(-concurrency // WORTH_A_WORKER))
        count = max(1, min(count, concurrency))
        slots = [concurrency // count + (number < concurrency % count) for number in range(count)]
        workers = [asyncio.ensure_future(self._keep_worker(episode, self._config(share, count))) for share in slots]
        try:
            await until_done(workers, self.draining, self.is_drained)
        finally:
            for running in self.queue.under_way.values():
                for sample in running.values():
                    self.skip(sample, "broken off")
            for sample in self.queue.waiting:
                self.skip(sample, "not asked")
            self.outcome.seconds = time.monotonic() - started
        return self.result()

    def _config(self, slots: int, workers: int) -> WorkerConfig:
        return WorkerConfig(
            self.spec.role_map,
            self.spec.openings,
            {name: model.describe() for name, model in self.spec.models.items()},
            travelling_settings(),
            slots,
            self.budget.max_cost,
            self.budget.max_tokens,
            max(EXCHANGE_SECONDS, workers / MOST_CALLS),
        )

    def _done(self) -> bool:
        return not self.queue.open or self.outcome.stopped is not None

    async def _keep_worker(self, episode: object, config: WorkerConfig) -> None:
        """Keep one worker busy until nothing is left to do; one that dies is replaced."""
        ray = _imported()
        kind = ray.remote(Worker).options(num_cpus=1, max_restarts=0, scheduling_strategy="SPREAD")
        while not self._done():
            number, actor = next(self._numbers), kind.remote()
            try:
                if await self._start(actor, episode, config):
                    await self._feed(actor, number, config.slots)
            except ray.exceptions.RayError as error:
                self._died(number, error)
            except (UsageError, StoreError) as error:
                self.abort(error)
            finally:
                with suppress(Exception):
                    ray.kill(actor)

    async def _start(self, actor: Any, episode: object, config: WorkerConfig) -> bool:
        """Wait until a worker has its place, and tell it whom to ask; False where it is no longer wanted.

        Raises UsageError where the worker cannot ask the same models as this process.
        """
        identity, began = asyncio.ensure_future(actor.identify.remote()), time.monotonic()
        while not identity.done():
            if self._done():
                identity.cancel()
                return False
            if not self._placed_any and time.monotonic() - began > PLACE_SECONDS:
                raise UsageError(f"--engine ray: the cluster had no free CPU for {PLACE_SECONDS:.0f} seconds")
            await asyncio.wait([identity], timeout=EXCHANGE_SECONDS)
        version, host = identity.result()
        self._placed_any = True
        if version != __version__:
            raise UsageError(
                f"{host} has toolgauge {version}, not {__version__}; install the same version on every node"
            )
        if (problem := await actor.start.remote(episode, config)) is not None:
            raise UsageError(f"{host}: {problem}")
        return True

    async def _feed(self, actor: Any, number: int, slots: int) -> None:
        """Give a worker samples and record its updates, until nothing is left to do."""
        while self.queue.open and (not self._done() or self.queue.under_way.get(number)):
            self.store.check()
            samples = [] if self._done() else self.queue.take(number, slots)
            stopped = self.outcome.stopped
            events = await actor.exchange.remote(
                [(sample, encode(self.store.begun.get(sample.key, []))) for sample in samples],
                slots if self.queue.waiting and not self._done() else 1,
                self.budget.spent,
                None if stopped is None else (stopped, self.draining.is_set()),
            )
            for event in events:
                self._record(number, event)

    def _record(self, number: int, event: Event) -> None:
        """Write down what a worker reports, or tell the listener."""
        match event:
            case ("reply", key, step, line, role):
                reply = decode(line, Reply)
                self.store.add_reply(key, step, reply, role)
                self.store.begun.setdefault(key, []).append(reply)
            case ("trajectory", line):
                trajectory = decode(line, Trajectory)
                sample = self.queue.ended(number, trajectory.task_id)
                if sample is not None and sample.key not in self.store.finished:
                    self.store.add_trajectory(trajectory)
                    self.store.begun.pop(sample.key, None)
                    self._deaths_in_a_row = 0
                    self.finish(sample, trajectory)
            case ("fail", key, blame, reason):
                if (sample := self.queue.ended(number, key)) is not None:
                    self.fail(sample, blame, reason)
            case ("skip", key, why):
                if (sample := self.queue.ended(number, key)) is not None:
                    self.skip(sample, why)
            case ("replied", key, role, reply):
                self.budget.add(*usage_of(self.spec.role_map, key, role, reply))
                self.listener.replied(key, role, reply)
            case ("waiting", model, until):
                # Every worker is asked to wait: say it once
                if until > self._waits_until.get(model, 0.0) + NOTICED:
                    self._waits_until[model] = until
                    self.listener.waiting(model, until)
            case ("retrying", model, cause):
                self.listener.retrying(model, cause)
            case ("stop", why, draining):
                self.stop(why, draining)

    def _died(self, number: int, error: Exception) -> None:
        """A worker died: its samples go on in others, except those that were under way at too many deaths."""
        for sample in self.queue.lost(number):
            self.fail(sample, Blame.HARNESS, "its worker died on every attempt")
        self._deaths_in_a_row += 1
        if self._deaths_in_a_row >= GIVE_UP_AFTER:
            # Errors of Ray bring whole tracebacks along
            lines = [line.strip() for line in str(error).splitlines() if line.strip()]
            reason = (lines[0] if lines else type(error).__name__)[:300]
            self.stop(f"{self._deaths_in_a_row} workers in a row died; last error: {reason}")
