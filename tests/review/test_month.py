"""A month of a team at the desk, without its pages (tests/browser/test_review_month.py has those): ten people, a share
of the sessions read twice and blind, conflicts settled, rounds until one finds nothing. Nobody does what they may not,
the numbers of every page fit together, and every answer comes at once."""

from __future__ import annotations

import json
import random
import statistics
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.review.conftest import decide, edit, reword, summary
from tests.sizes import LONG, sized
from toolgauge.benchmarks.dialogues.benchmark import MINI_FILE
from toolgauge.review import commands, rounds
from toolgauge.review.desk import Desk
from toolgauge.review.events import Fault, Outcome, Part, PersonAdded, Place, Stale
from toolgauge.review.export import SESSIONS, prepared
from toolgauge.review.handling import do
from toolgauge.review.state import SessionStatus
from toolgauge.review.store import open_originals
from toolgauge.review.survey import Survey
from toolgauge.review.views import opinions_view, progress_view, queue_view, rounds_view, session_view, team_view

LEAD, *OTHERS = [f"reviewer {number}" for number in range(10)]
COUNT = sized(80, 2000)
MOST_MILLISECONDS = 50


class Month:
    """took: of each kind of answer, in milliseconds of the processor; stale: edits over what somebody has changed."""

    def __init__(self, desk: Desk) -> None:
        self.desk, self.rng, self.survey = desk, random.Random(7), Survey(desk)
        self.took: dict[str, list[float]] = {"edit": [], "session": [], "queue": []}
        self.stale = 0

    def timed(self, kind: str, work: Callable[..., object], *values: object, **more: object) -> None:
        begun = time.process_time()
        work(*values, **more)
        self.took[kind].append((time.process_time() - begun) * 1e3)

    def review(self) -> None:
        """Everybody decides about what they have, and rewords some of it before."""
        state = self.desk.state
        for number, session in enumerate(state.sessions.values()):
            for who in session.reviewers:
                self.timed("session", session_view, self.desk, state.people[who], session.id, ())
                base, task = self.desk.copy_of(who, session.id).version, self.rng.randrange(session.common.tasks)
                if self.rng.random() < 0.3:
                    self.timed("edit", edit, self.desk, f"{who} {self.rng.random()}", who, session.id, task)
                    late = commands.Edit(session=session.id, base=base, edits=reword("too late"))
                    try:
                        do(self.desk, who, late)
                    except Stale:
                        self.stale += 1
                decide(self.desk, who, session.id, Outcome.REJECTED if self.rng.random() < 0.1 else Outcome.APPROVED)
            if number % 20 == 0:
                person = state.people[OTHERS[0]]
                self.timed("queue", queue_view, self.desk, person, self.survey, since=state.number - 5)

    def settle(self) -> int:
        conflicts = [one for one in self.desk.state.sessions.values() if one.status is SessionStatus.CONFLICT]
        for session in conflicts:
            chosen = session.copies[self.rng.choice(session.reviewers)]
            do(self.desk, LEAD, commands.Settle(session=session.id, base=chosen.version, chosen=chosen.owner))
        return len(conflicts)

    def inspect(self) -> int:
        """A round: in the first two an error is found in some sessions, which their reviewers mend."""
        state = self.desk.state
        do(self.desk, LEAD, commands.DrawRound(share=0.2, seed=len(state.rounds)))
        for name, who in state.rounds[-1].inspectors.items():
            session = self.desk.session(name)
            assert who not in session.hands | {*session.reviewers}
            is_wrong = len(state.rounds) < 3 and self.rng.random() < 0.1
            faults = (Fault(kind="reply", place=Place(Part.UTTERANCE, 0)),) if is_wrong else ()
            do(self.desk, who, commands.Inspect(session=name, base=session.common.version, faults=faults))
        for name in rounds.to_mend(state):
            who = self.desk.session(name).reviewers[0]
            edit(self.desk, f"mended {self.rng.random()}", who, name)
            decide(self.desk, who, name)
        return state.rounds[-1].faulty


@pytest.mark.timeout(sized(120, 1200))
def test_a_month_of_ten_people(tmp_path: Path) -> None:
    file = tmp_path / "many.jsonl"
    records = [json.loads(line) for line in MINI_FILE.read_text(encoding="utf-8").splitlines()]
    lines = (json.dumps(records[number % len(records)] | {"id": f"s{number}"}) for number in range(COUNT))
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    with closing(Desk(tmp_path / "review", open_originals(file, "en"))) as desk:
        for name in (LEAD, *OTHERS):
            desk.happen(PersonAdded(name=name, is_lead=name == LEAD))
        month, lead, sessions = Month(desk), desk.state.people[LEAD], desk.state.sessions.values()
        do(desk, LEAD, commands.Distribute(reviewers=tuple(OTHERS), twice=0.2, seed=1))
        month.review()
        assert month.settle() > 0 < month.stale
        decided = Counter(one.status for one in sessions)
        assert decided[SessionStatus.APPROVED] + decided[SessionStatus.REJECTED] == COUNT
        found = []
        while rounds_view(desk, lead)["next"] is rounds.Next.DRAW:
            found.append(month.inspect())
        assert sum(found[:2]) > 0 == found[-1]
        assert rounds_view(desk, lead)["next"] is rounds.Next.OVER
        assert opinions_view(desk, lead, [])["conflicts"] == []
        assert sum(one["open"] for one in team_view(desk, lead)["people"]) == 0
        assert progress_view(desk, lead)["counts"] == {one: decided[one] for one in SessionStatus}
        told = summary(desk)
        if not LONG:
            made = prepared(desk)
            assert not made.problems, made.problems[:3]
            assert len(made.files[SESSIONS].splitlines()) == made.sessions == decided[SessionStatus.APPROVED]
    with closing(Desk(tmp_path / "review", open_originals(file, "en"))) as desk:
        assert summary(desk) == told, "the journal says it all"
    for kind, took in month.took.items():
        assert statistics.median(took) < MOST_MILLISECONDS, (kind, statistics.median(took))
        print(f"{kind}: median {statistics.median(took):.1f} ms, most {max(took):.0f} ms of {len(took)}")
