"""A review of 2,000 sessions: from the command to the first answer, the queue, a session, and a long journal.

    python benchmarks/review_speed.py [--sessions 2000] [--events 100000]

The sessions are a demonstration's, over and over, each time with other ids. Targets: the server answers within two
seconds over what `toolgauge generate --demo` makes, the queue within one, a session within 200 ms.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.request import HTTPCookieProcessor, OpenerDirector, build_opener

import msgspec

import toolgauge
from scales import resident_megabytes
from toolgauge.review.desk import Desk
from toolgauge.review.events import AnyEvent, Commented, Decided, Opened, Outcome, PersonAdded, Place
from toolgauge.review.journal import JOURNAL
from toolgauge.review.originals import Originals, open_originals

PATHS = "single,multi,clarify,chat; multi,single,chat,clarify; clarify,multi,multi,single; chat,single,single,multi"


def repeated(source: Path, target: Path, count: int) -> Path:
    """A file of so many sessions."""
    records = [json.loads(line) for line in source.read_text(encoding="utf-8").splitlines()]
    with target.open("w", encoding="utf-8") as file:
        for number in range(count):
            file.write(json.dumps(records[number % len(records)] | {"id": f"session-{number}"}) + "\n")
    return target


def served(place: Path) -> None:
    """What a browser waits for."""
    begun = time.perf_counter()
    command = [sys.executable, "-m", "toolgauge", "review", str(place), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        assert server.stdout is not None
        link = server.stdout.readline().split()[-1]
        browser = build_opener(HTTPCookieProcessor())
        browser.open(link).read()
        print(f"{place.name}: first answer after {time.perf_counter() - begun:.2f} s")
        base = link.partition("/enter")[0]
        queue, first = timed(browser, f"{base}/api/queue"), timed(browser, f"{base}/api/queue")
        ids = [one["id"] for one in json.loads(browser.open(f"{base}/api/queue").read())["sessions"]][:200:4]
        each = [timed(browser, f"{base}/api/session?id={name}") for name in ids]
        print(f"queue {min(queue, first) * 1e3:.0f} ms, session {statistics.median(each) * 1e3:.0f} ms, ", end="")
        print(f"at most {max(each) * 1e3:.0f} ms")
        server.terminate()


def timed(browser: OpenerDirector, address: str) -> float:
    begun = time.perf_counter()
    browser.open(address).read()
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
    parser.add_argument("--events", type=int, default=100_000)
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
