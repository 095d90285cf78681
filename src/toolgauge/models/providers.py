"""Where models are served: names of the table, and the address and key that options, environment and `.env` give."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable
from urllib.parse import parse_qsl, unquote, urlsplit, urlunsplit

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.errors import MissingKey, UsageError
from toolgauge.models.model import ModelOptions, wrapped_models
from toolgauge.models.provider import PROVIDERS, Provider, Quirks
from toolgauge.models.settings import AZURE_VERSION_VARIABLE, Setting, Settings
from toolgauge.network import is_loopback

PLACEHOLDER_KEY = "none"
"""Sent to servers of one's own, which mostly ask for no key."""

MASK = "***"
"""What is shown in place of a secret."""
LONG_SECRET = 8
"""Characters from which a secret is taken out of what a model says, too: no shorter text is surely one."""
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
    canonical = provider_names().get(name)
    if canonical is None:
        return None
    provider = PROVIDERS[canonical]
    site = next((site for site in provider.sites if name.endswith(f"-{site}")), None)
    if site is None:
        return provider
    price = provider.prices.get(site, provider.price)
    return replace(provider, name=f"{provider.name}-{site}", base_url=provider.sites[site], price=price)


def default_model(provider: Provider, settings: Settings) -> str:
    """The model that a provider's variable names, for `-m openai` alone. Raises UsageError if it is not set."""
    setting = settings.find(provider.model_variables)
    model = setting.value.strip() if setting else ""
    if not model:
        if provider.model_variables:
            raise UsageError(
                f"{provider.name}: model missing; write {provider.name}/<model>, or set {provider.model_variables[0]} "
                "(also in .env of this folder)"
            )
        raise UsageError(f"{provider.name}: model missing; write {provider.name}/<model>")
    return model


class Endpoint(Struct, frozen=True):
    """Everything needed to reach a model. base_url is free of credentials and query; these are `headers` and `query`.

    secrets: texts that must never be shown (of four characters and more: shorter ones occur in every message).
    address, key: where the base URL and the key come from; key: None without a key.
    """

    provider: Provider
    base_url: str
    api_key: str
    api_version: str | None
    quirks: Quirks
    headers: dict[str, str]
    query: dict[str, str]
    secrets: tuple[str, ...]
    address: Setting
    key: Setting | None

    @property
    def is_on_this_machine(self) -> bool:
        return is_loopback(urlsplit(self.base_url).hostname or "")

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


def endpoint_of(model: object) -> Endpoint | None:
    """The endpoint behind a model, through whatever is wrapped around it (`inner`); None where it is none of ours."""
    endpoints = (getattr(layer, "endpoint", None) for layer in wrapped_models(model))
    return next((endpoint for endpoint in endpoints if isinstance(endpoint, Endpoint)), None)


def find_endpoint(provider: Provider, options: ModelOptions, settings: Settings) -> Endpoint:
    """The endpoint of a provider: options first, then variables, then the table. Raises UsageError."""
    address = _address(provider, options, settings)
    key = _key(provider, options, settings, address)
    text = key.value.strip() if key else ""
    if not text and provider.needs_key and (address.source == "table" or provider.api == "azure"):
        raise MissingKey(provider.name, provider.key_variables[0])
    if key and not (text.isascii() and text.isprintable()):
        raise UsageError(
            f"{provider.name}: the key ({key.place}) contains characters that cannot be sent; copy it again"
        )
    base_url, headers, query, password = split_url(address.value)
    version = settings.find((AZURE_VERSION_VARIABLE,)) if provider.api == "azure" else None
    secrets = (text, *password, *query.values(), *(value.removeprefix("Basic ") for value in headers.values()))
    return Endpoint(
        provider=provider,
        base_url=base_url,
        api_key=text or PLACEHOLDER_KEY,
        api_version=(version.value if version else AZURE_VERSION) if provider.api == "azure" else None,
        quirks=_quirks(provider, base_url),
        headers=headers,
        query=query,
        secrets=tuple(secret for secret in secrets if len(secret) > 3),
        address=replace(address, value=base_url),
        key=key if text else None,
    )


def _address(provider: Provider, options: ModelOptions, settings: Settings) -> Setting:
    if options.base_url:
        return Setting(options.base_url, "--base-url", "option")
    if setting := settings.find(provider.url_variables):
        return setting
    if not provider.base_url:
        raise UsageError(f"{provider.name}: base URL missing; set {provider.url_variables[0]} or give --base-url")
    return Setting(provider.base_url, "", "table")


def _key(provider: Provider, options: ModelOptions, settings: Settings, address: Setting) -> Setting | None:
    """The key for an address; one of `.env`, which a stranger may have written, gets a key of the same file only."""
    option = Setting(options.api_key, "endpoint.api_key", "option") if options.api_key else None
    if address.source != "file":
        return option or settings.find(provider.key_variables)
    in_file = None if option else settings.in_file(provider.key_variables)
    other = None if in_file else option or settings.in_shell(provider.key_variables)
    if other:
        elsewhere = "endpoint.api_key" if other is option else other.name
        raise UsageError(
            f"{provider.name}: {address.name} in .env is not used with a key from elsewhere ({elsewhere}); give "
            "--base-url, or put the key into .env too"
        )
    return in_file


def _quirks(provider: Provider, base_url: str) -> Quirks:
    """Those of the provider; servers elsewhere that are called OpenAI get the older length field, which all know, and
    no `response_format`, which some refuse."""
    if provider.name == "openai" and base_url != provider.base_url:
        return replace(provider.quirks, length_field="max_tokens", json_schema=False)
    return provider.quirks


def split_url(url: str) -> tuple[str, dict[str, str], dict[str, str], tuple[str, ...]]:
    """A base URL without credentials and query; the headers and query that replace them; the credentials' secrets."""
    try:
        parts = urlsplit(url.strip())
        usable = url.strip().isprintable() and parts.scheme in ("http", "https") and bool(parts.hostname)
        place = (parts.hostname or "") + (f":{parts.port}" if parts.port else "")
    except ValueError:
        usable = False
    if not usable:
        raise UsageError("the base URL must look like https://host/v1; check --base-url and the provider's variable")
    if ":" in (parts.hostname or ""):  # an IPv6 address keeps its brackets
        place = f"[{parts.hostname}]" + (f":{parts.port}" if parts.port else "")
    headers = {}
    login, password = unquote(parts.username or ""), unquote(parts.password or "")
    if login or password:
        headers["Authorization"] = "Basic " + base64.b64encode(f"{login}:{password}".encode()).decode()
    base_url = urlunsplit((parts.scheme, place, parts.path.rstrip("/"), "", ""))
    return base_url, headers, dict(parse_qsl(parts.query)), (password,) if password else ()


def masked(text: str, secrets: Iterable[str]) -> str:
    """The text with `MASK` in place of these secrets, however a server spells them."""
    for pattern in secret_patterns(secrets):
        text = re.sub(pattern, MASK, text)
    return text


def secret_patterns(secrets: Iterable[str]) -> tuple[str, ...]:
    """Regular expressions of secrets as they are and as they are escaped in JSON and in addresses.

    What may contain another one comes first. Letters and digits stand for themselves, so that a search is fast.
    """
    return tuple(
        "".join(map(_spelled, secret)) for secret in sorted(set(secrets), key=lambda secret: (-len(secret), secret))
    )


def _spelled(char: str) -> str:
    plain = re.escape(char)
    if char.isalnum() or char in "-_.":
        return plain
    return rf"(?:\\?{plain}|\\u(?i:{ord(char):04x})|%(?i:{ord(char):02x}))"
