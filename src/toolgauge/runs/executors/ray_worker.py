"""A worker on a Ray cluster: a `LocalExecutor` that reports to the process that started it, which alone writes files.

Ray makes an actor of `Worker`; nothing here knows Ray. Keys come as arguments of a call and stay in memory.
"""

from __future__ import annotations

import asyncio
import platform
from collections import deque
from collections.abc import Callable, Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from toolgauge.benchmarks.benchmark import Sample
from toolgauge.chat import Reply, Usage
from toolgauge.episode import Episode, Trajectory
from toolgauge.errors import ToolgaugeError
from toolgauge.locale import Text, _
from toolgauge.models.model import Model
from toolgauge.models.registry import ModelOpening
from toolgauge.models.retry import RetryCause
from toolgauge.models.settings import Travelling
from toolgauge.runs.budget import Budget, pricing
from toolgauge.runs.executors.executor import ProgressListener
from toolgauge.runs.executors.local import LocalExecutor
from toolgauge.runs.lines import encode
from toolgauge.runs.store import Failure, JournalLine, RoleMap
from toolgauge.version import __version__

GATHER_SECONDS = 0.005
"""In which further lines may come along with the first."""


class WorkerJob(Struct, frozen=True):
    """What a worker runs: data only."""

    episode: Callable[[Sample], Episode]
    role_map: RoleMap


class WorkerConfig(Struct, frozen=True):
    """How a worker runs its samples.

    openings: how the models are opened; described: what each of them must say of itself, so that every worker asks the
    same endpoint; environment: variables for the providers (see `Travelling`); slots: conversations at once; pace:
    seconds that an exchange may take (where a slot falls empty, it is sooner).
    """

    openings: Mapping[str, ModelOpening]
    described: Mapping[str, object]
    environment: Travelling
    slots: int
    max_cost: float | None
    max_tokens: int | None
    pace: float

    def __repr__(self) -> str:
        """Without keys."""
        return f"WorkerConfig({', '.join(self.openings)}, {self.slots} slots)"


class WorkItem(Struct, frozen=True):
    """A sample to run, and the replies that were given in it before."""

    sample: Sample
    known: list[Reply]


class WorkerCommand(Struct, frozen=True):
    """What a worker is told. spent_elsewhere: tokens of all others; stop: why nothing more is to be asked."""

    items: list[WorkItem]
    spent_elsewhere: dict[str, Usage]
    stop: Text | None = None
    draining: bool = False


class WorkerUpdate(Struct):
    """What a worker reports: lines as they stand in the run directory; tokens that it spent so far; why it stopped;
    what an endpoint said last; which endpoint asks to wait, and until when; what is asked for, and what is asked again
    and why (as `ProgressListener` is told)."""

    replies: list[bytes] = []
    trajectories: list[bytes] = []
    failures: list[bytes] = []
    spent: dict[str, Usage] = {}
    stopped: Text | None = None
    trouble: Text | None = None
    draining: bool = False
    waits: list[tuple[str, float]] = []
    asked: list[tuple[str, str, int, int | None]] = []
    retries: list[tuple[str, RetryCause]] = []


class SharedBudget(Budget):
    """A budget that others spend too."""

    own: dict[str, Usage] = field(default_factory=dict)

    def add(self, name: str, usage: Usage) -> None:
        super().add(name, usage)
        self.own[name] = self.own.get(name, Usage()) + usage

    def add_others(self, spent: Mapping[str, Usage]) -> None:
        """Count what the others spent: their total so far, by model."""
        names = {**spent, **self.own}
        self.spent = {name: spent.get(name, Usage()) + self.own.get(name, Usage()) for name in names}


class Outbox:
    """A `TrajectorySink` whose lines wait here until they are fetched."""

    def __init__(self) -> None:
        self.finished: set[str] = set()
        self.begun: dict[str, list[Reply]] = {}
        self.update = WorkerUpdate()

    def add_reply(self, key: str, step: int, reply: Reply, role: str) -> None:
        self.update.replies.append(encode(JournalLine(key, step, reply, role)))

    def add_trajectory(self, trajectory: Trajectory) -> None:
        self.update.trajectories.append(encode(trajectory))

    def add_failure(self, failure: Failure) -> None:
        self.update.failures.append(encode(failure))

    def check(self) -> None:
        """The process that fetches the lines checks whether they can be written."""

    def forget_failures(self) -> None:
        """They are kept by the process that fetched them."""

    def fetch(self) -> WorkerUpdate:
        """What is new since the last call."""
        update, self.update = self.update, WorkerUpdate()
        return update


class WorkerListener(ProgressListener):
    """Reports what a person has to know at once."""

    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox

    def waiting(self, model: str, until: float) -> None:
        self._outbox.update.waits.append((model, until))

    def asking(self, key: str, task: str, step: int, steps: int | None) -> None:
        self._outbox.update.asked.append((key, task, step, steps))

    def retrying(self, model: str, cause: RetryCause) -> None:
        self._outbox.update.retries.append((model, cause))


class Worker:
    """Runs samples, several at once; gets commands and returns updates in one call, `exchange`, again and again."""

    def __init__(self) -> None:
        self._outbox = Outbox()
        self._waiting: deque[Sample] = deque()
        self._under_way: set[asyncio.Task[None]] = set()
        self._slot_free = asyncio.Event()
        self._slots, self._pace = 0, 0.0

    async def identify(self) -> tuple[str, str]:
        """The version of toolgauge here, and the name of the machine."""
        return __version__, platform.node()

    async def start(self, job: WorkerJob, config: WorkerConfig) -> Text | None:
        """Open the models; returns why that cannot be done, None where it can."""
        config.environment.arrive()
        try:
            models = open_models(config.openings, config.slots)
        except ToolgaugeError as error:
            return error.text
        for name, model in models.items():
            if model.describe() != config.described[name]:
                return _(
                    "{model} is {there} there and {here} here",
                    model=model.name,
                    there=str(model.describe()),
                    here=str(config.described[name]),
                )
        self._budget = SharedBudget(pricing(models), config.max_cost, config.max_tokens, {})
        self._executor = LocalExecutor(
            job.episode, models, self._outbox, self._budget, WorkerListener(self._outbox), job.role_map
        )
        self._slots, self._pace = config.slots, config.pace
        return None

    async def exchange(self, command: WorkerCommand) -> WorkerUpdate:
        """Obey a command; after at most `pace` seconds, what is new since the last call."""
        self._budget.add_others(command.spent_elsewhere)
        if command.stop is not None:
            self._executor.stop(command.stop, command.draining)
        for item in command.items:
            if item.known:
                self._outbox.begun[item.sample.key] = item.known
            self._waiting.append(item.sample)
        self._fill()
        await self._pause()
        update, outcome = self._outbox.fetch(), self._executor.outcome
        update.spent = dict(self._budget.own)
        update.trouble = outcome.trouble
        update.stopped, update.draining = outcome.stopped, self._executor.draining.is_set()
        return update

    def _fill(self) -> None:
        """Start what waits, as far as there are slots."""
        while self._waiting and len(self._under_way) < self._slots:
            task = asyncio.ensure_future(self._executor.run_sample(self._waiting.popleft()))
            self._under_way.add(task)
            task.add_done_callback(self._ended)
        if len(self._under_way) < self._slots:
            self._slot_free.set()

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._under_way.discard(task)
        self._fill()

    async def _pause(self) -> None:
        """A moment; a short one where a slot falls empty."""
        if self._under_way:
            self._slot_free.clear()
        try:
            await asyncio.wait_for(self._slot_free.wait(), self._pace)
        except TimeoutError:
            return
        await asyncio.sleep(GATHER_SECONDS if self._under_way or self._outbox.update.trajectories else self._pace)


def open_models(openings: Mapping[str, ModelOpening], concurrency: int) -> dict[str, Model]:
    """The models by name; one that stands there several times is opened once and has one limit for all of them."""
    opened: list[tuple[ModelOpening, Model]] = []
    models = {}
    for name, opening in openings.items():
        known = next((model for other, model in opened if other == opening), None)
        if known is None:
            known = replace(opening, options=replace(opening.options, concurrency=concurrency)).open()
            opened.append((opening, known))
        models[name] = known
    return models
