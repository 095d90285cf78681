"""A worker on a Ray cluster: a `LocalExecutor` whose notes go to the process that began it, which alone writes files.

Ray makes an actor of `Worker`; nothing here knows Ray. Keys come as arguments of a call and stay in memory.
"""

from __future__ import annotations

import asyncio
import platform
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from toolgauge.benchmarks.benchmark import Sample
from toolgauge.chat import Reply, Usage
from toolgauge.episode import Episode, Trajectory
from toolgauge.errors import ToolgaugeError
from toolgauge.models.model import Model
from toolgauge.models.registry import ModelOpening
from toolgauge.models.settings import Travelling
from toolgauge.runs.budget import Budget
from toolgauge.runs.execute import pricing
from toolgauge.runs.executors.local import LocalExecutor, ProgressListener
from toolgauge.runs.lines import encode
from toolgauge.runs.store import Failure, JournalLine, RoleMap
from toolgauge.version import __version__

BREATH = 0.005
"""Seconds in which further news may come along with the first."""


class WorkerJob(Struct, frozen=True):
    """What is asked of whom: data only."""

    episode: Callable[[Sample], Episode]
    role_map: RoleMap


class WorkerConfig(Struct, frozen=True):
    """Under which terms a worker works.

    openings: how the cast is opened; described: what each of them must say of itself, so that every worker asks the
    same endpoint; environment: variables for the providers (see `Travelling`); slots: conversations at once; pace:
    seconds between two calls that bring news (where a slot falls empty, it is sooner).
    """

    openings: Mapping[str, ModelOpening]
    described: Mapping[str, Any]
    environment: Travelling
    slots: int
    max_cost: float | None
    max_tokens: int | None
    pace: float

    def __repr__(self) -> str:
        """Without keys."""
        return f"Terms({', '.join(self.openings)}, {self.slots} slots)"


class WorkItem(Struct, frozen=True):
    """A conversation to be had, and the replies that were given in it before."""

    sample: Sample
    known: list[Reply]


class WorkerCommand(Struct, frozen=True):
    """What a worker is told. elsewhere: tokens spent by all others; stop: why nothing more is to be asked."""

    errands: list[WorkItem]
    elsewhere: dict[str, Usage]
    stop: str | None = None
    draining: bool = False


class WorkerUpdate(Struct):
    """What a worker tells: lines as they stand in the run directory; tokens that it spent so far; why it stopped; which
    endpoint asks to wait, and until when."""

    replies: list[bytes] = []
    trajectories: list[bytes] = []
    failures: list[bytes] = []
    spent: dict[str, Usage] = {}
    stopped: str | None = None
    draining: bool = False
    waits: list[tuple[str, float]] = []


class SharedBudget(Budget):
    """A budget that others spend too."""

    own: dict[str, Usage] = field(default_factory=dict)

    def add(self, member: str, usage: Usage) -> None:
        super().add(member, usage)
        self.own[member] = self.own.get(member, Usage()) + usage

    def learn(self, elsewhere: Mapping[str, Usage]) -> None:
        """Know what the others spent."""
        members = {**elsewhere, **self.own}
        self.spent = {name: elsewhere.get(name, Usage()) + self.own.get(name, Usage()) for name in members}


class Outbox:
    """A runner's ledger whose lines wait here until they are fetched."""

    def __init__(self) -> None:
        self.finished: set[str] = set()
        self.begun: dict[str, list[Reply]] = {}
        self.news = WorkerUpdate()

    def add_reply(self, key: str, step: int, reply: Reply, role: str) -> None:
        self.news.replies.append(encode(JournalLine(key, step, reply, role)))

    def add_trajectory(self, trajectory: Trajectory) -> None:
        self.news.trajectories.append(encode(trajectory))

    def add_failure(self, failure: Failure) -> None:
        self.news.failures.append(encode(failure))

    def check(self) -> None:
        """Whoever fetches the news checks whether they can be written down."""

    def forget_failures(self) -> None:
        """They are with whoever fetched them."""

    def fetch(self) -> WorkerUpdate:
        """The news, which are told once."""
        news, self.news = self.news, WorkerUpdate()
        return news


class Onlooker(ProgressListener):
    """Sends on what a person has to know at once."""

    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox

    def waiting(self, model: str, until: float) -> None:
        self._outbox.news.waits.append((model, until))


class Worker:
    """Has conversations, several at once; told what to do and asked for news in one call, again and again."""

    def __init__(self) -> None:
        self._outbox = Outbox()
        self._waiting: deque[Sample] = deque()
        self._under_way: set[asyncio.Task[None]] = set()
        self._idle = asyncio.Event()
        self._slots, self._pace = 0, 0.0

    async def hello(self) -> tuple[str, str]:
        """The version of toolgauge here, and the name of the machine."""
        return __version__, platform.node()

    async def begin(self, work: WorkerJob, terms: WorkerConfig) -> str | None:
        """Open the cast; returns why that cannot be done, None where it can."""
        terms.environment.arrive()
        try:
            cast = opened(terms.openings, terms.slots)
        except ToolgaugeError as error:
            return str(error)
        for member, model in cast.items():
            if model.describe() != terms.described[member]:
                return f"{model.name} is {model.describe()} there and {terms.described[member]} here"
        self._budget = SharedBudget(pricing(cast), terms.max_cost, terms.max_tokens, {})
        self._runner = LocalExecutor(
            work.episode, cast, self._outbox, self._budget, Onlooker(self._outbox), work.role_map
        )
        self._slots, self._pace = terms.slots, terms.pace
        return None

    async def exchange(self, orders: WorkerCommand) -> WorkerUpdate:
        """Take orders; the news since the last call, after a moment."""
        self._budget.learn(orders.elsewhere)
        if orders.stop is not None:
            self._runner.stop(orders.stop, orders.draining)
        for errand in orders.errands:
            if errand.known:
                self._outbox.begun[errand.sample.key] = errand.known
            self._waiting.append(errand.sample)
        self._fill()
        await self._pause()
        news, outcome = self._outbox.fetch(), self._runner.outcome
        news.spent = dict(self._budget.own)
        news.stopped, news.draining = outcome.stopped, self._runner.draining.is_set()
        return news

    def _fill(self) -> None:
        """Begin what waits, as far as there are slots."""
        while self._waiting and len(self._under_way) < self._slots:
            task = asyncio.ensure_future(self._runner.run_sample(self._waiting.popleft()))
            self._under_way.add(task)
            task.add_done_callback(self._ended)
        if len(self._under_way) < self._slots:
            self._idle.set()

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._under_way.discard(task)
        self._fill()

    async def _pause(self) -> None:
        """A moment; a short one where a slot falls empty."""
        if self._under_way:
            self._idle.clear()
        try:
            await asyncio.wait_for(self._idle.wait(), self._pace)
        except TimeoutError:
            return
        await asyncio.sleep(BREATH if self._under_way or self._outbox.news.trajectories else self._pace)


def opened(openings: Mapping[str, ModelOpening], concurrency: int) -> dict[str, Model]:
    """The cast; who plays several roles is opened once and has one limit for all of them."""
    models: list[tuple[ModelOpening, Model]] = []
    cast = {}
    for member, opening in openings.items():
        known = next((model for other, model in models if other == opening), None)
        if known is None:
            known = replace(opening, options=replace(opening.options, concurrency=concurrency)).open()
            models.append((opening, known))
        cast[member] = known
    return cast
