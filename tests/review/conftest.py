"""A review over the embedded benchmark by Ada, who leads, Bo and Cy; what they do in one call; what it knows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import pytest
from starlette.testclient import TestClient

from toolgauge.benchmarks.dialogues.benchmark import MINI_FILE
from toolgauge.review import commands
from toolgauge.review.access import PROOF, Hosts, digest, proof
from toolgauge.review.desk import Desk
from toolgauge.review.events import Edited, Outcome, PersonAdded
from toolgauge.review.handling import do
from toolgauge.review.server import ReviewServer
from toolgauge.review.state import ReviewState
from toolgauge.review.store import open_originals

PEOPLE = ("Ada", "Bo", "Cy")
FIRST, SECOND = "mini_0", "mini_1"
BASE = "http://127.0.0.1:8770"

OpenDesk = Callable[[], Desk]
Enter = Callable[[str], TestClient]


@pytest.fixture
def open_desk(tmp_path: Path) -> Iterator[OpenDesk]:
    """Opens the same review again and again; one at a time."""
    ticks = count(1.0)
    opened: list[Desk] = []

    def open_again() -> Desk:
        while opened:
            opened.pop().close()
        desk = Desk(tmp_path / "review", open_originals(MINI_FILE, "en"), lambda: next(ticks))
        opened.append(desk)
        if not desk.state.people:
            join(desk, *PEOPLE)
        return desk

    yield open_again
    for one in opened:
        one.close()


@pytest.fixture
def enter(open_desk: OpenDesk) -> Iterator[Enter]:
    """Opens somebody's personal link, which is their name, in a browser of their own."""
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


def join(desk: Desk, *names: str) -> None:
    for name in names:
        desk.happen(PersonAdded(name=name, is_lead=name == PEOPLE[0], token_sha256=digest(name)))


def reword(text: str, task: int = 0) -> tuple[commands.AnyEdit, ...]:
    return (commands.SetUtterance(task=task, text=text),)


def edit(desk: Desk, text: str, who: str = "Ada", session: str = FIRST, task: int = 0, key: str = "") -> Edited:
    base = desk.copy_of(who, session).version
    event = do(desk, who, commands.Edit(session=session, base=base, edits=reword(text, task), key=key))
    assert isinstance(event, Edited)
    return event


def decide(desk: Desk, who: str, session: str = FIRST, outcome: Outcome = Outcome.APPROVED) -> None:
    base = desk.copy_of(who, session).version
    do(desk, who, commands.Decide(session=session, base=base, outcome=outcome))


def assign(desk: Desk, *reviewers: str, session: str = FIRST) -> None:
    do(desk, "Ada", commands.Assign(sessions={session: reviewers}))


def words_of(desk: Desk, session: str = FIRST, who: str = "Ada") -> object:
    """What the user says first in the copy that somebody works on."""
    return desk.record(session, desk.copy_of(who, session))["english_tasks"][0]


def known(state: ReviewState) -> bytes:
    return msgspec.json.encode([state.number, state.sessions, state.people, state.rounds, state.keys])


def summary(desk: Desk) -> object:
    """All that a review knows."""
    sessions = desk.state.sessions.items()
    copies = [(name, owner, copy) for name, one in sessions for owner, copy in one.copies.items() if copy.edits]
    return known(desk.state), {(name, owner): desk.record(name, copy) for name, owner, copy in copies}
