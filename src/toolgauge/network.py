"""What this machine says of the network: the proxy for an address, whose certificates are trusted, and the sockets at
which our servers listen."""

from __future__ import annotations

import ipaddress
import os
import socket
import ssl
import sys
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass


def is_loopback(host: str) -> bool:
    """Is a host this machine?"""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def proxy_for(address: str) -> str | None:
    """The proxy that the environment names for an address; None for this machine, and for what NO_PROXY excludes:
    hosts, domains, and networks such as 10.0.0.0/8."""
    parts, proxies = urlsplit(address), getproxies()
    host, proxy = parts.hostname or "", proxies.get(parts.scheme) or proxies.get("all")
    excluded = [entry.strip() for entry in proxies.get("no", "").split(",")]
    if not proxy or is_loopback(host) or "*" in excluded or proxy_bypass(parts.netloc.rpartition("@")[2]):
        return None
    if any(_is_within(host, entry) for entry in excluded if "/" in entry):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"


def shown_proxy(address: str) -> str | None:
    """The proxy for an address without its login, as it can be printed."""
    proxy = urlsplit(proxy_for(address) or "")
    return f"{proxy.scheme}://{proxy.netloc.rpartition('@')[2]}" if proxy.scheme else None


def _is_within(host: str, network: str) -> bool:
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(network, strict=False)
    except ValueError:
        return False


def tls_context() -> ssl.SSLContext:
    """Trusts whom the system trusts, or the certificates that SSL_CERT_FILE and SSL_CERT_DIR name."""
    file, folder = (os.environ.get(name) or None for name in ("SSL_CERT_FILE", "SSL_CERT_DIR"))
    if file or folder or sys.platform not in ("darwin", "win32"):
        return ssl.create_default_context(cafile=file, capath=folder)
    import truststore

    return truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def listening(host: str, port: int, **settings: Any) -> socket.socket:
    """A TCP server's socket; settings: of `socket.create_server`. Raises OSError.

    Connections inherit its TCP_NODELAY: asyncio does not see that they are TCP, and the second half of an answer would
    wait 40 ms for the first to be acknowledged.
    """
    made = socket.create_server((host, port), **settings)
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return made
