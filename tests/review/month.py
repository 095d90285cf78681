"""A month of a team in which everything is known: which faults were planted, who finds one and how often."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

import toolgauge
from toolgauge.chat import Json
from toolgauge.data.session import FINAL, Session, TaskType
from toolgauge.review import commands, edits
from toolgauge.review.applying import edited
from toolgauge.review.desk import Desk
from toolgauge.review.events import Fault, Outcome
from toolgauge.review.handlers import do
from toolgauge.review.originals import read_session
from toolgauge.review.rounds import RoundsReport, rounds_report
from toolgauge.review.state import SessionState, SessionStatus

LEAD, TEAM = "Ada", ("Bo", "Cy", "Di", "Ed")
PATHS = "single,clarify; multi,single; multi,multi; chat,multi; clarify,multi; single,single"
MOST_ROUNDS = 100

Planted = tuple[str, edits.AnyEdit, edits.AnyEdit]
"""Kind of a fault, the edit that puts it in, the edit that mends it."""


def sessions(folder: Path, count: int) -> list[Json]:
    """So many sessions without a fault."""
    toolgauge.generate("builtin/oracle", paths=PATHS, out=folder)
    made = [json.loads(line) for line in (folder / "sessions.jsonl").read_bytes().splitlines()]
    return [made[number % len(made)] | {"id": f"session-{number:03}"} for number in range(count)]


def faults_of(session: Session) -> Iterator[Planted]:
    """Faults that a session may have."""
    for task in session.tasks:
        at = task.index
        wrong = next(one for one in TaskType if one is not task.type)
        yield "task_type", edits.SetType(task=at, type=wrong), edits.SetType(task=at, type=task.type)
        was = task.utterance
        yield "utterance", edits.SetUtterance(task=at, text=f"{was} Uh."), edits.SetUtterance(task=at, text=was)
        for call in task.calls:
            where: dict[str, Any] = {"task": at, "call": call.index}
            result = call.observation
            if call.name == FINAL:
                yield "reply", edits.SetResult(**where, result="No idea."), edits.SetResult(**where, result=result)
                continue
            if call.index:
                after = tuple(sorted({*call.after} ^ {0}))
                yield (
                    "dependency",
                    edits.SetDependencies(**where, after=after),
                    edits.SetDependencies(**where, after=call.after),
                )
            if call.user_input is None:
                arguments = call.arguments | {"not_asked_for": 7}
                yield (
                    "argument",
                    edits.SetArguments(**where, arguments=arguments),
                    edits.SetArguments(**where, arguments=call.arguments),
                )
                yield "result", edits.SetResult(**where, result={"x": 0}), edits.SetResult(**where, result=result)
                yield (
                    "redundant_call",
                    edits.AddCall(**where, name=call.name, arguments=call.arguments, result=result),
                    edits.RemoveCall(**where),
                )


def content(session: Session) -> object:
    """What a session says, without what annotations say about it."""
    return [
        (
            task.utterance,
            task.type,
            task.reference,
            [(call.name, call.arguments, call.after, call.observation, call.user_input) for call in task.calls],
        )
        for task in session.tasks
    ]


@dataclass
class Month:
    """p: how often a reviewer finds the fault of a session; q: how often an inspector does. present, found: of each
    round, how many of its sessions had a fault, and in how many one was found."""

    desk: Desk
    planted: dict[str, Planted]
    p: float
    q: float
    rng: random.Random = field(default_factory=lambda: random.Random(7))
    present: list[int] = field(default_factory=list)
    found: list[int] = field(default_factory=list)

    def is_wrong(self, name: str, truth: dict[str, Json]) -> bool:
        now = self.desk.read(name, self.desk.session(name).common)
        return content(now) != content(read_session(truth[name], "en"))

    def review(self) -> None:
        """Everybody reads what is theirs; a tenth is read twice, and the lead settles what two see differently."""
        do(self.desk, LEAD, commands.Distribute(reviewers=TEAM, twice=0.1, seed=3))
        for session in list(self.desk.state.sessions.values()):
            for name in session.reviewers:
                if session.id in self.planted and self.rng.random() < self.p:
                    self.mend(name, session.id)
                self.approve(name, session.id)
            if session.status is SessionStatus.CONFLICT:
                chosen = max((session.copies[name] for name in session.reviewers), key=lambda copy: len(copy.edits))
                base = chosen.version
                do(self.desk, LEAD, commands.Settle(session=session.id, base=base, chosen=chosen.owner))

    def mend(self, who: str, name: str) -> None:
        base = self.desk.copy_of(who, name).version
        do(self.desk, who, commands.Edit(session=name, base=base, edits=(self.planted[name][2],)))

    def approve(self, who: str, name: str) -> None:
        base = self.desk.copy_of(who, name).version
        do(self.desk, who, commands.Decide(session=name, base=base, outcome=Outcome.APPROVED))

    def inspect(self, is_wrong: Callable[[str], bool]) -> RoundsReport:
        """Rounds of a fifth each, until they are over; what is found is mended by whose session it is."""
        while not (told := rounds_report(self.desk.state)).is_over:
            number = len(self.desk.state.rounds)
            assert number < MOST_ROUNDS, "the rounds do not end"
            do(self.desk, LEAD, commands.DrawRound(share=0.2, seed=11, inspectors=TEAM))
            drawn = self.desk.state.rounds[-1].drawn.inspectors
            wrong = {name for name in drawn if is_wrong(name)}
            found = {name for name in sorted(wrong) if self.rng.random() < self.q}
            self.present.append(len(wrong))
            self.found.append(len(found))
            for name, inspector in drawn.items():
                faults = (Fault(kind=self.planted[name][0]),) if name in found else ()
                base = self.desk.session(name).common.version
                do(self.desk, inspector, commands.Inspect(session=name, base=base, faults=faults))
            for name in sorted(found):
                self.put_right(self.desk.session(name))
        return told

    def put_right(self, session: SessionState) -> None:
        owner = session.reviewers[0]
        self.mend(owner, session.id)
        self.approve(owner, session.id)


def plant(truth: list[Json], share: float, rng: random.Random) -> tuple[bytes, dict[str, Planted]]:
    """A file of the sessions, a share of them with a fault each; all kinds of faults are as frequent as they go."""
    kinds: dict[str, int] = {}
    planted: dict[str, Planted] = {}
    lines = []
    for record in truth:
        made = record
        if rng.random() < share:
            there = list(faults_of(read_session(record, "en")))
            rng.shuffle(there)
            fault = min(there, key=lambda one: kinds.get(one[0], 0))
            kinds[fault[0]] = kinds.get(fault[0], 0) + 1
            planted[record["id"]] = fault
            made = edited(record, "en", (fault[1],))
        lines.append(msgspec.json.encode(made) + b"\n")
    return b"".join(lines), planted
