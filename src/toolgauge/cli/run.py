"""`toolgauge run BENCHMARK -m MODEL`: ask, score, answer in a few lines, say where the files are."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from msgspec.structs import replace

from toolgauge.cli.benchmark_options import RunCommand
from toolgauge.cli.options import AgentName, measured, with_groups
from toolgauge.cli.output import tell
from toolgauge.cli.terminal import echo
from toolgauge.errors import ToolgaugeError, UsageError
from toolgauge.runs.options import RunOptions

if TYPE_CHECKING:
    from toolgauge.models.probe import ProbeResult
    from toolgauge.runs.executors.executor import LimitKeywords
    from toolgauge.runs.plan import Plan
    from toolgauge.runs.run import RunResult

COMMAND = RunCommand


@with_groups
def run(
    ctx: typer.Context,  # noqa: ARG001 - of the benchmark's own options
    benchmark: Annotated[
        str,
        typer.Argument(
            help="One that `toolgauge data list` shows, of an installed package, or a file of your own sessions."
        ),
    ],
    model: Annotated[
        list[str] | None,
        typer.Option(
            "-m",
            "--model",
            metavar="MODEL",
            help="provider/model: openai/gpt-5, builtin/noisy. Several: one run directory each, in turn.",
        ),
    ] = None,
    *,
    agent: Annotated[str | None, AgentName] = None,
    options: RunOptions,
    scoring: Annotated[
        str | None,
        typer.Option(help="Scoring shown first: exact, released (official code), tables (paper tables), or another."),
    ] = None,
) -> None:
    """\b
    toolgauge run mini -m builtin/noisy
    toolgauge run mini -m openai/gpt-5 --limit 20

    Run a benchmark on a model. The same command continues a run, a larger one asks what is missing.
    """
    from toolgauge.cli.endpoints import warn_of_open_keys

    warn_of_open_keys(options.endpoint, options.roles)
    models = model or []
    if twice := [model_name for model_name in models if models.count(model_name) > 1]:
        raise UsageError(f"--model {twice[0]} is given twice; several passes are --epochs")
    first = measured(models[0] if models else None, agent)
    if len(models) > 1:
        _run_several(benchmark, models, options, scoring)
    else:
        _run_one(benchmark, first, options, scoring)


def _run_several(benchmark: str, models: list[str], options: RunOptions, scoring: str | None) -> None:
    """One after another, each below a line with its name; what stops one does not keep the others from their turn."""
    from toolgauge.files import slug

    failed: dict[str, int] = {}
    for number, model in enumerate(models, 1):
        if number > 1:
            echo()
        echo(f"== {model} ({number} of {len(models)}) ==")
        options_of_model = options
        if options.output.out is not None:
            options_of_model = replace(
                options, output=replace(options.output, out=Path(options.output.out) / slug(model))
            )
        try:
            _run_one(benchmark, model, options_of_model, scoring)
        except ToolgaugeError as error:
            failed[model] = error.exit_code
            echo(f"{model}: {error.text}", err=True)
        except typer.Exit as end:
            failed[model] = end.exit_code
    if failed:
        echo(f"{len(models) - len(failed)} of {len(models)} models are done; not {', '.join(failed)}", err=True)
        raise typer.Exit(1 if len(failed) < len(models) else max(failed.values()))


def _run_one(benchmark: str, model: str, options: RunOptions, scoring: str | None) -> None:
    from toolgauge.cli.show import known_scoring, report_unfinished
    from toolgauge.runs.plan import plan_with

    plan = plan_with(benchmark, model, options)
    known_scoring(plan.benchmark, scoring)
    tell_plan(plan)
    result = carry_out(plan, options, options.limits.keywords)
    _report(plan, result, scoring)
    report_unfinished(result.folder, result.outcome)


def tell_plan(plan: Plan) -> None:
    """Say what is to be known of a run before it begins: doubtful data, addresses, limits, options left out."""
    from toolgauge.cli.endpoints import tell_endpoints

    for warning in plan.benchmark.warnings(plan.dataset):
        echo(f"Warning: {warning}", err=True)
    tell_endpoints(plan.models.values())
    if (server := plan.manifest.server) and server.max_tokens:
        echo(
            f"{plan.model.name}: replies are limited to {server.max_tokens:,} tokens (change it with --max-tokens)",
            err=True,
        )
    for opened in plan.models.values():
        if options_left := opened.describe().get("left_out"):
            left = ", ".join(options_left)
            echo(f"{opened.name} does not take {left}; not sent (recorded in run.json)", err=True)


def carry_out(plan: Plan, options: RunOptions, limits: LimitKeywords) -> RunResult:
    """Run a plan under a progress bar, and score it; notes on what was repaired or changed go to standard error."""
    from toolgauge.cli.progress import RunProgress
    from toolgauge.runs.run import execute_plan

    with RunProgress(plan) as bar:
        result = execute_plan(
            plan,
            options.limits.concurrency,
            options.output.overwrite,
            tell,
            **limits,
            listener=bar,
            probing=_report_probe if options.limits.probe else None,
            stop_on_interrupt=True,
        )
    for note in result.notes:
        echo(note, err=True)
    return result


def _report_probe(result: ProbeResult) -> None:
    """Print what the test question came to, if it is worth a word."""
    from toolgauge.models.probe import line, suggestion

    if not result.ok:
        echo(f"Warning: {line(result)}", err=True)
        if helps := suggestion(result):
            echo(f"Suggestion: {helps}", err=True)


def _report(plan: Plan, result: RunResult, scoring: str | None) -> None:
    from toolgauge.cli.show import show_answer, spent_line

    if result.metrics.scorings:  # else nothing is scored yet
        show_answer(result.metrics, plan.benchmark, scoring)
    echo(spent_line(result))
    sheets = "".join(f", {name}" for name in plan.benchmark.report().sheets if name.endswith(".xlsx"))
    echo(f"Files: {result.folder} (trajectories.jsonl, scores.jsonl, metrics.json, details.csv{sheets})")
    if result.metrics.scorings and not (result.outcome.missing or result.outcome.stopped):
        echo(f"Next: toolgauge analyse {shlex.quote(str(result.folder))}")
