"""`toolgauge verify -m MODEL --against MODEL`, or of two runs: is it the same model? With an exit code for scripts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from toolgauge.cli.benchmark_options import RunCommand, own_options_given
from toolgauge.cli.engine_options import Concurrency, EngineFlags
from toolgauge.cli.gate import Json, Undecided, end
from toolgauge.cli.model_options import Dialect, EndpointFlags, SamplingFlags, Seed
from toolgauge.cli.option_groups import expanded
from toolgauge.cli.output import Overwrite, require_free, tell, write_json
from toolgauge.cli.run_options import Batch, DataFlags, Offline, SelectionFlags, UserFlags
from toolgauge.cli.terminal import echo
from toolgauge.errors import UsageError

if TYPE_CHECKING:
    from toolgauge.runs.options import VerifyOptions
    from toolgauge.runs.sides import Side

_OF_EVERY_USE = frozenset({"benchmark", "model", "against", "json", "pass_undecided", "overwrite"})
"""Parameters that are no options of the runs."""

COMMAND = RunCommand


@expanded
def verify(
    ctx: typer.Context,
    benchmark: Annotated[
        str | None,
        typer.Argument(
            metavar="BENCHMARK|RUN",
            help="With -m: what both are asked (default: mini). Without: the run of the endpoint in question.",
        ),
    ] = None,
    *,
    model: Annotated[
        str | None,
        typer.Option("-m", "--model", metavar="MODEL", help="The endpoint in question: provider/model."),
    ] = None,
    against: Annotated[
        str,
        typer.Option(metavar="MODEL|RUN", help="What it is said to be: provider/model, or a run, best of --epochs 2."),
    ],
    against_base_url: Annotated[
        str | None, typer.Option(metavar="URL", help="Where that model is served; --base-url is for -m alone.")
    ] = None,
    margin: Annotated[
        float, typer.Option(min=0, max=1, help="How far it may fall short, as a share, and still be the same.")
    ] = 0.05,
    data: DataFlags,
    out: Annotated[Path | None, typer.Option(help="Folder of the runs (default: below runs/verify/).")] = None,
    selection: SelectionFlags,
    epochs: Annotated[
        int,
        typer.Option(min=1, max=1000, metavar="N", help="How many times the model of --against is asked each task."),
    ] = 2,
    concurrency: Concurrency = 32,
    user: UserFlags,
    sampling: SamplingFlags,
    seed: Seed = None,
    dialect: Dialect = None,
    endpoint: EndpointFlags,
    offline: Offline = False,
    batch: Batch = False,
    engine: EngineFlags,
    pass_undecided: Undecided = False,
    json: Json = None,
    overwrite: Overwrite = False,
) -> None:
    """Decide whether an endpoint serves the same model: exit code 0 if it does, 1 if not.

    Compares first replies on the same tasks: whether a tool is called, valid calls, names, arguments, accuracy.

    Models are asked first, with the same options; the same command continues that.
    """
    import msgspec

    from toolgauge.analysis.decision_lines import verification_lines
    from toolgauge.api import compare_sides
    from toolgauge.cli.endpoints import warn_of_open_keys
    from toolgauge.runs.options import VerifyOptions

    warn_of_open_keys(endpoint.api_key, endpoint.base_url, against_base_url, user.user_base_url)
    options = VerifyOptions(
        **data.keywords(),
        out=out,
        **selection.keywords(),
        epochs=epochs,
        margin=margin,
        against_base_url=against_base_url,
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
    require_free(json, overwrite)
    sides = _planned(ctx, benchmark, model, against, options)
    _ask(*sides, options, engine.no_probe)
    found = compare_sides(*sides, options, tell)
    if json is not None:
        write_json(json, msgspec.json.encode(found), [side.folder for side in sides], overwrite)
    for line in verification_lines(found):
        echo(line)
    end(found.outcome.value, pass_undecided)


def _planned(
    ctx: typer.Context, benchmark: str | None, model: str | None, against: str, options: VerifyOptions
) -> tuple[Side, Side]:
    """The side in question and the reference's; raises UsageError before anything is asked."""
    from toolgauge.api import named_sides
    from toolgauge.runs.sides import plan_sides

    if (name := model or benchmark) is None:
        raise UsageError("name a run directory, or a model with --model")
    what = benchmark if model else None
    chosen = {str(one) for one in ctx.params if getattr(ctx.get_parameter_source(one), "name", "") == "COMMANDLINE"}
    chosen = (chosen - _OF_EVERY_USE) | own_options_given(ctx).keys() | ({"benchmark"} if what else set())
    return plan_sides(*named_sides(name, against), what, options, chosen)


def _ask(endpoint: Side, reference: Side, options: VerifyOptions, no_probe: bool) -> None:
    """Ask those that are models, the reference first; ends the program where something of it is not done."""
    from toolgauge.cli.run import carry_out, tell_plan
    from toolgauge.cli.show import report_unfinished
    from toolgauge.runs.sides import limits_left

    limits = options.limits()
    plans = [side.plan for side in (reference, endpoint) if side.plan is not None]
    for plan in plans:
        tell_plan(plan)
    for plan in plans:
        result = carry_out(plan, options, limits, no_probe)
        report_unfinished(result.folder, result.outcome)
        limits = limits_left(limits, result)
        echo(f"Files: {result.folder}", err=True)
