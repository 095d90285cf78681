"""Tells the address of each endpoint before it is asked, which setting named it, and where its key comes from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from toolgauge.cli.terminal import echo
from toolgauge.cli.words import say

if TYPE_CHECKING:
    from toolgauge.models.model import Model
    from toolgauge.models.settings import Setting


def tell_endpoints(models: Iterable[Model]) -> None:
    """A line on standard error for each endpoint: its address, and who gave that and the key. Never the key itself."""
    from toolgauge.models.providers import endpoint_of

    lines = []
    for model in models:
        if endpoint := endpoint_of(model):
            said = {"address": endpoint.base_url, "origin": _origin(endpoint.address)}
            credential = _origin(endpoint.key) if endpoint.key else say("no_key")
            lines.append(say("endpoint", model=model.name, credential=credential, **said))
    for line in dict.fromkeys(lines):
        echo(line, err=True)


def warn_of_open_keys(api_key: str | None, *base_urls: str | None) -> None:
    """Warn that other users of this machine can read keys that stand on a command line."""
    from toolgauge.models.providers import split_url

    if api_key:
        echo(say("warning", what=say("open_key", option="--api-key")), err=True)
    if any(url and any(split_url(url)[1:3]) for url in base_urls):
        echo(say("warning", what=say("open_key", option="--base-url")), err=True)


def _origin(setting: Setting) -> str:
    if setting.source == "table":
        return say("built_in")
    return say("in_env_file", name=setting.name) if setting.source == "file" else setting.name
