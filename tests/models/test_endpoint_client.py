"""What an endpoint's client sends and where it connects to: addresses, headers, proxies, certificates."""

from __future__ import annotations

import asyncio
import base64
import ssl
import subprocess
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import aiohttp
import pytest
from aiohttp import web

from tests.mockserver import completion, serve
from tests.models.asking import KEY, QUICK, question
from tests.rows import rows
from toolgauge.chat import Reply
from toolgauge.errors import ProviderError
from toolgauge.models import ModelOptions, open_model
from toolgauge.models.failures import AttemptFailure, RetryCause
from toolgauge.models.http import Answer, HttpClient
from toolgauge.models.providers import find_endpoint, find_provider
from toolgauge.models.settings import settings
from toolgauge.network import proxy_for

ALWAYS = {"host", "accept-encoding", "content-length", "content-type", "accept", "user-agent"}
NOBODY = "http://nobody.example:9/v1"
"""Where nobody listens."""
HELLO = {"role": "assistant", "content": "hello"}


def client(port: int) -> HttpClient:
    """A client of a server on the loopback."""
    provider = find_provider("vllm")
    assert provider
    options = ModelOptions(base_url=f"http://127.0.0.1:{port}")
    return HttpClient("m", find_endpoint(provider, options, settings()), options)


async def got(by: HttpClient, place: str, seconds: float = 30.0) -> Answer | AttemptFailure:
    return await by.exchange("GET", by.url(place), seconds=seconds)


def asked(name: str, base_url: str) -> Reply:
    async def once() -> Reply:
        model = open_model(name, ModelOptions(base_url=base_url, api_key=KEY, max_attempts=1, backoff=QUICK))
        try:
            return await model.ask(question())
        finally:
            await model.close()

    return asyncio.run(once())


@rows(
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


def named(proxy: str, monkeypatch: pytest.MonkeyPatch, no_proxy: str = "") -> None:
    """The environment names a proxy."""
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("all_proxy", proxy)
    monkeypatch.setenv("no_proxy", no_proxy)
    monkeypatch.delenv("NO_PROXY", raising=False)


def test_a_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    async def proxy(request: web.BaseRequest) -> web.Response:
        seen.append(str(request.url))
        return web.json_response(completion(HELLO))

    def go(port: int) -> None:
        named(f"127.0.0.1:{port}", monkeypatch, "elsewhere.example")
        assert asked("vllm/m", NOBODY).content == "hello"

    asyncio.run(_noted(proxy, go))
    assert seen == [f"{NOBODY}/chat/completions"]


@pytest.mark.parametrize(
    ("address", "no_proxy", "by_proxy"),
    [
        ("http://api.example/v1", "", True),
        ("https://api.example/v1", "elsewhere.example,10.0.0.0/8", True),
        ("https://api.example/v1", "example", False),
        ("https://api.example:8443/v1", ".example:8443", False),
        ("http://10.1.2.3:8000/v1", "10.0.0.0/8", False),
        ("http://11.1.2.3:8000/v1", "10.0.0.0/8", True),
        ("https://api.example/v1", "elsewhere.example, *", False),
        ("http://localhost:8000/v1", "", False),
        ("http://127.0.0.2:8000/v1", "", False),
        ("http://[::1]:8000/v1", "", False),
    ],
)
def test_no_proxy_is_used_for_this_machine_and_where_it_is_not_wanted(
    address: str, no_proxy: str, by_proxy: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    named("http://proxy.example:3128", monkeypatch, no_proxy)
    assert proxy_for(address) == ("http://proxy.example:3128" if by_proxy else None)


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
        (aiohttp.SocketTimeoutError, "no response within 300 s", True),
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


BEGUN = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc"


def _talk(said: bytes, ask: Callable[[int], Awaitable[Any]], hangs: bool = False) -> None:
    """Ask a server, at a port, that says this to whatever it is asked, and hangs up or nothing more."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(said)
        await (reader.read() if hangs else writer.drain())
        writer.close()

    async def go() -> None:
        async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
            await ask(server.sockets[0].getsockname()[1])

    asyncio.run(go())


@pytest.mark.parametrize("said", [b"", BEGUN], ids=["nothing", "half"])
def test_an_answer_that_does_not_come_in_time_is_no_broken_connection(said: bytes) -> None:
    async def ask(port: int) -> None:
        answer = await got(late := client(port), "/", seconds=0.3)
        assert isinstance(answer, AttemptFailure)
        assert (answer.message, answer.cause) == (
            "no response within 0.3 s (--set endpoint.timeout=SECONDS waits longer)",
            RetryCause.TIMEOUT,
        )
        await late.close()

    _talk(said, ask, hangs=True)


@rows(
    ("said", "told"),
    [(BEGUN, "Not enough data"), (b"SSH-2.0-server\r\n\r\n", "Bad status line"), (b"", "disconnected")],
    ids=["half", "another protocol", "nothing"],
)
def test_a_broken_answer_is_told_without_a_status_that_nobody_sent(said: bytes, told: str) -> None:
    async def ask(port: int) -> None:
        with pytest.raises(ProviderError, match=told) as caught:
            await asyncio.to_thread(asked, "vllm/m", f"http://127.0.0.1:{port}/v1")
        assert "400" not in str(caught.value).replace(str(port), "PORT")

    _talk(said, ask)


@pytest.mark.parametrize("password", ["geheim", "schlüssel", "密码"])
def test_a_proxys_password_goes_to_it_and_into_no_message(password: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    async def refuse(request: web.BaseRequest) -> web.Response:
        seen.append(request.headers["Proxy-Authorization"])
        return web.Response(status=407)

    def go(port: int) -> None:
        named(f"http://bob:{quote(password)}@127.0.0.1:{port}", monkeypatch)
        with pytest.raises(ProviderError) as caught:
            asked("vllm/m", NOBODY)
        assert password not in str(caught.value)
        assert quote(password) not in str(caught.value)

    asyncio.run(_noted(refuse, go))
    assert seen[0] == f"Basic {base64.b64encode(f'bob:{password}'.encode()).decode()}"


def test_answers_that_come_together_go_on_one_by_one() -> None:
    """Each conversation's next request is sent before the others' answers are read: what came together once would be
    sent together ever after."""
    conversations, seen = 20, []
    together = asyncio.Barrier(conversations)

    async def answer(request: web.BaseRequest) -> web.Response:
        seen.append(request.path)
        if request.path == "/first":
            await together.wait()
        return web.Response()

    async def converse(by: HttpClient) -> None:
        await got(by, "/first")
        seen.append("read")
        await got(by, "/second")

    async def go() -> None:
        runner = web.ServerRunner(web.Server(answer))
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        by = client(runner.addresses[0][1])
        await asyncio.gather(*(converse(by) for _ in range(conversations)))
        await by.close()
        await runner.cleanup()

    asyncio.run(go())
    assert seen[: conversations + 1] == ["/first"] * conversations + ["read"]
    assert seen.index("/second") < conversations + 8


def test_latency_is_that_of_the_transport(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reply that is here, and waits until this process has time for it, took no longer for that."""

    async def busy(_client: HttpClient) -> None:
        await asyncio.sleep(0.5)

    monkeypatch.setattr(HttpClient, "_take_turn", busy)
    with serve(lambda _body: HELLO) as server:
        reply = asked("openai/m", server.base_url)
    assert 0 < reply.latency < 0.5
