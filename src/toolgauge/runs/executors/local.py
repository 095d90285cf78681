"""The usual executor: take a sample, drive its episode, append what was said; thousands at once, killed at any moment.

samples -> run_sample (episode <-> model) -> trajectories.jsonl
"""

from __future__ import annotations

import asyncio
import sys
import time
import traceback
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, AsyncExitStack, nullcontext, suppress
from contextvars import copy_context
from functools import partial
from threading import Semaphore, Thread
from typing import Any

from toolgauge.benchmarks.benchmark import Sample
from toolgauge.chat import Reply, Request
from toolgauge.episode import Episode, Trajectory, drive
from toolgauge.errors import ContextOverflow, ProviderError, StoreError, ToolgaugeError
from toolgauge.models.limit import limit_of
from toolgauge.models.model import ConversationModel, Model
from toolgauge.reasons import Blame
from toolgauge.runs.budget import Budget, BudgetSpent
from toolgauge.runs.executors.executor import (
    GIVE_UP_AFTER,
    GRACE_SECONDS,
    POLL_SECONDS,
    Executor,
    ProgressListener,
    RunOutcome,
    RunSpec,
    TrajectorySink,
)
from toolgauge.runs.store import RoleMap, RunStore, by_role


def local_executor(
    spec: RunSpec, store: RunStore, budget: Budget, listener: ProgressListener
) -> AbstractContextManager[Executor]:
    """An `ExecutorFactory`: this process."""
    return nullcontext(LocalExecutor(spec.episode, spec.models, store, budget, listener, spec.role_map))


COMPUTE_AT_ONCE = 8
"""Threads of conversations that may do anything but wait for a reply. Python runs one at a time anyway; each more makes
the loop, which reads what arrives, wait longer for its turn."""
SWITCH_SECONDS = 0.0005
"""So long a computing thread keeps the others waiting, instead of Python's 5 ms: with both numbers, worlds that compute
for 0.1 s at 32 at once add 0.05 s to the latency of a reply, without them 4 s."""
_COMPUTING = Semaphore(COMPUTE_AT_ONCE)


class LocalExecutor(Executor):
    """Runs samples in this process, on one event loop."""

    def __init__(
        self,
        episode: Callable[[Sample], Episode],
        models: Mapping[str, Model],
        store: TrajectorySink,
        budget: Budget,
        listener: ProgressListener,
        role_map: RoleMap = by_role,
    ) -> None:
        """models, role_map: as of `RunSpec`."""
        super().__init__(store, budget, listener)
        self.episode, self.models, self.role_map = episode, models, role_map
        for model in models.values():
            if limit := limit_of(model):
                limit.told = partial(listener.waiting, model.name)
                limit.told_retry = partial(listener.retrying, model.name)
        self._conversations = {
            name: model for name, model in self.models.items() if isinstance(model, ConversationModel)
        }
        self._failures_in_a_row = 0
        self._starting = asyncio.Lock()

    async def run(self, samples: Sequence[Sample], concurrency: int) -> RunOutcome:
        started = time.monotonic()
        todo = self.unfinished(samples)
        waiting = iter(todo)
        self.store.forget_failures()
        interval = sys.getswitchinterval()
        if getattr(self.episode, "blocking", False):
            sys.setswitchinterval(SWITCH_SECONDS)
        workers = [asyncio.ensure_future(self._work(waiting)) for _ in todo[:concurrency]]
        workers.append(asyncio.ensure_future(self._show()))
        try:
            await until_done(workers, self.draining, self.is_drained)
        finally:
            sys.setswitchinterval(interval)
            for sample in waiting:
                self.skip(sample, "not asked")
            self.outcome.seconds = time.monotonic() - started
        return self.result()

    async def _work(self, waiting: Iterator[Sample]) -> None:
        async with self._starting:  # the first request is on its way while the others are made
            await asyncio.sleep(0)
        for sample in waiting:
            await self.run_sample(sample)
            if self.outcome.stopped is not None:
                return

    async def _show(self) -> None:
        async with self._starting:
            self.listener.show()

    async def run_sample(self, sample: Sample) -> None:
        """Run one sample to a trajectory, or to a failure and who is to blame for it."""
        try:
            trajectory = await self._converse(sample)
            self.store.add_trajectory(trajectory)
        except asyncio.CancelledError:
            self.stop("interrupted")
            self.skip(sample, "interrupted")
            raise
        except _Stopped:
            self.skip(sample, "not finished")
        except BudgetSpent as error:
            self.stop(f"budget exhausted ({error})", draining=False)  # what is under way is paid for: wait for it
            self.skip(sample, "not finished")
        except StoreError as error:
            self.abort(error)
            self.fail(sample, Blame.HARNESS, error.text)
        except ContextOverflow as error:
            self.fail(sample, Blame.CONTEXT, error.text)
        except ProviderError as error:
            self.fail(sample, Blame.PROVIDER, error.text)
            if not error.refused:  # a refusal is about this request: the endpoint works
                self._count_failure(error.text)
        except ToolgaugeError as error:
            self.fail(sample, Blame.HARNESS, error.text)
            self._count_failure(error.text)
        except Exception as error:  # a defect, ours or a plugin's, in one sample: the others go on
            reason = _described(error)
            self.fail(sample, Blame.HARNESS, reason)
            self._count_failure(reason)
        else:
            self._failures_in_a_row = 0
            self.finish(sample, trajectory)

    async def _converse(self, sample: Sample) -> Trajectory:
        """Drive one episode with the models, those of its own conversation among them."""
        if not self._conversations:
            return await self._drive(sample, self.models)
        self.store.begun.pop(sample.key, None)  # what was said before a restart, nobody remembers
        async with AsyncExitStack() as opened:
            agents = {
                name: await opened.enter_async_context(model.conversation(sample.key))
                for name, model in self._conversations.items()
            }
            return await self._drive(sample, {**self.models, **agents})

    async def _drive(self, sample: Sample, models: Mapping[str, Model]) -> Trajectory:
        """Drive one episode: replies given before a restart are taken from the journal, the others asked for.

        One that may hold up the others, of a benchmark of somebody else's, has a thread of its own.
        """
        if getattr(self.episode, "blocking", False):
            trajectory = await self._drive_aside(sample, models)
        else:
            episode, recorded, step = self.episode(sample), self.store.begun.get(sample.key, []), 0
            try:
                request = next(episode)
                while True:
                    fresh, role = step >= len(recorded), request.role
                    reply = await self._ask(sample, request, models) if fresh else recorded[step]
                    request = episode.send(reply)
                    if fresh:
                        self.store.add_reply(sample.key, step, reply, role)
                    step += 1
            except StopIteration as end:
                trajectory = end.value
        self.store.begun.pop(sample.key, None)
        return trajectory

    async def _drive_aside(self, sample: Sample, models: Mapping[str, Model]) -> Trajectory:
        """The same in a thread of its own."""
        recorded = iter(list(self.store.begun.get(sample.key, [])))
        step = 0

        async def answered(request: Request) -> Reply:
            nonlocal step
            reply = next(recorded, None)
            if reply is None:
                reply = await self._ask(sample, request, models)
                self.store.add_reply(sample.key, step, reply, request.role)
            step += 1
            return reply

        return await drive_aside(lambda: self.episode(sample), answered)

    async def _ask(self, sample: Sample, request: Request, models: Mapping[str, Model]) -> Reply:
        if self.outcome.stopped is not None:
            raise _Stopped
        self.budget.check()
        name = self.role_map(sample.key, request.role)
        reply = await models[name].ask(request)
        self.budget.add(name, reply.usage)
        self.listener.replied(sample.key, request.role, reply)
        return reply

    def stop_sending(self) -> None:
        for model in self.models.values():
            if limit := limit_of(model):
                limit.close()

    def is_drained(self) -> bool:
        limits = [limit_of(model) for model in self.models.values()]
        return super().is_drained() or all(limit is not None and limit.in_flight == 0 for limit in limits)

    def _count_failure(self, reason: str) -> None:
        self._failures_in_a_row += 1
        if self._failures_in_a_row >= GIVE_UP_AFTER:
            self.stop(f"{self._failures_in_a_row} conversations in a row failed; last error: {reason}")


async def drive_aside(
    episode: Callable[[], Episode], answered: Callable[[Request], Coroutine[Any, Any, Reply]]
) -> Trajectory:
    """Drive an episode in a thread of its own, which has this loop fetch the replies.

    Nobody waits for a thread that computes when the run has ended: it ends when it asks again, or with the process.
    """
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[Trajectory] = loop.create_future()

    def answer(request: Request) -> Reply:
        coming = answered(request)
        _COMPUTING.release()
        try:
            return asyncio.run_coroutine_threadsafe(_unless(ended, coming), loop).result()
        except RuntimeError as error:
            if not loop.is_closed():
                raise
            coming.close()
            raise _Stopped from error
        finally:
            _COMPUTING.acquire()

    def settle(trajectory: Trajectory | None, error: BaseException | None) -> None:
        if ended.done():
            return
        if error is not None:
            ended.set_exception(error)
        elif trajectory is not None:
            ended.set_result(trajectory)

    def play() -> None:
        trajectory, failure = None, None
        try:
            with _COMPUTING:
                trajectory = drive(episode(), answer)
        except Exception as error:
            failure = error if not isinstance(error, StopIteration) else RuntimeError(repr(error))
        except BaseException as error:  # somebody's code calls sys.exit
            failure = RuntimeError(f"{type(error).__name__}: {error}").with_traceback(error.__traceback__)
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(settle, trajectory, failure)

    Thread(target=copy_context().run, args=(play,), name="toolgauge-conversation", daemon=True).start()
    return await ended


async def _unless(ended: asyncio.Future[Trajectory], coming: Coroutine[Any, Any, Reply]) -> Reply:
    """The reply, unless nobody waits for the conversation any more."""
    if ended.done():
        coming.close()
        raise _Stopped
    asking = asyncio.ensure_future(coming)
    await asyncio.wait((asking, ended), return_when=asyncio.FIRST_COMPLETED)
    if not asking.done():
        asking.cancel()
        raise _Stopped
    return asking.result()


async def until_done(
    workers: Sequence[asyncio.Future[None]], draining: asyncio.Event, is_drained: Callable[[], bool]
) -> None:
    """Wait for the workers; once `draining` is set, only for the grace period, which ends early when all is drained."""
    everything = asyncio.gather(*workers, return_exceptions=True)
    grace = asyncio.ensure_future(_grace(draining, is_drained))
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


async def _grace(draining: asyncio.Event, is_drained: Callable[[], bool]) -> None:
    await draining.wait()
    end = time.monotonic() + GRACE_SECONDS
    while time.monotonic() < end and not is_drained():  # noqa: ASYNC110 - what ends is counted in several places
        await asyncio.sleep(POLL_SECONDS)


class _Stopped(Exception):
    """The run is stopping: no further request."""


def _described(error: Exception) -> str:
    """An unexpected error in one line, with the place where it arose."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    words = " ".join(str(error)[:300].split())
    return f"unexpected {type(error).__name__}: {words} ({place.filename}:{place.lineno})"
