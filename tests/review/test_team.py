"""A team: who reviews what, opinions that others do not see, settling, inspection rounds, progress and agreement."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.analysis.test_agreement import BY_OTHERS
from tests.review.conftest import FIRST, SECOND, Enter, OpenDesk, ask, assign, decide, edit, join, words_of
from toolgauge.data.session import TaskType
from toolgauge.review import commands, rounds
from toolgauge.review.access import digest
from toolgauge.review.desk import Desk
from toolgauge.review.events import Decided, Fault, Forbidden, Inspected, Outcome, Part, Place, Refused, RoundDrawn
from toolgauge.review.figures import DECISION, EDGE, TYPE, Agreements, given_opinions, progress
from toolgauge.review.handling import do
from toolgauge.review.rounds import Next, RoundResult, inspected, left, next_step, rounds_report, to_mend
from toolgauge.review.state import ReviewState, SessionStatus
from toolgauge.review.views import conflict_view, opinion_view, opinions_view, team_view

PEOPLE = ("Ada", "Bo", "Cy", "Di")


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


def test_sessions_are_distributed_evenly_and_handed_over(open_desk: OpenDesk) -> None:
    desk = open_desk()
    names = desk.state.sessions
    do(desk, "Ada", commands.Distribute(reviewers=("Bo", "Cy"), twice=0.25, seed=1))
    load = Counter(name for one in names.values() for name in one.reviewers)
    assert load["Bo"] == load["Cy"] == (len(names) + sum(one.is_blind for one in names.values())) / 2
    assert sum(one.is_blind for one in names.values()) == round(0.25 * len(names))
    with pytest.raises(Refused):
        do(desk, "Ada", commands.Distribute(reviewers=("Bo", "Cy")))
    mine = next(one.id for one in names.values() if one.reviewers == ("Bo",))
    decide(desk, "Bo", mine)
    do(desk, "Ada", commands.HandOver(name="Bo", to=("Ada",)))
    assert [name for name, one in names.items() if "Bo" in one.reviewers] == [mine], "what was decided stays"


def test_taking_a_reviewer_away_loses_no_work(open_desk: OpenDesk) -> None:
    desk = open_desk()
    assign(desk, "Bo", "Cy")
    edit(desk, "as Bo has it", "Bo")
    for others in ((), ("Ada",)):
        with pytest.raises(Refused):
            assign(desk, *others)
    assign(desk, "Bo")
    assert words_of(desk) == "as Bo has it"
    decide(desk, "Bo")
    with pytest.raises(Refused):
        assign(desk, "Bo", "Cy")


def test_three_opinions_are_settled_and_measured(open_desk: OpenDesk) -> None:
    desk = open_desk()
    join(desk, "Di")
    assign(desk, "Bo", "Cy", "Di")
    for name, outcome in (("Bo", Outcome.APPROVED), ("Cy", Outcome.APPROVED), ("Di", Outcome.REJECTED)):
        assert desk.session(FIRST).status is not SessionStatus.CONFLICT
        decide(desk, name, FIRST, outcome)
    assert desk.session(FIRST).status is SessionStatus.CONFLICT
    do(desk, "Ada", commands.Settle(session=FIRST, base=0, chosen="Cy"))
    assert desk.session(FIRST).status is SessionStatus.APPROVED
    decisions = Agreements(desk).measure(given_opinions(desk.state))[0]
    assert decisions.on == DECISION
    assert decisions.all.observed == pytest.approx(1 / 3)


def test_a_conflict_is_taken_and_edited_on(open_desk: OpenDesk) -> None:
    desk = open_desk()
    assign(desk, "Bo", "Cy")
    edit(desk, "as Bo has it", "Bo")
    decide(desk, "Bo")
    decide(desk, "Cy")
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
    decide(desk, "Ada")
    assert desk.session(FIRST).status is SessionStatus.APPROVED
    assert desk.session(FIRST).hands == {"Ada", "Bo", "Cy"}
    assert sum(len(one.all_given) for one in open_desk().state.sessions.values()) == 1


def test_agreement_on_kinds_and_edges(open_desk: OpenDesk) -> None:
    """Against what was planted: of all opinions one differs in a kind, one in an argument, which neither measures."""
    desk = open_desk()
    names = list(desk.state.sessions)[:8]
    for name in names:
        assign(desk, "Bo", "Cy", session=name)
    types = [one.type for one in desk.read(FIRST, desk.copy_of("Bo", FIRST)).tasks]
    other = TaskType.CHAT if types[1] is not TaskType.CHAT else TaskType.CLARIFY
    do(desk, "Bo", commands.Edit(session=FIRST, base=0, edits=(commands.SetType(task=1, type=other),)))
    second = desk.read(SECOND, desk.copy_of("Cy", SECOND))
    task, call = next((task.index, call.index) for task in second.tasks for call in task.calls if call.is_tool)
    changed = commands.SetArguments(task=task, call=call, arguments={"else": 1})
    do(desk, "Cy", commands.Edit(session=SECOND, base=0, edits=(changed,)))
    for name in names:
        for who in ("Bo", "Cy"):
            decide(desk, who, name)
    found = {one.on: one.all for one in Agreements(desk).measure(given_opinions(desk.state))}
    tasks = sum(desk.session(name).common.tasks for name in names)
    assert (found[DECISION].items, found[DECISION].observed, found[DECISION].kappa) == (8, 1.0, None)
    assert found[TYPE].items == tasks
    assert found[TYPE].observed == pytest.approx((tasks - 1) / tasks)
    assert (found[TYPE].kappa or 1) < 1 == found[EDGE].kappa


def test_progress_counts_who_did_what(open_desk: OpenDesk) -> None:
    desk = open_desk()
    for text in ("one", "two"):
        edit(desk, text, "Bo")
    decide(desk, "Bo")
    decide(desk, "Cy", SECOND, Outcome.REJECTED)
    told = progress(desk.state)
    people = told["people"]
    assert (people["Bo"].edits, people["Bo"].approved, people["Cy"].rejected) == (2, 1, 1)
    assert told["approved_tasks"] == desk.session(FIRST).common.tasks
    assert told["edits"] == {0: len(desk.state.sessions) - 1, 2: 1}
    assert sum(one.edits for one in told["days"].values()) == 2


def test_blind_work_is_shown_to_nobody_else(open_desk: OpenDesk) -> None:
    desk = open_desk()
    ada, bo = desk.state.people["Ada"], desk.state.people["Bo"]
    assign(desk, "Bo", "Cy")
    decide(desk, "Bo")
    assert [one["decided"] for one in opinions_view(desk, ada, [])["waiting"]] == [["Bo"]]
    decide(desk, "Cy", FIRST, Outcome.REJECTED)
    assert [one["may_settle"] for one in opinions_view(desk, ada, [])["conflicts"]] == [True]
    told = opinions_view(desk, bo, [])
    assert (told["waiting"], told["conflicts"], told["agreement"]) == ([], [], None)
    with pytest.raises(Forbidden):
        team_view(desk, bo)


# Inspection rounds.


def fault(task: int | None = 0) -> Fault:
    return Fault(kind="reply", place=Place(Part.UTTERANCE if task is not None else Part.SESSION, task))


def draw(desk: Desk, inspectors: tuple[str, ...] = ("Cy",)) -> dict[str, str]:
    do(desk, "Ada", commands.DrawRound(share=1.0, inspectors=inspectors))
    return desk.state.rounds[-1].inspectors


def look(desk: Desk, session: str = FIRST, *faults: Fault, who: str = "Cy") -> None:
    do(desk, who, commands.Inspect(session=session, base=desk.session(session).common.version, faults=faults))


def step(desk: Desk) -> Next:
    return next_step(desk.state, rounds_report(desk.state), PEOPLE)


@pytest.fixture
def drawn_desk(open_desk: OpenDesk) -> Desk:
    """Bo approved the first session, Cy is to inspect it."""
    desk = open_desk()
    decide(desk, "Bo")
    draw(desk)
    return desk


def test_rounds_go_on_until_one_finds_nothing(open_desk: OpenDesk) -> None:
    desk = open_desk()
    for name in list(desk.state.sessions)[:6]:
        decide(desk, "Bo", name)
    another = commands.DrawRound(share=0.5, seed=3, inspectors=("Bo", "Cy"))
    with pytest.raises(Forbidden):
        do(desk, "Bo", another)
    do(desk, "Ada", another)
    drawn = desk.state.rounds[0].inspectors
    assert Counter(drawn.values()) == {"Cy": 3}, "Bo has a part in all of them"
    wrong, *clean = drawn
    look(desk, wrong, fault())
    with pytest.raises(Refused, match="not finished"):
        do(desk, "Ada", another)
    for name in clean:
        look(desk, name)
    assert rounds_report(desk.state).rounds[0].to_mend == [wrong]
    with pytest.raises(Refused, match="not fixed yet"):
        do(desk, "Ada", another)
    edit(desk, "better", "Bo", wrong)
    decide(desk, "Bo", wrong)
    do(desk, "Ada", another)
    second = desk.state.rounds[1].inspectors
    assert not second.keys() & drawn.keys(), "what nobody saw comes first"
    for name in second:
        look(desk, name)
    told = rounds_report(desk.state)
    assert (told.is_over, told.seen, told.total, [one.faulty for one in told.rounds]) == (True, 6, 6, [1, 0])


def test_an_error_takes_the_approval_back_from_its_task_on(drawn_desk: Desk, open_desk: OpenDesk) -> None:
    desk, session = drawn_desk, drawn_desk.session(FIRST)
    look(desk, FIRST, fault(2))
    assert (session.status, session.common.approved) == (SessionStatus.IN_WORK, 2)
    look(desk)  # the inspector thought better of it
    assert session.status is SessionStatus.APPROVED
    look(desk, FIRST, fault(None))
    assert (session.common.approved, step(desk)) == (0, Next.MEND)
    assert open_desk().session(FIRST).status is SessionStatus.IN_WORK


def test_what_counts_as_looked_at(drawn_desk: Desk) -> None:
    desk = drawn_desk
    look(desk)
    assert inspected(desk.state) == {FIRST}
    edit(desk, "else", "Bo")
    assert not inspected(desk.state), "an edit un-sees it"
    do(desk, "Bo", commands.Undo(session=FIRST, base=desk.session(FIRST).common.version))
    assert inspected(desk.state) == {FIRST}, "as it was"


@pytest.mark.parametrize(
    ("marked", "edited", "counts"),
    [((1,), (1,), True), ((1,), (2,), False), ((1, 2), (2, 1), True), ((None,), (3,), True), ((0,), (), False)],
)
def test_what_was_mended_as_marked_counts(
    drawn_desk: Desk, marked: tuple[int | None, ...], edited: tuple[int, ...], counts: bool
) -> None:
    """Also where later tasks were annotated anew; approved again as it is, it is looked at again."""
    desk = drawn_desk
    look(desk, FIRST, *map(fault, marked))
    for task in edited:
        edit(desk, "mended", "Bo", task=task)
    assert FIRST in to_mend(desk.state)
    assert not inspected(desk.state), "not before it is approved again"
    decide(desk, "Bo")
    assert (inspected(desk.state) == {FIRST}) is counts
    assert (to_mend(desk.state), step(desk)) == ([], Next.DRAW), "the round found something: another follows"


def test_what_is_rejected_is_mended(open_desk: OpenDesk) -> None:
    desk = open_desk()
    decide(desk, "Bo")
    decide(desk, "Bo", SECOND)
    draw(desk)
    look(desk, FIRST, fault())
    look(desk, SECOND)
    decide(desk, "Bo", FIRST, Outcome.REJECTED)
    assert not to_mend(desk.state)
    draw(desk)
    look(desk, SECOND)
    assert step(desk) is Next.OVER


def test_nobody_inspects_what_they_touched(open_desk: OpenDesk) -> None:
    desk = open_desk()
    join(desk, "Di")
    decide(desk, "Bo")
    decide(desk, "Ada", FIRST, Outcome.OPEN)  # Bo's approval is no longer the last word: still a hand in it
    decide(desk, "Ada")
    who = draw(desk, PEOPLE)[FIRST]
    other = {"Cy": "Di", "Di": "Cy"}[who]
    edit(desk, "by the inspector", who)
    decide(desk, "Bo")
    with pytest.raises(Forbidden):
        look(desk, who=who)
    do(desk, "Ada", commands.ChangeInspector(name=who))
    look(desk, who=other)
    assert not left(desk.state, desk.state.rounds[-1])


def test_a_round_over_http(enter: Enter) -> None:
    lead, one, other = enter("Ada"), enter("Bo"), enter("Cy")
    assert ask(one, do="decide", session=FIRST, base=0, outcome="approved").status_code == 200
    assert ask(lead, do="drawround", share=1.0, inspectors=["Cy"]).status_code == 200
    assert other.get("/api/rounds").json()["mine"] == [FIRST]
    assert ask(one, do="inspect", session=FIRST, base=0).status_code == 403
    faults = [{"kind": "reply", "place": {"part": "reply", "task": 0, "call": 1}}]
    assert ask(other, do="inspect", session=FIRST, base=0, faults=faults).status_code == 200
    assert one.get("/api/rounds").json()["to_mend"][0]["session"] == FIRST
    assert one.get(f"/api/session?id={FIRST}").json()["inspection"]["faults"][0]["kind"] == "reply"


def decided(state: ReviewState, who: str, name: str) -> None:
    state.apply(Decided(number=state.number + 1, who=who, session=name, base=0, outcome=Outcome.APPROVED, tasks=1))


def drawn(state: ReviewState, inspectors: Mapping[str, str], faulty: Collection[str] = ()) -> RoundResult:
    """A round in which somebody looks at each of these sessions, and what came of it."""
    number, event = len(state.rounds) + 1, RoundDrawn(round=0, seed=0, share=1.0, inspectors={**inspectors})
    state.apply(replace(event, number=state.number + 1, round=number))
    for name, who in inspectors.items():
        faults = (fault(),) if name in faulty else ()
        state.apply(Inspected(number=state.number + 1, who=who, round=number, session=name, base=0, faults=faults))
    return rounds_report(state).rounds[-1]


@given(st.data())
def test_a_draw_gives_nobody_their_own_and_leaves_nothing_out(data: st.DataObject) -> None:
    """Whoever decided what: rounds of 20% have a fifth of what is approved while there is so much, what nobody saw
    first, and after five all of it was seen, but what everybody had a hand in."""
    size, seed = data.draw(st.integers(1, 60)), data.draw(st.integers(0, 99))
    people = PEOPLE[: data.draw(st.integers(1, 4))]
    state = ReviewState({f"s{number}": 1 for number in range(size)})
    hands = data.draw(st.lists(st.sets(st.sampled_from(PEOPLE), max_size=3), min_size=size, max_size=size))
    for name, who in zip(list(state.sessions), hands, strict=True):
        for one in sorted(who):
            decided(state, one, name)
    approved = [name for name, who in zip(state.sessions, hands, strict=True) if who]
    open_to = {name for name in approved if not state.sessions[name].hands.issuperset(people)}
    seen = set[str]()
    for _round in range(5):
        found = rounds.draw(state, 0.2, seed, people)
        assert found == rounds.draw(state, 0.2, seed, people)
        assert len(found) == min(math.ceil(0.2 * len(approved)), len(open_to))
        assert found.keys() <= open_to
        assert all(who not in state.sessions[name].hands for name, who in found.items())
        assert len(found.keys() - seen) == min(len(found), len(open_to - seen))
        drawn(state, found)
        seen |= found.keys()
    assert seen == open_to == inspected(state)


@pytest.mark.parametrize("case", BY_OTHERS["binomial"])
def test_the_error_rate_has_the_interval_of_other_programs(case: dict[str, Any]) -> None:
    """Wilson's; where all or none are faulty, that of Clopper and Pearson."""
    names = [f"s{number}" for number in range(case["trials"])]
    state = ReviewState(dict.fromkeys(names, 1))
    for name in names:
        decided(state, "Bo", name)
    told = drawn(state, dict.fromkeys(names, "Cy"), names[: case["hits"]])
    assert told.rate == case["hits"] / case["trials"]
    assert (told.low, told.high) == pytest.approx((case["low"], case["high"]), abs=1e-9)
