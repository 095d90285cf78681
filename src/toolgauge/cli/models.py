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

GROUPS = ("hosted", "aggregator", "local")


def models(
    provider: Annotated[str | None, typer.Argument(help="Say everything that is known about this one.")] = None,
) -> None:
    """List the providers and the built-in models, and which have a key here."""
    from toolgauge.cli.words import say
    from toolgauge.models.providers import find_provider
    from toolgauge.models.settings import settings

    if provider is not None:
        found = find_provider(provider.partition("/")[0])
        if found is None:
            raise UsageError(_("no such provider: {provider}; `toolgauge models` lists them", provider=provider))
        console().print(_details(found, settings()))
        return
    console().print(_overview(settings()))
    echo(say("any_server"))
    echo(say("one_provider"))


def _overview(known: Settings) -> Table:
    from toolgauge.analysis.terminal import lines_of, open_table, plain
    from toolgauge.cli.chinese import local
    from toolgauge.cli.words import say
    from toolgauge.models.builtin.models import BUILTIN_MODELS
    from toolgauge.models.provider_table import PROVIDERS
    from toolgauge.models.registry import registered_models

    headings = dict(zip((*GROUPS, "other"), say("groups").split("|"), strict=True))
    model, what, key = say("models").split("|")
    table = open_table()
    table.add_column(model, no_wrap=True)
    table.add_column(what, overflow="fold")
    table.add_column(key, no_wrap=True)
    for group in GROUPS:
        table.add_row(plain(headings[group], "bold"))
        for row in (one for one in PROVIDERS.values() if one.group == group):
            sites = ", ".join(f"{row.name}-{site}" for site in row.sites)
            about = lines_of(local(row.title), *([say("sites", names=sites)] if sites else []))
            keys = _key_state(row.key_variables, known) if row.needs_key else plain(say("key_needless"))
            table.add_row(f"{row.name}/<model>", about, keys)
        table.add_section()
    table.add_row(plain(headings["other"], "bold"))
    for name in BUILTIN_MODELS:
        table.add_row(f"builtin/{name}", say("player"), "")
    for name, point in registered_models().items():
        table.add_row(f"{name}/<model>", point.value, "")
    return table


def _key_state(variables: tuple[str, ...], known: Settings) -> Text:
    from toolgauge.analysis.terminal import lines_of
    from toolgauge.cli.words import say

    return lines_of(*(say("key_set" if known.has(name) else "key_unset", name=name) for name in variables))


def _details(provider: Provider, known: Settings) -> Table:
    from rich.table import Table

    from toolgauge.analysis.terminal import lines_of
    from toolgauge.cli.chinese import local
    from toolgauge.cli.quirk_words import LABELS, differences
    from toolgauge.cli.words import interface_language

    labels = LABELS[interface_language()]
    addresses = [provider.base_url or "-", *(f"{site}: {url}" for site, url in provider.sites.items())]
    table = Table(show_header=False)
    table.add_row(labels["name"], ", ".join((provider.name, *provider.aliases)))
    table.add_row(labels["title"], local(provider.title))
    table.add_row(labels["address"], lines_of(*addresses))
    table.add_row(labels["variables"], _key_state(provider.variables, known))
    table.add_row(labels["api"], labels[provider.api])
    table.add_row(labels["different"], lines_of(*_bulleted(differences(provider)) or [labels["nothing"]]))
    return table


def _bulleted(sentences: list[str]) -> list[str]:
    return [f"- {sentence}" for sentence in sentences]
