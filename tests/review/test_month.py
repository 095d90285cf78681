"""A month of a team: ten people, a share of the sessions read twice and blind, conflicts settled, rounds of inspection
until one finds nothing. Nothing is lost, nobody does what they may not, and every answer comes at once."""

from __future__ import annotations

import json
import random
import statistics
import time
from collections import Counter
from contextlib import closing
from itertools import count
from pathlib import Path

from tests.review.test_desk import summary
from tests.sizes import LONG, sized
from toolgauge.benchmarks.dialogues.benchmark import MINI_FILE
from toolgauge.review import commands, rounds
from toolgauge.review.desk import Desk
from toolgauge.review.events import Fault, Outcome, Part, PersonAdded, Place, Refused, Stale
from toolgauge.review.export import SESSIONS, prepared
from toolgauge.review.handling import do
from toolgauge.review.state import SessionState, SessionStatus
from toolgauge.review.store import open_originals
from toolgauge.review.survey import Survey
from toolgauge.review.views import opinions_view, progress_view, queue_view, rounds_view, session_view, team_view

PEOPLE = [f"reviewer {number}" for number in range(10)]
"""The first one leads."""
LEAD, *OTHERS = PEOPLE
COUNT = sized(80, 2000)
MOST_MILLISECONDS = 50


class Month:
    """The desk of a team, and what each kind of answer took, in milliseconds of the processor."""

    def __init__(self, desk: Desk) -> None:
        self.desk, self.rng = desk, random.Random(7)
        self.took: dict[str, list[float]] = {"edit": [], "session": [], "queue": []}
        self.stale = 0

    def edit(self, who: str, session: SessionState, task: int) -> None:
        """Somebody rewords a task; sometimes over what another one has changed meanwhile, which is refused."""
        text = f"Words of {who}, {self.rng.random()}"
        base = self.desk.copy_of(who, session.id).version
        if self.rng.random() < 0.1 and not session.is_blind:
            self.timed("edit", who, session.id, base, task, f"{text}, the first")
            try:
                self.timed("edit", who, session.id, base, task, text)
            except Stale:
                self.stale += 1
        else:
            self.timed("edit", who, session.id, base, task, text)

    def timed(self, kind: str, who: str, session: str, base: int, task: int, text: str) -> None:
        edits = (commands.SetUtterance(task=task, text=text),)
        begun = time.process_time()
        do(self.desk, who, commands.Edit(session=session, base=base, edits=edits))
        self.took[kind].append((time.process_time() - begun) * 1e3)

    def read(self, who: str, session: str) -> None:
        begun = time.process_time()
        json.dumps(session_view(self.desk, self.desk.state.people[who], session, ()), default=str)
        self.took["session"].append((time.process_time() - begun) * 1e3)

    def decide(self, who: str, session: SessionState, outcome: Outcome) -> None:
        base = self.desk.copy_of(who, session.id).version
        do(self.desk, who, commands.Decide(session=session.id, base=base, outcome=outcome))

    def review(self, survey: Survey) -> None:
        """Everybody decides about what they have, and edits some of it before."""
        for number, session in enumerate(self.desk.state.sessions.values()):
            for who in session.reviewers:
                self.read(who, session.id)
                if self.rng.random() < 0.3:
                    self.edit(who, session, self.rng.randrange(self.desk.copy_of(who, session.id).tasks))
                self.decide(who, session, Outcome.REJECTED if self.rng.random() < 0.1 else Outcome.APPROVED)
            if number % 20 == 0:
                begun = time.process_time()
                queue_view(self.desk, self.desk.state.people[OTHERS[0]], survey, since=self.desk.state.number - 5)
                self.took["queue"].append((time.process_time() - begun) * 1e3)

    def settle(self) -> int:
        """The lead settles every conflict."""
        conflicts = [one for one in self.desk.state.sessions.values() if one.status is SessionStatus.CONFLICT]
        for session in conflicts:
            chosen = session.copies[session.reviewers[self.rng.randrange(len(session.reviewers))]]
            command = commands.Settle(session=session.id, base=chosen.version, chosen=chosen.owner)
            do(self.desk, LEAD, command)
        return len(conflicts)

    def inspect(self, share: float) -> int:
        """A round: who inspects finds an error in some of them, which its reviewer mends."""
        do(self.desk, LEAD, commands.DrawRound(share=share, seed=len(self.desk.state.rounds)))
        under_way = self.desk.state.rounds[-1]
        for name, who in under_way.inspectors.items():
            session = self.desk.session(name)
            assert who not in session.hands
            assert who not in session.reviewers
            is_wrong = len(self.desk.state.rounds) < 3 and self.rng.random() < 0.1
            faults = (Fault(kind="reply", place=Place(Part.UTTERANCE, 0)),) if is_wrong else ()
            do(self.desk, who, commands.Inspect(session=name, base=session.common.version, faults=faults))
        for name in rounds.to_mend(self.desk.state):
            session = self.desk.session(name)
            who = session.reviewers[0]
            self.edit(who, session, 0)
            self.decide(who, session, Outcome.APPROVED)
        return under_way.faulty


def test_a_month_of_ten_people(tmp_path: Path) -> None:
    file = tmp_path / "many.jsonl"
    records = [json.loads(line) for line in MINI_FILE.read_text(encoding="utf-8").splitlines()]
    lines = (json.dumps(records[number % len(records)] | {"id": f"s{number}"}) for number in range(COUNT))
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    before = file.read_bytes()
    ticks = count(1_700_000_000.0, 60.0)
    with closing(Desk(tmp_path / "review", open_originals(file, "en"), lambda: next(ticks))) as desk:
        for name in PEOPLE:
            desk.happen(PersonAdded(name=name, is_lead=name == LEAD))
        month, survey = Month(desk), Survey(desk)
        do(desk, LEAD, commands.Distribute(reviewers=tuple(OTHERS), twice=0.2, seed=1))
        load = Counter(name for one in desk.state.sessions.values() for name in one.reviewers)
        assert max(load.values()) - min(load.values()) <= 1
        assert sum(one.is_blind for one in desk.state.sessions.values()) == round(0.2 * COUNT)
        month.review(survey)
        conflicts = month.settle()
        assert conflicts
        assert month.stale
        decided = Counter(one.status for one in desk.state.sessions.values())
        assert decided[SessionStatus.APPROVED] + decided[SessionStatus.REJECTED] == COUNT
        found = []
        while rounds.next_step(desk.state, rounds.rounds_report(desk.state), PEOPLE) is rounds.Next.DRAW:
            found.append(month.inspect(0.2))
        assert rounds.rounds_report(desk.state).is_over
        assert found[0] + found[1] > 0
        assert found[-1] == 0
        with_lead = desk.state.people[LEAD]
        assert opinions_view(desk, with_lead, [])["conflicts"] == []
        assert rounds_view(desk, with_lead)["next"] is rounds.Next.OVER
        assert sum(one["open"] for one in team_view(desk, with_lead)["people"]) == 0
        assert progress_view(desk, with_lead)["counts"] == {one: decided[one] for one in SessionStatus}
        told = summary(desk)
        if not LONG:
            made = prepared(desk)
            assert not made.problems, made.problems[:3]
            assert len(made.files[SESSIONS].splitlines()) == made.sessions == decided[SessionStatus.APPROVED]
    assert file.read_bytes() == before
    with closing(Desk(tmp_path / "review", open_originals(file, "en"))) as desk:
        assert summary(desk) == told, "the journal says it all"
        try:
            do(desk, LEAD, commands.Distribute(reviewers=tuple(OTHERS)))
        except Refused:
            pass
        else:
            raise AssertionError("nothing new is left to distribute")
    for kind, took in month.took.items():
        assert statistics.median(took) < MOST_MILLISECONDS, (kind, statistics.median(took))
        print(f"{kind}: median {statistics.median(took):.1f} ms, most {max(took):.0f} ms of {len(took)}")
