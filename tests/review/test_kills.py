"""Many people edit at once while the server is killed: nothing is lost, nothing doubled, the journal says it all.

Each of them does what a browser does (`web/desk.js`): gives commands, some before the one before them was heard, keeps
them until they were answered, and sends those again whose connection was lost.
"""

from __future__ import annotations

import http.client
import random
import shutil
import threading
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import msgspec
import pytest

from tests.end_to_end.playing import command, start
from tests.review.conftest import summary
from tests.sizes import LONG, sized
from toolgauge.benchmarks.dialogues.benchmark import MINI_FILE
from toolgauge.review.access import PROOF, cookie_name, proof, read_links
from toolgauge.review.desk import Desk
from toolgauge.review.store import JOURNAL, open_originals

PEOPLE = [f"reviewer {number:02}" for number in range(sized(4, 20))]
COMMANDS, SECONDS = sized(6, 40), 120.0
"""Of each person in a turn; how long the long variant goes on at least."""
LOST = (OSError, http.client.HTTPException, ValueError)
"""Nobody answered, or not to the end."""


class KilledServer:
    """`toolgauge review` in a process of its own, as often as it is needed."""

    def __init__(self, file: Path, folder: Path, names: Sequence[str] = PEOPLE) -> None:
        self.folder = folder
        reviewers = [part for name in names for part in ("--reviewer", name)]
        self._command = command("review", file, "--language", "en", "--out", folder, "--port", 0, *reviewers)
        self.start()
        self.tokens = read_links(folder)

    def start(self) -> None:
        self._process = start(self._command, self.folder.parent)
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert "http://" in line, (self._process.stderr or self._process.stdout).read()
        self.address = urlsplit(line.split()[-1]).netloc

    def kill(self) -> None:
        """SIGKILL, at whatever it does."""
        self._process.kill()
        self._process.communicate()

    def ask(self, name: str, path: str, body: object = None) -> dict[str, Any]:
        """What it answers somebody. Raises one of LOST."""
        token = self.tokens[name]
        headers = {"Cookie": f"{cookie_name(self.folder)}={token}", PROOF: proof(token)}
        method, content = ("GET", None) if body is None else ("POST", msgspec.json.encode(body))
        with closing(http.client.HTTPConnection(self.address, timeout=10)) as connection:
            connection.request(method, path, content, headers | {"Content-Type": "application/json"})
            answer = connection.getresponse()
            told: dict[str, Any] = msgspec.json.decode(answer.read())
        if answer.status == 401:
            raise ConnectionError("the port is another server's by now")
        return told


class Reviewer(threading.Thread):
    """Somebody who gives commands, so many in all. given: their keys; done: what was answered to those that happened;
    refused: the code of the others; error: what ended the thread before its time."""

    def __init__(self, name: str, turn: int, server: KilledServer, sessions: list[str], heard: threading.Semaphore):
        super().__init__(name=name, daemon=True)
        self.server, self.sessions, self.heard = server, sessions, heard
        self.turn, self.rng = turn, random.Random(f"{name}/{turn}")
        self.given, self.done, self.refused = list[str](), dict[str, Any](), dict[str, str]()
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            while len(self.given) < COMMANDS:
                session = self.rng.choice(self.sessions)
                seen = self._until_answered(f"/api/session?id={quote(session)}")
                if "tasks" not in seen:
                    continue  # others review it
                some = min(self.rng.randint(1, 3), COMMANDS - len(self.given))
                base = seen["version"]
                for one in [self._command(session, len(seen["tasks"])) for _unused in range(some)]:
                    base = self._send(one, base)
        except BaseException as error:
            self.error = error
            self.heard.release()
            raise

    def _command(self, session: str, tasks: int) -> dict[str, Any]:
        key = f"{self.name}/{self.turn}/{len(self.given)}"
        self.given.append(key)
        task, what = self.rng.randrange(tasks), self.rng.randrange(6)
        change: dict[str, Any] = {
            "do": "edit",
            "edits": [{"edit": "utterance", "task": task, "text": f"Words of {key}"}],
        }
        if what == 0:
            change = {"do": "decide", "outcome": self.rng.choice(["approved", "rejected", "open"])}
        elif what == 1:
            change = {"do": "comment", "text": f"What of {key}?"}
        elif what == 2:
            change = {"do": "undo"}
        return change | {"key": key, "session": session}

    def _send(self, one: dict[str, Any], base: int) -> int:
        """Gives the version that it led to."""
        told = self._until_answered("/api/do", one if one["do"] == "comment" else one | {"base": base})
        if "event" in told:
            self.done[one["key"]] = told["event"]
        else:
            self.refused[one["key"]] = told["code"]
        self.heard.release()
        is_edited = told.get("event", {}).get("event") == "edited"
        return int(told["event"]["number"]) if is_edited else base

    def _until_answered(self, path: str, body: object = None) -> dict[str, Any]:
        end = time.monotonic() + 30
        while True:
            try:
                return self.server.ask(self.name, path, body)
            except LOST:
                assert time.monotonic() < end, "the server stays away"
                time.sleep(0.02)


@pytest.mark.timeout(1200)
def test_many_reviewers_and_kills(tmp_path: Path) -> None:
    file, folder = tmp_path / "sessions.jsonl", tmp_path / "review"
    shutil.copy(MINI_FILE, file)
    server = KilledServer(file, folder)
    names = list(open_originals(file, "en").tasks)[: sized(4, 12)]
    assert "event" in server.ask(PEOPLE[0], "/api/do", {"do": "assign", "sessions": {names[0]: PEOPLE[1:3]}})
    started, people = time.monotonic(), list[Reviewer]()
    while not people or (LONG and time.monotonic() - started < SECONDS):
        people += at_once(server, names, len(people) // len(PEOPLE))
    told = seen(server, names)
    server.kill()
    server.start()
    assert seen(server, names) == told, "the journal says it all"
    server.kill()
    assert file.read_bytes() == MINI_FILE.read_bytes(), "the original file is never changed"
    check_answers(people, folder)
    first, second = (Desk(folder, open_originals(file, "en"), is_read_only=True) for _again in range(2))
    assert summary(first) == summary(second)


def at_once(server: KilledServer, sessions: list[str], turn: int) -> list[Reviewer]:
    """Everybody gives so many commands; whenever some of them were answered, at random, the server is killed."""
    rng, answered = random.Random(turn), threading.Semaphore(0)
    people = [Reviewer(name, turn, server, sessions, answered) for name in PEOPLE]
    for one in people:
        one.start()
    left = COMMANDS * len(people)
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
    lines = [msgspec.json.decode(line) for line in (folder / JOURNAL).read_bytes().splitlines()]
    assert [line["number"] for line in lines] == list(range(1, len(lines) + 1))
    written = [line for line in lines if line.get("key")]
    assert set(Counter(line["key"] for line in written).values()) <= {1}, "a command was done twice"
    done = {key: event for one in people for key, event in one.done.items()}
    refused = {key: code for one in people for key, code in one.refused.items()}
    assert {line["key"]: line for line in written} == done, "something is lost, or happened that was refused"
    assert done.keys() | refused.keys() == {key for one in people for key in one.given}
    assert set(refused.values()) <= {"stale", "refused", "forbidden"}


def seen(server: KilledServer, sessions: list[str]) -> object:
    """What everybody sees of every session."""
    return [server.ask(name, f"/api/session?id={session}") for name in PEOPLE[:3] for session in sessions]
