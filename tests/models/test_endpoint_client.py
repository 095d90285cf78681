"""What an endpoint's client sends and where it connects to: addresses, headers, proxies, certificates."""

from __future__ import annotations

import asyncio
import base64
import ssl
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import quote

import aiohttp
import pytest
from aiohttp import web

from tests.mockserver import completion, serve
from tests.models.asking import KEY, QUICK, question
from toolgauge.chat import Reply
from toolgauge.errors import ProviderError
from toolgauge.models import ModelOptions, open_model

ALWAYS = {"host", "accept-encoding", "connection", "content-length", "content-type", "accept", "user-agent"}
NOBODY = "http://127.0.0.1:9/v1"
"""Where nobody listens."""
HELLO = {"role": "assistant", "content": "hello"}


def asked(name: str, base_url: str) -> Reply:
    async def once() -> Reply:
        model = open_model(name, ModelOptions(base_url=base_url, api_key=KEY, max_attempts=1, backoff=QUICK))
        try:
            return await model.ask(question())
        finally:
            await model.close()

    return asyncio.run(once())


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("openai/m", {"authorization": f"Bearer {KEY}"}),
        ("vllm/m", {"authorization": f"Bearer {KEY}"}),
        ("azure/m", {"api-key": KEY}),
        ("anthropic/m", {"x-api-key": KEY, "anthropic-version": "2023-06-01"}),
    ],
)
def test_a_request_has_these_headers_and_no_others(name: str, more: dict[str, str]) -> None:
    with serve(lambda _: HELLO) as server:
        if name.startswith("anthropic"):
            with pytest.raises(ProviderError):  # the server speaks another API
                asked(name, server.base_url)
        else:
            asked(name, server.base_url)
    sent = {header.lower(): value for header, value in server.headers[0].items()}
    assert {header: value for header, value in sent.items() if header not in ALWAYS} == more
    assert sent.keys() >= ALWAYS
    assert sent["content-type"] == sent["accept"] == "application/json"


async def _noted(handle: Any, port_of: Any, tls: ssl.SSLContext | None = None) -> Any:
    """The result of `port_of` in a thread, called with the port of a server that handles everything so."""
    server = web.Server(handle)
    runner = web.ServerRunner(server)
    await runner.setup()
    try:
        await (site := web.TCPSite(runner, "127.0.0.1", 0, ssl_context=tls)).start()
        assert site.name
        return await asyncio.to_thread(port_of, runner.addresses[0][1])
    finally:
        await runner.cleanup()


@pytest.mark.parametrize(
    ("no_proxy", "by_proxy"),
    [("", True), ("elsewhere.example,10.0.0.0/8", True), ("127.0.0.1", False), ("127.0.0.0/8", False), ("*", False)],
)
def test_proxies_of_the_environment_are_used_but_not_where_they_are_not_wanted(
    no_proxy: str, by_proxy: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []

    async def proxy(request: web.BaseRequest) -> web.Response:
        seen.append(str(request.url))
        return web.json_response(completion(HELLO))

    def go(port: int) -> None:
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{port}")
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{port}")
        for name in ("NO_PROXY", "no_proxy"):
            monkeypatch.setenv(name, no_proxy)
        if by_proxy:
            assert asked("vllm/m", NOBODY).content == "hello"
        else:
            with pytest.raises(ProviderError, match="connection failed"):
                asked("vllm/m", NOBODY)

    asyncio.run(_noted(proxy, go))
    assert seen == ([f"{NOBODY}/chat/completions"] if by_proxy else [])


def test_certificates_are_checked_and_those_of_a_file_are_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    extra = ["-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(certificate)]
    try:
        subprocess.run([*command, *extra], check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("no openssl")
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(certificate, key)

    async def answer(_request: web.BaseRequest) -> web.Response:
        return web.json_response(completion(HELLO))

    def go(port: int) -> None:
        monkeypatch.delenv("SSL_CERT_FILE", raising=False)
        with pytest.raises(ProviderError, match="certificate verify failed"):
            asked("vllm/m", f"https://localhost:{port}/v1")
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        assert asked("vllm/m", f"https://localhost:{port}/v1").content == "hello"

    asyncio.run(_noted(answer, go, tls))


@pytest.mark.parametrize(
    ("error", "told", "timed_out"),
    [
        (aiohttp.ConnectionTimeoutError, "connection failed: Too late", False),
        (aiohttp.SocketTimeoutError, "no answer within 300 s", True),
    ],
)
def test_a_connection_that_is_not_made_in_time_is_told_from_a_reply_that_does_not_come(
    error: type[aiohttp.ServerTimeoutError], told: str, timed_out: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def late(*_: object, **__: object) -> None:
        raise error("Too late")

    monkeypatch.setattr(aiohttp.ClientSession, "_request", late)
    with serve() as server, pytest.raises(ProviderError, match=told) as caught:
        asked("vllm/m", server.base_url)
    assert caught.value.timed_out is timed_out


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # see aiohttp_transport.py
@pytest.mark.parametrize("password", ["geheim", "schlüssel", "密码"])
def test_a_proxys_password_goes_to_it_and_into_no_message(password: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    async def refuse(request: web.BaseRequest) -> web.Response:
        seen.append(request.headers["Proxy-Authorization"])
        return web.Response(status=407)

    def go(port: int) -> None:
        for name in ("HTTP_PROXY", "http_proxy"):
            monkeypatch.setenv(name, f"http://bob:{quote(password)}@127.0.0.1:{port}")
        for name in ("NO_PROXY", "no_proxy"):
            monkeypatch.delenv(name, raising=False)
        with pytest.raises(ProviderError) as caught:
            asked("vllm/m", NOBODY)
        assert password not in str(caught.value)
        assert quote(password) not in str(caught.value)

    asyncio.run(_noted(refuse, go))
    assert seen[0] == f"Basic {base64.b64encode(f'bob:{password}'.encode()).decode()}"
