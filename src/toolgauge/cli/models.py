"""`toolgauge models`: who can be asked, and what each needs."""

from __future__ import annotations

from collections.abc import Mapping

import typer


def models() -> None:
    """List the providers and the built-in players."""
    from rich.console import Console
    from rich.table import Table

    from toolgauge.cli.chinese import local
    from toolgauge.cli.words import say
    from toolgauge.models.players import PLAYERS
    from toolgauge.models.providers import PROVIDERS, settings
    from toolgauge.models.registry import registered_models

    here = settings()
    table = Table(*say("models").split("|"))
    for name, provider in PROVIDERS.items():
        table.add_row(f"{name}/<model>", local(provider.title), _key_state(provider.key_variables, here))
    for name in PLAYERS:
        table.add_row(f"builtin/{name}", say("player"), "")
    for name, point in registered_models().items():
        table.add_row(f"{name}/<model>", point.value, "")
    Console().print(table)
    typer.echo(say("any_server"))


def _key_state(variables: tuple[str, ...], known: Mapping[str, str]) -> str:
    from toolgauge.cli.words import say

    return ", ".join(say("key_set" if known.get(name) else "key_unset", name=name) for name in variables)
