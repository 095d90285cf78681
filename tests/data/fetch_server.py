"""A server on this machine from which data are fetched."""

from __future__ import annotations

import gzip
import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote

import pytest

COMMIT = "c" * 40


def git_blob(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


class Server(ThreadingHTTPServer):
    """Serves `answers`: path -> (status, content, length that is announced); counts what is asked."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: dict[str, list[tuple[int, bytes, int]]] = {}
        self.asked: list[str] = []
        self.logins: list[str | None] = []
        self.to = ""
        self.pause = threading.Event()
        self.drip = 0.0
        """Seconds between two pieces of 100 bytes; 0 for all at once."""
        self.packs = False

    def offer(self, path: str, content: bytes, status: int = 200, announced: int | None = None) -> None:
        entry = (status, content, len(content) if announced is None else announced)
        self.answers.setdefault(f"/owner/name/{COMMIT}/{path}", []).append(entry)


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        path = unquote(self.path)
        self.server.asked.append(path)
        self.server.logins.append(self.headers.get("Authorization"))
        if self.server.to:
            self.send_response(302)
            self.send_header("Location", self.server.to + self.path)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        answers = self.server.answers.get(path, [(404, b"no", 2)])
        status, content, length = answers.pop(0) if len(answers) > 1 else answers[0]
        if self.server.packs:
            content = gzip.compress(content)
            length = len(content)
        self.send_response(status)
        if self.server.packs:
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(length))
        self.end_headers()
        if not self.server.drip:
            self.wfile.write(content)
        with suppress(OSError):
            for start in range(0, len(content) if self.server.drip else 0, 100):
                self.wfile.write(content[start : start + 100])
                self.server.pause.wait(self.server.drip)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def served_data(monkeypatch: pytest.MonkeyPatch, cache: Path) -> Iterator[Server]:
    """The server, where data are fetched from while this lasts; retries wait for nothing."""
    one = Server()
    threading.Thread(target=one.serve_forever, args=(0.02,), daemon=True).start()
    monkeypatch.setenv("TOOLGAUGE_RAW_BASE", f"http://127.0.0.1:{one.server_port}/")
    monkeypatch.setenv("TOOLGAUGE_CACHE", str(cache))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr("time.sleep", lambda _: None)
    yield one
    one.shutdown()
    one.server_close()
