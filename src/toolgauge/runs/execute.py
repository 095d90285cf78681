"""Conversations carried out in a run directory, from manifest to last reply: what runs and generations share."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Protocol, TypedDict, Unpack

from msgspec import Struct

from toolgauge.benchmarks.benchmark import Sample
from toolgauge.chat import Json, Usage
from toolgauge.episode import Episode
from toolgauge.errors import ProviderError, UsageError
from toolgauge.models.model import Model
from toolgauge.models.probe import ProbeResult, probe
from toolgauge.models.registry import BUILTIN, ModelOpening
from toolgauge.runs.budget import Budget, Pricing
from toolgauge.runs.executors.local import LocalExecutor, ProgressListener, RunOutcome
from toolgauge.runs.store import RoleMap, RunStore, by_role
from toolgauge.signals import on_first


class RunSpec(Struct, frozen=True):
    """What is to be had, from whom, and where it is kept.

    cast: who answers; casting: who of them in a role of a conversation; probed: who must answer a test question first.
    openings: how each of the cast is opened once more, for engines that need them on other machines; `episode` and
    `role_map` travel there too and must hold data only, no models. price_shares: what tokens of a member cost as a
    share of their list price, where that is not 1. results: names of the files that will be made of the run in its
    folder.
    """

    samples: Sequence[Sample]
    episode: Callable[[Sample], Episode]
    cast: Mapping[str, Model]
    folder: Path
    manifest: Json
    role_map: RoleMap = by_role
    probed: Sequence[str] = ()
    openings: Mapping[str, ModelOpening] = {}
    price_shares: Mapping[str, float] = {}
    results: Sequence[str] = ()


class ExecutionResult(Struct, frozen=True):
    """How it went. notes: what was repaired; spent: tokens by member of the cast, all goes together; cost: US dollars,
    None where a price is not known."""

    outcome: RunOutcome
    notes: tuple[str, ...]
    spent: dict[str, Usage]
    cost: float | None

    @property
    def tokens(self) -> int:
        return sum((usage.total for usage in self.spent.values()), 0)


class Executor(Protocol):
    """What has the conversations of an order: a `LocalExecutor`, or a cluster of them (ray.py)."""

    def unfinished(self, samples: Sequence[Sample]) -> list[Sample]: ...
    async def run(self, samples: Sequence[Sample], concurrency: int) -> RunOutcome: ...
    def interrupt(self) -> None: ...


ExecutorFactory = Callable[[RunSpec, RunStore, Budget, ProgressListener], AbstractContextManager[Executor]]
"""Where conversations are had; entering it may take a while, leaving it lets everything go."""


class ExecutionOptions(TypedDict, total=False):
    """How conversations are carried out: the keyword arguments of `execute`.

    max_cost (US dollars), max_tokens_total: nothing more is asked when so much is spent, earlier goes included.
    watch: is told what happens. probing: ask the test questions and tell this function; an endpoint that does not
    answer raises ProviderError. stop_on_interrupt: Ctrl-C, SIGTERM and SIGHUP end the run in order instead of raising
    KeyboardInterrupt; a second one does what it always does. engine: where the conversations are had, this process
    (`local_executor`) if not said.
    """

    max_cost: float | None
    max_tokens_total: int | None
    listener: ProgressListener | None
    probing: Callable[[ProbeResult], None] | None
    stop_on_interrupt: bool
    engine: ExecutorFactory


def local_executor(
    order: RunSpec, store: RunStore, budget: Budget, listener: ProgressListener
) -> AbstractContextManager[Executor]:
    """The usual engine: this process."""
    return nullcontext(LocalExecutor(order.episode, order.cast, store, budget, listener, order.role_map))


def execute(order: RunSpec, concurrency: int, **how: Unpack[ExecutionOptions]) -> ExecutionResult:
    """Have the conversations of an order that are not finished yet, at most so many at once."""
    if concurrency < 1:
        raise UsageError("--concurrency is a whole number from 1 on")
    max_cost, listener = how.get("max_cost"), how.get("listener") or ProgressListener()
    budget = Budget(discounted(pricing(order.cast), order.price_shares), max_cost, how.get("max_tokens_total"))
    for member, model in order.cast.items():
        if max_cost is not None and budget.price(member, Usage()) is None:
            raise UsageError(f"--max-cost: the price of {model.name} is not known; use --max-tokens-total")
    store = RunStore(order.folder, order.role_map).open(order.manifest, order.results)
    complete = False
    try:
        budget.spent = dict(store.spent)
        listener.begin(sum(sample.key in store.finished for sample in order.samples))
        with how.get("engine", local_executor)(order, store, budget, listener) as drive:
            testing = how.get("probing") if drive.unfinished(order.samples) and not budget.is_spent else None
            interruptible = how.get("stop_on_interrupt", False)
            outcome = _complete(_until_over(order, drive, concurrency, testing, interruptible))
            complete = not drive.unfinished(order.samples)
    finally:
        store.close(complete)
    return ExecutionResult(outcome, tuple(store.notes), budget.spent, budget.cost)


def pricing(cast: Mapping[str, Model]) -> Pricing:
    """What tokens of a member of the cast cost."""
    from toolgauge.models.prices import cost

    return lambda member, usage: cost(cast[member].name, usage, cast[member].describe().get("base_url"))


def discounted(price: Pricing, shares: Mapping[str, float]) -> Pricing:
    """The same prices, those of some members times a share."""

    def cheaper(member: str, usage: Usage) -> float | None:
        full = price(member, usage)
        return None if full is None else full * shares.get(member, 1.0)

    return cheaper if shares else price


def _complete(whole: Coroutine[None, None, RunOutcome]) -> RunOutcome:
    """Run it to its end, in a thread of its own where this one has a loop already (a notebook)."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(whole)
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, whole).result()


async def _until_over(
    order: RunSpec,
    drive: Executor,
    concurrency: int,
    probing: Callable[[ProbeResult], None] | None,
    stop_on_interrupt: bool,
) -> RunOutcome:
    put_back: Callable[[], None] = lambda: None  # noqa: E731 - until there is something to put back
    try:
        if probing:
            for member in order.probed:
                await _probe(order.cast[member], probing)
        if stop_on_interrupt:
            put_back = on_first(drive.interrupt)
        return await drive.run(order.samples, concurrency)
    finally:
        put_back()
        for model in {id(model): model for model in order.cast.values()}.values():
            await model.close()


async def _probe(model: Model, probing: Callable[[ProbeResult], None]) -> None:
    """Ask an endpoint the test question; raises ProviderError where it does not answer."""
    if model.describe()["provider"] == BUILTIN:
        return
    result = await probe(model)
    if not result.answers:
        raise ProviderError(f"{result.line()}; mend that, or skip this test with --no-probe")
    probing(result)
