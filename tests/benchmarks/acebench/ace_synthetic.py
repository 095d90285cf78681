"""A made-up ACEBench: every category with a few entries (sessions of two turns), and scores of one's choice."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence

from msgspec import UNSET

from toolgauge.benchmarks.acebench.data.entries import CATEGORIES, AceDataset, AceEntry, AceFunction
from toolgauge.benchmarks.acebench.judge.verdict import AceError
from toolgauge.chat import Message, Reply, Usage
from toolgauge.episode import Step, Trajectory
from toolgauge.judge.verdict import CORRECT, ERROR, Score, Verdict

BOOL, ADJUST, SWITCH = "normal_atom_bool", "normal_multi_turn_user_adjust", "normal_multi_turn_user_switch"
STEP, TURN = "agent_multi_step", "agent_multi_turn"
FUNCTION = AceFunction("switch", "", {"type": "object", "properties": {"on": {"type": "boolean"}}})


def entries(category: str, sessions: int, turns: int = 2) -> Iterator[AceEntry]:
    for number in range(sessions):
        if CATEGORIES[category].multi_turn:
            for turn in range(turns):
                yield _entry(f"{category}_{number}_{turn}", category, number, turn)
        else:
            yield _entry(f"{category}_{number}", category)


def _entry(name: str, category: str, session: int | None = None, turn: int | None = None) -> AceEntry:
    answers = ({"switch": {"on": True}},)
    milestones = (("[switch(on=True)]",),) if category.startswith("agent") else ()
    return AceEntry(
        name, category, "en", "user: please", (FUNCTION,), answers=answers, milestones=milestones,
        session=session, turn=turn,
    )  # fmt: skip


def dataset(categories: Iterable[str] = tuple(CATEGORIES), sessions: int = 4, turns: int = 2) -> AceDataset:
    made = tuple(entry for category in categories for entry in entries(category, sessions, turns))
    return AceDataset("acebench", "en", "0" * 64, made, "made up")


def verdict(right: bool, mistake: str | None = AceError.TYPE_ERROR.value, process: float | None = None) -> Verdict:
    label = CORRECT if right else ERROR
    wrong = UNSET if right else (("switch", "on"),)
    share = UNSET if process is None else process
    return Verdict(label, label, right, (int(right), 1), None if right else mistake, "made up", wrong, share)


def score(entry: AceEntry, released: Verdict, exact: Verdict | None = None, epoch: int = 0) -> Score:
    task_id = f"{entry.id}#{epoch}" if epoch else entry.id
    return Score(task_id, entry.session_id, entry.turn or 0, {"exact": exact or released, "released": released})


def marked(data: AceDataset, marks: str, epoch: int = 0) -> list[Score]:
    """A mark per entry in the order of the data: "+" right, "-" wrong, " " no score."""
    pairs = zip(data.entries, marks, strict=True)
    return [score(entry, verdict(mark == "+"), epoch=epoch) for entry, mark in pairs if mark != " "]


def scores(data: AceDataset, rate: float = 0.7, epochs: int = 1, seed: int = 1) -> list[Score]:
    """Random scores; scorings differ in a few labels, wrong agents have got somewhere."""
    draw, made = random.Random(seed), []
    for epoch in range(epochs):
        for entry in data.entries:
            right, mistake = draw.random() < rate, draw.choice(list(AceError)).value
            other = right != (draw.random() < 0.05)
            process = None if entry.kind.group != "agent" else 1.0 if right else round(draw.random(), 3)
            made.append(score(entry, verdict(right, mistake, process), verdict(other, mistake, process), epoch))
    return made


def ids(data: AceDataset) -> list[str]:
    return [entry.id for entry in data.entries]


def trajectory(entry: AceEntry, text: str | None = "[switch(on=True)]", epoch: int = 0) -> Trajectory:
    """One request and its answer; of agents the outcome too, and a simulated user that costs tokens of its own."""
    reply = Reply(text, usage=Usage(100, 10), latency=0.25)
    steps: Sequence[Step] = (Step((Message("user", entry.question),), reply),)
    extra: dict[str, object] = {"style": "prompt"}
    if entry.kind.group == "agent":
        steps = (Step((), Reply("Hello", usage=Usage(7, 7)), role="user"), *steps)
        extra |= {"result": [{"BaseApi": {"wifi": True}}], "process": [text], "ended_by": "agent"}
    task_id = f"{entry.id}#{epoch}" if epoch else entry.id
    return Trajectory(task_id, entry.session_id, tuple(steps), entry.turn or 0, epoch, extra=extra)
