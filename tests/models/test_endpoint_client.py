"""What an endpoint's client sends and where it connects to: addresses, headers, proxies, certificates."""

from __future__ import annotations

import asyncio
import base64
import ssl
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import aiohttp
import httpx2
import pytest
from aiohttp import web

from tests.mockserver import completion, serve
from tests.models.asking import KEY, QUICK, question
from toolgauge.chat import Reply
from toolgauge.errors import ProviderError
from toolgauge.models import ModelOptions, open_model
from toolgauge.models.aiohttp_transport import AiohttpClient

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
        async with AiohttpClient(timeout=httpx2.Timeout(30, read=0.01), trust_env=False) as client:
            with pytest.raises(httpx2.ReadTimeout):
                await client.get(f"http://127.0.0.1:{port}/")

    _talk(said, ask, hangs=True)


@pytest.mark.parametrize(
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


def test_a_proxy_that_does_not_speak_http_is_named_by_its_kind_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "socks5://bob:geheim@127.0.0.1:9")
    for name in ("HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ProviderError, match=r"cannot be used: socks5://$"):
        asked("vllm/m", NOBODY)


def test_an_address_is_asked_as_it_is_written() -> None:
    """The place of a batch's file may be signed."""
    seen: list[str] = []

    async def answer(request: web.BaseRequest) -> web.Response:
        seen.append(request.raw_path)
        return web.Response()

    def go(port: int) -> None:
        async def ask() -> None:
            async with AiohttpClient(trust_env=False) as client:
                await client.get(f"http://127.0.0.1:{port}/a%2Fb%7E?sig=a%20b%3A%2B")

        asyncio.run(ask())

    asyncio.run(_noted(answer, go))
    assert seen == ["/a%2Fb%7E?sig=a%20b%3A%2B"]


def test_a_server_keeps_its_sessions_by_cookies() -> None:
    cookies: list[str] = []

    async def answer(request: web.BaseRequest) -> web.Response:
        cookies.append(request.headers.get("Cookie", ""))
        return web.json_response(completion(HELLO), headers={"Set-Cookie": "worker=7; Path=/"})

    def go(port: int) -> None:
        async def twice() -> None:
            model = open_model("vllm/m", ModelOptions(base_url=f"http://127.0.0.1:{port}/v1"))
            await model.ask(question())
            await model.ask(question(1))
            await model.close()

        asyncio.run(twice())

    asyncio.run(_noted(answer, go))
    assert cookies == ["", "worker=7"]


def test_a_model_is_opened_without_loading_a_providers_own_library() -> None:
    """They bring hundreds of modules, half a second and twenty megabytes."""
    code = (
        "import sys; from toolgauge.models import ModelOptions, open_model;"
        "[open_model(name, ModelOptions(base_url='http://127.0.0.1:9/v1', api_key='k', batch=True))"
        " for name in ('openai/m', 'azure/m', 'anthropic/m')];"
        "print(sorted({'openai', 'anthropic', 'pydantic'} & sys.modules.keys()))"
    )
    shown = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert shown.strip() == "[]"


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

    async def converse(client: AiohttpClient, port: int) -> None:
        await client.get(f"http://127.0.0.1:{port}/first")
        seen.append("read")
        await client.get(f"http://127.0.0.1:{port}/second")

    async def go() -> None:
        runner = web.ServerRunner(web.Server(answer))
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        async with AiohttpClient(trust_env=False) as client:
            await asyncio.gather(*(converse(client, runner.addresses[0][1]) for _ in range(conversations)))
        await runner.cleanup()

    asyncio.run(go())
    assert seen[: conversations + 1] == ["/first"] * conversations + ["read"]
    assert seen.index("/second") < conversations + 8
