"""Redirects are reported, not followed: keys and conversations would go along."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urljoin, urlsplit, urlunsplit

from toolgauge.models.retry import AttemptFailure, FailureScope


def redirect_failure(status: int, headers: Mapping[str, str], asked: str, base_url: str) -> AttemptFailure | None:
    """The failure for a redirect, with the base URL to which it leads; None for other answers.

    headers: of a mapping that takes names in lower case. asked: the address that was asked, below the base URL.
    """
    if not 300 <= status < 400:
        return None
    target = redirect_target(headers.get("location") or "", asked)
    if target is None:
        return AttemptFailure(f"HTTP {status}: a redirect that does not say where to", FailureScope.CALLER)
    place = target.removesuffix(asked.removeprefix(base_url))
    return AttemptFailure(
        (
            f"HTTP {status}: the endpoint redirects to {place}, which is not followed; if that is the right "
            "address, give it as --base-url"
        ),
        FailureScope.CALLER,
    )


def redirect_target(location: str, asked: str) -> str | None:
    """Where a redirect leads, without credentials, query and fragment; None where that is no address on the web."""
    try:
        parts = urlsplit(urljoin(asked, location.strip()))
        if not location.strip() or parts.scheme not in ("http", "https") or not parts.hostname:
            return None
    except ValueError:
        return None
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
