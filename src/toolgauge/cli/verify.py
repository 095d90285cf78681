"""`toolgauge verify -m MODEL --against MODEL`, or of two runs: is it the same model? With an exit code for scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from toolgauge.cli.benchmark_options import RunCommand
from toolgauge.cli.gate import Undecided, end
from toolgauge.cli.options import GIVEN, AgentName, ModelName, measured, with_groups
from toolgauge.cli.output import Json, require_free, tell, write_json
from toolgauge.cli.terminal import echo
from toolgauge.errors import UsageError
from toolgauge.runs.options import RunOptions, Selection

if TYPE_CHECKING:
    from toolgauge.runs.sides import Side

_OF_EVERY_USE = frozenset(
    {"benchmark", "model", "agent", "against", "json", "pass_undecided", "overwrite", "margin", "set_"}
)
"""Parameters that are no options of the runs."""

COMMAND = RunCommand


@with_groups
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
    model: Annotated[str | None, ModelName] = None,
    agent: Annotated[str | None, AgentName] = None,
    against: Annotated[
        str,
        typer.Option(
            metavar="MODEL[@URL]|RUN", help="What it should be: provider/model, or a run, best with --epochs 2."
        ),
    ],
    margin: Annotated[
        float, typer.Option(min=0, max=1, help="How far it may fall short, as a share, and still be the same.")
    ] = 0.05,
    options: RunOptions = RunOptions(selection=Selection(epochs=2)),  # noqa: B008 - immutable
    pass_undecided: Undecided = False,
    json: Json = None,
) -> None:
    """\b
    toolgauge verify -m vllm/qwen3-32b --base-url http://localhost:8000/v1 --against openrouter/qwen/qwen3-32b
    toolgauge verify runs/mine --against runs/reference

    Decide whether an endpoint serves the same model: exit code 0 if it does, 1 if not. Compares first replies on the
    same tasks: whether a tool is called, valid calls, names, arguments, accuracy. Models are asked first, the reference
    --epochs times; the same command continues that.
    """
    import msgspec

    from toolgauge.analysis.verification import verification_lines
    from toolgauge.api import compare_sides
    from toolgauge.cli.endpoints import warn_of_open_keys

    warn_of_open_keys(options.endpoint, options.roles)
    require_free(json, options.output.overwrite)
    name = measured(model, agent) if model or agent else None
    sides = _planned(ctx, benchmark, name, against, options)
    _ask(*sides, options)
    verification = compare_sides(*sides, margin, options.selection.data, tell)
    if json is not None:
        write_json(json, msgspec.json.encode(verification), [side.folder for side in sides], options.output.overwrite)
    for line in verification_lines(verification):
        echo(line)
    end(verification.outcome.value, pass_undecided)


def _planned(
    ctx: typer.Context, benchmark: str | None, model: str | None, against: str, options: RunOptions
) -> tuple[Side, Side]:
    """The side in question and the reference's; raises UsageError before anything is asked."""
    from toolgauge.api import named_sides
    from toolgauge.runs.sides import plan_sides

    if (name := model or benchmark) is None:
        raise UsageError("name a run directory, a model with --model, or an agent with --agent")
    what = benchmark if model else None
    chosen = (ctx.meta[GIVEN] - _OF_EVERY_USE) | options.own.keys() | ({"benchmark"} if what else set())
    return plan_sides(*named_sides(name, against), what, options, chosen)


def _ask(endpoint: Side, reference: Side, options: RunOptions) -> None:
    """Ask those that are models, the reference first; ends the program where something of it is not done."""
    from toolgauge.cli.run import carry_out, tell_plan
    from toolgauge.cli.show import report_unfinished
    from toolgauge.runs.sides import limits_left

    limits = options.limits.keywords
    plans = [side.plan for side in (reference, endpoint) if side.plan is not None]
    for plan in plans:
        tell_plan(plan)
    for plan in plans:
        result = carry_out(plan, options, limits)
        report_unfinished(result.folder, result.outcome)
        limits = limits_left(limits, result)
        echo(f"Files: {result.folder}", err=True)
