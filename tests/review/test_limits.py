"""What one person, or nobody yet, can hold open or ask for: limited in number, size and time. Half an hour passes by
the clock of a loop of ours, connections are those of a real server with little patience."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import Coroutine, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from starlette.types import Message, Scope

from tests.review.conftest import Enter, OpenDesk
from toolgauge.benchmarks.dialogues.benchmark import MINI_FILE
from toolgauge.limits import MAX_COMMAND_BYTES, MAX_SESSION_BYTES
from toolgauge.review import server as app
from toolgauge.review import serving, streams
from toolgauge.review.access import PROOF, Hosts, cookie_name, proof
from toolgauge.review.desk import Desk
from toolgauge.review.store import open_originals

FEW = 12


class Clock(asyncio.SelectorEventLoop):
    """A loop in which nobody waits: once all of them do, it is as late as the first one waits for."""

    def __init__(self) -> None:
        super().__init__()
        self.now, select = 0.0, self._selector.select  # type: ignore[attr-defined]

        def jump(timeout: float | None = None) -> Any:
            assert timeout is not None, "everybody waits, for ever"
            self.now += timeout
            return select(0)

        self._selector.select = jump  # type: ignore[attr-defined]

    def time(self) -> float:
        return self.now


def by_the_clock(work: Coroutine[Any, Any, Any]) -> tuple[Any, float]:
    """What comes of it, and the seconds that it would have taken."""
    loop = Clock()
    try:
        return loop.run_until_complete(work), loop.now
    finally:
        loop.close()


def test_a_stream_lives_half_an_hour_and_gives_signs_of_life(open_desk: OpenDesk) -> None:
    desk = open_desk()
    told = streams.Streams(desk)

    async def hear() -> list[bytes]:
        return [one async for one in told.stream("Bo", desk.state.number)]

    heard, seconds = by_the_clock(hear())
    assert seconds == pytest.approx(streams.STREAM_SECONDS) == 1800
    assert heard == [b": here\n\n"] * (1 + int(seconds / streams.PING_SECONDS))
    assert told.count("Bo") == 0


def asked(desk: Desk, path: str, *, is_deaf: bool = False, body: bytes = b"") -> tuple[list[Message], float]:
    """What Bo is sent for a request whose body does not arrive wholly, and after how many seconds it ends. is_deaf: his
    browser takes nothing but the head."""
    review, sent = app.ReviewServer(desk, Hosts(8770)), list[Message]()
    head = {"host": "127.0.0.1:8770", "cookie": f"{cookie_name(desk.folder)}=Bo", PROOF: proof("Bo")}
    scope: Scope = {"type": "http", "method": "POST" if body else "GET", "path": path, "query_string": b""}
    scope["headers"] = [(name.encode(), value.encode()) for name, value in head.items()]
    scope["headers"].append((b"content-type", b"application/json"))
    arriving = [{"type": "http.request", "body": body, "more_body": True}] if body else []

    async def receive() -> Message:
        if not arriving:
            await asyncio.sleep(1e9)
        return arriving.pop()

    async def send(message: Message) -> None:
        sent.append(message)
        if is_deaf and message["type"] == "http.response.body":
            await asyncio.sleep(1e9)

    _none, seconds = by_the_clock(review.app(scope, receive, send))
    assert review.streams.count("Bo") == 0
    return sent, seconds


def test_a_reader_that_takes_nothing_is_cut_off(open_desk: OpenDesk) -> None:
    _sent, seconds = asked(open_desk(), "/api/events", is_deaf=True)
    assert seconds == pytest.approx(streams.STREAM_SECONDS + app.BODY_SECONDS)


def test_a_body_that_does_not_arrive_is_not_waited_for(open_desk: OpenDesk) -> None:
    sent, seconds = asked(open_desk(), "/api/do", body=b'{"do":')
    assert sent[0]["status"] == 400
    assert seconds == pytest.approx(app.BODY_SECONDS)


def test_a_person_has_only_so_many_streams_and_the_newest_live(open_desk: OpenDesk) -> None:
    desk = open_desk()
    told = streams.Streams(desk)

    async def hear() -> None:
        mine = [told.stream("Bo", desk.state.number) for _ in range(streams.MOST_STREAMS + 3)]
        other = told.stream("Cy", desk.state.number)
        for one in (*mine, other):
            await one.__anext__()
        for one in mine[:3]:
            assert b"event: replaced" in await one.__anext__()
            with pytest.raises(StopAsyncIteration):
                await one.__anext__()
        assert (told.count("Bo"), told.count("Cy")) == (streams.MOST_STREAMS, 1)

    by_the_clock(hear())


@pytest.fixture
def address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, int]]:
    """Of a real server with little patience."""
    monkeypatch.setattr(serving, "HEAD_SECONDS", 0.5)
    monkeypatch.setattr(serving, "MOST_HALF_OPEN", FEW)
    with serving.serving(MINI_FILE, tmp_path / "r", ["Ada"], ("127.0.0.1", 0), "en") as started:
        ready = threading.Event()
        running = started.server(ready.set)
        thread = threading.Thread(target=lambda: running.run(sockets=[started.listener]), daemon=True)
        thread.start()
        assert ready.wait(20)
        yield started.listener.getsockname()
        running.should_exit = True
        thread.join(20)


def test_connections_that_ask_for_nothing_are_few_and_end(address: tuple[str, int]) -> None:
    begun = time.monotonic()
    held = [socket.create_connection(address) for _ in range(5 * FEW)]
    for one in held[::2]:
        one.sendall(b"GET / HTTP/1.1\r\nHost: ")
    time.sleep(0.2)
    assert len(serving.BoundedProtocol.half_open) <= FEW
    for one in held:
        one.settimeout(5)
        with suppress(ConnectionError):
            while one.recv(1 << 16):
                pass
    assert time.monotonic() - begun < 5
    assert not serving.BoundedProtocol.half_open


def test_megabytes_of_numbers_in_a_command_take_no_time(enter: Enter) -> None:
    client = enter("Bo")
    edit = {"edit": "arguments", "task": 0, "call": 0, "arguments": {"x": []}}
    body = json.dumps({"do": "edit", "session": "mini_0", "base": 0, "edits": [edit]})
    for size, status in ((40 << 20, 400), (MAX_COMMAND_BYTES - 1000, 200)):
        content = body.replace("[]", f"[{'1,' * (size // 2)}1]")
        begun = time.process_time()
        answer = client.post("/api/do", content=content, headers={"content-type": "application/json"})
        assert time.process_time() - begun < 3, "it was 14 s"
        assert answer.status_code == status


def test_megabytes_of_numbers_in_a_file_are_named_and_left_out(tmp_path: Path) -> None:
    first, second = MINI_FILE.read_text(encoding="utf-8").splitlines()[:2]
    file = tmp_path / "sessions.jsonl"
    for size, left in ((40 << 20, ["mini_0"]), (MAX_SESSION_BYTES - len(second.encode()) - 100, ["mini_0", "mini_1"])):
        numbers = f'{{"numbers": [{"1," * (size // 2)}1], {second[1:]}'
        file.write_text(f"{first}\n{numbers}\n", encoding="utf-8")
        begun = time.process_time()
        originals = open_originals(file, "en")
        assert time.process_time() - begun < 3
        assert [*originals.tasks] == left, originals.notes
        assert bool(originals.notes) == (len(left) == 1)
        for note in originals.notes:
            assert note == f"{file}:2: longer than 8 MB: too long to review; line skipped"
