"""`toolgauge generate`: make dialogues with tool calls, and the files that are made of them."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, Annotated

import typer
from msgspec.structs import replace

from toolgauge.chat import Reply
from toolgauge.cli.options import ModelName, with_groups
from toolgauge.cli.progress import Bar
from toolgauge.cli.terminal import console, echo
from toolgauge.generation.options import GenerateOptions, GenerationOptions
from toolgauge.runs.budget import pricing

if TYPE_CHECKING:
    from toolgauge.episode import Trajectory
    from toolgauge.generation.estimate import Amount, Estimate
    from toolgauge.generation.formats.coverage import CoverageReport
    from toolgauge.generation.spec import GenerationPlan, GenerationResult


SHOWN = 3
"""Reasons for rejections that the summary names."""
LONGEST = 300
"""Characters of the example that it shows."""
REASONS = {
    "path": "became another kind of task",
    "values": "a value nobody gave",
    "answer": "a reply that contradicts the results",
    "context": "a later task that needs nothing said before",
    "duplicates": "too much like another dialogue",
    "turn_cap": "no end in sight",
    "unfinished": "turns that do not follow each other",
}
"""Why attempts are rejected, by the name under which it is counted; else it is an agent that gave nothing usable."""


@with_groups
def generate(
    ctx: typer.Context,
    model: Annotated[str | None, ModelName] = None,
    *,
    demo: Annotated[
        bool, typer.Option("--demo", help="Scripted agents play every role: no model, no network.")
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
    from toolgauge.demo import ScriptedAgents
    from toolgauge.generation.model_roles import unasked
    from toolgauge.generation.spec import DEMO, carry_out_generation, plan_generation

    options = replace(options, dialogues=_in_the_originals_language(ctx, options.dialogues))
    warn_of_open_keys(options.endpoint, options.roles)
    limits, output = options.limits, options.output
    reached = unasked(options.model_options()) if estimate else options.model_options()
    player = model or (DEMO if demo else None)
    plan = plan_generation(options.dialogues, player, reached, output.out, ScriptedAgents, options.roles)
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


def _in_the_originals_language(ctx: typer.Context, options: GenerationOptions) -> GenerationOptions:
    """The originals' READMEs choose the language with the variable LANGUAGE: "zh" or "en" counts where --language is
    not given. Longer values ("en_US:en") are the system's own."""
    language = os.environ.get("LANGUAGE")
    source = ctx.get_parameter_source("language")
    if language not in ("zh", "en") or (source is not None and source.name != "DEFAULT"):
        return options
    echo(f"Language of the dialogues: {language}, by the variable LANGUAGE (--language overrides it)", err=True)
    return replace(options, language=language)


def _ignore(_result: object) -> None:
    """Agents answer in words: that an endpoint answers at all is enough."""


def _report(result: GenerationResult) -> None:
    """The summary, and what is left to do; exit code 1 if nothing was accepted, or something is missing."""
    from toolgauge.cli.show import report_unfinished, spent_line

    for note in result.notes:
        echo(note, err=True)
    coverage, slots = result.coverage, result.coverage.slots
    counts = f"given up: {slots.rejected:,}, not there yet: {slots.missing:,}"
    echo(f"Dialogues accepted: {slots.produced:,} of {slots.requested:,}, {counts}")
    _report_rejections(coverage)
    echo(spent_line(result))
    _report_losses(coverage)
    if coverage.flagged:
        echo(f"Marked for the review: {', '.join(f'{REASONS.get(n, n)} {c:,}' for n, c in coverage.flagged.items())}")
    if cut := coverage.cut_off:
        by_role = ", ".join([f"{role} {count:,}" for role, count in cut.items()])
        echo(f"Replies cut off by the token limit: {sum(cut.values()):,} ({by_role})")
    echo(f"Files: {result.folder}")
    echo("  sessions.jsonl (to run and review), raw.jsonl, simplified.jsonl, openai.jsonl, sharegpt.jsonl,")
    captures = ", captures.jsonl" if (result.folder / "captures.jsonl").exists() else ""
    echo(f"  dialogues.md (to read), rejected.jsonl, coverage.json{captures}")
    report_unfinished(result.folder, result.outcome)
    if slots.requested and not slots.produced:
        echo("No dialogue was accepted; rejected.jsonl has them with the reasons.", err=True)
        raise typer.Exit(1)


def _report_rejections(coverage: CoverageReport) -> None:
    """The most frequent reasons for which attempts were rejected, and an example of the first."""
    rejected = coverage.attempts.rejected
    if not rejected:
        return
    reasons = [f"{REASONS.get(name, f'no usable reply from the {name}')} {count:,}" for name, count in rejected.items()]
    more = f", {len(reasons) - SHOWN} other reasons" if len(reasons) > SHOWN else ""
    echo(f"Attempts rejected: {sum(rejected.values()):,} ({', '.join(reasons[:SHOWN])}{more})")
    echo(f"  for example {coverage.attempts.example[:LONGEST]}")


def _report_losses(coverage: CoverageReport) -> None:
    """One line about what was spent on anything but dialogues, if there is any."""
    from toolgauge.cli.show import dollars

    spending = coverage.spending
    parts = [
        f"{what} {used.requests:,} request{'' if used.requests == 1 else 's'}, "
        f"{used.tokens:,} tokens{dollars(used.cost)}"
        for what, used in (("rejected attempts", spending.rejected), ("dialogues under way", spending.unfinished))
        if used.requests
    ]
    if parts:
        echo(f"Of these: {'; '.join(parts)}")


NAMED = 2
"""Reasons that stand beside the bar."""


class GenerationProgress(Bar):
    """Of a generation: accepted and rejected dialogues, and what they cost."""

    def __init__(self, plan: GenerationPlan) -> None:
        super().__init__(len(plan.slots))
        self.accepted, self.rejected, self.reasons = 0, 0, Counter[str]()
        self.cost: float | None = 0.0
        self._language, self._models = plan.options.language, plan.models
        self._price = pricing(plan.models.members)

    def opening(self) -> str:
        done = f", {self.earlier:,} already done" if self.earlier else ""
        plural = "" if self.total == 1 else "s"
        return f"{self.total:,} dialogue{plural} ({self._language}) to make{done}"

    def name(self) -> str:
        return "dialogues"

    def count(self, trajectory: Trajectory) -> None:
        super().count(trajectory)
        accepted = bool(trajectory.extra.get("accepted"))
        self.accepted += accepted
        self.rejected += not accepted
        for attempt in trajectory.extra.get("attempts", ()):
            if attempt.get("failed"):
                self.reasons[attempt["failed"]] += 1

    def replied(self, key: str, role: str, reply: Reply) -> None:
        super().replied(key, role, reply)
        price = self._price(self._models.role_map(key, role), reply.usage)
        self.cost = None if self.cost is None or price is None else self.cost + price

    def counts(self) -> list[str]:
        parts = [f"{self.accepted:,} accepted", f"{self.rejected:,} given up"]
        if self.reasons:
            why = ", ".join(f"{reason} {count:,}" for reason, count in self.reasons.most_common(NAMED))
            parts.append(f"started over for {why}")
        return [*parts, *super().counts(), *([f"${self.cost:.2f}"] if self.cost else [])]


def show_estimate(plan: GenerationPlan) -> None:
    """Print what is left of a plan will take."""
    from toolgauge.demo import ScriptedAgents
    from toolgauge.generation.estimate import estimate

    language = plan.options.language
    amounts = estimate(plan, ScriptedAgents(language))
    for note in plan.notes:
        echo(note)
    echo(f"Dialogues to make ({language}): {amounts.dialogues:,}, already there: {amounts.done:,}")
    if not amounts.dialogues:
        return
    _show_table(amounts)
    echo(_range(amounts))
    echo(_basis(amounts))


def _show_table(amounts: Estimate) -> None:
    from rich.text import Text as Cell

    from toolgauge.analysis.terminal import open_table
    from toolgauge.visible import visible

    headings = ("agent", "requests", "input tokens", "cached", "output tokens", "dollars")
    table = open_table(*headings)
    for column in table.columns[1:]:
        column.justify = "right"
    for member, amount in [*amounts.models.items(), ("all", amounts.total)]:
        numbers = [f"{number:,}" for number in (amount.requests, amount.input, amount.cached, amount.output)]
        cost = "?" if amount.cost is None else f"{amount.cost:,.2f}"
        table.add_row(*(Cell(visible(cell), overflow="fold") for cell in (member, *numbers, cost)))
    console().print(table)


def _range(amounts: Estimate) -> str:
    least, most = amounts.least, amounts.most
    return (
        f"Range: {least.requests:,} to {most.requests:,} requests, {least.tokens:,} to {most.tokens:,} "
        f"tokens{_dollars(least, most)}"
    )


def _dollars(least: Amount, most: Amount) -> str:
    if least.cost is None or most.cost is None:
        return "; the price of a model is not known"
    return f", ${least.cost:,.2f} to ${most.cost:,.2f}" if most.cost else ""


def _basis(amounts: Estimate) -> str:
    dialogues = f"{amounts.evidence:,} dialogue{'' if amounts.evidence == 1 else 's'}"
    if amounts.basis == "finished":
        return f"Based on what {dialogues} of this generation took."
    return (
        f"Based on {dialogues} that scripted agents played over these tools, lengthened to what models usually write; "
        "tokens are estimated, and reasoning is not counted. Nothing was asked."
    )
