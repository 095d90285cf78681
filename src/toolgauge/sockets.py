"""The listening sockets of our servers."""

from __future__ import annotations

import socket
from typing import Any


def listening(host: str, port: int, **settings: Any) -> socket.socket:
    """A TCP server's socket; settings: of `socket.create_server`. Raises OSError.

    Connections inherit its TCP_NODELAY: asyncio does not see that they are TCP, and the second half of an answer would
    wait 40 ms for the first to be acknowledged.
    """
    made = socket.create_server((host, port), **settings)
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return made
