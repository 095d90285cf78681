"""What a filter of dialogues is, and its verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct

from toolgauge.annotation.dialogue import Dialogue
from toolgauge.chat import Json
from toolgauge.data.session import Call, Session, Task
from toolgauge.generation.attempts import Redone

TOLERATED = "tolerated"
"""A key of evidence: worth a reviewer's look, but no fault."""
GIVEN = "given"
"""A key of evidence: it is about what a reviewer wrote."""


class FilterVerdict(Struct, frozen=True):
    """The verdict of a filter (`gate`) on one dialogue.

    evidence: what it found, each with the number of the `task` and, where it is about one, the `call`, the `path` of
    the argument and its `value`; what is `tolerated` does not count.
    """

    gate: str
    passed: bool
    evidence: tuple[dict[str, object], ...] = ()

    @property
    def counted(self) -> list[dict[str, object]]:
        """The evidence that is not tolerated."""
        return [one for one in self.evidence if not one.get(TOLERATED)]


Check = Callable[[Session, Dialogue], Iterable[dict[str, object]]]
"""Finds evidence against a dialogue; what is `tolerated` is for reviewers only."""


class Filter(Struct, frozen=True):
    """A check of dialogues whose tasks are closed. english, chinese: what it demands, in a line; default: is it on by
    default.

    check: None of the one that has to ask a model (multi_turn.py). redone: what of a task is made again where it finds
    something; words are checked when they are said (judging.py), so only they are said again.
    """

    name: str
    english: str
    chinese: str
    check: Check | None
    redone: Redone = Redone.REQUEST
    default: bool = True

    def __call__(self, session: Session, dialogue: Dialogue) -> FilterVerdict:
        """The verdict; only for filters that need no model."""
        assert self.check is not None, f"{self.name} has to ask a model"
        return verdict(self.name, marked(self.check(session, dialogue), dialogue))

    def described(self, language: str) -> str:
        """What it demands, in "en" or "zh"."""
        return self.english if language == "en" else self.chinese


def marked(evidence: Iterable[dict[str, object]], dialogue: Dialogue) -> Iterator[dict[str, object]]:
    """Evidence against what a reviewer gave is said, and tolerated: only a reviewer can mend it."""
    for one in evidence:
        task = one.get("task")
        if isinstance(task, int) and task < dialogue.earlier:
            yield one | {TOLERATED: True, GIVEN: True}
        else:
            yield one


def verdict(name: str, evidence: Iterable[Json]) -> FilterVerdict:
    """A verdict: passed where nothing but tolerated evidence was found."""
    found = tuple(evidence)
    return FilterVerdict(name, all(one.get(TOLERATED) for one in found), found)


def made_here(session: Session, dialogue: Dialogue) -> tuple[Task, ...]:
    """The tasks that filters judge: not those that people had reviewed before."""
    return session.tasks[dialogue.earlier :]


def calls_of(session: Session, dialogue: Dialogue) -> Iterator[tuple[Task, Call]]:
    """The tool calls that filters judge."""
    for task in made_here(session, dialogue):
        for call in task.calls:
            if call.is_tool:
                yield task, call


def against(task: Task, call: Call | None = None, **details: object) -> dict[str, object]:
    """A piece of evidence."""
    place: dict[str, object] = {"task": task.index} | ({"call": call.index, "tool": call.name} if call else {})
    return place | details
