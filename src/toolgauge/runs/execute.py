"""The main path: samples run in a run directory, from manifest to last reply. Runs and generations share it.

open the store -> set the budget -> run the samples in an executor -> close -> result
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import TypedDict, Unpack

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from toolgauge.benchmarks.manifest import Manifest
from toolgauge.chat import Usage
from toolgauge.errors import ProviderError, UsageError
from toolgauge.locale import Text, _
from toolgauge.models.model import ConversationModel, Model
from toolgauge.models.probe import ProbeResult, probe
from toolgauge.models.registry import BUILTIN
from toolgauge.runs.budget import Budget, Spent, discounted, pricing
from toolgauge.runs.executors.executor import Executor, ExecutorFactory, ProgressListener, RunOutcome, RunSpec
from toolgauge.runs.executors.local import local_executor
from toolgauge.runs.store import RunStore
from toolgauge.signals import on_first

ProbeReport = Callable[[ProbeResult], None]
"""Is told how a model answered its test question."""


class ExecutionResult(Struct, frozen=True):
    """How it went. notes: what was repaired; spent: by all goes together; earlier: by those before this one."""

    outcome: RunOutcome
    notes: tuple[Text, ...]
    spent: Spent
    earlier: Spent


class ExecutionOptions(TypedDict, total=False):
    """How samples are run: the keyword arguments of `execute`.

    max_cost (US dollars), max_tokens_total: nothing more is asked when so much is spent, earlier goes included.
    listener: is told what happens. probing: ask the test questions and tell this function; an endpoint that does not
    answer raises ProviderError. stop_on_interrupt: Ctrl-C, SIGTERM and SIGHUP end the run in order instead of raising
    KeyboardInterrupt; a second one does what it always does. engine: where the samples run, this process
    (`local_executor`) if not said.
    """

    max_cost: float | None
    max_tokens_total: int | None
    listener: ProgressListener | None
    probing: ProbeReport | None
    stop_on_interrupt: bool
    engine: ExecutorFactory


def execute(spec: RunSpec, concurrency: int, **options: Unpack[ExecutionOptions]) -> ExecutionResult:
    """Run the samples of a spec that are not finished yet, at most so many at once."""
    if concurrency < 1:
        raise UsageError(_("{concurrency_field} is a whole number from 1 on"))
    budget = _budget(spec, options)
    listener = options.get("listener") or ProgressListener()
    start = options.get("engine", local_executor)
    for model in spec.models.values():
        if start is not local_executor and isinstance(model, ConversationModel):
            raise UsageError(_("{engine_field}: {model} can only be asked from one process", model=model.name))
    store = RunStore(spec.folder, spec.role_map, spec.standing, spec.inputs, spec.written)
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    store.open(replace(spec.manifest, started=now), spec.results)  # one that goes on keeps its own
    complete = False
    try:
        budget.spent = dict(store.spent)
        earlier = budget.so_far
        listener.begin(sum(sample.key in store.finished for sample in spec.samples))
        with start(spec, store, budget, listener) as executor:
            outcome = _finish_loop(_run(spec, store, executor, concurrency, options))
            complete = not executor.unfinished(spec.samples)
    finally:
        store.close(complete)
    return ExecutionResult(outcome, tuple(store.notes), budget.so_far, earlier)


async def _run(
    spec: RunSpec, store: RunStore, executor: Executor, concurrency: int, options: ExecutionOptions
) -> RunOutcome:
    """Probe, run, and close the models, whatever happens."""
    restore_signals: Callable[[], None] | None = None
    report = options.get("probing")
    try:
        if report and executor.unfinished(spec.samples) and not executor.budget.is_spent:
            for name in spec.probed:
                model = spec.models[name]
                found = None if isinstance(model, ConversationModel) else await _probe(model, report, executor.listener)
                if found and isinstance(spec.manifest, Manifest):
                    store.record(probe=to_builtins(found.record))
        if options.get("stop_on_interrupt"):
            restore_signals = on_first(executor.interrupt)
        if spec.begun and executor.unfinished(spec.samples):
            asyncio.get_running_loop().call_soon(spec.begun)
        return await executor.run(spec.samples, concurrency)
    finally:
        if restore_signals:
            restore_signals()
        for model in {id(model): model for model in spec.models.values()}.values():
            await model.close()


async def _probe(model: Model, report: ProbeReport, listener: ProgressListener) -> ProbeResult | None:
    """Ask an endpoint the test question; raises ProviderError where it does not answer. None for a built-in model."""
    if model.describe()["provider"] == BUILTIN:
        return None
    listener.show()
    result = await probe(model)
    if not result.finding.answers:
        from toolgauge.models.probe_words import line, suggestion

        helps = suggestion(result) or _("mend that")
        raise ProviderError(
            _("{result}; {helps}, or skip this test with {no_probe_field}", result=line(result), helps=helps)
        )
    report(result)
    return result


def _budget(spec: RunSpec, options: ExecutionOptions) -> Budget:
    """What may be spent; raises UsageError where a limit in dollars meets a model without a known price."""
    max_cost = options.get("max_cost")
    price = discounted(pricing(spec.models), spec.price_shares)
    for name, model in spec.models.items():
        if max_cost is not None and price(name, Usage()) is None:
            raise UsageError(
                _("{max_cost_field}: the price of {model} is not known; use {max_tokens_total_field}", model=model.name)
            )
    return Budget(price, max_cost, options.get("max_tokens_total"))


def _finish_loop(work: Coroutine[None, None, RunOutcome]) -> RunOutcome:
    """Run it to its end, in a thread of its own where this one has a loop already (a notebook)."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()
