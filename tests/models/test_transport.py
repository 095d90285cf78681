"""Where a client connects, and within which bounds: addresses, proxies, certificates, replies without end, limits."""

from __future__ import annotations

import asyncio
import base64
import gzip
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import aiohttp
import pytest
from aiohttp import web
from msgspec.structs import replace

from tests.mockserver import completion, hang, serve
from tests.models.asking import KEY, QUICK, ask, options, question
from tests.rows import rows
from toolgauge.chat import Message, Reply, Request, Timings
from toolgauge.errors import ProviderError
from toolgauge.models import Backoff, ModelOptions, open_model
from toolgauge.models.batches import BatchEndpoint
from toolgauge.models.failures import AttemptFailure, FailureScope, RetryCause
from toolgauge.models.http import Answer, HttpClient
from toolgauge.models.limit import AdaptiveLimit, ServerLoad
from toolgauge.models.providers import find_endpoint, find_provider
from toolgauge.models.settings import settings
from toolgauge.network import proxy_for

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


OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
Send = Callable[[socket.socket], None]


@contextmanager
def talking(send: Send, timeout: float = 60.0) -> Iterator[ModelOptions]:
    """A server that reads the head of a request and then does what it likes. timeout: the client's, in seconds."""
    listener = socket.create_server(("127.0.0.1", 0))

    def converse(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.settimeout(60)
            connection.recv(1 << 16)
            send(connection)

    def accept() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                threading.Thread(target=converse, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        port = listener.getsockname()[1]
        yield ModelOptions(
            base_url=f"http://127.0.0.1:{port}/v1",
            api_key="sk-none",
            timeout=timeout,
            max_attempts=2,
            patience=0.0,
            backoff=QUICK,
            max_reply_bytes=1_000_000,
        )
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def failure(chosen: ModelOptions) -> str:
    with serve() as unused, pytest.raises(ProviderError) as caught:
        ask(unused, [question()], chosen)
    assert not caught.value.permanent
    return str(caught.value)


def endless(head: bytes, block: bytes, pause: float = 0.0) -> Send:
    def send(connection: socket.socket) -> None:
        connection.sendall(head)
        while True:
            connection.sendall(block)
            time.sleep(pause)

    return send


def test_a_large_reply_is_read_and_a_larger_one_is_refused_with_the_option_that_allows_it() -> None:
    text = "word " * 100_000
    with serve(lambda _: {"role": "assistant", "content": text}) as server:
        (reply,) = ask(server, [question()], options(server))
        assert reply.content == text
        with pytest.raises(ProviderError, match=r"larger than 0.1 MB \(--set endpoint.max_reply_bytes=N\)"):
            ask(server, [question()], ModelOptions(server.base_url, "sk", backoff=QUICK, max_reply_bytes=100_000))
    assert len(server.requests) == 3, "a reply that is too large is tried once more and not six times"


@rows(
    "send",
    [
        endless(OK + b"Content-Length: 100000\r\n\r\n", b" ", 0.05),
        endless(b"HTTP/1.1 200 OK\r\nX-Slow: ", b"a", 0.05),
        endless(OK + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n", 0.05),
        endless(
            OK + b"Content-Encoding: gzip\r\nConnection: close\r\n\r\n" + gzip.compress(b"")[:10],
            b"\x00\x00\x00\xff\xff",  # a stored block of no bytes that is not the last
            0.05,
        ),
    ],
    ids=["body", "head", "chunks", "packed"],
)
def test_what_drips_in_ends_with_the_time_out(send: Send) -> None:
    with talking(send, timeout=0.3) as chosen:
        assert "no response within 0.3 s" in failure(replace(chosen, max_attempts=1))


def test_a_batchs_file_may_be_larger_than_a_reply_and_a_line_of_it_may_not() -> None:
    content = b'{"custom_id": "a"}\n' * 100_000

    async def download(chosen: ModelOptions) -> bytes:
        endpoint = open_model("openai/mock", chosen)
        assert isinstance(endpoint, BatchEndpoint)
        try:
            for value in (b'"' + b"x" * 2_500_000 + b'"', b"[" + b"[]," * 1_000_000 + b"0]"):
                line = b'{"custom_id": "a", "response": {"body": %s}}' % value
                assert endpoint.outcome(line) == ("", AttemptFailure("invalid line in the output of the batch"))
            return await endpoint.download("file-1")
        finally:
            await endpoint.close()

    with talking(lambda connection: connection.sendall(OK + b"Connection: close\r\n\r\n" + content)) as chosen:
        assert asyncio.run(download(replace(chosen, batch=True))) == content


def test_first_come_first_served_and_a_retry_keeps_its_place() -> None:
    async def run() -> list[str]:
        limit, order = AdaptiveLimit(1), list[str]()

        async def use(name: str, ticket: int) -> None:
            await limit.acquire(ticket)
            order.append(name)
            limit.release()

        early = limit.ticket()
        await limit.acquire(limit.ticket())
        tasks = [asyncio.create_task(use(name, limit.ticket())) for name in "abc"]
        await asyncio.sleep(0)
        tasks.append(asyncio.create_task(use("retry of an earlier one", early)))
        await asyncio.sleep(0)
        limit.release()
        await asyncio.gather(*tasks)
        return order

    assert asyncio.run(run()) == ["retry of an earlier one", "a", "b", "c"]


def test_a_burst_of_refusals_halves_once() -> None:
    async def run() -> list[int]:
        limit, seen = AdaptiveLimit(32), list[int]()
        rounds = [await limit.acquire(limit.ticket()) for _ in range(20)]
        for round_ in rounds:
            limit.overloaded(round_)
            limit.release()
        seen.append(limit.limit)
        limit.overloaded(await limit.acquire(limit.ticket()))
        seen.append(limit.limit)
        for _ in range(10):
            limit.overloaded(limit._round)
        seen.append(limit.limit)
        return seen

    assert asyncio.run(run()) == [16, 8, 1]


def test_it_creeps_up_by_one_per_round_of_successes_and_not_above_the_most() -> None:
    limit = AdaptiveLimit(8)
    limit.overloaded(0)
    assert limit.limit == 4
    grown = []
    for _ in range(4 + 5 + 6 + 7 + 100):
        limit.succeeded()
        grown.append(limit.limit)
    assert [grown.index(size) + 1 for size in (5, 6, 7, 8)] == [4, 9, 15, 22]
    assert max(grown) == 8


FULL = AttemptFailure("full", FailureScope.ENDPOINT, overload=True)
AT_ONCE = Backoff(first=0.0, most=0.0)


def server_load(limit: AdaptiveLimit | None = None, own: bool = True, **options: object) -> ServerLoad:
    return ServerLoad(limit or AdaptiveLimit(32), ModelOptions(**options), own)  # type: ignore[arg-type]


@rows(
    ("latency", "worked", "limit"),
    [(160.0, 10.0, 8), (15.0, 10.0, 16), (11.0, 10.0, 17), (160.0, 0.0, 17), (0.9, 0.01, 17)],
)
def test_fewer_at_once_where_requests_wait_at_the_server(latency: float, worked: float, limit: int) -> None:
    """Waiting longer than the work: half as many; a part of it: no more; none, or nobody says: one more."""
    found = AdaptiveLimit(32)
    found.limit, found._successes = 16, 15
    timings = Timings(worked / 2, worked / 2) if worked else None
    server_load(found).answered(Reply(latency=latency, timings=timings), False, 0)
    assert found.limit == limit
    server_load(found).answered(Reply(latency=latency, timings=timings), True, 1)
    assert found.limit == limit


def test_a_full_server_keeps_what_it_works_on() -> None:
    """Six under way, of which five were accepted: fewer are never needed, while others' limits are not about slots."""
    for own, left in ((True, 5), (False, 3)):
        limit = AdaptiveLimit(6)
        found = server_load(limit, own)
        for at in range(6):
            found.begin(at)
        assert found.failed(FULL, 5, False, 0) is FULL
        assert limit.limit == left
        assert found.is_full(FULL) is own


def ask_many(base_url: str, requests: int, **options: object) -> list[Reply | BaseException]:
    async def run() -> list[Reply | BaseException]:
        model = open_model("openai/m", ModelOptions(base_url=base_url, backoff=AT_ONCE, **options))  # type: ignore[arg-type]
        asked = [Request("assistant", (Message("user", str(n)),), (), str(n)) for n in range(requests)]
        try:
            return await asyncio.gather(*map(model.ask, asked), return_exceptions=True)
        finally:
            await model.close()

    return asyncio.run(run())


def test_a_reply_without_end_is_asked_for_twice() -> None:
    """Where the server says how many slots it has; else it may just be slow."""
    with serve(faults=lambda _number, _body: hang(30)) as server:
        for slots, attempts in ((2, 2), (None, 4)):
            (error,) = ask_many(server.base_url, 1, timeout=0.2, slots=slots, max_attempts=4)
            assert isinstance(error, ProviderError)
            assert (error.attempts, error.timed_out) == (attempts, True)
