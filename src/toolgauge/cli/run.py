"""`toolgauge run BENCHMARK -m MODEL`: ask, score, print the tables, say where the files are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from toolgauge.cli.benchmark_options import own_options_given
from toolgauge.cli.engine_options import Concurrency, EngineFlags
from toolgauge.cli.model_options import Dialect, EndpointFlags, ModelName, SamplingFlags, Seed
from toolgauge.cli.option_groups import expanded
from toolgauge.cli.output import Corrections, Overwrite, tell
from toolgauge.cli.terminal import echo
from toolgauge.locale import _

if TYPE_CHECKING:
    from toolgauge.api import Plan, RunResult
    from toolgauge.models.probe import ProbeResult


@expanded
def run(
    ctx: typer.Context,
    benchmark: Annotated[
        str, typer.Argument(help="One of those that `toolgauge data list` shows, or of an installed package.")
    ],
    model: ModelName,
    language: Annotated[str, typer.Option(help="en or zh.")] = "en",
    data: Annotated[
        Path | None,
        typer.Option(help="Data of your own, as the benchmark has them: a file or a folder (default: fetched once)."),
    ] = None,
    corrections: Corrections = None,
    out: Annotated[
        Path | None, typer.Option(help="Run directory (default: runs/, then benchmark, language and model).")
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Only the first N sessions (of each category, if there are any)."),
    ] = None,
    ids: Annotated[str, typer.Option(help="Only these sessions or tasks, separated by commas: mini_3, mini_5/2.")] = "",
    epochs: Annotated[int, typer.Option(min=1, max=1000, metavar="N", help="How many times each task is asked.")] = 1,
    concurrency: Concurrency = 32,
    user_model: Annotated[
        str | None,
        typer.Option(
            help="Who plays the user where one is simulated (default: openai/gpt-4o, a script for built-in models)."
        ),
    ] = None,
    user_base_url: Annotated[
        str | None, typer.Option(help="Where that model is served, if it is a server of your own.")
    ] = None,
    *,
    sampling: SamplingFlags,
    seed: Seed = None,
    dialect: Dialect = None,
    endpoint: EndpointFlags,
    offline: Annotated[bool, typer.Option("--offline", help="Never fetch data.")] = False,
    batch: Annotated[
        bool, typer.Option("--batch", help="Ask through the provider's batch API: half the price, hours to wait.")
    ] = False,
    engine: EngineFlags,
    reading: Annotated[
        str | None, typer.Option(help="Which reading to show: exact, released, or another of the benchmark's.")
    ] = None,
    overwrite: Overwrite = False,
) -> None:
    """Run a benchmark on a model. The same command continues an interrupted run."""
    from toolgauge.api import execute_plan, plan_with
    from toolgauge.cli.endpoints import tell_endpoints, warn_of_open_keys
    from toolgauge.cli.language import local
    from toolgauge.cli.progress import RunProgress
    from toolgauge.cli.show import known_reading
    from toolgauge.runs.options import RunOptions

    warn_of_open_keys(endpoint.api_key, endpoint.base_url, user_base_url)
    options = RunOptions(
        language=language,
        data=data,
        corrections=corrections,
        out=out,
        limit=limit,
        ids=tuple(part.strip() for part in ids.split(",") if part.strip()),
        epochs=epochs,
        concurrency=concurrency,
        options=own_options_given(ctx),
        user_model=user_model,
        user_base_url=user_base_url,
        sampling=sampling.sampling(seed),
        dialect=dialect,
        offline=offline,
        batch=batch,
        overwrite=overwrite,
        **endpoint.keywords(),
        **engine.keywords(),
    )
    plan = plan_with(benchmark, model, options)
    known_reading(plan.benchmark, reading)
    for warning in plan.benchmark.warnings(plan.dataset):
        echo(local(_("Warning: {what}", what=warning)), err=True)
    tell_endpoints(plan.models.values())
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
    with RunProgress(plan) as bar:
        result = execute_plan(
            plan,
            options.concurrency,
            options.overwrite,
            tell,
            **options.limits(),
            listener=bar,
            probing=None if engine.no_probe else _report_probe,
            stop_on_interrupt=True,
        )
    _report(plan, result, reading)


def _report_probe(result: ProbeResult) -> None:
    """Print what the test question came to, if it is worth a word."""
    from toolgauge.cli.language import local

    if not result.ok:
        echo(local(_("Warning: {what}", what=result.line())), err=True)


def _report(plan: Plan, result: RunResult, reading: str | None) -> None:
    from toolgauge.cli.language import local
    from toolgauge.cli.show import show_metrics
    from toolgauge.signals import EndedInOrder

    for note in result.notes:
        echo(local(note), err=True)
    if result.metrics.readings:  # else nothing is scored yet
        show_metrics(result.metrics, plan.benchmark, reading)
    cost = _(", ${dollars:.2f}", dollars=result.cost) if result.cost else ""
    echo(
        local(
            _(
                "{tokens:,} tokens{cost}, {seconds:.1f} s",
                tokens=result.tokens,
                cost=cost,
                seconds=result.outcome.seconds,
            )
        )
    )
    echo(local(_("Files: {folder}", folder=result.folder)))
    more = "".join(local(_(", {file}", file=name)) for name in plan.benchmark.report().sheets if name.endswith(".xlsx"))
    echo(local(_("  trajectories.jsonl (what was said), scores.jsonl, metrics.json (the tables), details.csv")) + more)
    if result.outcome.stopped:
        why = _("interrupted") if result.outcome.interrupted else result.outcome.stopped
        echo(local(_("Stopped early: {why}. The same command goes on where it was.", why=why)), err=True)
    if result.outcome.failed:
        echo(
            local(
                _(
                    "{failed:,} conversations are not done ({folder}/failures.jsonl says why); they are not "
                    "scored. The same command tries them again.",
                    failed=result.outcome.failed,
                    folder=result.folder,
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
    if result.outcome.interrupted and result.outcome.stopped:
        raise EndedInOrder
    if result.outcome.stopped or result.outcome.failed:
        raise typer.Exit(1)
