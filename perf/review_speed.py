"""A review of 2,000 sessions: from the command to the first answer, the queue, a session, and a long journal.

    python perf/review_speed.py [--sessions 2000] [--events 50000]

The sessions are a demonstration's, over and over, each time with other ids. Targets: the server answers within two
seconds over what `toolgauge generate --demo` makes; the queue, a session and an edit within 50 ms each. Beside the time
until the first answer stand its processor seconds, and how many times those of a starlette application of one line it
takes: on a machine that others use too these say more.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.request import HTTPCookieProcessor, OpenerDirector, Request, build_opener

import msgspec

import toolgauge
from scales import resident_megabytes
from toolgauge.review.desk import Desk
from toolgauge.review.events import AnyEvent, Commented, Decided, Opened, Outcome, PersonAdded, Place
from toolgauge.review.store import JOURNAL, Originals, open_originals

PATHS = "single,multi,clarify,chat; multi,single,chat,clarify; clarify,multi,multi,single; chat,single,single,multi"


def repeated(source: Path, target: Path, count: int) -> Path:
    """A file of so many sessions."""
    records = [json.loads(line) for line in source.read_text(encoding="utf-8").splitlines()]
    with target.open("w", encoding="utf-8") as file:
        for number in range(count):
            file.write(json.dumps(records[number % len(records)] | {"id": f"session-{number}"}) + "\n")
    return target


TRIVIAL = """
import socket, uvicorn
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

async def page(request): return Response("")

listener = socket.create_server(("127.0.0.1", 0))
print(f"http://127.0.0.1:{listener.getsockname()[1]}/", flush=True)
app = Starlette(routes=[Route("/", page)])
uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])
"""
"""The least that there is to start."""


def started(command: list[str], browser: OpenerDirector) -> tuple[subprocess.Popen[str], str, float, float]:
    """A server that has answered once, its link, and how long that took: in seconds, and of its processor."""
    begun = time.perf_counter()
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert server.stdout is not None
    link = server.stdout.readline().split()[-1]
    browser.open(link).read()
    return server, link, time.perf_counter() - begun, processor_seconds(server.pid)


def processor_seconds(process: int) -> float:
    """Of a process so far (Linux; nan elsewhere)."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return math.nan
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def served(place: Path) -> None:
    """What a browser waits for."""
    browser = build_opener(HTTPCookieProcessor())
    least, _link, _took, least_spent = started([sys.executable, "-c", TRIVIAL], browser)
    with least:
        least.terminate()
    command = [sys.executable, "-m", "toolgauge", "review", str(place), "--port", "0"]
    server, link, took, spent = started(command, browser)
    with server:
        print(f"{place.name}: first answer after {took:.2f} s, {spent:.2f} s of the processor, ", end="")
        print(f"{spent / least_spent:.1f}x the least")
        base = link.partition("/enter")[0]
        queue, first = timed(browser, f"{base}/api/queue"), timed(browser, f"{base}/api/queue")
        ids = [one["id"] for one in json.loads(browser.open(f"{base}/api/queue").read())["sessions"]][:200:4]
        each = [timed(browser, f"{base}/api/session?id={name}") for name in ids]
        edits = [edited(browser, base, name) for name in ids]
        print(f"queue {min(queue, first) * 1e3:.0f} ms, session {statistics.median(each) * 1e3:.0f} ms, ", end="")
        print(f"at most {max(each) * 1e3:.0f} ms; edit {statistics.median(edits) * 1e3:.0f} ms, ", end="")
        print(f"at most {max(edits) * 1e3:.0f} ms; {resident_megabytes(server.pid):.0f} MB")
        server.terminate()


def timed(browser: OpenerDirector, address: str) -> float:
    begun = time.perf_counter()
    browser.open(address).read()
    return time.perf_counter() - begun


def edited(browser: OpenerDirector, base: str, name: str) -> float:
    """The time of an edit: somebody rewords the first task of a session."""
    page = browser.open(f"{base}/").read().decode()
    proof = page.partition('data-proof="')[2].partition('"')[0]
    edit = {"edit": "utterance", "task": 0, "text": "Said otherwise."}
    version = json.loads(browser.open(f"{base}/api/session?id={name}").read())["version"]
    command = {"do": "edit", "session": name, "base": version, "edits": [edit]}
    headers = {"Content-Type": "application/json", "x-toolgauge-proof": proof}
    request = Request(f"{base}/api/do", json.dumps(command).encode(), headers)
    begun = time.perf_counter()
    browser.open(request).read()
    return time.perf_counter() - begun


def write_journal(folder: Path, originals: Originals, count: int) -> None:
    """Decisions and comments of a long review."""
    folder.mkdir()
    names = list(originals.tasks)
    events: list[AnyEvent] = [
        Opened(number=1, file=originals.file.name, sha256=originals.sha256, language=originals.language),
        PersonAdded(number=2, name="Ada", is_lead=True),
    ]
    for number in range(3, count + 1):
        told: dict[str, Any] = {
            "number": number,
            "who": "Ada",
            "key": f"{number:032}",
            "session": names[number % len(names)],
        }
        if number % 2:
            events.append(Commented(**told, place=Place(), text="Where does this value come from?"))
        else:
            events.append(Decided(**told, base=0, outcome=Outcome.APPROVED, tasks=4))
    (folder / JOURNAL).write_bytes(b"".join(msgspec.json.encode(one) + b"\n" for one in events))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sessions", type=int, default=2000)
    parser.add_argument("--events", type=int, default=50_000)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        toolgauge.generate("builtin/oracle", paths=PATHS, out=folder / "demo")
        served(folder / "demo")
        many = repeated(folder / "demo" / "sessions.jsonl", folder / "many.jsonl", asked.sessions)
        served(many)
        originals = open_originals(many)
        write_journal(folder / "long", originals, asked.events)
        before, begun = resident_megabytes(), time.perf_counter()
        with closing(Desk(folder / "long", originals)) as desk:
            took = time.perf_counter() - begun
            more = resident_megabytes() - before
            print(f"journal of {desk.state.number:,} events: {took:.1f} s, {more:.0f} MB")


if __name__ == "__main__":
    main()
