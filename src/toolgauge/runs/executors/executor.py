"""What runs samples, seen from outside: the protocol that this process, a Ray cluster and provider batches share.

An executor takes samples that are not finished, drives their episodes, and appends the trajectories to a sink. It
scores nothing and keeps nothing of a finished conversation.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypedDict

from msgspec import Struct

from toolgauge.benchmarks.benchmark import Sample
from toolgauge.benchmarks.manifest import Asked
from toolgauge.chat import Reply
from toolgauge.episode import Episode, Trajectory
from toolgauge.errors import StoreError
from toolgauge.models.failures import RetryCause
from toolgauge.models.model import Model
from toolgauge.models.registry import ModelOpening
from toolgauge.reasons import Blame
from toolgauge.runs.budget import Budget
from toolgauge.runs.store import Failure, Inputs, RoleMap, RunStore, StillCounts, by_role

if TYPE_CHECKING:
    from toolgauge.models.probe import ProbeResult

GIVE_UP_AFTER = 10
"""So many failures in a row, with no success between them, and the endpoint (or the cluster) is taken to be down."""
GRACE_SECONDS = 5.0
"""After an interrupt, requests under way may still come back for so long."""
POLL_SECONDS = 0.05
"""During the grace period: between two looks whether anything is still under way."""


class RunSpec(Struct, frozen=True):
    """Which samples are run, on which models, and in which run directory.

    models: who answers, by name (often a role); role_map: which of them speaks in a role of a sample. probed: names of
    models that must answer a test question first. openings: how each model is opened again, for executors that need
    them in other processes; `episode` and `role_map` are sent there too, so they hold data only, no models.
    price_shares: what a model's tokens cost as a share of their list price, where that is not 1. results: names of the
    files that scoring will write into the folder. standing: whether a recorded conversation still counts (None: all
    do). inputs: files of the user's, or contents, that are copied into the folder, by the name they get there. timeout:
    seconds per request, for the record.
    """

    samples: Sequence[Sample]
    episode: Callable[[Sample], Episode]
    models: Mapping[str, Model]
    folder: Path
    manifest: Asked
    role_map: RoleMap = by_role
    probed: Sequence[str] = ()
    openings: Mapping[str, ModelOpening] = {}
    price_shares: Mapping[str, float] = {}
    results: Sequence[str] = ()
    standing: StillCounts | None = None
    inputs: Inputs = {}
    timeout: float = 300.0


class RunOutcome(Struct):
    """How a run ended. done, failed, not_asked: samples, the last ones not to their end; stopped: why it ended early.

    trouble: what an endpoint said of the last one that failed there. overflowed: how many are longer than its context;
    overflow: what it said last of one. interrupted: by the user. seconds: how long it took.
    """

    done: int = 0
    failed: int = 0
    not_asked: int = 0
    trouble: str | None = None
    overflowed: int = 0
    overflow: str | None = None
    stopped: str | None = None
    interrupted: bool = False
    seconds: float = 0.0

    @property
    def missing(self) -> int:
        """Samples without a trajectory."""
        return self.failed + self.not_asked


class ProgressListener:
    """Is told what happens while a run goes; this one ignores it."""

    def begin(self, already_done: int) -> None:
        """The run directory is open and holds so many of the samples."""

    def show(self) -> None:
        """Nothing waits for it now, the first requests are on their way: it may take a while to show what happens."""

    def replied(self, key: str, role: str, reply: Reply) -> None:
        """A reply arrived."""

    def retrying(self, model: str, cause: RetryCause) -> None:
        """A request failed and is asked again."""

    def ended(self, sample: Sample, trajectory: Trajectory | None) -> None:
        """A sample ended; None: it failed."""

    def batch(self, batch: str, status: str, done: int, total: int) -> None:
        """A batch is under way, or over: so many of its requests are answered (`BatchExecutor`)."""

    def waiting(self, model: str, until: float) -> None:
        """An endpoint asks everybody to wait until then (seconds since the epoch)."""

    def interrupted(self) -> None:
        """The user wants the run to end; what is under way has `GRACE_SECONDS` to come back."""


class TrajectorySink(Protocol):
    """Where an executor writes what was said: the run directory, or a worker's outbox.

    finished: keys of samples that are done; begun: replies given in samples that are not.
    """

    finished: set[str]
    begun: dict[str, list[Reply]]

    def add_reply(self, key: str, step: int, reply: Reply, role: str) -> None: ...
    def add_trajectory(self, trajectory: Trajectory) -> None: ...
    def add_failure(self, failure: Failure) -> None: ...
    def forget_failures(self) -> None: ...
    def check(self) -> None:
        """Raise StoreError where nothing can be written any more; called before every request."""


class Executor(ABC):
    """State shared by every executor: outcome, stop request, first fatal error. Subclasses run the samples."""

    def __init__(self, store: TrajectorySink, budget: Budget, listener: ProgressListener) -> None:
        self.store, self.budget, self.listener = store, budget, listener
        self.outcome = RunOutcome()
        self.draining = asyncio.Event()
        """Set when what is under way has only the grace period left."""
        self.fatal_error: Exception | None = None
        """The first error after which nothing can be kept; raised at the end."""

    @abstractmethod
    async def run(self, samples: Sequence[Sample], concurrency: int) -> RunOutcome:
        """Run every sample that is not finished yet, at most so many at once; returns early when stopped.

        Raises StoreError where what is said can no longer be written.
        """

    def unfinished(self, samples: Sequence[Sample]) -> list[Sample]:
        return [sample for sample in samples if sample.key not in self.store.finished]

    def interrupt(self) -> None:
        """Begin no further sample and no further step; called from the signal handler."""
        self.outcome.interrupted = True
        self.stop("interrupted")
        self.listener.interrupted()

    def stop(self, why: str, draining: bool = True) -> None:
        """Ask nothing more. draining: what is under way has only the grace period left to come back."""
        if self.outcome.stopped is None:
            self.outcome.stopped = str(why)
        if draining:
            self.draining.set()
            self.stop_sending()

    def abort(self, error: Exception) -> None:
        """Nothing can be written any more: stop at once, for what is asked now is paid for and lost."""
        self.fatal_error = self.fatal_error or error
        self.stop(str(error))

    def stop_sending(self) -> None:  # noqa: B027 - an executor may have no queue of requests
        """Send no request that is still waiting for its turn."""

    def is_drained(self) -> bool:
        """Whether the grace period may end early: nothing is under way, or nothing that comes back could be kept."""
        return self.fatal_error is not None

    def finish(self, sample: Sample, trajectory: Trajectory) -> None:
        """A sample is done and written."""
        self.outcome.done += 1
        self.listener.ended(sample, trajectory)

    def fail(self, sample: Sample, blame: Blame, reason: str) -> None:
        """A sample failed: write down why and who is to blame."""
        self.outcome.failed += 1
        if blame is Blame.PROVIDER:
            self.outcome.trouble = str(reason)
        elif blame is Blame.CONTEXT:
            self.outcome.overflowed += 1
            self.outcome.overflow = str(reason)
        self._note(sample, blame, reason)
        self.listener.ended(sample, None)

    def skip(self, sample: Sample, why: str) -> None:
        """A sample was not asked, or not to its end, because the run stops: nobody is to blame."""
        self.outcome.not_asked += 1
        self._note(sample, Blame.HARNESS, f"{why}: {self.outcome.stopped}")

    def _note(self, sample: Sample, blame: Blame, reason: str) -> None:
        try:
            self.store.add_failure(Failure(sample.key, sample.session_id, blame, str(reason)))
        except StoreError as error:
            self.abort(error)

    def result(self) -> RunOutcome:
        """How the run ended; raises the fatal error."""
        if self.fatal_error is not None:
            raise self.fatal_error
        if self.outcome.missing == 0:  # the interrupt came when everything was said
            self.outcome.stopped = None
        return self.outcome


ExecutorFactory = Callable[[RunSpec, RunStore, Budget, ProgressListener], AbstractContextManager[Executor]]
"""Makes an executor; entering it may take a while (a cluster), leaving it lets everything go."""


class LimitKeywords(TypedDict, total=False):
    """Those keyword arguments of `execute` that `Limits` gives.

    max_cost (US dollars), max_tokens_total: nothing more is asked when so much is spent, by earlier commands too.
    engine: where the samples run, this process (`local_executor`) if not given.
    """

    max_cost: float | None
    max_tokens_total: int | None
    engine: ExecutorFactory


class ExecutionOptions(LimitKeywords, total=False):
    """How samples are run: the keyword arguments of `execute`.

    listener: is told what happens. probing: ask the test questions and tell this function; an endpoint that does not
    answer raises ProviderError. stop_on_interrupt: Ctrl-C, SIGTERM and SIGHUP end the run in order instead of raising
    KeyboardInterrupt; a second one does what it always does.
    """

    listener: ProgressListener | None
    probing: Callable[[ProbeResult], None] | None
    stop_on_interrupt: bool
