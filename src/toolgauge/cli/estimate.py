"""`toolgauge generate --estimate`: what a generation will take, as a table, and what that is based on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgauge.cli.terminal import console, echo

if TYPE_CHECKING:
    from toolgauge.generation.estimate import Amount, Estimate
    from toolgauge.generation.spec import GenerationPlan


def show_estimate(plan: GenerationPlan) -> None:
    """Print what is left of a plan will take."""
    from toolgauge.demo import ScriptedAgents
    from toolgauge.generation.estimate import estimate

    language = plan.options.language
    found = estimate(plan, ScriptedAgents(language))
    for note in plan.notes:
        echo(note)
    echo(f"Dialogues to make ({language}): {found.dialogues:,}, already there: {found.done:,}")
    if not found.dialogues:
        return
    _show_table(found)
    echo(_range(found))
    echo(_basis(found))


def _show_table(found: Estimate) -> None:
    from rich.text import Text as Cell

    from toolgauge.analysis.terminal import open_table
    from toolgauge.visible import visible

    headings = ("agent", "requests", "input tokens", "cached", "output tokens", "dollars")
    table = open_table(*headings)
    for column in table.columns[1:]:
        column.justify = "right"
    for member, one in [*found.models.items(), ("all", found.total)]:
        numbers = [f"{number:,}" for number in (one.requests, one.input, one.cached, one.output)]
        cost = "?" if one.cost is None else f"{one.cost:,.2f}"
        table.add_row(*(Cell(visible(cell), overflow="fold") for cell in (member, *numbers, cost)))
    console().print(table)


def _range(found: Estimate) -> str:
    least, most = found.least, found.most
    return (
        f"Range: {least.requests:,} to {most.requests:,} requests, {least.tokens:,} to {most.tokens:,} "
        f"tokens{_dollars(least, most)}"
    )


def _dollars(least: Amount, most: Amount) -> str:
    if least.cost is None or most.cost is None:
        return "; the price of a model is not known"
    return f", ${least.cost:,.2f} to ${most.cost:,.2f}" if most.cost else ""


def _basis(found: Estimate) -> str:
    dialogues = f"{found.evidence:,} dialogue{'' if found.evidence == 1 else 's'}"
    if found.basis == "finished":
        return f"Based on what {dialogues} of this generation took."
    return (
        f"Based on {dialogues} that scripted agents played over these tools, lengthened to what models usually write; "
        "tokens are estimated, and reasoning is not counted. Nothing was asked."
    )
