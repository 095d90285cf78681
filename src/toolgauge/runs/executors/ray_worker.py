"""What runs on the nodes of a Ray cluster: samples are run as on this machine, and reported to
the process that began the run.

Ray makes an actor of `Worker`; nothing here knows Ray.
"""

from __future__ import annotations

import asyncio
import json
import platform
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.benchmarks.benchmark import Sample
from toolgauge.chat import Reply, Usage
from toolgauge.episode import Episode, Trajectory
from toolgauge.errors import ToolgaugeError
from toolgauge.models.failures import RetryCause
from toolgauge.models.model import Model
from toolgauge.models.registry import ModelOpening
from toolgauge.models.settings import Travelling
from toolgauge.reasons import Blame
from toolgauge.runs.budget import Budget, pricing
from toolgauge.runs.executors.executor import ProgressListener
from toolgauge.runs.executors.local import LocalExecutor
from toolgauge.runs.lines import decode, encode
from toolgauge.runs.store import Failure, RoleMap
from toolgauge.version import __version__

Event = tuple[Any, ...]
"""What happened in a worker: a name and arguments. What will be written is JSON: msgspec leaves out a field with its
default value, and would no longer recognise that value after pickling."""


class WorkerConfig(Struct, frozen=True):
    """Whom a worker asks and how much; it goes to the worker as an argument of a call and stays in memory."""

    role_map: RoleMap
    openings: Mapping[str, ModelOpening]
    """How the models are opened."""
    described: Mapping[str, object]
    """What each model must say of itself, so that every worker asks the same endpoint."""
    environment: Travelling
    """Variables for the providers."""
    slots: int
    """Conversations at once."""
    max_cost: float | None
    max_tokens: int | None
    pace: float
    """Seconds that a call of `exchange` may take."""

    def __repr__(self) -> str:
        """Without keys."""
        return f"WorkerConfig({', '.join(self.openings)}, {self.slots} slots)"


class Outbox(ProgressListener):
    """A `TrajectorySink` and a listener that keep what they are told as events until those are fetched."""

    def __init__(self) -> None:
        self.finished: set[str] = set()
        self.begun: dict[str, list[Reply]] = {}
        self.events: list[Event] = []

    def add_reply(self, key: str, step: int, reply: Reply, role: str) -> None:
        self.events.append(("reply", key, step, encode(reply), role))

    def add_trajectory(self, trajectory: Trajectory) -> None:
        self.events.append(("trajectory", encode(trajectory)))

    def add_failure(self, failure: Failure) -> None:
        """`WorkerExecutor` reports them."""

    def replied(self, key: str, role: str, reply: Reply) -> None:
        self.events.append(("replied", key, role, reply))

    def retrying(self, model: str, cause: RetryCause) -> None:
        self.events.append(("retrying", model, cause))

    def waiting(self, model: str, until: float) -> None:
        self.events.append(("waiting", model, until))

    def check(self) -> None:
        """The process that writes the run directory checks whether it can."""

    def forget_failures(self) -> None:
        """The process that writes the run directory keeps them."""


class WorkerExecutor(LocalExecutor):
    """Reports the samples that end without a trajectory; the process that began the run counts them."""

    def __init__(
        self,
        episode: Callable[[Sample], Episode],
        models: Mapping[str, Model],
        outbox: Outbox,
        budget: Budget,
        role_map: RoleMap,
    ) -> None:
        super().__init__(episode, models, outbox, budget, outbox, role_map)
        self._outbox = outbox

    def fail(self, sample: Sample, blame: Blame, reason: str) -> None:
        self._outbox.events.append(("fail", sample.key, blame, str(reason)))

    def skip(self, sample: Sample, why: str) -> None:
        self._outbox.events.append(("skip", sample.key, why))


class Worker:
    """The actor: a `LocalExecutor` whose samples and stop requests arrive by `exchange`."""

    def __init__(self) -> None:
        self._outbox = Outbox()
        self._tasks: set[asyncio.Task[None]] = set()
        self._return_below = 0
        self._wanted = asyncio.Event()
        """Set where `exchange` should return early."""

    async def identify(self) -> tuple[str, str]:
        """The version of toolgauge here, and the name of the machine."""
        return __version__, platform.node()

    async def start(self, episode: Callable[[Sample], Episode], config: WorkerConfig) -> str | None:
        """Open the models; returns why that is not possible, else None."""
        config.environment.arrive()
        try:
            models = open_models(config.openings, config.slots)
        except ToolgaugeError as error:
            return str(error)
        for name, model in models.items():
            if model.describe() != config.described[name]:
                there, here = (json.dumps(description) for description in (model.describe(), config.described[name]))
                return f"{model.name} is configured differently on this worker: {there}, not {here}"
        self._budget = Budget(pricing(models), config.max_cost, config.max_tokens)
        self._executor = WorkerExecutor(episode, models, self._outbox, self._budget, config.role_map)
        self._slots, self._pace = asyncio.Semaphore(config.slots), config.pace
        return None

    async def exchange(
        self,
        samples: Sequence[tuple[Sample, bytes]],
        return_below: int,
        spent: dict[str, Usage],
        stop: tuple[str, bool] | None,
    ) -> list[Event]:
        """Take samples, and report what happened since the last call.

        samples: each with the replies that were recorded in it before, as JSON. return_below: return at once when there
        are fewer samples than this, else after `pace` seconds. spent: tokens of all workers that have been reported,
        by model. stop: why nothing more is to be asked, and whether what is under way has only the grace period left.
        """
        self._budget.spent = spent
        for name, *arguments in self._outbox.events:
            if name == "replied":
                self._budget.add(*usage_of(self._executor.role_map, *arguments))
        if stop is not None:
            self._executor.stop(*stop)
        self._return_below = return_below
        self._wanted.clear()
        for sample, encoded in samples:
            if replies := decode(encoded, list[Reply]):
                self._outbox.begun[sample.key] = replies
            task = asyncio.ensure_future(self._run(sample))
            self._tasks.add(task)
            task.add_done_callback(self._ended)
        with suppress(TimeoutError):
            await asyncio.wait_for(self._wanted.wait(), self._pace)
        events, self._outbox.events = self._outbox.events, []
        if (stopped := self._executor.outcome.stopped) is not None:
            events.insert(0, ("stop", stopped, self._executor.draining.is_set()))
        return events

    async def _run(self, sample: Sample) -> None:
        async with self._slots:
            await self._executor.run_sample(sample)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if len(self._tasks) < self._return_below:
            self._wanted.set()


def open_models(openings: Mapping[str, ModelOpening], concurrency: int) -> dict[str, Model]:
    """The models by name; one that occurs several times is opened once and has one limit for all of them."""
    opened: list[tuple[ModelOpening, Model]] = []
    models = {}
    for name, opening in openings.items():
        model = next((model for other, model in opened if other == opening), None)
        if model is None:
            model = replace(opening, options=replace(opening.options, concurrency=concurrency)).open()
            opened.append((opening, model))
        models[name] = model
    return models


def usage_of(role_map: RoleMap, key: str, role: str, reply: Reply) -> tuple[str, Usage]:
    """Which of the run's models gave a reply, and what it took."""
    return role_map(key, role), reply.usage
