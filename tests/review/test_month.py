"""A simulated month: what people overlook with a known probability, rounds find as the statistics say."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from itertools import count
from pathlib import Path

import pytest

import toolgauge
from tests.review.month import LEAD, TEAM, Month, content, plant, sessions
from tests.sizes import sized
from toolgauge.chat import Json
from toolgauge.data.session import TaskType
from toolgauge.review.desk import Desk
from toolgauge.review.events import PersonAdded
from toolgauge.review.export import SESSIONS, prepared, write
from toolgauge.review.figures import figures
from toolgauge.review.originals import open_originals, read_session
from toolgauge.review.rounds import RoundsReport
from toolgauge.review.state import SessionStatus

SIZE = sized(60, 256)
FAULTY = 0.5
"""Of the sessions, before anybody has read them."""
SIGMAS = 4.0

Begin = Callable[[float, float], tuple[Month, dict[str, Json]]]


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Begin]:
    """Plants faults, and opens a desk over them; with what the sessions should say."""
    with ExitStack() as opened:

        def begun(p: float, q: float) -> tuple[Month, dict[str, Json]]:
            truth = sessions(tmp_path / "made", SIZE)
            file = tmp_path / "sessions.jsonl"
            lines, planted = plant(truth, FAULTY, random.Random(5))
            file.write_bytes(lines)
            ticks = count(1.0)
            desk = opened.enter_context(closing(Desk(tmp_path / "r", open_originals(file), lambda: next(ticks))))
            for name in (LEAD, *TEAM):
                desk.happen(PersonAdded(name=name, is_lead=name == LEAD))
            return Month(desk, planted, p, q), {one["id"]: one for one in truth}

        yield begun


def within(found: int, tries: int, rate: float) -> bool:
    """Is a number what the binomial lets expect?"""
    return abs(found - tries * rate) <= SIGMAS * math.sqrt(tries * rate * (1 - rate)) + 1e-9


def expected(faulty: int, q: float, most: int = 400) -> tuple[list[int], list[int]]:
    """So many reviews by chance alone, sorted: how many rounds there are, and how many faults are left. In a round a
    fifth is drawn, what nobody saw first; each of its faults is found with probability q, and mended; it is the last
    one if none was found and everything was seen."""
    rounds, left, share = [], [], math.ceil(0.2 * SIZE)
    for seed in range(most):
        rng = random.Random(seed)
        wrong, unseen, number = set(rng.sample(range(SIZE), faulty)), set(range(SIZE)), 0
        found = {0}
        while found or unseen:
            order = sorted(range(SIZE), key=lambda one: (one not in unseen, rng.random()))
            drawn = set(order[:share])
            found = {one for one in wrong & drawn if rng.random() < q}
            wrong, unseen, number = wrong - found, unseen - drawn, number + 1
        rounds.append(number)
        left.append(len(wrong))
    return sorted(rounds), sorted(left)


def is_usual(value: int, simulated: list[int]) -> bool:
    """Is it one that chance gives in 99 of 100 reviews?"""
    beyond = len(simulated) // 200
    return simulated[beyond] <= value <= simulated[-1 - beyond]


def exported(month: Month, folder: Path) -> dict[str, object]:
    """What the exported sessions say. Their annotated answers pass, all of them; silence passes where nothing is asked
    for, and nowhere else."""
    made = prepared(month.desk)
    assert not made.problems, [str(one) for one in made.problems]
    write(made, folder)
    read = [read_session(json.loads(line), "en") for line in made.files[SESSIONS].splitlines()]
    kinds = [task.type for session in read for task in session.tasks]
    for model, right in (("oracle", len(kinds)), ("silent", kinds.count(TaskType.CHAT))):
        run = toolgauge.run("wildtoolbench", f"builtin/{model}", data=folder / SESSIONS, out=folder / model)
        told = run.metrics.scorings["exact"]["overall"]["task_accuracy"]
        assert (told.correct, told.total) == (right, len(kinds))
    return {one.id: content(one) for one in read}


def check_rounds(month: Month, told: RoundsReport) -> None:
    """What is told of the rounds is what happened; they end with one that found nothing, after everything was seen."""
    assert [one.faulty for one in told.rounds] == month.found
    assert [one.inspected for one in told.rounds] == [math.ceil(0.2 * SIZE)] * len(told.rounds)
    assert told.rounds[-1].faulty == 0
    assert (told.seen, told.total) == (SIZE, SIZE)
    assert len(told.rounds) >= 5
    for one, state in zip(told.rounds, month.desk.state.rounds, strict=True):
        assert not one.to_mend
        for name, inspector in state.drawn.inspectors.items():
            assert inspector not in month.desk.session(name).reviewers, "nobody inspects their own"
    names = [set(one.drawn.inspectors) for one in month.desk.state.rounds[:5]]
    assert len(set.union(*names)) == SIZE, "what nobody saw comes first"


def test_inspectors_who_find_everything_leave_no_fault(begin: Begin, tmp_path: Path) -> None:
    month, truth = begin(0.7, 1.0)
    month.review()
    left = sum(month.is_wrong(name, truth) for name in truth)
    assert within(left, len(month.planted), 0.3), "a reviewer overlooks three of ten; of two, one may find it"
    told = month.inspect(lambda name: month.is_wrong(name, truth))
    check_rounds(month, told)
    assert sum(month.found) == left, "every fault is found once"
    for one in told.rounds[:5]:
        assert within(one.faulty, one.inspected, left / SIZE)
    assert len(told.rounds) in (5, 6), "after five everything was seen and mended"
    assert exported(month, tmp_path / "out") == {
        name: content(read_session(record, "en")) for name, record in truth.items()
    }
    numbers = figures(month.desk)
    assert (numbers.twice, numbers.counts[SessionStatus.APPROVED]) == (round(0.1 * SIZE), SIZE)


def test_inspectors_who_overlook_some_leave_as_many_as_chance_says(begin: Begin, tmp_path: Path) -> None:
    month, truth = begin(0.5, 0.75)
    month.review()
    before = sum(month.is_wrong(name, truth) for name in truth)
    told = month.inspect(lambda name: month.is_wrong(name, truth))
    check_rounds(month, told)
    assert within(sum(month.found), sum(month.present), 0.75), "they find three of four"
    covered = [
        one.low <= there * 0.75 / one.inspected <= one.high
        for one, there in zip(told.rounds, month.present, strict=True)
        if one.low is not None and one.high is not None
    ]
    assert sum(covered) >= 0.8 * len(covered), "the intervals of the rounds cover what was to be found"
    wrong = {name for name in truth if month.is_wrong(name, truth)}
    assert len(wrong) == before - sum(month.found)
    rounds, left = expected(before, 0.75)
    assert is_usual(len(told.rounds), rounds)
    assert is_usual(len(wrong), left)
    assert wrong <= {name for name in month.planted if month.desk.session(name).common.edits == []}
    for name in sorted(wrong):  # the last check finds some of them
        if any(str(one).startswith(f"'{name}'") for one in prepared(month.desk).problems):
            month.put_right(month.desk.session(name))
            wrong.remove(name)
    right = {name: content(read_session(record, "en")) for name, record in truth.items()}
    assert {name for name, said in exported(month, tmp_path / "out").items() if said != right[name]} == wrong
