"""Who takes part and who reviews what; opinions of several people; what others may not see of them."""

from __future__ import annotations

import random
from contextlib import suppress
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.review.conftest import OpenDesk, fresh_desk
from tests.review.test_desk import FIRST, SECOND, decide, edit, record_of
from tests.sizes import sized
from toolgauge.review import commands
from toolgauge.review.access import digest
from toolgauge.review.commands import SetArguments, SetType
from toolgauge.review.desk import Desk
from toolgauge.review.events import Forbidden, Outcome, PersonAdded, Refused
from toolgauge.review.figures import DECISION, EDGE, TYPE, Agreements, given_opinions, progress
from toolgauge.review.handling import do
from toolgauge.review.state import SessionStatus
from toolgauge.review.views import conflict_view, opinion_view, opinions_view, team_view


def joined(desk: Desk, *names: str) -> None:
    for name in names:
        desk.happen(PersonAdded(name=name, token_sha256=digest(name)))


def assign(desk: Desk, *reviewers: str, session: str = FIRST) -> None:
    do(desk, "Ada", commands.Assign(sessions={session: reviewers}))


def test_a_role_changes_and_the_link_stays(open_desk: OpenDesk) -> None:
    desk = open_desk()
    do(desk, "Ada", commands.SetRole(name="Bo", is_lead=True))
    bo = desk.state.people["Bo"]
    assert (bo.is_lead, bo.token_sha256) == (True, digest("Bo"))
    for command in (
        commands.SetRole(name="Ada", is_lead=False),
        commands.RemovePerson(name="Ada"),
        commands.SetRole(name="nobody", is_lead=True),
        commands.AddPerson(name=" Di", token="x" * 20),
        commands.AddPerson(name="D\u202ei", token="x" * 20),
        commands.AddPerson(name="Di", token="Bo"),
    ):
        with pytest.raises(Refused):
            do(desk, "Ada", command)
    do(desk, "Ada", commands.AddPerson(name="Ada", token="another of Ada, new"))
    assert desk.state.people["Ada"].is_lead, "a new link of one's own takes no role away"


def test_taking_a_reviewer_away_loses_no_work(open_desk: OpenDesk) -> None:
    desk = open_desk()
    assign(desk, "Bo", "Cy")
    edit(desk, "as Bo has it", "Bo")
    with pytest.raises(Refused):
        assign(desk)
    with pytest.raises(Refused):
        assign(desk, "Ada")
    assign(desk, "Bo")
    assert record_of(desk)["english_tasks"][0] == "as Bo has it"  # type: ignore[index]
    decide(desk, "Bo", FIRST)
    with pytest.raises(Refused):
        assign(desk, "Bo", "Cy")


def test_three_opinions(open_desk: OpenDesk) -> None:
    desk = open_desk()
    joined(desk, "Di")
    assign(desk, "Bo", "Cy", "Di")
    for name, outcome in (("Bo", Outcome.APPROVED), ("Cy", Outcome.APPROVED), ("Di", Outcome.REJECTED)):
        assert desk.session(FIRST).status is not SessionStatus.CONFLICT
        decide(desk, name, FIRST, outcome)
    assert desk.session(FIRST).status is SessionStatus.CONFLICT
    do(desk, "Ada", commands.Settle(session=FIRST, base=0, chosen="Cy"))
    assert desk.session(FIRST).status is SessionStatus.APPROVED
    (decisions, *_rest) = Agreements(desk).measure(given_opinions(desk.state))
    assert decisions.on == DECISION
    assert decisions.all.observed == pytest.approx(1 / 3)


def test_a_conflict_is_taken_and_edited_on(open_desk: OpenDesk) -> None:
    desk = open_desk()
    assign(desk, "Bo", "Cy")
    edit(desk, "as Bo has it", "Bo")
    decide(desk, "Bo", FIRST)
    decide(desk, "Cy", FIRST)
    ada, bo = desk.state.people["Ada"], desk.state.people["Bo"]
    found = conflict_view(desk, ada, FIRST)
    assert [one["who"] for one in found["opinions"]] == ["Bo", "Cy"]
    assert (found["differences"][0][0].place.task, found["differences"][0][0].old) == (0, "as Bo has it")
    assert opinion_view(desk, ada, FIRST, "Bo")["tasks"][0]["utterance"] == "as Bo has it"
    with pytest.raises(Forbidden):
        conflict_view(desk, bo, FIRST)
    with pytest.raises(Forbidden):
        opinion_view(desk, bo, FIRST, "Cy")
    base = desk.session(FIRST).copies["Bo"].version
    do(desk, "Ada", commands.Settle(session=FIRST, base=base, chosen="Bo", is_final=False))
    assert desk.session(FIRST).status is SessionStatus.IN_WORK
    edit(desk, "as Ada has it", "Ada")
    decide(desk, "Ada", FIRST)
    assert desk.session(FIRST).status is SessionStatus.APPROVED
    assert desk.session(FIRST).hands == {"Ada", "Bo", "Cy"}
    assert sum(len(one.all_given) for one in open_desk().state.sessions.values()) == 1


def test_agreement_on_kinds_and_edges(open_desk: OpenDesk) -> None:
    """Against what was planted: of all opinions one differs in a kind, one in an argument, which neither measures."""
    desk = open_desk()
    names = list(desk.state.sessions)[:8]
    for name in names:
        assign(desk, "Bo", "Cy", session=name)
    kind = next(
        kind for kind in ("chat", "clarify") if kind != desk.read(FIRST, desk.copy_of("Bo", FIRST)).tasks[1].type
    )
    do(desk, "Bo", commands.Edit(session=FIRST, base=0, edits=(SetType(task=1, type=kind),)))  # type: ignore[arg-type]
    call = next(
        (task.index, call.index)
        for task in desk.read(SECOND, desk.copy_of("Cy", SECOND)).tasks
        for call in task.calls
        if call.is_tool
    )
    changed = SetArguments(task=call[0], call=call[1], arguments={"else": 1})
    do(desk, "Cy", commands.Edit(session=SECOND, base=0, edits=(changed,)))
    for name in names:
        for who in ("Bo", "Cy"):
            decide(desk, who, name)
    found = {one.on: one.all for one in Agreements(desk).measure(given_opinions(desk.state))}
    tasks = sum(desk.session(name).common.tasks for name in names)
    assert (found[DECISION].items, found[DECISION].observed, found[DECISION].kappa) == (8, 1.0, None)
    assert found[TYPE].items == tasks
    assert found[TYPE].observed == pytest.approx((tasks - 1) / tasks)
    kappa = found[TYPE].kappa
    assert kappa is not None
    assert kappa < 1
    assert found[EDGE].kappa == 1


def test_progress_counts_who_did_what(open_desk: OpenDesk) -> None:
    desk = open_desk()
    edit(desk, "one", "Bo")
    edit(desk, "two", "Bo")
    decide(desk, "Bo", FIRST)
    decide(desk, "Cy", SECOND, Outcome.REJECTED)
    told = progress(desk.state)
    people = told["people"]
    assert (people["Bo"].edits, people["Bo"].approved, people["Cy"].rejected) == (2, 1, 1)
    assert told["approved_tasks"] == desk.session(FIRST).common.tasks
    assert told["edits"] == {0: len(desk.state.sessions) - 1, 2: 1}
    assert sum(one.edits for one in told["days"].values()) == 2


def test_blind_work_is_shown_to_nobody_else(open_desk: OpenDesk) -> None:
    desk = open_desk()
    assign(desk, "Bo", "Cy")
    decide(desk, "Bo", FIRST)
    ada, bo = desk.state.people["Ada"], desk.state.people["Bo"]
    assert [one["decided"] for one in opinions_view(desk, ada, [])["waiting"]] == [["Bo"]]
    decide(desk, "Cy", FIRST, Outcome.REJECTED)
    assert [one["may_settle"] for one in opinions_view(desk, ada, [])["conflicts"]] == [True]
    told = opinions_view(desk, bo, [])
    assert (told["waiting"], told["conflicts"], told["agreement"]) == ([], [], None)
    with pytest.raises(Forbidden):
        team_view(desk, bo)


@settings(max_examples=sized(15, 300), deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abcde"), st.integers(0, 2**32)), max_size=20))
def test_assignments_never_hide_work(steps: list[tuple[str, int]]) -> None:
    """Whoever is assigned may open a session, whatever was assigned, edited, decided and settled before."""
    people = ("Ada", "Bo", "Cy")
    with fresh_desk() as desk:
        session = desk.session(FIRST)
        for kind, seed in steps:
            with suppress(Refused, Forbidden):
                drawn_step(desk, kind, random.Random(seed))
            for name in session.reviewers if session.is_blind else people:
                copy = desk.copy_of(name, FIRST)
                assert desk.read(FIRST, copy)
                assert all(one.number < other.number for one, other in pairwise(copy.edits))


def drawn_step(desk: Desk, kind: str, draw: random.Random) -> None:
    """Something that somebody does, or tries to."""
    people = ("Ada", "Bo", "Cy")
    who, session = draw.choice(people), desk.session(FIRST)
    if kind == "a":
        assign(desk, *draw.sample(people, draw.randrange(4)))
    elif kind == "b":
        edit(desk, f"{who} {draw.random()}", who)
    elif kind == "c":
        decide(desk, who, FIRST, draw.choice(list(Outcome)))
    elif kind == "d":
        chosen = draw.choice(people)
        base = session.copies[chosen].version if chosen in session.copies else 0
        do(desk, who, commands.Settle(session=FIRST, base=base, chosen=chosen, is_final=draw.random() < 0.5))
    else:
        do(desk, "Ada", commands.HandOver(name=who, to=tuple(one for one in people if one != who)))
