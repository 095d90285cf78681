"""`toolgauge models`: who can be asked, and what each needs."""

from __future__ import annotations

from collections.abc import Mapping

import typer


def models() -> None:
    """List the providers and the built-in players."""
    from rich.console import Console
    from rich.table import Table

    from toolgauge.models.players import PLAYERS
    from toolgauge.models.providers import PROVIDERS, settings
    from toolgauge.models.registry import registered_models

    here = settings()
    table = Table("model", "what it is", "key")
    for name, provider in PROVIDERS.items():
        table.add_row(f"{name}/<model>", provider.title, _key_state(provider.key_variables, here))
    for name in PLAYERS:
        table.add_row(f"builtin/{name}", "plays by itself, no network", "")
    for name, point in registered_models().items():
        table.add_row(f"{name}/<model>", point.value, "")
    Console().print(table)
    typer.echo("Any OpenAI-compatible server: -m openai/<model> --base-url URL")


def _key_state(variables: tuple[str, ...], known: Mapping[str, str]) -> str:
    return ", ".join(f"{name} ({'set' if known.get(name) else 'not set'})" for name in variables)
