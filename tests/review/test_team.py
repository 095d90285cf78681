"""Who takes part and who reviews what; opinions of several people; what others may not see of them."""

from __future__ import annotations

import random
from collections import Counter
from contextlib import suppress
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.review.conftest import Enter, OpenDesk, ask, fresh_desk
from tests.review.test_desk import FIRST, SECOND, decide, edit, record_of
from tests.sizes import sized
from toolgauge.review import commands
from toolgauge.review.desk import Desk
from toolgauge.review.edits import SetArguments, SetType
from toolgauge.review.events import Outcome, PersonAdded, Settled
from toolgauge.review.figures import DECISION, EDGE, TYPE, Agreements, given_opinions, progress
from toolgauge.review.handlers import do
from toolgauge.review.refusals import Forbidden, Refused
from toolgauge.review.server.access import digest
from toolgauge.review.state import SessionStatus
from toolgauge.review.views.lead import team_view
from toolgauge.review.views.opinions import conflict_view, opinion_view, opinions_view


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
        commands.AddPerson(name=" Di", token_sha256=digest("x")),
        commands.AddPerson(name="D\u202ei", token_sha256=digest("x")),
        commands.AddPerson(name="Di", token_sha256=digest("Bo")),
    ):
        with pytest.raises(Refused):
            do(desk, "Ada", command)
    do(desk, "Ada", commands.AddPerson(name="Ada", token_sha256=digest("new")))
    assert desk.state.people["Ada"].is_lead, "a new link of one's own takes no role away"


@settings(max_examples=sized(10, 200), deadline=None)
@given(st.floats(0, 1), st.integers(0, 99), st.integers(2, 4))
def test_sessions_are_given_out_evenly(twice: float, seed: int, opinions: int) -> None:
    with fresh_desk() as desk:
        given_out_evenly(desk, twice, seed, opinions)


def given_out_evenly(desk: Desk, twice: float, seed: int, opinions: int) -> None:
    people = ("Bo", "Cy", "Di", "Ed")
    joined(desk, "Di", "Ed")
    assign(desk, "Bo", session=FIRST)
    do(desk, "Ada", commands.Distribute(reviewers=people, twice=twice, opinions=opinions, seed=seed))
    sessions = desk.state.sessions.values()
    load = Counter(name for one in sessions for name in one.reviewers)
    assert max(load.values()) - min(load.values()) <= 1, "what somebody has already counts"
    several = [one for one in sessions if len(one.reviewers) > 1]
    assert len(several) == round(twice * (len(desk.state.sessions) - 1))
    assert all(len({*one.reviewers}) == opinions and one.is_blind for one in several)


def test_what_somebody_left_undone_goes_to_others(open_desk: OpenDesk) -> None:
    desk = open_desk()
    joined(desk, "Di")
    names = list(desk.state.sessions)
    assign(desk, "Bo", session=names[0])
    assign(desk, "Bo", session=names[1])
    assign(desk, "Bo", "Cy", session=names[2])
    decide(desk, "Bo", names[0])
    edit(desk, "begun", "Bo", names[1])
    edit(desk, "blind", "Bo", names[2])
    do(desk, "Ada", commands.RemovePerson(name="Bo"))
    do(desk, "Ada", commands.HandOver(name="Bo", to=("Di", "Cy")))
    done, begun, blind = (desk.session(name) for name in names[:3])
    assert done.reviewers == ("Bo",), "what is decided stays"
    assert begun.reviewers[0] in ("Cy", "Di")
    assert record_of(desk, names[1])["english_tasks"][0] == "begun"  # type: ignore[index]
    assert blind.reviewers == ("Di", "Cy"), "nobody gives two opinions"
    assert desk.copy_of("Di", names[2]).version == 0, "an opinion begins anew"
    with pytest.raises(Refused):
        do(desk, "Ada", commands.HandOver(name="Bo", to=("Di", "Cy")))


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
    assert [one.people for one in decisions.pairs] == [("Bo", "Cy"), ("Bo", "Di"), ("Cy", "Di")]


@pytest.mark.parametrize("outcome", [Outcome.APPROVED, Outcome.REJECTED])
def test_opinions_that_say_the_same_need_nobody(open_desk: OpenDesk, outcome: Outcome) -> None:
    """Rejected is rejected, whatever was edited before; an edit that was undone by hand is none."""
    desk = open_desk()
    assign(desk, "Bo", "Cy")
    was = str(desk.read(FIRST, desk.copy_of("Bo", FIRST)).tasks[0].utterance)
    edit(desk, "else", "Bo")
    if outcome is Outcome.APPROVED:
        edit(desk, was, "Bo")  # where values come from was found anew: the record may differ
    for name in ("Bo", "Cy"):
        decide(desk, name, FIRST, outcome)
    assert isinstance(desk.state.events[-1], Settled)
    assert desk.session(FIRST).status is SessionStatus(outcome.value)


def test_a_conflict_is_taken_and_edited_on(open_desk: OpenDesk) -> None:
    desk = open_desk()
    assign(desk, "Bo", "Cy")
    edit(desk, "as Bo has it", "Bo")
    decide(desk, "Bo", FIRST)
    decide(desk, "Cy", FIRST)
    ada, bo = desk.state.people["Ada"], desk.state.people["Bo"]
    found = conflict_view(desk, ada, FIRST)
    assert [one.who for one in found.opinions] == ["Bo", "Cy"]
    assert (found.differences[0][0].place.task, found.differences[0][0].old) == (0, "as Bo has it")
    assert opinion_view(desk, ada, FIRST, "Bo").tasks[0].utterance == "as Bo has it"
    for seen in (lambda: conflict_view(desk, bo, FIRST), lambda: opinion_view(desk, bo, FIRST, "Cy")):
        with pytest.raises(Forbidden):
            seen()
    base = desk.session(FIRST).copies["Bo"].version
    do(desk, "Ada", commands.Settle(session=FIRST, base=base, chosen="Bo", is_final=False))
    assert desk.session(FIRST).status is SessionStatus.IN_WORK
    edit(desk, "as Ada has it", "Ada")
    decide(desk, "Ada", FIRST)
    assert desk.session(FIRST).status is SessionStatus.APPROVED
    assert desk.session(FIRST).hands == {"Ada", "Bo", "Cy"}
    assert sum(len(one.all_given) for one in open_desk().state.sessions.values()) == 1


def test_two_people_alone_settle_through_the_lead(open_desk: OpenDesk) -> None:
    desk = open_desk()
    do(desk, "Ada", commands.RemovePerson(name="Cy"))
    assign(desk, "Ada", "Bo")
    decide(desk, "Ada", FIRST)
    decide(desk, "Bo", FIRST, Outcome.REJECTED)
    with pytest.raises(Forbidden):
        do(desk, "Bo", commands.Settle(session=FIRST, base=0, chosen="Bo"))
    do(desk, "Ada", commands.Settle(session=FIRST, base=0, chosen="Bo"))
    assert desk.session(FIRST).status is SessionStatus.REJECTED


def test_a_second_time_begins_where_the_session_stands(open_desk: OpenDesk) -> None:
    """And the opinions of the first time still count."""
    desk = open_desk()
    for time in (1, 2):
        assign(desk, "Bo", "Cy")
        assert desk.session(FIRST).status is SessionStatus.NEW or time == 2
        edit(desk, f"time {time}", "Bo")
        assert desk.read(FIRST, desk.copy_of("Cy", FIRST)).tasks[0].utterance != f"time {time}"
        decide(desk, "Bo", FIRST)
        decide(desk, "Cy", FIRST)
        base = desk.session(FIRST).copies["Bo"].version
        do(desk, "Ada", commands.Settle(session=FIRST, base=base, chosen="Bo"))
        decide(desk, "Ada", FIRST, Outcome.OPEN)
    assert len(desk.session(FIRST).all_given) == 2
    assert Agreements(desk).measure(given_opinions(desk.state))[0].all.items == 2


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
    assert (told.people["Bo"].edits, told.people["Bo"].approved, told.people["Cy"].rejected) == (2, 1, 1)
    assert told.approved_tasks == desk.session(FIRST).common.tasks
    assert told.edits == {0: len(desk.state.sessions) - 1, 2: 1}
    assert sum(one.edits for one in told.days.values()) == 2


def test_blind_work_is_shown_to_nobody_else(open_desk: OpenDesk) -> None:
    desk = open_desk()
    assign(desk, "Bo", "Cy")
    decide(desk, "Bo", FIRST)
    ada, bo = desk.state.people["Ada"], desk.state.people["Bo"]
    assert [one.decided for one in opinions_view(desk, ada, []).waiting] == [["Bo"]]
    decide(desk, "Cy", FIRST, Outcome.REJECTED)
    assert [one.may_settle for one in opinions_view(desk, ada, []).conflicts] == [True]
    told = opinions_view(desk, bo, [])
    assert (told.waiting, told.conflicts, told.agreement) == ([], [], None)
    with pytest.raises(Forbidden):
        team_view(desk, bo)


def test_the_addresses_of_a_lead(enter: Enter) -> None:
    lead, other = enter("Ada"), enter("Bo")
    assert lead.get("/api/team").json()["people"][0]["name"] == "Ada"
    assert other.get("/api/team").status_code == 403
    assert other.get("/api/figures").json()["people"] == {}
    assert other.get("/api/opinions").json()["agreement"] is None
    assert [one["on"] for one in lead.get("/api/opinions").json()["agreement"]] == [DECISION, TYPE, EDGE]
    assert other.get("/api/opinions?id=mini_0").status_code == 422
    assert other.get("/api/opinions?id=mini_0&of=Cy").status_code == 422
    assert other.get("/api/rounds").json()["next"] == "approve"
    assert ask(other, do="setrole", name="Bo", is_lead=True).status_code == 403
    assert ask(other, do="handover", name="Cy", to=["Bo"]).status_code == 403
    assert ask(other, do="changeinspector", name="Cy").status_code == 403


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
