"""A run, from its spec to what came of it: open the folder, ask what is missing, append, score.

execute       open the run directory -> ask in an executor -> close       (runs and generations)
execute_plan  execute -> score                                            (runs)
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Unpack

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from toolgauge.analysis.numbers import Metrics
from toolgauge.benchmarks.manifest import LimitsRecord, Manifest
from toolgauge.episode import ASSISTANT
from toolgauge.errors import ProviderError, Tell, UsageError, warn
from toolgauge.files import require_apart
from toolgauge.models.model import ConversationModel
from toolgauge.models.probe import Finding, line, probe, suggestion
from toolgauge.models.registry import BUILTIN
from toolgauge.runs.budget import Budget, Spent, pricing
from toolgauge.runs.executors.executor import ExecutionOptions, Executor, ProgressListener, RunOutcome, RunSpec
from toolgauge.runs.executors.local import local_executor
from toolgauge.runs.plan import Plan
from toolgauge.runs.scoring import check_place, score_run
from toolgauge.runs.store import RunStore
from toolgauge.signals import on_first


class ExecutionResult(Struct, frozen=True):
    """How it went. notes: what was repaired or has changed; spent: by all commands; earlier: before this one."""

    outcome: RunOutcome
    notes: tuple[str, ...]
    spent: Spent
    earlier: Spent


class RunResult(Struct, frozen=True):
    """What a run came to. folder: its directory; outcome: how it ended; metrics: what metrics.json holds.

    notes: what was repaired or has changed when it was continued. tokens and cost (US dollars, None where the price
    of the model is not known) are those of the whole run; earlier: what was spent before this command.
    """

    folder: Path
    outcome: RunOutcome
    metrics: Metrics
    notes: tuple[str, ...] = ()
    tokens: int = 0
    cost: float | None = None
    earlier: Spent = Spent()


def execute_plan(
    plan: Plan, concurrency: int, overwrite: bool = False, tell: Tell = warn, **options: Unpack[ExecutionOptions]
) -> RunResult:
    """Run the samples of a plan that are not finished yet, then score.

    overwrite, for a folder that is no run yet: replace files there that have the names of a run's results. tell: is
    told where this waits for another process that scores the folder.
    """
    spec = plan.spec()
    files = [source for source in spec.inputs.values() if isinstance(source, Path)]
    check_place(plan.folder, plan.benchmark, [plan.dataset.file, *files], overwrite)
    require_apart([plan.folder / name for name in spec.inputs], [plan.dataset.file])
    if plan.price_shares:
        from toolgauge.runs.executors.batch import in_batches

        options["engine"] = in_batches
    executed = execute(spec, concurrency, **options)
    metrics = score_run(plan.folder, None, plan.dataset, tell, plan.original, asked=True)
    spent = executed.spent
    return RunResult(plan.folder, executed.outcome, metrics, executed.notes, spent.tokens, spent.cost, executed.earlier)


def execute(spec: RunSpec, concurrency: int, **options: Unpack[ExecutionOptions]) -> ExecutionResult:
    """Run the samples of a spec that are not finished yet, at most so many at once.

    Raises UsageError for what cannot be run so, ProviderError where the test question is not answered.
    """
    if concurrency < 1:
        raise UsageError("--concurrency must be an integer >= 1")
    start = options.get("engine", local_executor)
    for model in spec.models.values():
        if start is not local_executor and isinstance(model, ConversationModel):
            raise UsageError(f"--engine: {model.name} can only be called from one process")
    price = pricing(spec.models, spec.price_shares)
    budget = Budget(price, options.get("max_cost"), options.get("max_tokens_total"))
    budget.require_prices(spec.models)
    listener = options.get("listener") or ProgressListener()
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")  # a run that is continued keeps its own time
    manifest = replace(spec.manifest, started=now, limits=LimitsRecord(spec.timeout, concurrency))
    store = RunStore(spec.folder, spec.role_map, spec.standing, spec.inputs).open(manifest, spec.results)
    complete = False
    try:
        budget.spent = {name: usage for name, usage in store.spent.items() if name in spec.models}  # not of recordings
        earlier = budget.so_far
        listener.begin(sum(sample.key in store.finished for sample in spec.samples))
        with start(spec, store, budget, listener) as executor:
            outcome = _run_loop(_ask(spec, store, executor, concurrency, options))
            complete = not executor.unfinished(spec.samples)
    finally:
        store.close(complete)
    return ExecutionResult(outcome, tuple(store.notes), budget.so_far, earlier)


async def _ask(
    spec: RunSpec, store: RunStore, executor: Executor, concurrency: int, options: ExecutionOptions
) -> RunOutcome:
    """Probe, run, and close the models, whatever happens."""
    restore_signals: Callable[[], None] | None = None
    try:
        if options.get("probing") and executor.unfinished(spec.samples) and not executor.budget.is_spent:
            await _probe(spec, store, executor.listener, options)
        if options.get("stop_on_interrupt"):
            restore_signals = on_first(executor.interrupt)
        return await executor.run(spec.samples, concurrency)
    finally:
        if restore_signals:
            restore_signals()
        for model in {id(model): model for model in spec.models.values()}.values():
            await model.close()


async def _probe(spec: RunSpec, store: RunStore, listener: ProgressListener, options: ExecutionOptions) -> None:
    """Ask endpoints the test question; raises ProviderError where one does not answer. Nothing else has to be asked."""
    for name in spec.probed:
        model = spec.models[name]
        if isinstance(model, ConversationModel) or model.describe()["provider"] == BUILTIN:
            continue
        listener.show()
        result = await probe(model)
        if result.finding is Finding.NO_ANSWER:
            helps = suggestion(result) or "fix that"
            raise ProviderError(f"{line(result)}; {helps}, or skip this test with --set limits.probe=false")
        if report := options.get("probing"):
            report(result)
        if name == ASSISTANT and isinstance(spec.manifest, Manifest):
            store.record(probe=to_builtins(result.record))


def _run_loop(work: Coroutine[None, None, RunOutcome]) -> RunOutcome:
    """Run it to its end, in a thread of its own where this one has a loop already (a notebook)."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()
