"""The desk: what people ask for happens once, wholly or not at all, and the journal alone says what happened; also that
of a version before, one that was torn, one that is damaged, and one that a stranger made."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.review.conftest import (
    FIRST,
    PEOPLE,
    SECOND,
    OpenDesk,
    assign,
    decide,
    edit,
    known,
    reword,
    summary,
    words_of,
)
from tests.sizes import sized
from toolgauge.benchmarks.dialogues.benchmark import MINI_FILE
from toolgauge.data.session import Reference, TaskType
from toolgauge.errors import StoreError, ToolgaugeError
from toolgauge.review import commands
from toolgauge.review.desk import Desk
from toolgauge.review.events import Fault, Forbidden, Outcome, PersonAdded, Refused, Settled, Stale
from toolgauge.review.handling import complete, do
from toolgauge.review.state import ReviewState, SessionStatus
from toolgauge.review.store import JOURNAL, open_originals, read_journal
from toolgauge.review.views import session_view


def test_an_edit_is_kept_and_the_original_stays(open_desk: OpenDesk) -> None:
    desk = open_desk()
    before = desk.originals.record(FIRST)
    event = edit(desk, "What is it like outside?", key="k")
    assert ("/english_tasks/0", event.touched[0]) == (event.changes[0].pointer, 0)
    desk = open_desk()
    assert words_of(desk) == "What is it like outside?"
    assert desk.originals.record(FIRST) == before
    again = commands.Edit(session=FIRST, base=0, edits=reword("two"), key="k")
    assert do(desk, "Ada", again) == event, "the same key happens once"
    with pytest.raises(Forbidden):
        do(desk, "Bo", again)


def test_nobody_overwrites_what_they_did_not_see(open_desk: OpenDesk) -> None:
    desk = open_desk()
    made = edit(desk, "Ada's words")
    with pytest.raises(Stale) as stale:
        do(desk, "Bo", commands.Edit(session=FIRST, base=0, edits=reword("Bo's words")))
    assert stale.value.version == made.number
    assert words_of(desk) == "Ada's words"


def test_an_approval_holds_for_what_was_approved(open_desk: OpenDesk) -> None:
    desk = open_desk()
    session = desk.session(FIRST)
    decide(desk, "Bo")
    assert session.status is SessionStatus.APPROVED
    edit(desk, "else", task=session.common.tasks - 1)
    assert (session.status, session.common.approved) == (SessionStatus.IN_WORK, session.common.tasks - 1)
    decide(desk, "Bo")
    assert session.status is SessionStatus.APPROVED


def drawn_command(desk: Desk, who: str, draw: random.Random) -> commands.AnyCommand:
    """Any command, mostly one that fits."""
    session = draw.choice([FIRST, SECOND])
    copies = [one.version for one in desk.session(session).copies.values()]
    base, task = draw.choice([*copies, *copies, 0, 7]), draw.randrange(5)
    changed: list[commands.AnyEdit] = [
        commands.SetUtterance(task=task, text=draw.choice("abc")),
        commands.SetType(task=task, type=draw.choice(list(TaskType))),
        commands.SetReference(task=task, reference=draw.choice(list(Reference))),
        commands.SetArguments(task=task, call=0, arguments={"city": draw.choice("xyz")}),
        commands.SetDependencies(task=task, call=1, after=(draw.randrange(3),)),
        commands.SetResult(task=task, call=0, result=draw.choice(["", "so", 3, None])),
        commands.SetTool(task=task, call=0, name="get_weather"),
        commands.SetAnswer(task=task, call=0, text="Oslo"),
        commands.AddCall(task=task, call=draw.randrange(3), name="f", arguments={}, after=(draw.randrange(2),)),
        commands.RemoveCall(task=task, call=draw.randrange(3)),
    ]
    others: list[commands.AnyCommand] = [
        commands.Undo(session=session, base=base),
        commands.Decide(session=session, base=base, outcome=draw.choice(list(Outcome)), tasks=draw.choice([None, 1])),
        commands.Comment(session=session, text="why?", answers=draw.choice([None, None, 3])),
        commands.Resolve(session=session, comment=draw.randrange(30)),
        commands.Settle(session=session, base=base, chosen=draw.choice(PEOPLE), is_final=draw.random() < 0.5),
        commands.Assign(sessions={session: tuple(draw.sample(PEOPLE, draw.randrange(4)))}),
        commands.HandOver(name=who, to=tuple(one for one in PEOPLE if one != who)),
        commands.DrawRound(share=1.0, seed=draw.randrange(9)),
        commands.Inspect(session=session, base=base, faults=tuple([Fault(kind="x")] * draw.randrange(2))),
    ]
    an_edit = commands.Edit(session=session, base=base, edits=(draw.choice(changed),))
    return an_edit if draw.random() < 0.35 else draw.choice(others)


@settings(max_examples=sized(40, 800), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(said=st.lists(st.tuples(st.sampled_from(PEOPLE), st.integers(0, 2**32)), max_size=40))
def test_whatever_people_do_the_journal_replays_to_the_same_state(
    open_desk: OpenDesk, said: list[tuple[str, int]]
) -> None:
    """And every copy is a session at any time, and open to whoever is to review it: no assignment hides work."""
    desk = open_desk()
    stood = {desk.state.number: known(desk.state)}
    for who, seed in said:
        number = desk.state.number
        try:
            do(desk, who, drawn_command(desk, who, random.Random(seed)))
        except (Refused, Forbidden, Stale):
            assert desk.state.number == number, "what is refused has not happened"
        for session in (desk.session(FIRST), desk.session(SECOND)):
            for copy in session.copies.values():
                desk.read(session.id, copy)
            for name in session.reviewers if session.is_blind else PEOPLE:
                assert desk.copy_of(name, session.id)
        stood[desk.state.number] = known(desk.state)
    told = summary(desk)
    assert summary(open_desk()) == told
    state = ReviewState(desk.originals.tasks)
    for event in read_journal(desk.folder):
        state.apply(event)
        assert stood.pop(event.number, known(state)) == known(state), "a journal that ends here says what was so then"
    assert not stood


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


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of its own with room for one megabyte, where this user may mount one."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", place], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("mounting needs root on Linux")
    yield place
    subprocess.run(["umount", place], check=True)


@pytest.mark.skipif(sys.platform != "linux", reason="tmpfs")
def test_a_disk_that_is_really_full_loses_nothing_that_was_answered(small_disk: Path) -> None:
    originals, done = open_originals(MINI_FILE, "en"), 0
    with closing(Desk(small_disk / "review", originals)) as desk:
        with suppress(StoreError):
            while edit(desk, f"{done} {'so ' * 9000}"):
                done += 1
        assert done > 5
        told = summary(desk)
        with pytest.raises(StoreError, match="space"):
            edit(desk, "once more" + "!" * 40_000)
    with closing(Desk(small_disk / "review", originals)) as desk:
        assert summary(desk) == told


@pytest.mark.parametrize("name", ["", "x" * 81, "\udcff"])
def test_what_could_not_be_read_again_is_not_written(open_desk: OpenDesk, name: str) -> None:
    desk = open_desk()
    told = summary(desk)
    with pytest.raises(Refused):
        desk.happen(PersonAdded(name=name))
    assert summary(desk) == told
    assert summary(open_desk()) == told


def test_anybody_may_look_while_it_is_in_use(open_desk: OpenDesk, tmp_path: Path) -> None:
    desk, originals = open_desk(), open_originals(MINI_FILE, "en")
    edit(desk, "kept")
    with pytest.raises(StoreError):
        Desk(tmp_path / "review", originals)
    before = (tmp_path / "review" / JOURNAL).read_bytes()
    seen = Desk(tmp_path / "review", originals, is_read_only=True)
    assert summary(seen) == summary(desk)
    with pytest.raises(AssertionError):
        edit(seen, "not from here")
    assert (tmp_path / "review" / JOURNAL).read_bytes() == before
    Desk(tmp_path / "nothing", originals, is_read_only=True)
    assert not (tmp_path / "nothing").exists()


def test_what_follows_from_an_event_happens_after_a_kill(open_desk: OpenDesk, tmp_path: Path) -> None:
    """Two opinions that say the same are settled by themselves."""
    desk = open_desk()
    assign(desk, "Bo", "Cy")
    for name in ("Bo", "Cy"):
        decide(desk, name)
    assert isinstance(desk.state.events[-1], Settled)
    path = tmp_path / "review" / JOURNAL
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    desk = open_desk()
    assert desk.session(FIRST).status is SessionStatus.CONFLICT
    for _again in range(2):
        complete(desk)
        assert (desk.session(FIRST).status, desk.state.number) == (SessionStatus.APPROVED, 8)


def test_a_torn_journal_loses_what_nobody_was_told(open_desk: OpenDesk, tmp_path: Path) -> None:
    desk = open_desk()
    edit(desk, "kept")
    told, path = summary(desk), tmp_path / "review" / JOURNAL
    path.write_bytes(path.read_bytes() + b'{"event":"edited","number":9')
    assert summary(open_desk()) == told


BEFORE = Path(__file__).parent / "before"
"""Edits, comments, opinions, a round, people: as the code of 2026-11-28 kept them, and what it made of them."""


def test_a_journal_of_the_version_before_opens(tmp_path: Path) -> None:
    originals = open_originals(MINI_FILE, "en")
    kept = (BEFORE / JOURNAL).read_text(encoding="utf-8")
    sha256 = json.loads(kept.splitlines()[0])["sha256"]
    (tmp_path / JOURNAL).write_text(kept.replace(sha256, originals.sha256), encoding="utf-8")
    told = json.loads((BEFORE / "state.json").read_text(encoding="utf-8"))
    with closing(Desk(tmp_path, originals)) as desk:
        sessions = desk.state.sessions.values()
        assert {one.id: one.status.value for one in sessions if one.last} == told["statuses"]
        assert {one.id: one.common.version for one in sessions if one.common.version} == told["versions"]
        assert {one.id: one.common.approved for one in sessions if one.common.approved} == told["approved"]
        for name, digest in told["records"].items():
            record = json.dumps(desk.record(name, desk.session(name).common), sort_keys=True)
            assert hashlib.sha256(record.encode()).hexdigest()[:16] == digest
        for one in sessions:
            if not one.is_blind:
                session_view(desk, desk.state.people["Ada"], one.id, ())
        number = desk.state.number
        decide(desk, "Ada")
        assert desk.state.number == number + 1


COMMENT = b'{"event":"commented","number":%d,"session":"mini_0","place":{},"text":"x"}\n'
STRANGE: dict[str, bytes] = {
    "no event": b"{}\n",
    "no fields": b'{"event":"edited"}\n',
    "no JSON": b"no\n",
    "a number too far": b'{"event":"personadded","number":99,"name":"x"}\n',
    "deep": b'{"event":"commented","number":1,"place":' + b"[" * 100_000 + b"\n",
    "newer": b'{"event":"opened","number":1,"version":99,"tag":"?"}\n',
    "unknown": b'{"event":"exploded","number":1}\n',
    "no session": COMMENT.replace(b"mini_0", b"../../etc") % 1,
    "twice": COMMENT % 1 + COMMENT % 1,
    "own base": b'{"event":"edited","number":1,"session":"mini_0","base":1,"changes":[],"tasks":3}\n',
    "huge line": b"\0" * (70 << 20) + b"\n" + COMMENT % 1,
}


@pytest.mark.parametrize("kind", [*STRANGE, "link", "pipe", "folder"])
@pytest.mark.parametrize("is_read_only", [True, False])
def test_a_strangers_journal_is_refused_in_words(tmp_path: Path, kind: str, is_read_only: bool) -> None:
    journal, elsewhere = tmp_path / "review" / JOURNAL, tmp_path / "elsewhere"
    journal.parent.mkdir()
    elsewhere.touch()
    match kind:
        case "link":
            journal.symlink_to(elsewhere)
        case "pipe":
            os.mkfifo(journal)
        case "folder":
            journal.mkdir()
        case _:
            journal.write_bytes(STRANGE[kind])
    with pytest.raises(ToolgaugeError) as refused:
        Desk(journal.parent, open_originals(MINI_FILE, "en"), is_read_only=is_read_only)
    assert str(refused.value)
    assert not elsewhere.read_bytes()
