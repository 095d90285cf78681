"""Folders of reviews as a stranger may send them, over the intact data file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import msgspec

from tests.hostile.corpus.item import EVIL, Item, Surroundings, at, change_lines, fifo, folder, link, linked, sparse
from toolgauge.review import commands
from toolgauge.review.commands import SetUtterance
from toolgauge.review.desk import Desk
from toolgauge.review.events import Commented, PersonAdded, Place
from toolgauge.review.handling import do
from toolgauge.review.store import open_originals

DATA = "wildtoolbench.jsonl"


def begun(around: Surroundings) -> None:
    """A review with hostile words in everything that people write."""
    originals = open_originals(around.samples / DATA, "en")
    session = next(iter(originals.tasks))
    with closing(Desk(around.target, originals)) as desk:
        desk.happen(PersonAdded(name=EVIL[:80], is_lead=True, token_sha256="0" * 64))
        edits = (SetUtterance(task=0, text=EVIL),)
        do(desk, EVIL[:80], commands.Edit(session=session, base=0, edits=edits))
        desk.happen(Commented(session=session, place=Place(path=EVIL), text=EVIL))


def items() -> Iterator[Item]:
    def made(name: str, spoil: Callable[[Surroundings], Any], **expected: Any) -> Item:
        def build(around: Surroundings) -> None:
            begun(around)
            spoil(around)

        return Item(f"review-{name}", build, **expected)

    def last(**changed: object) -> Callable[[Surroundings], Any]:
        """One more event."""

        def spoil(around: Surroundings) -> None:
            path = around.target / "journal.jsonl"
            number = len(path.read_bytes().splitlines()) + 1
            with path.open("ab") as file:
                file.write(msgspec.json.encode({"number": number} | changed) + b"\n")

        return spoil

    yield made("evil-words", lambda _around: None)
    for name in ("journal.jsonl", "links.json"):
        yield made(f"link-{name}", linked(name), refused=name[0] == "j")
        yield made(f"fifo-{name}", at(name, fifo), refused=name[0] == "j")
        yield made(f"folder-{name}", at(name, folder), refused=name[0] == "j")
        yield made(f"zeros-{name}", at(name, lambda path: link(path, "/dev/zero")), refused=name[0] == "j")
        yield made(f"gigabyte-{name}", at(name, sparse))
        yield made(f"no-json-{name}", at(name, lambda path: path.write_text("nonsense\n")), refused=name[0] == "j")
    journal = "journal.jsonl"
    yield made("newer", at(journal, lambda path: change_lines(path, lambda old: old | {"version": 99})), refused=True)
    yield made("numbers", at(journal, lambda path: change_lines(path, lambda old: old | {"number": 1})), refused=True)
    yield made("unknown-event", last(event="exploded"), refused=True)
    yield made("evil-event", last(event=EVIL), refused=True)
    yield made("no-session", last(event="commented", session=EVIL, place={}, text="x"), refused=True)
    yield made("no-round", last(event="inspected", session="x", round=9, base=0), refused=True)
    yield made("own-base", last(event="edited", session="x", base=10**6, changes=[], tasks=10**9), refused=True)
    yield made("evil-session", last(event="sessionadded", record={"id": EVIL, "english_tasks": [EVIL]}))
    yield made("deep-session", _deep)


def _deep(around: Surroundings) -> None:
    path = around.target / "journal.jsonl"
    with path.open("ab") as file:
        file.write(b'{"event":"sessionadded","number":5,"record":{"id":"d","x":' + b"[" * 500 + b"]" * 500)
        file.write(b',"english_tasks":["a"]}}\n')
