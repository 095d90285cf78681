"""`toolgauge models [PROVIDER]`: who can be asked, what each needs, and what is different there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from toolgauge.cli.terminal import console, echo
from toolgauge.errors import UsageError

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from toolgauge.models.provider import Provider, Quirks
    from toolgauge.models.settings import Settings


GROUPS = {
    "hosted": "Hosted by their makers",
    "aggregator": "Hosted for many makers",
    "local": "Servers of your own",
}


def models(
    provider: Annotated[str | None, typer.Argument(help="Show everything that is known about this provider.")] = None,
) -> None:
    """\b
    toolgauge models
    toolgauge models openai

    List the providers and the built-in models, and which have a key here.
    """
    from toolgauge.models.providers import find_provider
    from toolgauge.models.settings import settings

    if provider is not None:
        known_provider = find_provider(provider.partition("/")[0])
        if known_provider is None:
            raise UsageError(f"unknown provider {provider!r}; `toolgauge models` lists them")
        console().print(_details(known_provider, settings()))
        return
    console().print(_overview(settings()))
    echo("Any OpenAI-compatible server: -m openai/<model> --base-url URL")
    echo("toolgauge models PROVIDER says how one of them differs.")


def _overview(environment: Settings) -> Table:
    from toolgauge.analysis.terminal import lines_of, open_table, plain
    from toolgauge.models.builtin.models import BUILTIN_MODELS
    from toolgauge.models.provider import PROVIDERS
    from toolgauge.models.registry import registered_models

    table = open_table()
    table.add_column("model", no_wrap=True)
    table.add_column("what it is", overflow="fold")
    table.add_column("key", no_wrap=True)
    for group, heading in GROUPS.items():
        table.add_row(plain(heading, "bold"))
        for row in (one for one in PROVIDERS.values() if one.group == group):
            sites = ", ".join(f"{row.name}-{site}" for site in row.sites)
            others = [f"{sites} at its other addresses"] if sites else []
            about = lines_of(row.title, *others)
            keys = _key_state(row.key_variables, environment) if row.needs_key else "none needed"
            table.add_row(f"{row.name}/<model>", about, keys)
        table.add_section()
    table.add_row(plain("Built-in and installed", "bold"))
    for name in BUILTIN_MODELS:
        table.add_row(f"builtin/{name}", "built in, no network", "")
    for name, point in registered_models().items():
        table.add_row(f"{name}/<model>", point.value, "")
    return table


def _key_state(variables: tuple[str, ...], environment: Settings) -> Text:
    from toolgauge.analysis.terminal import lines_of

    states = (f"{name} (set)" if environment.has(name) else f"{name} (not set)" for name in variables)
    return lines_of(*states)


def _details(provider: Provider, environment: Settings) -> Table:
    from rich.table import Table

    from toolgauge.analysis.terminal import lines_of

    addresses = [provider.base_url or "-", *(f"{site}: {url}" for site, url in provider.sites.items())]
    table = Table(show_header=False)
    table.add_row("name", ", ".join((provider.name, *provider.aliases)))
    table.add_row("what it is", provider.title)
    table.add_row("address", lines_of(*addresses))
    table.add_row("environment", _key_state(provider.variables, environment))
    table.add_row("API", APIS[provider.api])
    table.add_row(
        "what is different",
        lines_of(*[f"- {sentence}" for sentence in differences(provider)] or ["nothing"]),
    )
    return table


APIS = {
    "chat": "chat completions",
    "azure": "chat completions of Azure's deployments",
    "messages": "Anthropic Messages",
    "responses": "OpenAI Responses",
}

SENTENCES = {
    "length_field": "the limit of a reply is sent as {value}",
    "dropped": "not sent, for it is not taken there: {value}",
    "renamed": "sent under another name: {value}",
    "with_tools": "sent with tools unless you say otherwise: {value}",
    "call_content": "a message with calls and no words has an empty text",
    "tool_name": "results say the name of their tool",
    "alternates": "neighbouring messages of the user become one",
    "user_after_tool": "where the user speaks right after a result, the assistant says “…” in between",
    "ids": "ids of calls become nine letters and digits",
    "schema": "parameters of tools are told in OpenAPI's vocabulary; what it lacks is said in words or left out",
    "json_schema": "a reply that has to be JSON is held to its schema by response_format",
    "kept": "reasoning of messages with calls is sent back",
    "required": "reasoning of messages with calls is sent back, an empty one where there is none",
    "reasoning_field": "the field in which reasoning is sent back: {value}",
    "signed": "signatures of reasoning go back with the calls; calls that others made get a stand-in",
    "details": "reasoning_details go back as they came",
    "filtered": "a prompt that the content filter refuses ({value}) is an outcome, not a failure",
    "unpaid": "an account without money ({value}) is not asked again",
}


def differences(provider: Provider) -> list[str]:
    """Sentences about the quirks of a provider that are not the usual."""
    return [SENTENCES[key].format(value=value) for key, value in _unusual(provider.quirks)]


def _unusual(quirks: Quirks) -> Iterator[tuple[str, str]]:
    from toolgauge.models.provider import Quirks

    usual = Quirks()
    for key in Quirks.__struct_fields__:
        value = getattr(quirks, key)
        if value != getattr(usual, key):
            yield (value if key == "returned" else key), _shown(value)


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    if isinstance(value, dict):
        return ", ".join(
            f"{name} → {str(part).lower() if isinstance(part, bool) else part}" for name, part in value.items()
        )
    return str(value)
