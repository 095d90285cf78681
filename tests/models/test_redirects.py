"""A key goes nowhere but where it was meant for: redirects of every kind, on two origins that note what arrives."""

from __future__ import annotations

import asyncio
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

from tests.mockserver import Fault, Server, serve
from tests.models.asking import question
from tests.rows import rows
from toolgauge.chat import Reply
from toolgauge.errors import ProviderError
from toolgauge.models import ModelOptions, open_model
from toolgauge.models.batches import batch_endpoint
from toolgauge.models.http import redirect_failure, redirect_target

KEY = "sk-of-mine-0123456789abcdef"
STATUSES = (301, 302, 303, 307, 308)


def redirect(status: int, to: str) -> Fault:
    return Fault(status, b"", (("Location", to),))


def ask(name: str, base_url: str) -> Reply | ProviderError:
    async def once() -> Reply | ProviderError:
        model = open_model(name, ModelOptions(base_url=base_url, api_key=KEY, max_attempts=3))
        try:
            return await model.ask(question())
        except ProviderError as error:
            return error
        finally:
            await model.close()

    return asyncio.run(once())


@rows(
    ("name", "status"),
    zip(("openai/m", "openai-responses/m", "anthropic/m", "azure/m", "mistral/m"), STATUSES, strict=True),
)
def test_no_request_follows_a_redirect(name: str, status: int) -> None:
    with serve() as elsewhere:

        def faults(_number: int, _body: Any) -> Fault:
            return redirect(status, elsewhere.base_url + "/chat/completions?token=hidden-token")

        with serve(faults=faults) as asked:
            error = ask(name, asked.base_url)
        assert isinstance(error, ProviderError)
        assert error.permanent
    assert elsewhere.headers == []
    assert len(asked.headers) == 1  # and not again
    assert any(KEY in value for value in asked.headers[0].values())
    said = str(error)
    assert f"HTTP {status}: the endpoint redirects to {elsewhere.base_url}" in said
    assert "--base-url" in said
    assert "hidden-token" not in said


@rows(
    ("location", "target"),
    [
        ("https://b/v1/x?key=k#f", "https://b/v1/x"),
        ("https://me:pw@b:8/v1", "https://b:8/v1"),
        ("//b/v1", "http://b/v1"),
        ("y", "http://a/v1/y"),
        ("", None),
        ("  ", None),
        ("file:///etc/passwd", None),
        ("http://[::1", None),
        ("http://", "http://a/v1/x"),
        ("javascript:1", None),
    ],
)
def test_where_a_redirect_leads(location: str, target: str | None) -> None:
    found = redirect_target(location, "http://a/v1/x")
    assert found == target
    failure = redirect_failure(302, {"location": location}, "http://a/v1/x", "http://a/v1")
    assert failure is not None
    assert ("does not say where to" in str(failure.message)) is (target is None)


def sent(server: Server) -> set[str]:
    return {name.lower() for headers in server.headers for name in headers}


SDK = {
    "OPENAI_ORG_ID": "org-of-mine",
    "OPENAI_PROJECT_ID": "project-of-mine",
    "OPENAI_CUSTOM_HEADERS": "X-Gateway-Token: gateway-secret\nAuthorization: Bearer of-the-gateway",
    "OPENAI_ADMIN_KEY": "sk-admin",
}


@pytest.mark.parametrize("name", ["mistral/m", "anthropic/m", "azure/m", "vllm/m", "moonshot/m"])
def test_what_is_for_openai_is_sent_to_nobody_else(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable, value in SDK.items():
        monkeypatch.setenv(variable, value)
    with serve() as server:
        ask(name, server.base_url)
    assert not sent(server) & {"openai-organization", "openai-project", "x-gateway-token"}
    assert all("gateway" not in value and "admin" not in value for one in server.headers for value in one.values())


class Noting(BaseHTTPRequestHandler):
    """Notes what it is sent; sends elsewhere where it is told to."""

    server: Origin

    def do_GET(self) -> None:
        self.server.came.append(dict(self.headers))
        self.server.paths.append(self.path)
        self.send_response(302 if self.server.to else 200)
        if self.server.to:
            self.send_header("Location", self.server.to)
        self.send_header("Content-Length", "4" if not self.server.to else "0")
        self.end_headers()
        self.wfile.write(b"" if self.server.to else b"file")

    def log_message(self, *_: object) -> None:
        pass


class Origin(ThreadingHTTPServer):
    def __init__(self, to: str = "") -> None:
        super().__init__(("127.0.0.1", 0), Noting)
        self.to, self.came, self.paths = to, list[dict[str, str]](), list[str]()
        Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


@rows("name", ["openai/m", "azure/m", "openai/m with a login"])
def test_a_file_in_a_storage_elsewhere_is_fetched_without_the_key(name: str) -> None:
    storage = Origin()
    endpoint = Origin(storage.url + "/a%2Fb%7E?sig=a%20b%3A%2B")
    url = endpoint.url.replace("://", "://me:password-of-mine@" if "login" in name else "://")

    async def once() -> bytes:
        spec = name.partition(" ")[0]
        model = batch_endpoint(open_model(spec, ModelOptions(base_url=url, api_key=KEY, max_attempts=1, batch=True)))
        assert model is not None
        try:
            return await model.download("file-1")
        finally:
            await model.close()

    try:
        assert asyncio.run(once()) == b"file"
    finally:
        for server in (storage, endpoint):
            server.shutdown()
            server.server_close()
    (asked,), (got,) = endpoint.came, storage.came
    assert storage.paths == ["/a%2Fb%7E?sig=a%20b%3A%2B"]  # as it was written: it is signed
    assert {"authorization", "api-key"} & {header.lower() for header in asked}
    assert not {"authorization", "api-key", "x-api-key", "cookie"} & {header.lower() for header in got}
    assert all(KEY not in value for value in got.values())
