"""`toolgauge generate`: make dialogues with tool calls, and the files that are made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from toolgauge.cli.options import ModelName, with_groups
from toolgauge.cli.terminal import echo
from toolgauge.errors import UsageError
from toolgauge.generation.options import GenerateOptions

if TYPE_CHECKING:
    from toolgauge.generation.formats.spending import Spending
    from toolgauge.generation.spec import GenerationResult

SHOWN = 8
"""Reasons for rejections that the summary names."""


@with_groups
def generate(
    model: Annotated[str | None, ModelName] = None,
    *,
    demo: Annotated[
        bool, typer.Option("--demo", help="Scripted agents play every role: no model, no network.")
    ] = False,
    noise: Annotated[
        bool, typer.Option("--noise", help="With --demo: they write as real models do, with reasoning and remarks.")
    ] = False,
    estimate: Annotated[
        bool,
        typer.Option("--estimate", help="Only print what it will take: requests, tokens, dollars."),
    ] = False,
    options: GenerateOptions,
) -> None:
    """\b
    toolgauge generate --demo --paths single,clarify --out generated/demo
    toolgauge generate -m openai/gpt-5 --tools tools.jsonl --sample 20 --estimate

    Make dialogues with tool calls. The same command continues a generation.
    """
    from toolgauge.cli.endpoints import tell_endpoints, warn_of_open_keys
    from toolgauge.cli.estimate import show_estimate
    from toolgauge.cli.generation_progress import GenerationProgress
    from toolgauge.demo import LibraryAgents
    from toolgauge.generation.model_roles import unasked
    from toolgauge.generation.spec import carry_out_generation, plan_generation

    warn_of_open_keys(options.endpoint, options.roles)
    limits, output = options.limits, options.output
    reached = unasked(options.model_options()) if estimate else options.model_options()
    player = _player(model, demo, noise)
    plan = plan_generation(options.dialogues, player, reached, output.out, LibraryAgents, options.roles)
    if estimate:
        show_estimate(plan)
        return
    tell_endpoints(plan.models.members.values())
    with GenerationProgress(plan) as bar:
        result = carry_out_generation(
            plan,
            limits.concurrency,
            output.overwrite,
            **limits.keywords,
            listener=bar,
            probing=_ignore if limits.probe else None,
            stop_on_interrupt=True,
        )
    _report(result)


def _player(model: str | None, demo: bool, noise: bool) -> str | None:
    """Who plays every agent: the model that is named, or scripted agents if they are asked for."""
    from toolgauge.generation.spec import DEMO, NOISY_DEMO

    if noise and not demo:
        raise UsageError("--noise goes with --demo")
    return model or ((NOISY_DEMO if noise else DEMO) if demo else None)


def _ignore(_result: object) -> None:
    """Agents answer in words: that an endpoint answers at all is enough."""


def _report(result: GenerationResult) -> None:
    """The summary, and what is left to do; exit code 1 if a dialogue failed."""
    from toolgauge.cli.show import report_unfinished
    from toolgauge.cli.spent import spent_line

    for note in result.notes:
        echo(note, err=True)
    slots = result.coverage.slots
    produced = (
        "Dialogues accepted: {produced:,} of {requested:,}, given up: {rejected:,}, not there yet: {missing:,}".format(
            **{name: getattr(slots, name) for name in ("produced", "requested", "rejected", "missing")}
        )
    )
    echo(produced)
    reasons = result.coverage.attempts.rejected
    if reasons:
        named = ", ".join([f"{reason} {count:,}" for reason, count in list(reasons.items())[:SHOWN]])
        echo(f"Attempts rejected: {sum(reasons.values()):,} ({named})")
    echo(spent_line(result))
    _report_losses(result.coverage.spending)
    if cut := result.coverage.cut_off:
        named = ", ".join([f"{role} {count:,}" for role, count in cut.items()])
        echo(f"Replies cut off by the token limit: {sum(cut.values()):,} ({named})")
    echo(f"Files: {result.folder}")
    for line in (
        "  sessions.jsonl (to run and review), raw.jsonl, simplified.jsonl, captures.jsonl, "
        "openai.jsonl,\n  sharegpt.jsonl, dialogues.md (to read), rejected.jsonl, coverage.json"
    ).splitlines():
        echo(line)
    report_unfinished(result.folder, result.outcome)


def _report_losses(spending: Spending) -> None:
    """One line about what was spent on anything but dialogues, if there is any."""
    from toolgauge.cli.spent import dollars

    parts = [
        ("rejected attempts", spending.all_rejected),
        ("what was made again", spending.repairs),
        ("dialogues under way", spending.unfinished),
    ]
    said = [
        f"{what} {one.requests:,} request{'' if one.requests == 1 else 's'}, {one.tokens:,} tokens{dollars(one.cost)}"
        for what, one in parts
        if one.requests
    ]
    if said:
        echo(f"Of these: {'; '.join(said)}")
