"""The executor behind `--batch`: all samples at once, in step, their requests sent as batches at half the price.

Everything else is the usual `LocalExecutor`; models without a batch API (a scripted user, another provider) are asked
one request at a time. What is under way stands in the run directory (batch_log.py), so the same command continues
after any kind of end.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from toolgauge.benchmarks.benchmark import Sample
from toolgauge.errors import UsageError
from toolgauge.locale import Text, _
from toolgauge.models.batches import BATCH_RULES, BatchEndpoint, batch_endpoint
from toolgauge.models.model import Model
from toolgauge.models.prices import BATCH_PRICE_SHARE
from toolgauge.runs.budget import Budget
from toolgauge.runs.executors.batch_log import BATCHES, BatchLog
from toolgauge.runs.executors.batch_scheduler import BatchScheduler, Polling
from toolgauge.runs.executors.executor import Executor, ProgressListener, RunOutcome, RunSpec
from toolgauge.runs.executors.local import LocalExecutor
from toolgauge.runs.store import RunStore

POLL_VARIABLE = "TOOLGAUGE_BATCH_POLL"
"""Seconds between two looks at a batch, instead of 5 growing to 60."""


@contextmanager
def in_batches(spec: RunSpec, store: RunStore, budget: Budget, listener: ProgressListener) -> Iterator[Executor]:
    """An `ExecutorFactory`: provider batches."""
    pauses = polling()
    log = BatchLog(spec.folder)
    executor = BatchExecutor(spec, store, budget, listener, log, pauses)
    try:
        yield executor
    finally:
        log.close()
        if not executor.unfinished(spec.samples):
            store.sync()  # the trajectories that the answers became
            log.clear()


class BatchExecutor(LocalExecutor):
    """A `LocalExecutor` whose samples go in step, and whose endpoints hand their requests to a scheduler meanwhile.

    A test question before `run` is sent at once.
    """

    def __init__(
        self, spec: RunSpec, store: RunStore, budget: Budget, listener: ProgressListener, log: BatchLog, pauses: Polling
    ) -> None:
        super().__init__(spec.episode, spec.models, store, budget, listener, spec.role_map)
        self.endpoints = batch_endpoints(spec.models)
        names = {id(endpoint): name for name, endpoint in self.endpoints.items()}
        self.scheduler = BatchScheduler(log, names, listener, pauses)

    async def run(self, samples: Sequence[Sample], concurrency: int) -> RunOutcome:  # noqa: ARG002 - a wave is everybody
        self.scheduler.live = len(self.unfinished(samples))
        for endpoint in self.endpoints.values():
            endpoint.desk = self.scheduler.ask
        try:
            return await super().run(samples, max(1, len(samples)))
        finally:
            await self.scheduler.close()
            for endpoint in self.endpoints.values():
                endpoint.desk = None

    async def run_sample(self, sample: Sample) -> None:
        try:
            await super().run_sample(sample)
        finally:
            self.scheduler.sample_ended()

    def _count_failure(self, reason: Text | str) -> None:
        """Samples end together here: many failures in a row mean something only where nobody got a reply."""
        if not self.scheduler.replies:
            super()._count_failure(reason)


def batch_endpoints(models: Mapping[str, Model]) -> dict[str, BatchEndpoint]:
    """Those of a run's models that are asked in batches."""
    found = ((name, batch_endpoint(model)) for name, model in models.items())
    return {name: endpoint for name, endpoint in found if endpoint is not None}


def batch_prices(models: Mapping[str, Model]) -> dict[str, float]:
    """What tokens of those cost, as a share of the list price.

    Raises UsageError where the measured model has no batches.
    """
    endpoints = batch_endpoints(models)
    if "assistant" not in endpoints:
        provider = models["assistant"].describe()["provider"]
        raise UsageError(
            _(
                "{batch_field}: {provider} has no batch API in OpenAI's format; these have: {batch_rules}",
                provider=provider,
                batch_rules=sorted(BATCH_RULES),
            )
        )
    return dict.fromkeys(endpoints, BATCH_PRICE_SHARE)


def polling() -> Polling:
    """How often to look at a batch, as POLL_VARIABLE says; raises UsageError."""
    text = os.environ.get(POLL_VARIABLE)
    if not text:
        return Polling()
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0.0 < seconds <= 3600.0:
        raise UsageError(
            _("{variable}={text!r}: seconds, more than 0 and at most 3600", variable=POLL_VARIABLE, text=text)
        )
    return Polling(seconds, seconds)


__all__ = ["BATCHES", "BatchExecutor", "batch_endpoints", "batch_prices", "in_batches", "polling"]
