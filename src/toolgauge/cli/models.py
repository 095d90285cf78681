"""`toolgauge models [PROVIDER]`: who can be asked, what each needs, and what is different there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from toolgauge.cli.terminal import console, echo
from toolgauge.errors import UsageError
from toolgauge.locale import _

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from toolgauge.models.provider import Provider
    from toolgauge.models.settings import Settings

GROUPS = {
    "hosted": _("Hosted by their makers"),
    "aggregator": _("Hosted for many makers"),
    "local": _("Servers of your own"),
}


def models(
    provider: Annotated[str | None, typer.Argument(help="Say everything that is known about this one.")] = None,
) -> None:
    """List the providers and the built-in models, and which have a key here."""
    from toolgauge.models.providers import find_provider
    from toolgauge.models.settings import settings

    if provider is not None:
        found = find_provider(provider.partition("/")[0])
        if found is None:
            raise UsageError(f"no such provider: {provider}; `toolgauge models` lists them")
        console().print(_details(found, settings()))
        return
    console().print(_overview(settings()))
    echo("Any OpenAI-compatible server: -m openai/<model> --base-url URL")
    echo("toolgauge models PROVIDER says how one of them differs.")


def _overview(known: Settings) -> Table:
    from toolgauge.analysis.terminal import lines_of, open_table, plain
    from toolgauge.cli.language import local
    from toolgauge.models.builtin.models import BUILTIN_MODELS
    from toolgauge.models.provider_table import PROVIDERS
    from toolgauge.models.registry import registered_models

    table = open_table()
    table.add_column(local(_("model")), no_wrap=True)
    table.add_column(local(_("what it is")), overflow="fold")
    table.add_column(local(_("key")), no_wrap=True)
    for group, heading in GROUPS.items():
        table.add_row(plain(local(heading), "bold"))
        for row in (one for one in PROVIDERS.values() if one.group == group):
            sites = ", ".join(f"{row.name}-{site}" for site in row.sites)
            others = [local(_("{names} at its other addresses", names=sites))] if sites else []
            about = lines_of(local(row.title), *others)
            keys = _key_state(row.key_variables, known) if row.needs_key else plain(local(_("none needed")))
            table.add_row(f"{row.name}/<model>", about, keys)
        table.add_section()
    table.add_row(plain(local(_("Built-in and installed")), "bold"))
    for name in BUILTIN_MODELS:
        table.add_row(f"builtin/{name}", local(_("built in, no network")), "")
    for name, point in registered_models().items():
        table.add_row(f"{name}/<model>", point.value, "")
    return table


def _key_state(variables: tuple[str, ...], known: Settings) -> Text:
    from toolgauge.analysis.terminal import lines_of
    from toolgauge.cli.language import local

    states = (
        _("{name} (set)", name=name) if known.has(name) else _("{name} (not set)", name=name) for name in variables
    )
    return lines_of(*map(local, states))


def _details(provider: Provider, known: Settings) -> Table:
    from rich.table import Table

    from toolgauge.analysis.terminal import lines_of
    from toolgauge.cli.language import local
    from toolgauge.cli.quirk_words import APIS, differences

    addresses = [provider.base_url or "-", *(f"{site}: {url}" for site, url in provider.sites.items())]
    table = Table(show_header=False)
    table.add_row(local(_("name")), ", ".join((provider.name, *provider.aliases)))
    table.add_row(local(_("what it is")), local(provider.title))
    table.add_row(local(_("address")), lines_of(*addresses))
    table.add_row(local(_("environment")), _key_state(provider.variables, known))
    table.add_row(local(_("API")), local(APIS[provider.api]))
    table.add_row(
        local(_("what is different")),
        lines_of(*[f"- {local(sentence)}" for sentence in differences(provider)] or [local(_("nothing"))]),
    )
    return table
