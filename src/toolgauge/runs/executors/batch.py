"""The engine behind `--batch`: all conversations at once, in step, their requests sent as batches at half the price.

Everything else is the usual `LocalExecutor`; who has no batch API (a scripted user, another provider) is asked as ever.
What is under way stands in the run directory (batch_log.py), so the same command continues after any kind of end.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from toolgauge.benchmarks.benchmark import Sample
from toolgauge.errors import UsageError
from toolgauge.models.batches import BATCH_RULES, BatchEndpoint, batch_endpoint
from toolgauge.models.model import Model
from toolgauge.models.prices import BATCH_PRICE_SHARE
from toolgauge.runs.budget import Budget
from toolgauge.runs.execute import Executor, RunSpec
from toolgauge.runs.executors.batch_log import BATCHES, BatchLog
from toolgauge.runs.executors.batch_scheduler import BatchScheduler, Polling
from toolgauge.runs.executors.local import LocalExecutor, ProgressListener, RunOutcome
from toolgauge.runs.store import RunStore

POLL_VARIABLE = "TOOLGAUGE_BATCH_POLL"
"""Seconds between two looks at a batch, instead of 5 growing to 60."""


class BatchExecutor(LocalExecutor):
    """A runner whose conversations go in step."""

    waves: BatchScheduler

    async def run(self, samples: Sequence[Sample], concurrency: int) -> RunOutcome:  # noqa: ARG002 - a wave is everybody
        self.waves.live = len(self.unfinished(samples))
        return await super().run(samples, max(1, len(samples)))

    async def run_sample(self, sample: Sample) -> None:
        try:
            await super().run_sample(sample)
        finally:
            self.waves.left()

    def _count_failure(self, reason: str) -> None:
        """Conversations end together here: many failures in a row mean something only where nobody got a reply."""
        if not self.waves.replies:
            super()._count_failure(reason)


@contextmanager
def in_batches(order: RunSpec, store: RunStore, budget: Budget, listener: ProgressListener) -> Iterator[Executor]:
    """An engine (see carrying.py)."""
    runner = BatchExecutor(order.episode, order.cast, store, budget, listener, order.role_map)
    endpoints = batch_members(order.cast)
    log = BatchLog(order.folder)
    members = {id(endpoint): member for member, endpoint in endpoints.items()}
    runner.waves = BatchScheduler(log, members, listener, polling())
    try:
        yield _Attached(runner, list(endpoints.values()))
    finally:
        log.close()
        if not runner.unfinished(order.samples):
            store.sync()  # the conversations that the answers became
            log.clear()


class _Attached:
    """The runner, with its endpoints handing requests in while it runs; a test question before that goes at once."""

    def __init__(self, runner: BatchExecutor, endpoints: Sequence[BatchEndpoint]) -> None:
        self.runner, self.endpoints = runner, endpoints
        self.unfinished, self.interrupt = runner.unfinished, runner.interrupt

    async def run(self, samples: Sequence[Sample], concurrency: int) -> RunOutcome:
        for endpoint in self.endpoints:
            endpoint.desk = self.runner.waves.ask
        try:
            return await self.runner.run(samples, concurrency)
        finally:
            await self.runner.waves.close()
            for endpoint in self.endpoints:
                endpoint.desk = None


def batch_members(cast: Mapping[str, Model]) -> dict[str, BatchEndpoint]:
    """Who of a cast is asked in batches."""
    found = ((member, batch_endpoint(model)) for member, model in cast.items())
    return {member: endpoint for member, endpoint in found if endpoint is not None}


def batch_prices(cast: Mapping[str, Model]) -> dict[str, float]:
    """What tokens of those cost, as a share of the list price.

    Raises UsageError where the measured model has no batches.
    """
    members = batch_members(cast)
    if "assistant" not in members:
        provider = cast["assistant"].describe()["provider"]
        raise UsageError(
            f"--batch: {provider} has no batch API in OpenAI's format; these have: {', '.join(sorted(BATCH_RULES))}"
        )
    return dict.fromkeys(members, BATCH_PRICE_SHARE)


def polling() -> Polling:
    """How often one looks, as POLL_VARIABLE says; raises UsageError."""
    text = os.environ.get(POLL_VARIABLE)
    if not text:
        return Polling()
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0.0 < seconds <= 3600.0:
        raise UsageError(f"{POLL_VARIABLE}={text!r}: seconds, more than 0 and at most 3600")
    return Polling(seconds, seconds)


__all__ = ["BATCHES", "BatchExecutor", "batch_members", "batch_prices", "in_batches", "polling"]
