"""`toolgauge tools trial BENCHMARK -m MODEL`: what changes of the tools do to a model, compared in pairs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from toolgauge.cli.benchmark_options import own_options_given
from toolgauge.cli.engine_options import Concurrency, EngineFlags
from toolgauge.cli.model_options import Dialect, EndpointFlags, ModelName, SamplingFlags, Seed
from toolgauge.cli.option_groups import expanded
from toolgauge.cli.output import Overwrite, tell
from toolgauge.cli.run_options import Batch, DataFlags, Offline, SelectionFlags
from toolgauge.cli.terminal import console, echo
from toolgauge.cli.variant_options import VariantFlags

if TYPE_CHECKING:
    from toolgauge.runs.options import LimitKeywords, RunOptions
    from toolgauge.trials.trial import Trial


@expanded
def trial(
    ctx: typer.Context,
    benchmark: Annotated[
        str, typer.Argument(help="One whose sessions have tool lists: dialogues, or data of your own.")
    ],
    model: ModelName,
    *,
    variants: VariantFlags,
    data: DataFlags,
    out: Annotated[Path | None, typer.Option(help="Folder of all runs (default: below runs/trials/).")] = None,
    selection: SelectionFlags,
    epochs: Annotated[int, typer.Option(min=1, max=1000, metavar="N", help="How many times each task is asked.")] = 1,
    concurrency: Concurrency = 32,
    sampling: SamplingFlags,
    seed: Seed = None,
    dialect: Dialect = None,
    endpoint: EndpointFlags,
    offline: Offline = False,
    batch: Batch = False,
    engine: EngineFlags,
    overwrite: Overwrite = False,
) -> None:
    """Try changes of tools: descriptions, names, how many. Each variant is compared with the tools as they are.

    The same command continues an interrupted trial.
    """
    from toolgauge.cli.endpoints import warn_of_open_keys
    from toolgauge.runs.options import RunOptions
    from toolgauge.trials.trial import plan_trial

    warn_of_open_keys(endpoint.api_key, endpoint.base_url)
    options = RunOptions(
        **data.keywords(),
        out=out,
        **selection.keywords(),
        epochs=epochs,
        concurrency=concurrency,
        options=own_options_given(ctx),
        sampling=sampling.sampling(seed),
        dialect=dialect,
        offline=offline,
        batch=batch,
        overwrite=overwrite,
        **endpoint.keywords(),
        **engine.keywords(),
    )
    planned = plan_trial(benchmark, model, variants.variants(data.language), options)
    _ask(planned, options, engine.no_probe)
    _report(planned)


def _ask(planned: Trial, options: RunOptions, no_probe: bool) -> None:
    """Ask every run; ends the program where something of one is not done."""
    from toolgauge.cli.run import carry_out, tell_plan
    from toolgauge.cli.show import report_unfinished
    from toolgauge.runs.sides import limits_left

    limits: LimitKeywords = options.limits()
    tell_plan(next(iter(planned.plans.values())))
    for name, plan in planned.plans.items():
        echo(f"{name}:", err=True)
        result = carry_out(plan, options, limits, no_probe)
        report_unfinished(result.folder, result.outcome)
        limits = limits_left(limits, result)


def _report(planned: Trial) -> None:
    from toolgauge.files import write_whole
    from toolgauge.trials.report import encode_report, trial_report
    from toolgauge.trials.show import show_trial, trial_markdown
    from toolgauge.trials.trial import REPORT_FILES
    from toolgauge.trials.trial_file import BASELINE

    names = [name for name in planned.plans if name != BASELINE]
    found = trial_report(planned.folder, names, tell=tell)
    contents = (encode_report(found), trial_markdown(found).encode("utf-8", "backslashreplace"))
    for name, content in zip(REPORT_FILES, contents, strict=True):
        write_whole(planned.folder / name, content)
    show_trial(found, console())
    echo(f"Files: {planned.folder}")
    echo("  trial.json, trial.md; a run directory for each variant, for `toolgauge report` and `compare`")
