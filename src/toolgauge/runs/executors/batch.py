"""The executor behind `--engine batch`: all samples at once, in step, their requests sent as batches at half the price.

Everything else is the usual `LocalExecutor`; models without a batch API (a scripted user, another provider) are asked
one request at a time. When every sample waits for a reply, their requests are sent as batches, and all replies arrive
together: a wave. A request that fails in its batch joins the next wave, as often as any request is tried. What is under
way is recorded in the run directory (`BatchLog`), so the same command continues after any kind of end.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from toolgauge.benchmarks.benchmark import Sample
from toolgauge.chat import Reply, Request
from toolgauge.errors import ProviderError, StoreError, UsageError, os_cause
from toolgauge.files import clear_leftovers, own_folder, read_own, sync_folder, write_whole
from toolgauge.limits import MAX_BATCH_BYTES
from toolgauge.models.batches import BATCH_RULES, EXPIRED, BatchEndpoint, BatchState, batch_endpoint, lines_of
from toolgauge.models.failures import AttemptFailure, FailureScope
from toolgauge.models.model import Model
from toolgauge.models.prices import BATCH_PRICE_SHARE
from toolgauge.runs.budget import Budget
from toolgauge.runs.executors.executor import Executor, ProgressListener, RunOutcome, RunSpec
from toolgauge.runs.executors.local import LocalExecutor
from toolgauge.runs.lines import AppendFile, decode, encode, read_whole_lines, refuse_newer
from toolgauge.runs.store import LINE_VERSION, RunStore

POLL_VARIABLE = "TOOLGAUGE_BATCH_POLL"
"""Seconds between two looks at a batch, instead of 5 growing to 60."""
RequestOutcome = Reply | ProviderError | None
"""How a request ended in a wave; None: it is tried again in the next one."""


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

    def _count_failure(self, reason: str) -> None:
        """Samples end together here: many failures in a row mean something only where nobody got a reply."""
        if not self.scheduler.replies:
            super()._count_failure(reason)


def batch_endpoints(models: Mapping[str, Model]) -> dict[str, BatchEndpoint]:
    """Those of a run's models that are asked in batches."""
    endpoints = ((name, batch_endpoint(model)) for name, model in models.items())
    return {name: endpoint for name, endpoint in endpoints if endpoint is not None}


def batch_prices(models: Mapping[str, Model]) -> dict[str, float]:
    """What tokens of those cost, as a share of the list price.

    Raises UsageError where the measured model has no batches.
    """
    endpoints = batch_endpoints(models)
    if "assistant" not in endpoints:
        provider = models["assistant"].describe()["provider"]
        supported = ", ".join(sorted(BATCH_RULES))
        raise UsageError(f"--engine batch: {provider} has no batch API in OpenAI's format; supported: {supported}")
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
        raise UsageError(f"{POLL_VARIABLE}={text!r}: must be seconds > 0 and <= 3600")
    return Polling(seconds, seconds)


class Polling(Struct, frozen=True):
    """Seconds between two looks at a batch: the first, growing by half each time, at most."""

    first: float = 5.0
    most: float = 60.0

    def pauses(self) -> Iterator[float]:
        pause = self.first
        while True:
            yield pause
            pause = min(self.most, pause * 1.5)


class PendingRequest(Struct, eq=False):
    """A sample's request. looked_at: how many of the run's batches were searched for it; failures: in batches."""

    endpoint: BatchEndpoint
    id: str
    line: bytes
    reply: asyncio.Future[Reply]
    looked_at: int = 0
    failures: int = 0


class BatchScheduler:
    """Gathers the requests of all samples of a run. names: of the endpoints among the run's models, by their id()."""

    def __init__(self, log: BatchLog, names: dict[int, str], listener: ProgressListener, polling: Polling) -> None:
        self.log, self.names, self.listener, self.polling = log, names, listener, polling
        self.live = 0
        """Samples that are not over; no wave is sent without a request of each."""
        self.replies = 0
        """How many replies the last wave brought."""
        self._queue: list[PendingRequest] = []
        self._wave: asyncio.Task[None] | None = None

    def sample_ended(self) -> None:
        """A sample is over: no wave waits for it any more."""
        self.live -= 1
        self._send_if_complete()

    async def close(self) -> None:
        """Stop waiting for batches; what is under way goes on at its provider."""
        if self._wave is not None:
            self._wave.cancel()
            await asyncio.gather(self._wave, return_exceptions=True)

    async def ask(self, endpoint: BatchEndpoint, request: Request) -> Reply:
        """Wait for the reply, through as many waves as it takes; raises ProviderError."""
        custom_id, line = endpoint.line(request)
        waiting = PendingRequest(endpoint, custom_id, line, asyncio.get_running_loop().create_future())
        self._queue.append(waiting)
        self._send_if_complete()
        try:
            return await waiting.reply
        finally:
            if waiting in self._queue:
                self._queue.remove(waiting)

    def _send_if_complete(self) -> None:
        """Send the wave when it holds a request of every sample."""
        if self._queue and self._wave is None and len(self._queue) >= self.live:
            self._wave = asyncio.ensure_future(self._run_wave(self._queue))
            self._queue = []

    async def _run_wave(self, wave: list[PendingRequest]) -> None:
        try:
            groups: dict[int, list[PendingRequest]] = {}
            for pending in wave:
                groups.setdefault(id(pending.endpoint), []).append(pending)
            outcomes = await asyncio.gather(*(self._run_group(group) for group in groups.values()))
        except (ProviderError, StoreError) as error:
            outcomes = [[(pending, error) for pending in wave]]
        finally:
            self._wave = None
        pairs = [pair for group in outcomes for pair in group]
        self.replies = sum(isinstance(outcome, Reply) for _, outcome in pairs)
        for pending, outcome in pairs:
            self._deliver(pending, outcome)
        self._send_if_complete()

    def _deliver(self, pending: PendingRequest, outcome: RequestOutcome | StoreError) -> None:
        if pending.reply.done():  # its sample was broken off
            return
        if outcome is None:
            self._queue.append(pending)
        elif isinstance(outcome, Reply):
            pending.reply.set_result(outcome)
        else:
            pending.reply.set_exception(outcome)

    async def _run_group(self, group: list[PendingRequest]) -> list[tuple[PendingRequest, RequestOutcome | StoreError]]:
        """One endpoint's part of a wave: batches that hold its requests already, new ones for the others."""
        endpoint, name = group[0].endpoint, self.names[id(group[0].endpoint)]
        places: dict[int, list[PendingRequest]] = {}
        fresh: list[PendingRequest] = []
        for pending in group:
            place = self._next_place(pending, name)
            if place is None:
                fresh.append(pending)
            else:
                places.setdefault(place, []).append(pending)
        for chunk in _chunks(fresh, endpoint.rules.requests, endpoint.rules.size):
            self.log.check()  # a batch that cannot be noted is paid for and lost
            file = await endpoint.upload(b"".join(pending.line for pending in chunk))
            batch = self.log.uploaded(file, name, (pending.id for pending in chunk))
            places[len(self.log.batches) - 1] = chunk
            for pending in chunk:
                pending.looked_at = len(self.log.batches)
            self.log.made(batch, (await endpoint.create(file)).id)
        parts = (self._collect(self.log.batches[place], endpoint, requests) for place, requests in places.items())
        return [pair for part in await asyncio.gather(*parts) for pair in part]

    def _next_place(self, pending: PendingRequest, name: str) -> int | None:
        """The first batch not searched yet that holds a request."""
        for place in range(pending.looked_at, len(self.log.batches)):
            batch = self.log.batches[place]
            if batch.member == name and pending.id in batch.requests:
                pending.looked_at = place + 1
                return place
        pending.looked_at = len(self.log.batches)
        return None

    async def _collect(
        self, batch: Batch, endpoint: BatchEndpoint, requests: Sequence[PendingRequest]
    ) -> list[tuple[PendingRequest, RequestOutcome | StoreError]]:
        """What a batch, waited for, brought for these requests."""
        trouble = ""
        try:
            if not batch.status:
                trouble = await self._wait(batch, endpoint)
        except (ProviderError, StoreError) as error:
            return [(pending, error) for pending in requests]
        brought = dict(map(endpoint.outcome, lines_of(self.log.answers(batch))))
        return [(pending, self._judged(pending, batch, brought.get(pending.id), trouble)) for pending in requests]

    def _judged(
        self, pending: PendingRequest, batch: Batch, brought: Reply | AttemptFailure | None, trouble: str
    ) -> RequestOutcome:
        if isinstance(brought, Reply):
            return replace(brought, attempts=pending.failures + 1)
        if batch.status in ASKED_AGAIN:
            if batch.earlier:
                return None
            detail = f" ({trouble})" if trouble else ""
            why = f"batch {batch.id} {batch.status}{detail}; run the same command again to retry"
            return pending.endpoint.failed(AttemptFailure(why, FailureScope.CALLER), 1)
        pending.failures += 1
        expired = batch.status == EXPIRED
        what = "expired before this request was answered" if expired else "returned no answer to this request"
        failure = brought or AttemptFailure(f"batch {batch.id} {what}")
        if failure.scope is FailureScope.CALLER or pending.failures >= pending.endpoint.max_attempts:
            return pending.endpoint.failed(failure, pending.failures)
        return None

    async def _wait(self, batch: Batch, endpoint: BatchEndpoint) -> str:
        """Until a batch is over and its answers are here; why it failed, if it did."""
        if not batch.id:
            state = await endpoint.find(batch.file) or await endpoint.create(batch.file)
            self.log.made(batch, state.id)
        state = await self._over(batch, endpoint)
        files = [file for file in (state.output_file, state.error_file) if file]
        answers = [await endpoint.download(file) for file in files]
        self.log.over(batch, state.status, b"\n".join(answers))
        return state.trouble

    async def _over(self, batch: Batch, endpoint: BatchEndpoint) -> BatchState:
        loop = asyncio.get_running_loop()
        heard = loop.time()
        for pause in self.polling.pauses():
            state = await endpoint.state(batch.id)
            if isinstance(state, BatchState):
                heard = loop.time()
                self.listener.batch(batch.id, state.status, state.done, state.total or len(batch.requests))
                if state.is_over:
                    return state
            elif state.scope is FailureScope.CALLER or loop.time() - heard > endpoint.patience:
                raise endpoint.failed(AttemptFailure(f"batch {batch.id}: {state.message}", state.scope), 1)
            await asyncio.sleep(pause)
        raise AssertionError("looking never ends by itself")


def _chunks(fresh: Sequence[PendingRequest], requests: int, size: int) -> Iterator[list[PendingRequest]]:
    """In order, each within the limits; a line that alone is too large goes by itself, for the provider to refuse."""
    chunk: list[PendingRequest] = []
    bytes_held = 0
    for pending in fresh:
        if chunk and (len(chunk) >= requests or bytes_held + len(pending.line) > size):
            yield chunk
            chunk, bytes_held = [], 0
        chunk.append(pending)
        bytes_held += len(pending.line)
    if chunk:
        yield chunk


BATCHES, ANSWERS = "batches.jsonl", "batches"
_NAME = re.compile(r"[0-9a-f]{16}\.jsonl")
"""Of a file with answers."""
ASKED_AGAIN = frozenset({"cancelled", "failed"})
"""Whoever continues after these has mended what was wrong: what such a batch did not answer is asked anew."""


class BatchLine(Struct, frozen=True, omit_defaults=True):
    """One turn: file alone with its requests (uploaded), with batch (made), with batch and status (over)."""

    file: str
    member: str = ""
    requests: tuple[str, ...] = ()
    batch: str = ""
    status: str = ""
    version: int = 1


class Batch(Struct, eq=False):
    """A batch of this run. status: "" while it is under way; earlier: it was over before this process began."""

    file: str
    member: str
    requests: frozenset[str]
    id: str = ""
    status: str = ""
    earlier: bool = False


class BatchLog:
    """The batches of a run directory, in the order in which they were submitted."""

    def __init__(self, folder: Path) -> None:
        """Raises StoreError where the files cannot be used."""
        self.folder = folder
        self.batches: list[Batch] = []
        by_file: dict[str, Batch] = {}
        lines = list(_read(folder / BATCHES))  # before it is opened for writing: a newer version stays as it is
        try:
            own_folder(folder / ANSWERS)
            self._file = AppendFile(folder / BATCHES)
            sync_folder(folder)
        except OSError as error:
            raise StoreError(f"{error.filename or folder / BATCHES}: {os_cause(error)}") from error
        for line in lines:
            batch = by_file.get(line.file)
            if batch is None:
                batch = by_file[line.file] = Batch(line.file, line.member, frozenset(line.requests))
                self.batches.append(batch)
            batch.id, batch.status = line.batch or batch.id, line.status or batch.status
            batch.earlier = bool(batch.status)

    def check(self) -> None:
        """Raise StoreError where nothing can be noted any more."""
        self._file.check()

    def uploaded(self, file: str, member: str, requests: Iterable[str]) -> Batch:
        """Note a file before a batch is made of it: should that answer be lost, the batch is found by the file."""
        ids = tuple(requests)
        self._file.append(encode(BatchLine(file, member, ids)))
        batch = Batch(file, member, frozenset(ids))
        self.batches.append(batch)
        return batch

    def made(self, batch: Batch, batch_id: str) -> None:
        self._file.append(encode(BatchLine(batch.file, batch=batch_id)))
        batch.id = batch_id

    def over(self, batch: Batch, status: str, answers: bytes) -> None:
        """Keep a batch's answers, then note that it is over."""
        write_whole(self._place(batch), answers, durable=True)
        self._file.append(encode(BatchLine(batch.file, batch=batch.id, status=status)))
        batch.status = status

    def answers(self, batch: Batch) -> bytes:
        """The answers of a batch that is over."""
        try:
            return read_own(self._place(batch), MAX_BATCH_BYTES)
        except OSError as error:
            raise StoreError(f"{self._place(batch)}: {os_cause(error)}; it held answers that are paid for") from error

    def _place(self, batch: Batch) -> Path:
        return self.folder / ANSWERS / f"{hashlib.sha256(batch.id.encode()).hexdigest()[:16]}.jsonl"

    def clear(self) -> None:
        """Take away the answers, once all that they said stands in trajectories on the disk. Never raises."""
        with suppress(OSError):
            places = self.folder / ANSWERS
            if not places.is_symlink():
                clear_leftovers(places)  # of a process that was killed while it kept answers
            for place in places.iterdir() if not places.is_symlink() else ():
                if _NAME.fullmatch(place.name):
                    place.unlink(missing_ok=True)
            places.rmdir()

    def under_way(self) -> list[Batch]:
        return [batch for batch in self.batches if not batch.status]

    def close(self) -> None:
        """Raises StoreError where the disk may have lost lines."""
        self._file.close()


def _read(path: Path) -> Iterator[BatchLine]:
    for number, line in read_whole_lines(path):
        refuse_newer(path, line, LINE_VERSION)
        try:
            yield decode(line, BatchLine)
        except (ValueError, msgspec.ValidationError) as error:
            raise StoreError(f"{path}:{number}: {error}; remove this line to submit its requests again") from error
