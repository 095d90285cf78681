"""`toolgauge run BENCHMARK -m MODEL`: ask, score, print the tables, say where the files are."""

from __future__ import annotations

import shlex
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

if TYPE_CHECKING:
    from toolgauge.models.probe import ProbeResult
    from toolgauge.runs.options import LimitKeywords, RunOptions
    from toolgauge.runs.plan import Plan
    from toolgauge.runs.run import RunResult

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
    scoring: Annotated[
        str | None,
        typer.Option(help="Scoring: exact, released (official code), tables (paper tables), or the benchmark's own."),
    ] = None,
    overwrite: Overwrite = False,
) -> None:
    """Run a benchmark on a model. The same command continues an interrupted run, a larger one asks what is missing."""
    from toolgauge.cli.endpoints import warn_of_open_keys
    from toolgauge.cli.show import known_scoring, report_unfinished
    from toolgauge.runs.options import RunOptions
    from toolgauge.runs.plan import plan_with

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
    plan = plan_with(benchmark, model, options)
    known_scoring(plan.benchmark, scoring)
    tell_plan(plan)
    result = carry_out(plan, options, options.limits(), engine.no_probe)
    _report(plan, result, scoring)
    report_unfinished(result.folder, result.outcome)


def _measured(model: str | None, agent: str | None) -> str:
    """Who is measured, by the name that the library knows."""
    from toolgauge.models.model import AGENT

    if (model is None) == (agent is None):
        raise UsageError("name a model with --model, or an agent with --agent")
    return model or f"{AGENT}/{agent}"


def tell_plan(plan: Plan) -> None:
    """Say what is to be known of a run before it begins: doubtful data, addresses, limits, options left out."""
    from toolgauge.cli.endpoints import tell_endpoints

    for warning in plan.benchmark.warnings(plan.dataset):
        echo(f"Warning: {warning}", err=True)
    tell_endpoints(plan.models.values())
    if (server := plan.manifest.server) and server.max_tokens:
        echo(f"{plan.model.name}: replies end after {server.max_tokens:,} tokens (--max-tokens changes that)", err=True)
    for asked in plan.models.values():
        if options_left := asked.describe().get("left_out"):
            left = ", ".join(options_left)
            echo(f"{asked.name} does not take {left}: not sent (run.json says so, too)", err=True)


def carry_out(plan: Plan, options: RunOptions, limits: LimitKeywords, no_probe: bool) -> RunResult:
    """Run a plan under a progress bar, and score it; notes on what was repaired or changed go to standard error."""
    from toolgauge.cli.progress import RunProgress
    from toolgauge.runs.run import execute_plan

    with RunProgress(plan) as bar:
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
        echo(note, err=True)
    return result


def _report_probe(result: ProbeResult) -> None:
    """Print what the test question came to, if it is worth a word."""
    from toolgauge.models.probe_words import line, suggestion

    if not result.ok:
        echo(f"Warning: {line(result)}", err=True)
        if helps := suggestion(result):
            echo(f"Suggestion: {helps}", err=True)


def _report(plan: Plan, result: RunResult, scoring: str | None) -> None:
    from toolgauge.cli.show import show_answer
    from toolgauge.cli.spent import spent_line

    if result.metrics.scorings:  # else nothing is scored yet
        show_answer(result.metrics, plan.benchmark, scoring)
    echo(spent_line(result))
    sheets = "".join(f", {name}" for name in plan.benchmark.report().sheets if name.endswith(".xlsx"))
    echo(f"Files: {result.folder} (trajectories.jsonl, scores.jsonl, metrics.json, details.csv{sheets})")
    if result.metrics.scorings and not (result.outcome.missing or result.outcome.stopped):
        echo(f"Next: toolgauge analyse {shlex.quote(str(result.folder))}")
