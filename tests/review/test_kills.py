"""Many people edit at once while the server is killed: nothing is lost, nothing doubled, the journal says it all."""

from __future__ import annotations

import random
import shutil
import threading
import time
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from tests.review.reviewers import KilledServer, Reviewer, lines_of
from tests.review.test_desk import summary
from tests.sizes import LONG, sized
from toolgauge.benchmarks.dialogues.benchmark import MINI_FILE
from toolgauge.review.desk import Desk
from toolgauge.review.state import SessionStatus
from toolgauge.review.store import open_originals

PEOPLE = [f"reviewer {number:02}" for number in range(sized(4, 20))]
SECONDS = 120.0
"""How long the long variant goes on at least."""


@pytest.mark.timeout(1200)
def test_twenty_reviewers_and_kills(tmp_path: Path) -> None:
    file, folder = tmp_path / "sessions.jsonl", tmp_path / "review"
    shutil.copy(MINI_FILE, file)
    before = file.read_bytes()
    server = KilledServer(file, folder, PEOPLE)
    names = list(open_originals(file, "en").tasks)[: sized(4, 12)]
    blind = {names[0]: PEOPLE[1:3]}
    assert "event" in server.ask(PEOPLE[0], "/api/do", msgspec.json.encode({"do": "assign", "sessions": blind}))
    started, people = time.monotonic(), list[Reviewer]()
    while not people or (LONG and time.monotonic() - started < SECONDS):
        people += at_once(server, names, len(people) // len(PEOPLE))
    told = seen(server, names)
    server.kill()
    server.start()
    assert seen(server, names) == told, "the journal says it all"
    server.kill()
    assert file.read_bytes() == before, "the original file is never changed"
    check_answers(people, folder)
    check_replay(folder, file)


def at_once(server: KilledServer, sessions: list[str], turn: int) -> list[Reviewer]:
    """Everybody gives so many commands; whenever some of them were answered, at random, the server is killed."""
    rng, answered = random.Random(turn), threading.Semaphore(0)
    count = sized(6, 40)
    people = [Reviewer(name, turn, server, sessions, count, answered.release) for name in PEOPLE]
    for one in people:
        one.start()
    left = count * len(people)
    while left > 0:
        some = min(left, rng.randrange(5, sized(12, 120)))
        for _unused in range(some):
            assert answered.acquire(timeout=60), "nothing is answered any more"
            assert not [one.error for one in people if one.error]
        left -= some
        if left > 0:
            server.kill()
            server.start()
    for one in people:
        one.join(300)
        assert not one.is_alive()
    return people


def check_answers(people: list[Reviewer], folder: Path) -> None:
    """What was answered is in the journal, once; what was refused is not; everything was answered."""
    written = Counter(line["key"] for line in lines_of(folder) if line.get("key"))
    assert set(written.values()) <= {1}, "a command was done twice"
    events = {line["key"]: line for line in lines_of(folder) if line.get("key")}
    done = {key: event for one in people for key, event in one.done.items()}
    refused = {key for one in people for key in one.refused}
    assert done.keys() | refused == {key for one in people for key in one.given}
    assert not done.keys() & refused
    assert done == {key: events[key] for key in done}
    assert events.keys() == done.keys(), "something happened that was refused"
    assert {code for one in people for code in one.refused.values()} <= {"stale", "refused", "forbidden"}


def seen(server: KilledServer, sessions: list[str]) -> object:
    """What everybody sees of every session."""
    return [server.ask(name, f"/api/session?id={session}") for name in PEOPLE[:3] for session in sessions]


def check_replay(folder: Path, file: Path) -> None:
    """The journal makes the same of the originals each time."""
    first, second = replayed(folder, file), replayed(folder, file)
    assert summary(first) == summary(second)
    assert [line["number"] for line in lines_of(folder)] == list(range(1, first.state.number + 1))
    for session in first.state.sessions.values():
        if session.status is SessionStatus.CONFLICT:
            opinions = [session.copies[name] for name in session.reviewers]
            same = first.record(session.id, opinions[0]) == first.record(session.id, opinions[1])
            assert not (same and opinions[0].outcome is opinions[1].outcome), "opinions that agree need nobody"


def replayed(folder: Path, file: Path) -> Desk:
    return Desk(folder, open_originals(file, "en"), is_read_only=True)
