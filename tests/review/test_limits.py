"""What one person, or nobody yet, can hold open: connections, requests and streams are limited in number and time."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest

from tests.review.conftest import Enter, OpenDesk
from toolgauge.benchmarks.dialogues.benchmark import MINI_FILE
from toolgauge.limits import MAX_COMMAND_BYTES
from toolgauge.review import server as app
from toolgauge.review import serving, streams
from toolgauge.review.access import PROOF, cookie_name, proof

FEW = 12


class Running(NamedTuple):
    """A server, and how Ada asks it."""

    host: str
    port: int
    token: str
    folder: Path

    def connect(self) -> socket.socket:
        return socket.create_connection((self.host, self.port))


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    """A real one with little patience."""
    monkeypatch.setattr(serving, "HEAD_SECONDS", 0.5)
    monkeypatch.setattr(serving, "MOST_HALF_OPEN", FEW)
    monkeypatch.setattr(app, "BODY_SECONDS", 0.5)
    with serving.serving(MINI_FILE, tmp_path / "r", ["Ada"], ("127.0.0.1", 0), "en") as started:
        ready = threading.Event()
        running = started.server(ready.set)
        thread = threading.Thread(target=lambda: running.run(sockets=[started.listener]), daemon=True)
        thread.start()
        assert ready.wait(20)
        link = urlsplit(started.links["Ada"])
        assert link.hostname
        assert link.port
        yield Running(link.hostname, link.port, link.query.removeprefix("token="), tmp_path / "r")
        running.should_exit = True
        thread.join(20)


def closed(connection: socket.socket) -> bool:
    """Does the server end a connection, whatever it says before, within seconds?"""
    connection.settimeout(5)
    try:
        while connection.recv(1 << 16):
            pass
    except TimeoutError:
        return False
    except ConnectionError:
        return True
    return True


def test_connections_that_ask_for_nothing_are_few_and_end(server: Running) -> None:
    begun = time.monotonic()
    held = [server.connect() for _ in range(5 * FEW)]
    for number, one in enumerate(held):
        if number % 2:
            one.sendall(b"GET / HTTP/1.1\r\nHost: ")
    time.sleep(0.2)
    assert len(serving.BoundedProtocol.half_open) <= FEW
    assert all(closed(one) for one in held)
    assert time.monotonic() - begun < 5
    assert not serving.BoundedProtocol.half_open


@pytest.mark.parametrize("who", ["a person", "nobody"])
def test_a_body_that_does_not_arrive_is_not_waited_for(server: Running, who: str) -> None:
    cookie = f"{cookie_name(server.folder)}={server.token}" if who == "a person" else "none=0"
    head = (
        f"POST /api/do HTTP/1.1\r\nHost: {server.host}:{server.port}\r\nCookie: {cookie}\r\n"
        f"{PROOF}: {proof(server.token)}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{{"
    )
    connection = server.connect()
    connection.sendall(head.encode())
    for _trickle in range(20):
        time.sleep(0.1)
        try:
            connection.sendall(b" ")
        except OSError:
            return
    assert closed(connection)


def test_a_person_has_only_so_many_streams_and_the_newest_live(open_desk: OpenDesk) -> None:
    desk = open_desk()

    async def hear() -> None:
        told = streams.Streams(desk)
        mine = [told.stream("Bo", desk.state.number) for _ in range(streams.MOST_STREAMS + 3)]
        other = told.stream("Cy", desk.state.number)
        for one in (*mine, other):
            await one.__anext__()
        for one in mine[:3]:
            assert b"event: replaced" in await one.__anext__()
            with pytest.raises(StopAsyncIteration):
                await one.__anext__()
        assert told.count("Bo") == streams.MOST_STREAMS
        assert told.count("Cy") == 1

    asyncio.run(hear())


def test_a_stream_ends_in_time(open_desk: OpenDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "STREAM_SECONDS", 0.05)
    monkeypatch.setattr(streams, "_PING_SECONDS", 0.02)
    desk = open_desk()

    async def hear() -> list[bytes]:
        return [one async for one in streams.Streams(desk).stream("Bo", desk.state.number)]

    assert asyncio.run(asyncio.wait_for(hear(), 5))


def test_megabytes_of_numbers_take_no_time(enter: Enter) -> None:
    client = enter("Bo")
    edit = {"edit": "arguments", "task": 0, "call": 0, "arguments": {"x": []}}
    body = json.dumps({"do": "edit", "session": "mini_0", "base": 0, "edits": [edit]})
    for size, status in ((40 << 20, 400), (MAX_COMMAND_BYTES - 1000, 422)):
        content = body.replace("[]", f"[{'1,' * (size // 2)}1]")
        begun = time.process_time()
        answer = client.post("/api/do", content=content, headers={"content-type": "application/json"})
        assert time.process_time() - begun < 3, "it was 14 s"
        assert answer.status_code in (status, 200)
