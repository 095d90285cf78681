"""Tells the address of each endpoint before it is asked, which setting named it, and where its key comes from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from toolgauge.cli.terminal import echo

if TYPE_CHECKING:
    from toolgauge.models.model import EndpointOptions, Model
    from toolgauge.models.settings import Setting
    from toolgauge.runs.roles import Role


def tell_endpoints(models: Iterable[Model]) -> None:
    """A line on standard error for each endpoint: its address, and who gave that and the key. Never the key itself."""
    from toolgauge.models.providers import endpoint_of
    from toolgauge.network import shown_proxy

    printed = set[str]()
    for model in models:
        if not (endpoint := endpoint_of(model)):
            continue
        line = f"{model.name}: {endpoint.base_url} ({_origin(endpoint.address)}), key: {_origin(endpoint.key)}"
        if proxy := shown_proxy(endpoint.base_url):
            line += f", proxy: {proxy}"
        if line not in printed:
            printed.add(line)
            echo(line, err=True)


def warn_of_open_keys(endpoint: EndpointOptions, roles: Mapping[str, Role] = {}) -> None:
    """Warn that other users of this machine can read keys that stand on a command line."""
    from toolgauge.models.providers import split_url

    urls = [endpoint.base_url, *(one.base_url for role in roles.values() for one in role.models)]
    keys = [endpoint.api_key, *(role.settings.get("api_key") for role in roles.values())]
    for what, is_open in (
        ("an API key", any(keys)),
        ("a key in an address", any(url and any(split_url(url)[1:3]) for url in urls)),
    ):
        if is_open:
            echo(
                f"Warning: {what} on the command line can be read by everybody on this machine (ps) and stays in the "
                "history of the shell; better in the provider's variable or in .env (toolgauge models)",
                err=True,
            )


def _origin(setting: Setting | None) -> str:
    if setting is None:
        return "none"
    if setting.source == "table":
        return "built in"
    return f"{setting.name} in .env" if setting.source == "file" else str(setting.name)
