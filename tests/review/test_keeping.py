"""What the journal keeps, and does not: everything that is in it can be read again, and has happened."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from tests.review.conftest import OpenDesk
from tests.review.test_desk import FIRST, decide, edit, summary
from toolgauge.benchmarks.dialogues.benchmark import MINI_FILE
from toolgauge.errors import StoreError, ToolgaugeError
from toolgauge.review import commands
from toolgauge.review.access import LINKS, write_links
from toolgauge.review.desk import Desk
from toolgauge.review.events import PersonAdded, Refused, Settled
from toolgauge.review.handling import complete, do
from toolgauge.review.state import SessionStatus
from toolgauge.review.store import JOURNAL, open_originals


def test_what_the_disk_may_have_lost_has_not_happened(open_desk: OpenDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = open_desk()
    told = summary(desk)

    def fails(_descriptor: int) -> None:
        raise OSError(errno.EIO, "input/output error")

    with monkeypatch.context() as broken:
        broken.setattr(os, "fsync", fails)
        with pytest.raises(StoreError):
            edit(desk, "lost", key="k")
    assert summary(desk) == told
    edit(desk, "kept", key="k")
    told = summary(desk)
    assert summary(open_desk()) == told


def test_a_full_disk_loses_nothing_that_was_answered(open_desk: OpenDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes half of a line, and then nothing; what was cut short is not in the way of what comes later."""
    desk = open_desk()
    edit(desk, "kept", key="before")
    told, write, taken = summary(desk), os.pwrite, [40]

    def full(descriptor: int, data: bytes, place: int) -> int:
        if not taken:
            raise OSError(errno.ENOSPC, "no space left on device")
        return write(descriptor, data[: taken.pop()], place)

    with monkeypatch.context() as broken:
        broken.setattr(os, "pwrite", full)
        for _again in range(3):
            with pytest.raises(StoreError, match="no space left"):
                edit(desk, "refused", key="k")
        assert summary(desk) == told
    assert summary(open_desk()) == told
    desk = open_desk()
    edit(desk, "taken", key="k")
    told = summary(desk)
    assert summary(open_desk()) == told


@pytest.mark.parametrize("name", ["", "x" * 81, "\udcff"])
def test_what_could_not_be_read_again_is_not_written(open_desk: OpenDesk, name: str) -> None:
    desk = open_desk()
    told = summary(desk)
    with pytest.raises(Refused):
        desk.happen(PersonAdded(name=name))
    assert summary(desk) == told
    assert summary(open_desk()) == told


def test_anybody_may_look_while_it_is_in_use(open_desk: OpenDesk, tmp_path: Path) -> None:
    desk = open_desk()
    edit(desk, "kept")
    with pytest.raises(StoreError):
        Desk(tmp_path / "review", open_originals(MINI_FILE, "en"))
    before = (tmp_path / "review" / JOURNAL).read_bytes()
    seen = Desk(tmp_path / "review", open_originals(MINI_FILE, "en"), is_read_only=True)
    assert summary(seen) == summary(desk)
    with pytest.raises(AssertionError):
        edit(seen, "not from here")
    assert (tmp_path / "review" / JOURNAL).read_bytes() == before
    Desk(tmp_path / "nothing", open_originals(MINI_FILE, "en"), is_read_only=True)
    assert not (tmp_path / "nothing").exists()


def test_what_follows_from_an_event_happens_after_a_kill(open_desk: OpenDesk, tmp_path: Path) -> None:
    desk = open_desk()
    do(desk, "Ada", commands.Assign(sessions={FIRST: ("Bo", "Cy")}))
    for name in ("Bo", "Cy"):
        decide(desk, name, FIRST)
    assert isinstance(desk.state.events[-1], Settled)
    path = tmp_path / "review" / JOURNAL
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]))
    desk = open_desk()
    assert desk.session(FIRST).status is SessionStatus.CONFLICT
    complete(desk)
    assert desk.session(FIRST).status is SessionStatus.APPROVED
    number = desk.state.number
    complete(desk)
    assert desk.state.number == number


def test_nobody_else_can_read_the_links_at_any_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    replace = Path.replace

    def watched(self: Path, target: Path) -> Path:
        seen.append(stat.S_IMODE(self.stat().st_mode))
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", watched)
    (tmp_path / LINKS).write_text("{}")
    (tmp_path / LINKS).chmod(0o644)
    write_links(tmp_path, {"Ada": "secret"})
    assert [*seen, stat.S_IMODE((tmp_path / LINKS).stat().st_mode)] == [0o600, 0o600]


def hostile(folder: Path, kind: str) -> None:
    """A folder of a review as a stranger may send it."""
    journal = folder / JOURNAL
    line = b'{"event":"commented","number":%d,"session":"mini_0","place":{},"text":"x"}\n'
    match kind:
        case "link":
            (folder / "elsewhere").write_bytes(b"")
            journal.symlink_to(folder / "elsewhere")
        case "pipe":
            os.mkfifo(journal)
        case "folder":
            journal.mkdir()
        case "huge line":
            with journal.open("wb") as file:
                file.truncate(70 << 20)
            with journal.open("ab") as file:
                file.write(b"\n" + line % 1)
        case "deep":
            journal.write_bytes(b'{"event":"sessionadded","number":1,"record":' + b"[" * 100_000 + b"\n")
        case "newer":
            journal.write_bytes(b'{"event":"opened","number":1,"version":99,"tag":"?"}\n')
        case "unknown":
            journal.write_bytes(b'{"event":"exploded","number":1}\n')
        case "no session":
            journal.write_bytes(line.replace(b"mini_0", b"../../etc") % 1)
        case "twice":
            journal.write_bytes(line % 1 + line % 1)
        case "own base":
            edited = b'{"event":"edited","number":1,"session":"mini_0","base":1,"changes":[],"tasks":3}\n'
            journal.write_bytes(edited)


KINDS = ("link", "pipe", "folder", "huge line", "deep", "newer", "unknown", "no session", "twice", "own base")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("is_read_only", [True, False])
def test_a_strangers_review_is_refused_in_words(tmp_path: Path, kind: str, is_read_only: bool) -> None:
    folder = tmp_path / "review"
    folder.mkdir()
    hostile(folder, kind)
    with pytest.raises(ToolgaugeError) as refused:
        Desk(folder, open_originals(MINI_FILE, "en"), is_read_only=is_read_only)
    assert str(refused.value)
    assert not (folder / "elsewhere").exists() or not (folder / "elsewhere").read_bytes()
