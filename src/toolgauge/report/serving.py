"""A site on the loopback, for `toolgauge view`."""

from __future__ import annotations

import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from toolgauge.errors import UsageError
from toolgauge.report.frame import POLICY

LOOPBACK = "127.0.0.1"


class _Handler(SimpleHTTPRequestHandler):
    """Reads files of one folder, for a browser on this machine only."""

    def do_GET(self) -> None:
        if self._asked_by_name():
            super().do_GET()

    def do_HEAD(self) -> None:
        if self._asked_by_name():
            super().do_HEAD()

    def _asked_by_name(self) -> bool:
        """Is it asked under the loopback's own name? Another one means a page elsewhere that rebinds its name."""
        host = (self.headers.get("Host") or "").rpartition(":")[0]
        if host in (LOOPBACK, "localhost"):
            return True
        self.send_error(403, "only for a browser on this machine")
        return False

    def end_headers(self) -> None:
        for name, value in (
            ("Content-Security-Policy", f"{POLICY}; frame-ancestors 'none'"),
            ("X-Content-Type-Options", "nosniff"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Cache-Control", "no-store"),
        ):
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the base class names it
        """Say nothing: the terminal shows the address only."""


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that goes away while it is answered is no error."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


def server(folder: Path, port: int = 0) -> ThreadingHTTPServer:
    """A server for a site, not started yet; port 0 takes a free one. Raises UsageError where the port is taken."""
    try:
        return _Server((LOOPBACK, port), partial(_Handler, directory=str(folder)))
    except (OSError, OverflowError) as error:
        raise UsageError(f"--port {port}: cannot be used ({error}); choose another one") from error
