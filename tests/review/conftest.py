"""A review over the embedded benchmark, and one over what a demonstration made."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from starlette.testclient import TestClient

from toolgauge.benchmarks.dialogues.benchmark import MINI_FILE
from toolgauge.review.access import PROOF, Hosts, digest, proof
from toolgauge.review.desk import Desk
from toolgauge.review.events import PersonAdded
from toolgauge.review.server import ReviewServer
from toolgauge.review.store import open_originals

PEOPLE = ("Ada", "Bo", "Cy")
"""Ada leads."""

OpenDesk = Callable[[], Desk]
Enter = Callable[[str], TestClient]
BASE = "http://127.0.0.1:8770"


@contextmanager
def fresh_desk() -> Iterator[Desk]:
    """A review that nobody has begun, for one example of a property."""
    with TemporaryDirectory() as folder, closing(Desk(Path(folder), open_originals(MINI_FILE, "en"))) as desk:
        for name in PEOPLE:
            desk.happen(PersonAdded(name=name, is_lead=name == "Ada", token_sha256=digest(name)))
        yield desk


@pytest.fixture
def open_desk(tmp_path: Path) -> Iterator[OpenDesk]:
    """Opens the same review again and again; one at a time."""
    ticks = count(1.0)
    opened: list[Desk] = []

    def open_again() -> Desk:
        for one in opened:
            one.close()
        opened.clear()
        desk = Desk(tmp_path / "review", open_originals(MINI_FILE, "en"), lambda: next(ticks))
        opened.append(desk)
        if not desk.state.people:
            for name in PEOPLE:
                desk.happen(PersonAdded(name=name, is_lead=name == "Ada", token_sha256=digest(name)))
        return desk

    yield open_again
    for one in opened:
        one.close()


@pytest.fixture
def enter(open_desk: OpenDesk) -> Iterator[Enter]:
    """Opens somebody's personal link in a browser of their own."""
    app = ReviewServer(open_desk(), Hosts(8770)).app
    clients: list[TestClient] = []

    def opened(name: str) -> TestClient:
        client = TestClient(app, base_url=BASE)
        clients.append(client)
        if name:
            assert client.get(f"/enter?token={name}").status_code == 200
            client.headers[PROOF] = proof(name)
        return client

    yield opened
    for client in clients:
        client.close()


def ask(client: TestClient, **command: object) -> Any:
    return client.post("/api/do", json=command)
