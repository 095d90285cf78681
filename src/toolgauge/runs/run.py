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
from typing import TypedDict, Unpack

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from toolgauge.analysis.numbers import Metrics
from toolgauge.benchmarks.manifest import Asked, LimitsRecord, Manifest
from toolgauge.chat import Usage
from toolgauge.episode import ASSISTANT
from toolgauge.errors import ProviderError, Tell, UsageError, warn
from toolgauge.files import require_apart
from toolgauge.models.model import ConversationModel, Model
from toolgauge.models.probe import Finding, ProbeResult, probe
from toolgauge.models.registry import BUILTIN
from toolgauge.runs.budget import Budget, Spent, discounted, pricing
from toolgauge.runs.executors.executor import Executor, ExecutorFactory, ProgressListener, RunOutcome, RunSpec
from toolgauge.runs.executors.local import local_executor
from toolgauge.runs.manifest import read_manifest
from toolgauge.runs.plan import Plan
from toolgauge.runs.scoring import check_place, interface_of, score_run
from toolgauge.runs.store import RunStore
from toolgauge.signals import on_first

ProbeReport = Callable[[ProbeResult], None]
"""Is told how a model answered its test question."""


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


class ExecutionOptions(TypedDict, total=False):
    """How samples are run: the keyword arguments of `execute`.

    max_cost (US dollars), max_tokens_total: nothing more is asked when so much is spent, by earlier commands too.
    listener: is told what happens. probing: ask the test questions and tell this function; an endpoint that does not
    answer raises ProviderError. stop_on_interrupt: Ctrl-C, SIGTERM and SIGHUP end the run in order instead of raising
    KeyboardInterrupt; a second one does what it always does. engine: where the samples run, this process
    (`local_executor`) if not given.
    """

    max_cost: float | None
    max_tokens_total: int | None
    listener: ProgressListener | None
    probing: ProbeReport | None
    stop_on_interrupt: bool
    engine: ExecutorFactory


def execute_plan(
    plan: Plan, concurrency: int, overwrite: bool = False, tell: Tell = warn, **how: Unpack[ExecutionOptions]
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

        how["engine"] = in_batches
    executed = execute(spec, concurrency, **how)
    metrics = score_run(plan.folder, None, plan.dataset, tell, plan.original)
    if counts := interface_of(plan.folder, read_manifest(plan.folder)):
        RunStore(plan.folder).record(interface=to_builtins(counts))
    tokens, cost = executed.spent.tokens, executed.spent.cost
    return RunResult(plan.folder, executed.outcome, metrics, executed.notes, tokens, cost, executed.earlier)


def execute(spec: RunSpec, concurrency: int, **options: Unpack[ExecutionOptions]) -> ExecutionResult:
    """Run the samples of a spec that are not finished yet, at most so many at once."""
    if concurrency < 1:
        raise UsageError("--concurrency must be an integer >= 1")
    budget = _budget(spec, options)
    listener = options.get("listener") or ProgressListener()
    start = options.get("engine", local_executor)
    for model in spec.models.values():
        if start is not local_executor and isinstance(model, ConversationModel):
            raise UsageError(f"--engine: {model.name} can only be called from one process")
    store = RunStore(spec.folder, spec.role_map, spec.standing, spec.inputs)
    store.open(_begun(spec, concurrency), spec.results)
    complete = False
    try:
        budget.spent = {name: usage for name, usage in store.spent.items() if name in spec.models}  # not of recordings
        earlier = budget.so_far
        listener.begin(sum(sample.key in store.finished for sample in spec.samples))
        with start(spec, store, budget, listener) as executor:
            outcome = _finish_loop(_ask(spec, store, executor, concurrency, options))
            complete = not executor.unfinished(spec.samples)
    finally:
        store.close(complete)
    return ExecutionResult(outcome, tuple(store.notes), budget.so_far, earlier)


def _begun(spec: RunSpec, concurrency: int) -> Asked:
    """The manifest with the time and the limits of this command; a run that is continued keeps its own time."""
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return replace(spec.manifest, started=now, limits=LimitsRecord(spec.timeout, concurrency))


async def _ask(
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
                if found and name == ASSISTANT and isinstance(spec.manifest, Manifest):
                    store.record(probe=to_builtins(found.record))
        if options.get("stop_on_interrupt"):
            restore_signals = on_first(executor.interrupt)
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
    if result.finding is Finding.NO_ANSWER:
        from toolgauge.models.probe import line, suggestion

        helps = suggestion(result) or "fix that"
        said = f"{line(result)}; {helps}, or skip this test with --set limits.probe=false"
        raise ProviderError(said)
    report(result)
    return result


def _budget(spec: RunSpec, options: ExecutionOptions) -> Budget:
    """What may be spent; raises UsageError where a limit in dollars meets a model without a known price."""
    max_cost = options.get("max_cost")
    price = discounted(pricing(spec.models), spec.price_shares)
    for name, model in spec.models.items():
        if max_cost is not None and price(name, Usage()) is None:
            raise UsageError(f"--max-cost: no price is known for {model.name}; use --set limits.max_tokens_total=N")
    return Budget(price, max_cost, options.get("max_tokens_total"))


def _finish_loop(work: Coroutine[None, None, RunOutcome]) -> RunOutcome:
    """Run it to its end, in a thread of its own where this one has a loop already (a notebook)."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()
