"""Tells the address of each endpoint before it is asked, which setting named it, and where its key comes from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from toolgauge.cli.terminal import echo
from toolgauge.locale import pgettext

if TYPE_CHECKING:
    from toolgauge.models.model import Model
    from toolgauge.models.settings import Setting


def tell_endpoints(models: Iterable[Model]) -> None:
    """A line on standard error for each endpoint: its address, and who gave that and the key. Never the key itself."""
    from toolgauge.models.providers import endpoint_of

    reached = ((model.name, endpoint_of(model)) for model in models)
    lines = [
        (
            f"{name}: {endpoint.base_url} ({_origin(endpoint.address)}), key: "
            f"{_origin(endpoint.key) if endpoint.key else pgettext('a key', 'none')}"
        )
        for name, endpoint in reached
        if endpoint
    ]
    for line in dict.fromkeys(lines):
        echo(line, err=True)


def warn_of_open_keys(api_key: str | None, *base_urls: str | None) -> None:
    """Warn that other users of this machine can read keys that stand on a command line."""
    from toolgauge.models.providers import split_url

    for option, is_open in (
        ("--api-key", bool(api_key)),
        ("--base-url", any(url and any(split_url(url)[1:3]) for url in base_urls)),
    ):
        if is_open:
            said = (
                f"what {option} says can be read by everybody on this machine (ps) and stays in the history of "
                "the shell; better in the provider's variable or in .env (see toolgauge models)"
            )
            echo(f"Warning: {said}", err=True)


def _origin(setting: Setting) -> str:
    if setting.source == "table":
        return "built in"
    return f"{setting.name} in .env" if setting.source == "file" else str(setting.name)
