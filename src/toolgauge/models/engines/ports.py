"""Addresses at which engines listen."""

from __future__ import annotations

import socket

from toolgauge.errors import UsageError

LOOPBACK = "127.0.0.1"


def reachable(host: str) -> str:
    """The address for a client on this machine."""
    host = {"0.0.0.0": LOOPBACK, "::": "::1"}.get(host, host)  # noqa: S104 - never bound here
    return f"[{host}]" if ":" in host else host


def free_port(host: str) -> int:
    """A port on which nobody listens now."""
    with _bound(host, 0) as listener:
        port: int = listener.getsockname()[1]
        return port


def check_port(host: str, port: int) -> None:
    """Raises UsageError if the port is taken: the program behind it would be mistaken for the engine."""
    _bound(host, port).close()


def _bound(host: str, port: int) -> socket.socket:
    listener = None
    try:
        family, kind, protocol, _name, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except (OSError, UnicodeError) as error:
        if listener is not None:
            listener.close()
        raise UsageError(f"cannot listen on --host {host} --port {port}: {error}; choose another") from error
    return listener
