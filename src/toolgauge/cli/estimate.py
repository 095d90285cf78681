"""`toolgauge generate --estimate`: what a generation will take, as a table, and what that is based on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgauge.cli.terminal import console, echo
from toolgauge.locale import Text, _, ngettext, pgettext, plain

if TYPE_CHECKING:
    from toolgauge.generation.estimate import Amount, Estimate
    from toolgauge.generation.spec import GenerationPlan


def show_estimate(plan: GenerationPlan) -> None:
    """Print what is left of a plan will take."""
    from toolgauge.cli.language import local
    from toolgauge.demo import LibraryAgents, TypicalLengths
    from toolgauge.generation.estimate import estimate

    language = plan.options.language
    found = estimate(plan, TypicalLengths(LibraryAgents(language), language))
    said = _(
        "Dialogues to make ({language}): {total:,}, already there: {done:,}",
        total=found.dialogues,
        done=found.done,
        language=language,
    )
    echo(local(said))
    if not found.dialogues:
        return
    _show_table(found)
    echo(local(_range(found)))
    echo(local(_basis(found)))


def _show_table(found: Estimate) -> None:
    from rich.text import Text as Cell

    from toolgauge.analysis.terminal import open_table
    from toolgauge.cli.language import local
    from toolgauge.visible import visible

    headings = (_("agent"), _("requests"), _("input tokens"), _("cached"), _("output tokens"), _("dollars"))
    table = open_table(*map(local, headings))
    for column in table.columns[1:]:
        column.justify = "right"
    for member, one in [*found.models.items(), (local(pgettext("amounts", "all")), found.total)]:
        numbers = [f"{number:,}" for number in (one.requests, one.input, one.cached, one.output)]
        cost = "?" if one.cost is None else f"{one.cost:,.2f}"
        table.add_row(*(Cell(visible(cell), overflow="fold") for cell in (member, *numbers, cost)))
    console().print(table)


def _range(found: Estimate) -> Text:
    least, most = found.least, found.most
    return _(
        "Range: {least:,} to {most:,} requests, {least_tokens:,} to {most_tokens:,} tokens{cost}",
        least=least.requests,
        most=most.requests,
        least_tokens=least.tokens,
        most_tokens=most.tokens,
        cost=_dollars(least, most),
    )


def _dollars(least: Amount, most: Amount) -> Text:
    if least.cost is None or most.cost is None:
        return _("; the price of a model is not known")
    return _(", ${least:,.2f} to ${most:,.2f}", least=least.cost, most=most.cost) if most.cost else plain("")


def _basis(found: Estimate) -> Text:
    from toolgauge.generation.estimate import Basis

    if found.basis is Basis.FINISHED:
        return ngettext(
            "Based on what {count:,} finished dialogue of this generation took.",
            "Based on what {count:,} finished dialogues of this generation took.",
            count=found.evidence,
        )
    return ngettext(
        "Based on {count:,} dialogue that scripted agents played, in texts of usual lengths and with what mistakes "
        "usually add; tokens are estimated, and reasoning is not counted. Nothing was asked.",
        "Based on {count:,} dialogues that scripted agents played, in texts of usual lengths and with what mistakes "
        "usually add; tokens are estimated, and reasoning is not counted. Nothing was asked.",
        count=found.evidence,
    )
