"""Replies that are too large, too slow or never end: one failed attempt each, within its time and memory."""

from __future__ import annotations

import asyncio
import gzip
import socket
import threading
import time
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pytest
from msgspec.structs import replace

from tests.mockserver import serve
from tests.models.asking import QUICK, ask, options, question
from tests.rows import rows
from toolgauge.errors import ProviderError
from toolgauge.models import ModelOptions, open_model
from toolgauge.models.batches import BatchEndpoint
from toolgauge.models.failures import AttemptFailure

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


@contextmanager
def little_memory() -> Iterator[None]:
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < 50_000_000
    finally:
        tracemalloc.stop()


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


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_a_bomb_is_unpacked_up_to_the_limit(coding: str) -> None:
    packed = zlib.compress(bytes(300_000_000)) if coding == "deflate" else gzip.compress(bytes(300_000_000), 1)
    head = OK + b"Content-Encoding: %s\r\nContent-Length: %d\r\n\r\n" % (coding.encode(), len(packed))
    with talking(lambda connection: connection.sendall(head + packed)) as chosen, little_memory():
        assert "the reply is larger than 1 MB" in failure(chosen)


@rows(
    "send",
    [
        endless(OK + b"Connection: close\r\n\r\n", b" " * 65536),
        endless(OK + b"Transfer-Encoding: chunked\r\n\r\n", b"10000\r\n" + b" " * 65536 + b"\r\n"),
        endless(OK + b"Content-Length: 1000000000000\r\n\r\n", b" " * 65536),
    ],
    ids=["until closed", "chunked", "with a length"],
)
def test_a_body_without_an_end_is_given_up_at_the_limit(send: Send) -> None:
    with talking(send) as chosen:
        assert "the reply is larger than 1 MB" in failure(chosen)


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
                assert endpoint.outcome(line) == (
                    "",
                    AttemptFailure("invalid line in the output of the batch"),
                )
            return await endpoint.download("file-1")
        finally:
            await endpoint.close()

    with talking(lambda connection: connection.sendall(OK + b"Connection: close\r\n\r\n" + content)) as chosen:
        assert asyncio.run(download(replace(chosen, batch=True))) == content
