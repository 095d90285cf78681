"""Inspection rounds: who looks at what, what counts as looked at, when they are over."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.analysis.test_agreement import BY_OTHERS
from tests.review.conftest import Enter, OpenDesk, ask
from tests.review.test_desk import FIRST, decide, edit
from tests.review.test_team import joined
from toolgauge.review import commands, rounds
from toolgauge.review.desk import Desk
from toolgauge.review.events import Decided, Fault, Forbidden, Inspected, Outcome, Part, Place, RoundDrawn
from toolgauge.review.handling import do
from toolgauge.review.rounds import Next, RoundResult, inspected, left, next_step, rounds_report, to_mend
from toolgauge.review.state import ReviewState, SessionStatus

PEOPLE = ("Ada", "Bo", "Cy", "Di")


def fault(task: int | None = 0) -> Fault:
    return Fault(kind="reply", place=Place(Part.UTTERANCE if task is not None else Part.SESSION, task))


def draw(desk: Desk, share: float = 1.0, inspectors: tuple[str, ...] = ("Cy",), seed: int = 0) -> dict[str, str]:
    do(desk, "Ada", commands.DrawRound(share=share, seed=seed, inspectors=inspectors))
    return desk.state.rounds[-1].inspectors


def look(desk: Desk, session: str = FIRST, *faults: Fault, who: str = "Cy") -> None:
    do(desk, who, commands.Inspect(session=session, base=desk.session(session).common.version, faults=faults))


def approved(desk: Desk, *names: str) -> None:
    for name in names or (FIRST,):
        decide(desk, "Bo", name)


def step(desk: Desk) -> Next:
    return next_step(desk.state, rounds_report(desk.state), PEOPLE)


def mended(desk: Desk, task: int, text: str = "mended") -> None:
    edit(desk, text, "Bo", task=task)
    decide(desk, "Bo", FIRST)


def test_an_error_takes_the_approval_back_from_its_task_on(open_desk: OpenDesk) -> None:
    desk = open_desk()
    approved(desk)
    draw(desk)
    look(desk, FIRST, fault(2))
    session = desk.session(FIRST)
    assert (session.status, session.common.approved) == (SessionStatus.IN_WORK, 2)
    look(desk)  # the inspector thought better of it
    assert session.status is SessionStatus.APPROVED
    look(desk, FIRST, fault(None))
    assert session.common.approved == 0
    assert step(desk) is Next.MEND
    assert open_desk().session(FIRST).status is SessionStatus.IN_WORK


def test_what_counts_as_looked_at(open_desk: OpenDesk) -> None:
    desk = open_desk()
    approved(desk)
    draw(desk)
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
    open_desk: OpenDesk, marked: tuple[int | None, ...], edited: tuple[int, ...], counts: bool
) -> None:
    """Also where later tasks were annotated anew; approved again as it is, it is looked at again."""
    desk = open_desk()
    approved(desk)
    draw(desk)
    look(desk, FIRST, *map(fault, marked))
    for task in edited:
        edit(desk, "mended", "Bo", task=task)
    assert FIRST in to_mend(desk.state)
    assert not inspected(desk.state), "not before it is approved again"
    decide(desk, "Bo", FIRST)
    assert (inspected(desk.state) == {FIRST}) is counts
    assert not to_mend(desk.state)
    assert step(desk) is Next.DRAW, "the round found something: another follows"


def test_what_is_rejected_is_mended(open_desk: OpenDesk) -> None:
    desk = open_desk()
    approved(desk, FIRST, "mini_1")
    draw(desk)
    look(desk, FIRST, fault())
    look(desk, "mini_1")
    decide(desk, "Bo", FIRST, Outcome.REJECTED)
    assert not to_mend(desk.state)
    draw(desk)
    look(desk, "mini_1")
    assert step(desk) is Next.OVER


def test_nobody_inspects_what_they_touched(open_desk: OpenDesk) -> None:
    desk = open_desk()
    joined(desk, "Di")
    approved(desk)
    decide(desk, "Ada", FIRST, Outcome.OPEN)  # Bo's approval is no longer the last word: still a hand in it
    decide(desk, "Ada", FIRST)
    assert set(draw(desk, inspectors=PEOPLE).values()) <= {"Cy", "Di"}
    (who,) = draw_inspector(desk)
    edit(desk, "by the inspector", who)
    decide(desk, "Bo", FIRST)
    with pytest.raises(Forbidden):
        look(desk, who=who)
    other = {"Cy": "Di", "Di": "Cy"}[who]
    do(desk, "Ada", commands.ChangeInspector(name=who))
    look(desk, who=other)
    assert not left(desk.state, desk.state.rounds[-1])


def draw_inspector(desk: Desk) -> set[str]:
    return {*desk.state.rounds[-1].inspectors.values()}


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
        marked = Inspected(number=state.number + 1, who=who, round=number, session=name, base=0, faults=faults)
        state.apply(marked)
    return rounds_report(state).rounds[-1]


@given(st.data())
def test_a_draw_gives_nobody_their_own_and_leaves_nothing_out(data: st.DataObject) -> None:
    """Whoever decided what: rounds of 20% have a fifth of what is approved while there is so much, each person about as
    many, what nobody saw first, and after five all of it was seen, but what everybody had a hand in."""
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
        assert len(found.keys() - seen) == min(len(found), len(open_to - seen)), "what nobody saw comes first"
        drawn(state, found)
        seen |= found.keys()
    assert seen == open_to
    assert inspected(state) == open_to


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
