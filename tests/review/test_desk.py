"""The desk: what people ask for happens once, wholly or not at all, and the journal alone says what happened."""

from __future__ import annotations

import random
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.review.conftest import PEOPLE, OpenDesk
from tests.sizes import sized
from toolgauge.data.session import Reference, TaskType
from toolgauge.errors import StoreError
from toolgauge.review import commands
from toolgauge.review.desk import Desk
from toolgauge.review.events import Edited, Fault, Forbidden, Outcome, Refused, Stale
from toolgauge.review.handling import do
from toolgauge.review.rounds import rounds_report
from toolgauge.review.state import ReviewState, SessionStatus
from toolgauge.review.store import JOURNAL, read_journal

FIRST, SECOND = "mini_0", "mini_1"


def utterance(text: str, task: int = 0) -> tuple[commands.AnyEdit, ...]:
    return (commands.SetUtterance(task=task, text=text),)


def edit(desk: Desk, text: str, who: str = "Ada", session: str = FIRST, task: int = 0, key: str = "") -> Edited:
    base = desk.copy_of(who, session).version
    event = do(desk, who, commands.Edit(session=session, base=base, edits=utterance(text, task), key=key))
    assert isinstance(event, Edited)
    return event


def decide(desk: Desk, who: str, session: str, outcome: Outcome = Outcome.APPROVED, tasks: int | None = None) -> None:
    base = desk.copy_of(who, session).version
    do(desk, who, commands.Decide(session=session, base=base, outcome=outcome, tasks=tasks))


def record_of(desk: Desk, session: str = FIRST, who: str = "Ada") -> dict[str, object]:
    return desk.record(session, desk.copy_of(who, session))


def test_an_edit_is_kept_with_old_and_new(open_desk: OpenDesk) -> None:
    desk = open_desk()
    before = record_of(desk)
    event = edit(desk, "What is it like outside?")
    assert [
        (one.pointer, msgspec.json.decode(msgspec.json.encode(one.new)))
        for one in event.changes
        if "tasks" in one.pointer
    ] == [("/english_tasks/0", "What is it like outside?")]
    assert event.touched[0] == 0  # later calls lose what the words were the source of
    again = open_desk()
    assert record_of(again)["english_tasks"][0] == "What is it like outside?"  # type: ignore[index]
    assert again.originals.record(FIRST) == before


def test_the_same_key_happens_once(open_desk: OpenDesk) -> None:
    desk = open_desk()
    first = edit(desk, "one", key="k1")
    command = commands.Edit(session=FIRST, base=0, edits=utterance("two"), key="k1")
    assert do(open_desk(), "Ada", command) == first


def test_nobody_overwrites_what_they_did_not_see(open_desk: OpenDesk) -> None:
    desk = open_desk()
    made = edit(desk, "Ada's words")
    with pytest.raises(Stale) as stale:
        do(desk, "Bo", commands.Edit(session=FIRST, base=0, edits=utterance("Bo's words")))
    assert stale.value.version == made.number
    assert record_of(desk)["english_tasks"][0] == "Ada's words"  # type: ignore[index]


def test_an_approval_holds_for_what_was_approved(open_desk: OpenDesk) -> None:
    desk = open_desk()
    tasks = desk.session(FIRST).common.tasks
    decide(desk, "Bo", FIRST)
    assert desk.session(FIRST).status is SessionStatus.APPROVED
    edit(desk, "else", task=tasks - 1)
    assert desk.session(FIRST).status is SessionStatus.IN_WORK
    assert desk.session(FIRST).common.approved == tasks - 1
    decide(desk, "Bo", FIRST)
    assert desk.session(FIRST).status is SessionStatus.APPROVED


def test_rounds_go_on_until_one_finds_nothing(open_desk: OpenDesk) -> None:
    desk = open_desk()
    names = list(desk.state.sessions)[:6]
    for name in names:
        decide(desk, "Bo", name)
    draw = commands.DrawRound(share=0.5, seed=3, inspectors=("Bo", "Cy"))
    with pytest.raises(Forbidden):
        do(desk, "Bo", draw)
    do(desk, "Ada", draw)
    drawn = desk.state.rounds[0].drawn.inspectors
    assert set(drawn.values()) == {"Cy"}
    assert len(drawn) == 3
    wrong, *clean = drawn
    fault = Fault(kind="reply")
    do(desk, "Cy", commands.Inspect(session=wrong, base=0, faults=(fault,)))
    with pytest.raises(Refused):
        do(desk, "Ada", draw)
    for name in clean:
        do(desk, "Cy", commands.Inspect(session=name, base=0))
    assert rounds_report(desk.state).rounds[0].to_mend == [wrong]
    with pytest.raises(Refused, match="not fixed yet"):
        do(desk, "Ada", draw)
    edit(desk, "better", "Bo", wrong)
    decide(desk, "Bo", wrong)
    do(desk, "Ada", draw)
    second = desk.state.rounds[1].drawn.inspectors
    assert not second.keys() & drawn.keys()
    for name in second:
        do(desk, "Cy", commands.Inspect(session=name, base=0))
    told = rounds_report(desk.state)
    assert told.is_over
    assert (told.seen, told.total) == (6, 6)
    assert [one.faulty for one in told.rounds] == [1, 0]


COMMANDS = st.lists(st.tuples(st.sampled_from(PEOPLE), st.integers(0, 2**32)), max_size=40)


def drawn_command(desk: Desk, who: str, draw: random.Random) -> commands.AnyCommand:
    """Any command, mostly one that fits."""
    session = draw.choice([FIRST, SECOND])
    copies = [one.version for one in desk.session(session).copies.values()]
    base = draw.choice([*copies, *copies, 0, 7])
    task = draw.randrange(5)
    kind = draw.randrange(9)
    if kind < 3:
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
        return commands.Edit(session=session, base=base, edits=(draw.choice(changed),))
    others: list[commands.AnyCommand] = [
        commands.Undo(session=session, base=base),
        commands.Decide(session=session, base=base, outcome=draw.choice(list(Outcome)), tasks=draw.choice([None, 1])),
        commands.Comment(session=session, text="why?", answers=draw.choice([None, None, 3])),
        commands.Resolve(session=session, comment=draw.randrange(30)),
        commands.Settle(session=session, base=base, chosen=draw.choice(PEOPLE)),
        commands.Assign(sessions={session: tuple(draw.sample(PEOPLE, draw.randrange(3)))}),
        commands.DrawRound(share=1.0, seed=draw.randrange(9)),
        commands.Inspect(session=session, base=base, faults=tuple([Fault(kind="x")] * draw.randrange(2))),
    ]
    return draw.choice(others)


def known(state: ReviewState) -> bytes:
    told = [state.number, state.sessions, state.people, state.rounds, state.keys]
    return msgspec.json.encode(told)


def summary(desk: Desk) -> object:
    """All that a review knows."""
    state = desk.state
    records = {
        (name, owner): desk.record(name, copy)
        for name, one in state.sessions.items()
        for owner, copy in one.copies.items()
        if copy.edits
    }
    return known(state), records


@settings(max_examples=sized(30, 600), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(COMMANDS)
def test_the_journal_replays_to_the_same_state(open_desk: OpenDesk, said: list[tuple[str, int]]) -> None:
    desk = open_desk()
    stood = {desk.state.number: known(desk.state)}
    for who, seed in said:
        number = desk.state.number
        try:
            do(desk, who, drawn_command(desk, who, random.Random(seed)))
        except (Refused, Forbidden, Stale):
            assert desk.state.number == number, "what is refused has not happened"
        for name in (FIRST, SECOND):
            for copy in desk.session(name).copies.values():
                desk.read(name, copy)  # every copy is a session at any time
        stood[desk.state.number] = known(desk.state)
    told = summary(desk)
    assert summary(open_desk()) == told
    state = ReviewState(desk.originals.tasks)
    for event in read_journal(desk.folder):
        state.apply(event)
        assert stood.pop(event.number, known(state)) == known(state), "a journal that ends here says what was so then"
    assert not stood


def test_a_torn_journal_loses_what_nobody_was_told(open_desk: OpenDesk, tmp_path: Path) -> None:
    desk = open_desk()
    edit(desk, "kept")
    told = summary(desk)
    path = tmp_path / "review" / JOURNAL
    path.write_bytes(path.read_bytes() + b'{"event":"edited","number":9')
    assert summary(open_desk()) == told


@pytest.mark.parametrize(
    "line", [b"{}", b'{"event":"edited"}', b'{"event":"personadded","number":99,"name":"x"}', b"no"]
)
def test_a_damaged_journal_is_refused(open_desk: OpenDesk, tmp_path: Path, line: bytes) -> None:
    open_desk()
    path = tmp_path / "review" / JOURNAL
    path.write_bytes(path.read_bytes() + line + b"\n")
    with pytest.raises(StoreError):
        open_desk()
