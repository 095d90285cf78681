"""Who asks: personal links, cookies, and what keeps other pages of a browser out.

Everybody has a link with a token of their own. Opening it sets a cookie that scripts cannot read and other sites send
only where a person follows a link; a command also carries a proof that only our own pages know. The journal holds the
token's sha256 alone.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from toolgauge.errors import StoreError, os_cause
from toolgauge.files import read_own, write_whole
from toolgauge.review.state import Person, ReviewState

COOKIE = "toolgauge_review"
"""How a cookie's name begins; a browser has one for all servers of a machine, so each review has its own."""
PROOF = "x-toolgauge-proof"
"""The header of a command."""
LINKS = "links.json"
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
HTTP_PORT = 80


def cookie_name(folder: Path) -> str:
    """The name of the cookie of the review in a folder."""
    return f"{COOKIE}_{digest(str(folder.resolve()))[:12]}"


def new_token() -> str:
    return secrets.token_urlsafe(24)


def digest(token: str) -> str:
    """What is kept of a token."""
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()


def proof(token: str) -> str:
    """What a page sends with its commands: it follows from the token, which the page cannot read."""
    return hmac.new(token.encode(errors="replace"), b"toolgauge review", "sha256").hexdigest()


def person_of(state: ReviewState, token: str) -> Person | None:
    """Whose token it is, if it is that of somebody who takes part."""
    token_digest = digest(token)
    match = None
    for person in state.people.values():
        if person.is_active and person.token_sha256 and hmac.compare_digest(person.token_sha256, token_digest):
            match = person
    return match


class Hosts:
    """The names under which a server is asked; another one means a page elsewhere that rebinds its name."""

    def __init__(self, port: int, names: Iterable[str] = ()) -> None:
        """names: beside those of the loopback; an IPv6 address without brackets."""
        self.allowed = {in_address(name, port).lower() for name in (*_LOOPBACK, *names)}
        if port == HTTP_PORT:  # which browsers leave out
            self.allowed |= {host.removesuffix(f":{port}") for host in self.allowed}

    def allows(self, headers: Mapping[str, str]) -> bool:
        """Is it asked under an own name, and not by a page of another origin?"""
        host, origin = headers.get("host", "").lower(), headers.get("origin")
        return host in self.allowed and (origin is None or origin.partition("://")[2].lower() == host)


def in_address(host: str, port: int) -> str:
    """A host and a port as addresses have them; a zone of an IPv6 address means nothing to others."""
    return f"[{host.partition('%')[0]}]:{port}" if ":" in host else f"{host}:{port}"


def read_links(folder: Path) -> dict[str, str]:
    """The tokens of the people whom this machine let in, by name: a link outlives the server. Raises StoreError."""
    path = folder / LINKS
    try:
        return msgspec.json.decode(read_own(path), type=dict[str, str])
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise StoreError(f"cannot read {path}: {os_cause(error)}") from error
    except ValueError as error:
        raise StoreError(f"{path}: invalid content: {error}; remove the file to make new links") from error


def write_links(folder: Path, links: Mapping[str, str]) -> None:
    """Keep them where only the owner of the folder can read them."""
    write_whole(folder / LINKS, msgspec.json.encode(links) + b"\n", mode=0o600)
