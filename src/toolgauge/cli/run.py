"""`toolgauge run BENCHMARK -m MODEL`: ask, score, print the tables, say where the files are."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from toolgauge.cli.benchmark_options import RunCommand, own_options_given
from toolgauge.cli.engine_options import Concurrency, EngineFlags
from toolgauge.cli.model_options import MODEL_OPTION, Dialect, EndpointFlags, SamplingFlags, Seed
from toolgauge.cli.option_groups import expanded
from toolgauge.cli.output import Overwrite, tell
from toolgauge.cli.run_options import Batch, DataFlags, Offline, SelectionFlags, UserFlags
from toolgauge.cli.terminal import echo
from toolgauge.errors import UsageError
from toolgauge.locale import _, ngettext

if TYPE_CHECKING:
    from toolgauge.models.probe import ProbeResult
    from toolgauge.runs.options import LimitKeywords, RunOptions
    from toolgauge.runs.spec import Plan, RunResult

COMMAND = RunCommand


@expanded
def run(
    ctx: typer.Context,
    benchmark: Annotated[
        str, typer.Argument(help="One of those that `toolgauge data list` shows, or of an installed package.")
    ],
    model: Annotated[str | None, MODEL_OPTION] = None,
    *,
    agent: Annotated[
        str | None,
        typer.Option(
            metavar="AGENT",
            help="An agent instead of a model: http://..., a2a:http://..., python:module:function or command:'...' "
            "(docs/agents.md).",
        ),
    ] = None,
    data: DataFlags,
    out: Annotated[
        Path | None, typer.Option(help="Run directory (default: runs/, then benchmark, language and model).")
    ] = None,
    selection: SelectionFlags,
    epochs: Annotated[int, typer.Option(min=1, max=1000, metavar="N", help="How many times each task is asked.")] = 1,
    concurrency: Concurrency = 32,
    user: UserFlags,
    sampling: SamplingFlags,
    seed: Seed = None,
    dialect: Dialect = None,
    endpoint: EndpointFlags,
    offline: Offline = False,
    batch: Batch = False,
    engine: EngineFlags,
    reading: Annotated[
        str | None,
        typer.Option(help="Scoring: exact, released (official code), tables (paper tables), or the benchmark's own."),
    ] = None,
    overwrite: Overwrite = False,
) -> None:
    """Run a benchmark on a model. The same command continues an interrupted run."""
    from toolgauge.cli.endpoints import warn_of_open_keys
    from toolgauge.cli.show import known_reading
    from toolgauge.data.load import collector_paused
    from toolgauge.runs.options import RunOptions
    from toolgauge.runs.spec import plan_with

    model = _measured(model, agent)
    warn_of_open_keys(endpoint.api_key, endpoint.base_url, user.user_base_url)
    options = RunOptions(
        **data.keywords(),
        out=out,
        **selection.keywords(),
        epochs=epochs,
        concurrency=concurrency,
        options=own_options_given(ctx),
        **user.keywords(),
        sampling=sampling.sampling(seed),
        dialect=dialect,
        offline=offline,
        batch=batch,
        overwrite=overwrite,
        **endpoint.keywords(),
        **engine.keywords(),
    )
    with collector_paused():
        plan = plan_with(benchmark, model, options)
        known_reading(plan.benchmark, reading)
        tell_plan(plan)
        gc.freeze()  # what was loaded stays: nobody need look through it while replies come in
    result = carry_out(plan, options, options.limits(), engine.no_probe)
    _report(plan, result, reading)
    report_unfinished(result)


def _measured(model: str | None, agent: str | None) -> str:
    """Who is measured, by the name that the library knows."""
    from toolgauge.models.model import AGENT

    if (model is None) == (agent is None):
        raise UsageError(_("name a model with {model_field}, or an agent with {agent_field}"))
    return model or f"{AGENT}/{agent}"


def tell_plan(plan: Plan) -> None:
    """Say what is to be known of a run before it begins: doubtful data, addresses, options that are not sent."""
    from toolgauge.cli.endpoints import tell_endpoints
    from toolgauge.cli.language import local

    for warning in plan.benchmark.warnings(plan.dataset):
        echo(local(_("Warning: {what}", what=warning)), err=True)
    tell_endpoints(plan.models.values())
    if plan.fit:
        if line := plan.fit.line():
            echo(local(line), err=True)
        if too_long := plan.fit.warning():
            echo(local(_("Warning: {what}", what=too_long)), err=True)
    for asked in plan.models.values():
        if options_left := asked.describe().get("left_out"):
            echo(
                local(
                    _(
                        "{model} does not take {options}: not sent (run.json says so, too)",
                        model=asked.name,
                        options=", ".join(options_left),
                    )
                ),
                err=True,
            )


def carry_out(plan: Plan, options: RunOptions, limits: LimitKeywords, no_probe: bool) -> RunResult:
    """Run a plan under a progress bar, and score it; notes on what was repaired go to standard error."""
    from toolgauge.cli.language import local
    from toolgauge.cli.progress import RunProgress
    from toolgauge.data.load import collector_spared
    from toolgauge.runs.spec import execute_plan

    with collector_spared(), RunProgress(plan) as bar:
        result = execute_plan(
            plan,
            options.concurrency,
            options.overwrite,
            tell,
            **limits,
            listener=bar,
            probing=None if no_probe else _report_probe,
            stop_on_interrupt=True,
        )
    for note in result.notes:
        echo(local(note), err=True)
    return result


def _report_probe(result: ProbeResult) -> None:
    """Print what the test question came to, if it is worth a word."""
    from toolgauge.cli.language import local
    from toolgauge.models.probe_words import line, suggestion

    if not result.ok:
        echo(local(_("Warning: {what}", what=line(result))), err=True)
        if helps := suggestion(result):
            echo(local(_("Suggestion: {what}", what=helps)), err=True)


def _report(plan: Plan, result: RunResult, reading: str | None) -> None:
    from toolgauge.cli.language import local
    from toolgauge.cli.show import show_metrics
    from toolgauge.cli.spent import spent_line

    if result.metrics.readings:  # else nothing is scored yet
        show_metrics(result.metrics, plan.benchmark, reading)
    echo(local(spent_line(result)))
    echo(local(_("Files: {folder}", folder=result.folder)))
    more = "".join(local(_(", {file}", file=name)) for name in plan.benchmark.report().sheets if name.endswith(".xlsx"))
    echo(local(_("  trajectories.jsonl (what was said), scores.jsonl, metrics.json (the tables), details.csv")) + more)


def report_unfinished(result: RunResult) -> None:
    """Say what of a run is not done, and end the program with that where there is anything."""
    from toolgauge.cli.language import local
    from toolgauge.signals import EndedInOrder

    if result.outcome.stopped:
        why = _("interrupted") if result.outcome.interrupted else result.outcome.stopped
        echo(local(_("Stopped early: {why}. The same command goes on where it was.", why=why)), err=True)
    if result.outcome.failed:
        _report_failures(result)
    if result.outcome.interrupted and result.outcome.stopped:
        raise EndedInOrder
    if result.outcome.stopped or result.outcome.failed:
        raise typer.Exit(1)


def _report_failures(result: RunResult) -> None:
    """Print how many conversations are not done, and why."""
    from toolgauge.cli.language import local

    echo(
        local(
            ngettext(
                "{count:,} conversation is not done ({folder}/failures.jsonl says why); it is not scored. The same "
                "command tries it again.",
                "{count:,} conversations are not done ({folder}/failures.jsonl says why); they are not scored. The "
                "same command tries them again.",
                count=result.outcome.failed,
                folder=result.folder,
            )
        ),
        err=True,
    )
    if overflowed := result.outcome.overflowed:
        echo(
            local(
                ngettext(
                    "Of these, {count:,} is longer than the context of the endpoint: serve the model with a longer "
                    "one before asking again. It said last: {why}",
                    "Of these, {count:,} are longer than the context of the endpoint: serve the model with a "
                    "longer one before asking again. It said last: {why}",
                    count=overflowed,
                    why=result.outcome.overflow or "",
                )
            ),
            err=True,
        )
    if result.outcome.trouble:
        echo(
            local(
                _(
                    "Of these, {count:,} failed at the endpoint, the last because: {why}",
                    count=result.outcome.refused,
                    why=result.outcome.trouble,
                )
            ),
            err=True,
        )
