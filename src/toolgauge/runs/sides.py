"""The two sides of `verify`: runs that are there, or models that are asked the same tasks in the same way first."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.analysis.compare.pairing import require_comparable
from toolgauge.analysis.numbers import Metrics
from toolgauge.benchmarks.benchmark import Benchmark
from toolgauge.benchmarks.manifest import setup_of
from toolgauge.benchmarks.registry import DEFAULT_BENCHMARK, benchmark_of
from toolgauge.errors import ToolgaugeError, UsageError
from toolgauge.files import require_no_link, slug
from toolgauge.models.model import Sampling
from toolgauge.models.registry import names_a_model, open_model
from toolgauge.runs.corrections import CORRECTIONS
from toolgauge.runs.executors.executor import LimitKeywords
from toolgauge.runs.manifest import MANIFEST, is_free, require_same
from toolgauge.runs.options import OWN_OF_OURS, RunOptions, Selection
from toolgauge.runs.plan import Plan, plan_with
from toolgauge.runs.roles import parse_model
from toolgauge.runs.run import RunResult
from toolgauge.runs.scored import ScoredRun
from toolgauge.runs.variants import kept_variant

ALWAYS = frozenset({"margin", "data"})
"""Options that also go with two runs."""
TASKS = frozenset({"benchmark", "language", "corrections", "limit", "ids", "own"}) | OWN_OF_OURS
"""Options that a run on one side settles."""
OF_ENDPOINT = frozenset({"base_url", "api_key"})
OF_REFERENCE = frozenset({"epochs"})


class Side(Struct, frozen=True):
    """folder: the run directory; plan: how it is made or continued, None for a run that is there."""

    folder: Path
    plan: Plan | None = None


def names_a_run(name: Path | str) -> bool:
    """Is this side a run directory? It is one where there is a run.json, else a model, where it can be one.

    Raises UsageError for a name of neither.
    """
    if os.path.lexists(Path(name) / MANIFEST) or isinstance(name, Path):
        return True
    if names_a_model(name):
        return False
    if os.path.lexists(name):
        return True  # who reads it says what it lacks
    try:
        open_model(name)
    except UsageError as error:
        raise UsageError(f"{name}: neither a run directory nor a model: {error.text}") from None
    return False


def plan_sides(
    endpoint: str | ScoredRun,
    reference: str | ScoredRun,
    benchmark: str | Benchmark | None,
    options: RunOptions,
    given: Collection[str],
) -> tuple[Side, Side]:
    """The endpoint's side and the reference's; nothing is asked yet. Models are given by name.

    The models are asked with the same options, but each has its own address: `base_url` and `api_key` are the
    endpoint's; the reference's is written behind it ("provider/model@URL"), and its key comes from its provider's
    variable; `epochs` are the reference's. Where one side is a run, the other is asked what that was asked. given: the
    names of the options that were chosen. Raises UsageError for those that do not apply, and where the sides are not
    comparable, and as `require_places` does.
    """
    _require_applicable(endpoint, reference, given)
    runs = [one for one in (endpoint, reference) if isinstance(one, ScoredRun)]
    what = runs[0].benchmark if runs else benchmark_of(benchmark or DEFAULT_BENCHMARK)
    if len(runs) == 1:
        options = _asked_as(runs[0], options)
    named = parse_model(reference) if isinstance(reference, str) else None
    names = [one if isinstance(one, str) else one.folder.resolve().name for one in (endpoint, reference)]
    names[1] = named.model if named else names[1]
    usual = Path("runs") / "verify" / what.name / options.selection.language / slug(" against ".join(names))
    base = Path(options.output.out) if options.output.out else usual
    if os.path.lexists(base / MANIFEST):
        raise UsageError(f"{base} is a run directory; choose another folder for both runs with --out")
    once = replace(options.selection, epochs=1)
    ours = _run_of(endpoint, what, replace(_in(base / "endpoint", options), selection=once))
    served = replace(options.endpoint, base_url=named.base_url if named else None, api_key=None)
    side = named.model if named else reference
    theirs = _run_of(side, what, replace(_in(base / "reference", options), endpoint=served))
    require_places(plan for _run, plan in (ours, theirs) if plan is not None)
    require_comparable(theirs[0], ours[0])
    return Side(ours[0].folder, ours[1]), Side(theirs[0].folder, theirs[1])


def require_places(plans: Iterable[Plan]) -> None:
    """Raise UsageError or StoreError where one of several runs in a folder cannot be made or continued in its own,
    before any of them is asked: that is a link, or holds another run."""
    for plan in plans:
        require_no_link(plan.folder)
        if os.path.lexists(plan.folder / MANIFEST):
            require_same(plan.folder, plan.manifest)
            if not is_free(plan.folder):
                kept_variant(plan.folder, plan.manifest)


def require_finished(result: RunResult) -> None:
    """Raise ToolgaugeError where a run has conversations that are not done: half an answer decides nothing."""
    outcome = result.outcome
    if outcome.stopped:
        raise ToolgaugeError(
            f"{result.folder}: stopped early: {outcome.stopped}; run the same command again to continue"
        )
    if outcome.missing:
        raise ToolgaugeError(
            f"{result.folder}: {outcome.missing:,} conversations are missing, so there is no decision; run the same "
            "command again to complete them, or compare the two run directories"
        )


def limits_left(limits: LimitKeywords, result: RunResult) -> LimitKeywords:
    """What a run leaves to the next of what both together may spend."""
    left = limits.copy()
    if (dollars := limits.get("max_cost")) is not None:
        left["max_cost"] = max(0.0, dollars - (result.cost or 0.0))
    if (tokens := limits.get("max_tokens_total")) is not None:
        left["max_tokens_total"] = max(0, tokens - result.tokens)
    return left


def _require_applicable(endpoint: str | ScoredRun, reference: str | ScoredRun, given: Collection[str]) -> None:
    runs = [one for one in (endpoint, reference) if isinstance(one, ScoredRun)]
    settled: frozenset[str] = frozenset()
    if runs:
        settled = TASKS | (OF_ENDPOINT if isinstance(endpoint, ScoredRun) else OF_REFERENCE)
    surplus = sorted(set(given) - ALWAYS if len(runs) > 1 else settled & set(given))
    if surplus:
        raise UsageError(
            f"--{surplus[0].replace('_', '-')} cannot be used: the run {runs[0].folder} already determines it"
        )


def _asked_as(run: ScoredRun, options: RunOptions) -> RunOptions:
    """The options with which a model is asked what a run was asked; sampling too, unless it was chosen."""
    setup, manifest = setup_of(run.manifest, run.benchmark), run.manifest
    if manifest.variant:
        raise UsageError(
            f"{run.folder}: was run with a variant of the tool lists, with which no model can be asked here; give a "
            "run for the other side too"
        )
    selection = Selection(
        language=run.language,
        data=options.selection.data or manifest.data_file or None,
        corrections=run.folder / CORRECTIONS if manifest.corrections else None,
        ids=setup.ids,
        limit=setup.limit,
        epochs=options.selection.epochs,
        offline=options.selection.offline,
    )
    sampling = options.sampling if options.sampling != Sampling() else manifest.sampling or Sampling()
    return replace(options, selection=selection, own=setup.options, sampling=sampling)


def _in(folder: Path, options: RunOptions) -> RunOptions:
    return replace(options, output=replace(options.output, out=folder))


def _run_of(side: str | ScoredRun, what: Benchmark, options: RunOptions) -> tuple[ScoredRun, Plan | None]:
    if isinstance(side, ScoredRun):
        return side, None
    plan = plan_with(what, side, options)
    return ScoredRun(plan.folder, plan.manifest, Metrics(), [], plan.benchmark), plan
