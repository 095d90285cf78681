"""A site on the loopback: reads its folder, for a browser on this machine only."""

from __future__ import annotations

import http.client
import socket
import struct
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from toolgauge.errors import UsageError
from toolgauge.report.serving import LOOPBACK, server


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    site = tmp_path / "site"
    site.mkdir()
    (site / "index.html").write_text("<p>here</p>", encoding="utf-8")
    (tmp_path / "secret.txt").write_text("not for you", encoding="utf-8")
    serving = server(site)
    thread = threading.Thread(target=serving.serve_forever, daemon=True)
    thread.start()
    yield serving.server_address[1]
    serving.shutdown()
    serving.server_close()
    thread.join(5)


def ask(port: int, path: str, host: str | None = None, method: str = "GET") -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection(LOOPBACK, port, timeout=10)
    connection.putrequest(method, path, skip_host=True)
    connection.putheader("Host", host or f"{LOOPBACK}:{port}")
    connection.endheaders()
    return connection.getresponse()


def test_a_page_comes_with_the_policy(port: int) -> None:
    answer = ask(port, "/index.html")
    assert (answer.status, answer.read()) == (200, b"<p>here</p>")
    assert "script-src 'self'" in (answer.getheader("Content-Security-Policy") or "")
    assert answer.getheader("X-Content-Type-Options") == "nosniff"


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example:80", ""])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_another_name_for_this_machine_is_refused(port: int, host: str, method: str) -> None:
    assert ask(port, "/index.html", host or "x", method).status == 403


@pytest.mark.parametrize("path", ["/../secret.txt", "/%2e%2e/secret.txt", "//../secret.txt", "/..%2fsecret.txt"])
def test_nothing_outside_the_folder_is_read(port: int, path: str) -> None:
    assert ask(port, path).status == 404


def test_a_browser_that_goes_away_is_no_error(port: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "site" / "large.js").write_bytes(b" " * 20_000_000)
    for _ in range(5):
        with socket.create_connection((LOOPBACK, port)) as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # closed by a reset
            connection.sendall(f"GET /large.js HTTP/1.1\r\nHost: {LOOPBACK}:{port}\r\n\r\n".encode())
            connection.recv(1000)
    assert ask(port, "/index.html").status == 200
    assert capfd.readouterr() == ("", "")


def test_nothing_is_written(port: int) -> None:
    assert ask(port, "/index.html", method="PUT").status == 501


def test_a_port_that_is_taken_is_a_clear_error(port: int, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=f"port {port}"):
        server(tmp_path, port)
