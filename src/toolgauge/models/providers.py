"""Where models are served: names of the table, and the address and key that options, environment and `.env` give."""

from __future__ import annotations

import base64
import os
from collections import ChainMap
from collections.abc import Mapping
from urllib.parse import parse_qsl, unquote, urlsplit, urlunsplit

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.errors import UsageError
from toolgauge.models.model import ModelOptions
from toolgauge.models.provider import Provider, Quirks
from toolgauge.models.provider_table import PROVIDERS

PLACEHOLDER_KEY = "none"
"""Sent to servers of one's own, which mostly ask for no key."""


AZURE_VERSION_VARIABLE = "AZURE_OPENAI_API_VERSION"
AZURE_VERSION = "2024-10-21"
"""The generally available version that is asked for when the variable says nothing."""


def provider_names() -> dict[str, str]:
    """Every name that may stand before the slash -> the name of its provider: aliases, and sites ("moonshot-cn")."""
    names: dict[str, str] = {}
    for provider in PROVIDERS.values():
        for name in (provider.name, *provider.aliases):
            names[name] = provider.name
            names |= {f"{name}-{site}": provider.name for site in provider.sites}
    return names


def find_provider(name: str) -> Provider | None:
    """The provider of a name that may stand before the slash, at the site that the name says; None if it is none."""
    known = provider_names().get(name)
    if known is None:
        return None
    provider = PROVIDERS[known]
    site = next((site for site in provider.sites if name.endswith(f"-{site}")), None)
    if site is None:
        return provider
    price = provider.prices.get(site, provider.price)
    return replace(provider, name=f"{provider.name}-{site}", base_url=provider.sites[site], price=price)


def default_model(provider: Provider, known: Mapping[str, str]) -> str:
    """The model that a provider's variable names, for `-m openai` alone. Raises UsageError where there is none."""
    model = (_first(known, provider.model_variables) or "").strip()
    if not model:
        what = f"set {provider.model_variables[0]} (also in .env) or " if provider.model_variables else ""
        raise UsageError(f"{provider.name}: which model? {what}write {provider.name}/<model>")
    return model


class Endpoint(Struct, frozen=True):
    """Everything needed to reach a model. base_url is free of credentials and query; these are `headers` and `query`.

    secrets: texts that must never be shown (of four characters and more: shorter ones occur in every message).
    """

    provider: Provider
    base_url: str
    api_key: str
    api_version: str | None
    quirks: Quirks
    headers: dict[str, str]
    query: dict[str, str]
    secrets: tuple[str, ...]

    @property
    def length_field(self) -> str:
        """The field for the most tokens of a reply."""
        return self.quirks.length_field

    def other_sites(self) -> str:
        """Names of the provider at its other addresses, or "" where it has one, or this is none of them."""
        row = PROVIDERS[provider_names()[self.provider.name]]
        places = {row.name: row.base_url, **{f"{row.name}-{site}": url for site, url in row.sites.items()}}
        if self.base_url not in places.values():
            return ""
        return ", ".join(name for name, url in places.items() if url != self.base_url)

    def __repr__(self) -> str:
        return f"Endpoint({self.provider.name}, {self.base_url})"


def settings() -> Mapping[str, str]:
    """Environment variables, and below them those of the nearest `.env` from the working directory upward."""
    from dotenv import dotenv_values, find_dotenv

    file = find_dotenv(usecwd=True)
    try:
        values = dotenv_values(file) if file else {}
    except (OSError, ValueError) as error:
        raise UsageError(f"{file}: cannot be read ({error})") from None
    return ChainMap(dict(os.environ), {name: value for name, value in values.items() if value})


def environment_variables() -> dict[str, str]:
    """What `settings` has for the providers, keys included: for workers on other machines, and nowhere else."""
    names = {name for row in PROVIDERS.values() for name in row.variables}
    known = settings()
    return {name: known[name] for name in sorted({*names, AZURE_VERSION_VARIABLE}) if known.get(name)}


def find_endpoint(provider: Provider, options: ModelOptions, known: Mapping[str, str]) -> Endpoint:
    """The endpoint of a provider: options first, then variables, then the table. Raises UsageError."""
    given_url = options.base_url or _first(known, provider.url_variables)
    url = given_url or provider.base_url
    if not url:
        raise UsageError(f"{provider.name}: no address; set {provider.url_variables[0]} or give --base-url")
    key = (options.api_key or _first(known, provider.key_variables) or "").strip()
    if not key and provider.needs_key and (not given_url or provider.api == "azure"):
        raise UsageError(f"{provider.name}: no key; set {provider.key_variables[0]} (also in .env) or give --api-key")
    if not key.isascii() or not key.isprintable():
        raise UsageError(f"{provider.name}: the key contains characters that cannot be sent; copy it again")
    base_url, headers, query, password = split_url(url)
    version = known.get(AZURE_VERSION_VARIABLE) or AZURE_VERSION
    return Endpoint(
        provider=provider,
        base_url=base_url,
        api_key=key or PLACEHOLDER_KEY,
        api_version=version if provider.api == "azure" else None,
        quirks=_quirks(provider, base_url),
        headers=headers,
        query=query,
        secrets=tuple(secret for secret in (key, *password, *query.values(), *headers.values()) if len(secret) > 3),
    )


def _quirks(provider: Provider, base_url: str) -> Quirks:
    """Those of the provider; servers elsewhere that are called OpenAI get the older length field, which all know."""
    if provider.name == "openai" and base_url != provider.base_url:
        return replace(provider.quirks, length_field="max_tokens")
    return provider.quirks


def split_url(url: str) -> tuple[str, dict[str, str], dict[str, str], tuple[str, ...]]:
    """A base URL without credentials and query; the headers and query that replace them; the credentials' secrets."""
    try:
        parts = urlsplit(url.strip())
        usable = parts.scheme in ("http", "https") and bool(parts.hostname)
        place = (parts.hostname or "") + (f":{parts.port}" if parts.port else "")
    except ValueError:
        usable = False
    if not usable:
        raise UsageError("the base URL must look like https://host/v1 (see --base-url and the provider's variable)")
    if ":" in (parts.hostname or ""):  # an IPv6 address keeps its brackets
        place = f"[{parts.hostname}]" + (f":{parts.port}" if parts.port else "")
    headers = {}
    login, password = unquote(parts.username or ""), unquote(parts.password or "")
    if login or password:
        headers["Authorization"] = "Basic " + base64.b64encode(f"{login}:{password}".encode()).decode()
    base_url = urlunsplit((parts.scheme, place, parts.path.rstrip("/"), "", ""))
    return base_url, headers, dict(parse_qsl(parts.query)), (password,) if password else ()


def _first(known: Mapping[str, str], names: tuple[str, ...]) -> str | None:
    return next((known[name] for name in names if known.get(name)), None)
