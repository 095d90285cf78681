"""Reviewers at a real server that is killed under them: what a browser does (`web/desk.js`), without the browser.

A reviewer gives commands, some before the one before them was heard, keeps them until they were answered, and sends
those again whose connection was lost. Afterwards everybody can say what they were told.
"""

from __future__ import annotations

import http.client
import random
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import msgspec

from tests.end_to_end.playing import command, start
from toolgauge.review.access import PROOF, cookie_name, proof, read_links
from toolgauge.review.store import JOURNAL

Json = dict[str, Any]
LOST = (OSError, http.client.HTTPException, ValueError)
"""Nobody answered, or not to the end."""
PATIENCE = 30.0
"""Seconds without any server, which only end a broken test."""


class KilledServer:
    """`toolgauge review` in a process of its own, as often as it is needed."""

    def __init__(self, file: Path, folder: Path, names: list[str]) -> None:
        self.folder, self.kills = folder, 0
        reviewers = [part for name in names for part in ("--reviewer", name)]
        self._command = command("review", file, "--language", "en", "--out", folder, "--port", 0, *reviewers)
        self._process: subprocess.Popen[str] | None = None
        self.address = ""
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
        assert self._process is not None
        self._process.kill()
        self._process.communicate()
        self.kills += 1

    def ask(self, name: str, path: str, body: bytes | None = None) -> Json:
        """What it answers somebody. Raises one of LOST."""
        token = self.tokens[name]
        headers = {"Cookie": f"{cookie_name(self.folder)}={token}", PROOF: proof(token)}
        connection = http.client.HTTPConnection(self.address, timeout=10)
        try:
            connection.request(
                "GET" if body is None else "POST", path, body, headers | {"Content-Type": "application/json"}
            )
            answer = connection.getresponse()
            told: Json = msgspec.json.decode(answer.read())
        finally:
            connection.close()
        if answer.status == 401:
            raise ConnectionError("the port is another server's by now")
        return told


class Reviewer(threading.Thread):
    """Somebody who edits, decides and comments, `count` commands in all. turn: tells keys and draws of several turns
    apart. given: keys of the commands; done: what was answered to those that happened; refused: the code of the others;
    repeated: how often something was asked again; error: what ended the thread before its time."""

    def __init__(
        self, name: str, turn: int, server: KilledServer, sessions: list[str], count: int, heard: Callable[[], object]
    ) -> None:
        super().__init__(name=name, daemon=True)
        self.server, self.sessions, self.count, self.heard = server, sessions, count, heard
        self.turn, self.rng = turn, random.Random(f"{name}/{turn}")
        self.given: list[str] = []
        self.done: dict[str, Json] = {}
        self.refused: dict[str, str] = {}
        self.repeated = 0
        self.error: BaseException | None = None
        self._led: dict[str, int] = {}

    def run(self) -> None:
        try:
            self._work()
        except BaseException as error:
            self.error = error
            self.heard()
            raise

    def _work(self) -> None:
        while len(self.given) < self.count:
            session = self.rng.choice(self.sessions)
            seen = self._until_answered(f"/api/session?id={quote(session)}")
            if "tasks" not in seen:
                continue  # others review it
            some = min(self.rng.randint(1, 3), self.count - len(self.given))
            outbox = [self._command(session, seen) for _unused in range(some)]
            for follows, one in enumerate(outbox):
                self._send(one, bool(follows))

    def _command(self, session: str, seen: Json) -> Json:
        key = f"{self.name}/{self.turn}/{len(self.given)}"
        self.given.append(key)
        about = {"key": key, "session": session, "base": seen["version"]}
        task = self.rng.randrange(len(seen["tasks"]))
        match self.rng.randrange(6):
            case 0:
                return about | {"do": "decide", "outcome": self.rng.choice(["approved", "rejected", "open"])}
            case 1:
                return {"do": "comment", "key": key, "session": session, "text": f"What of {key}?"}
            case 2:
                return about | {"do": "undo"}
            case _:
                return about | {"do": "edit", "edits": [{"edit": "utterance", "task": task, "text": f"Words of {key}"}]}

    def _send(self, one: Json, follows: bool) -> None:
        if follows and "base" in one and one["session"] in self._led:
            one = one | {"base": self._led[one["session"]]}
        told = self._until_answered("/api/do", msgspec.json.encode(one))
        if "event" in told:
            self.done[one["key"]] = told["event"]
            if told["event"]["event"] == "edited":
                self._led[one["session"]] = told["event"]["number"]
        else:
            self.refused[one["key"]] = told["code"]
        self.heard()

    def _until_answered(self, path: str, body: bytes | None = None) -> Json:
        end = time.monotonic() + PATIENCE
        while True:
            try:
                return self.server.ask(self.name, path, body)
            except LOST:
                assert time.monotonic() < end, "the server stays away"
                self.repeated += 1
                time.sleep(0.02)


def lines_of(folder: Path) -> list[Json]:
    """The journal as it stands on the disk."""
    return [msgspec.json.decode(line) for line in (folder / JOURNAL).read_bytes().splitlines()]
