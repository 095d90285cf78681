"""`toolgauge tools trial BENCHMARK -m MODEL`: what changes of the tools do to a model, compared in pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from toolgauge.cli.options import AgentName, ModelName, measured, with_groups
from toolgauge.cli.output import tell
from toolgauge.cli.terminal import console, echo
from toolgauge.runs.options import RunOptions
from toolgauge.trials.trial_file import Variants

if TYPE_CHECKING:
    from toolgauge.trials.trial import Trial


@with_groups
def trial(
    ctx: typer.Context,  # noqa: ARG001 - of the benchmark's own options
    benchmark: Annotated[
        str, typer.Argument(help="One whose sessions have tool lists: dialogues, or data of your own.")
    ],
    model: Annotated[str | None, ModelName] = None,
    *,
    agent: Annotated[str | None, AgentName] = None,
    variants: Variants,
    options: RunOptions,
) -> None:
    """\b
    toolgauge tools trial mini -m builtin/keyword --distractors 10,20
    toolgauge tools trial mini -m openai/gpt-5 --descriptions edited.jsonl

    Try changes of tools: descriptions, names, how many. Each variant is compared with the tools as they are. The same
    command continues a trial.
    """
    from toolgauge.cli.endpoints import warn_of_open_keys
    from toolgauge.trials.trial import plan_trial

    warn_of_open_keys(options.endpoint, options.roles)
    read = variants.read(options.selection.language, options.sampling.seed or 0)
    planned = plan_trial(benchmark, measured(model, agent), read, options)
    _ask(planned, options)
    _report(planned)


def _ask(planned: Trial, options: RunOptions) -> None:
    """Ask every run; ends the program where something of one is not done."""
    from toolgauge.cli.run import carry_out, tell_plan
    from toolgauge.cli.show import report_unfinished
    from toolgauge.runs.sides import limits_left

    limits = options.limits.keywords
    tell_plan(next(iter(planned.plans.values())))
    for name, plan in planned.plans.items():
        echo(f"{name}:", err=True)
        result = carry_out(plan, options, limits)
        report_unfinished(result.folder, result.outcome)
        limits = limits_left(limits, result)


def _report(planned: Trial) -> None:
    from toolgauge.files import write_whole
    from toolgauge.trials.report import encode_report, trial_report
    from toolgauge.trials.show import show_trial, trial_markdown
    from toolgauge.trials.trial import REPORT_FILES
    from toolgauge.trials.trial_file import BASELINE

    names = [name for name in planned.plans if name != BASELINE]
    report = trial_report(planned.folder, names, tell=tell)
    contents = (encode_report(report), trial_markdown(report).encode("utf-8", "backslashreplace"))
    for name, content in zip(REPORT_FILES, contents, strict=True):
        write_whole(planned.folder / name, content)
    show_trial(report, console())
    echo(f"Files: {planned.folder}")
    echo("  trial.json, trial.md; a run directory for each variant, for `toolgauge report` and `compare`")
