"""Scored tasks as error analysis sees them: the mistake, and every dimension in which it could concentrate."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Protocol

from msgspec import Struct

from toolgauge.data.session import ASK, Task
from toolgauge.episode import Trajectory
from toolgauge.judge.mistakes import ARGUMENT_MISTAKES, Mistake
from toolgauge.judge.verdict import EXACT, Score
from toolgauge.judge.wrong_arguments import WrongArgument
from toolgauge.reasons import Explanation

ANY = "any"
"""The circumstance that holds for every task."""

Place = tuple[str, str]
"""A dimension ("kind", "position", "reference", "shape", "tool", "parameter", or another of the benchmark's) and a name
in it."""

EPOCH = re.compile(r"#([0-9]{1,9})\Z")
"""The end of a task id from the second epoch on."""
_FIRST_ROOT = re.compile(r"[^.\[]+")


class Case(Struct, frozen=True):
    """A scored task. unit: one pass through its session, which is what a near miss is counted in.

    mistake: the class of its cause (`Score.cause`), None where it is right; why: of a wrong one, where it is known;
    wrong: the parameters ("tool.parameter") that were found wrong; places: where it stands; circumstances: what a
    mistake may need to be possible at all ("tools", "asks", ...); forgiven: right in the scoring, wrong by `exact`.
    """

    task_id: str
    session_id: str
    unit: tuple[str, int]
    mistake: str | None
    why: Explanation | None
    wrong: frozenset[str]
    places: frozenset[Place]
    circumstances: frozenset[str]
    forgiven: bool = False


SESSION_NEEDS: dict[str, str] = {
    Mistake.NEEDLESS_TOOL: "no_calls",
    Mistake.MISSED_CLARIFICATION: "asks",
    Mistake.REFUSAL: "tools",
    Mistake.EARLY_TERMINATION: "several_steps",
    Mistake.ORDER_VIOLATION: "several_steps",
    Mistake.WRONG_TOOL: "tools",
    Mistake.REDUNDANT_CALL: "tools",
    **dict.fromkeys(ARGUMENT_MISTAKES, "tools"),
}


About = tuple[frozenset[Place], frozenset[str]]
"""Where a task stands, and its circumstances."""


ASKS, ANSWERS, SILENT, NO_ID = "<ask>", "<answer>", "<nothing>", "<no id>"
"""What takes the place of calls: a question to the user, a reply in words, neither; what a call lacks that cannot be
read. For show.py to put into words."""


class ErrorExample(Struct, frozen=True):
    """wanted: the user's words; expected, done: a step after the other, from `steps` on words of calls, ASKS, ANSWERS
    (with the text that was said) or SILENT. Of hostile texts nothing but plain lines is left. wrong: all wrong
    arguments of the calls that made it fail.
    """

    wanted: str
    expected: tuple[str, ...]
    done: tuple[str, ...]
    wrong: tuple[WrongArgument, ...] = ()


class TaskDescriber(Protocol):
    """What a benchmark knows of the tasks of a data set, for the search for losses.

    needs: mistake -> the circumstance without which it cannot happen (a chat task cannot miss a clarification).
    """

    @property
    def needs(self) -> Mapping[str, str]: ...

    def about(self, score: Score) -> About: ...

    def length(self, session_id: str) -> int:
        """How many tasks a session has; 0 where that is not known."""
        ...

    def examples(self, trajectory: Trajectory, wanted: Collection[str]) -> Iterator[tuple[str, ErrorExample]]:
        """The wanted tasks (ids) of a trajectory, as they are shown."""
        ...


def cases_of(describer: TaskDescriber, scores: Sequence[Score], scoring: str) -> list[Case]:
    """The tasks that have a verdict in a scoring, in the order of the scores; of two scores of a task the later
    counts."""
    latest = {score.task_id: score for score in scores}
    return [_case(score, scoring, describer) for score in latest.values() if scoring in score.scorings]


def _case(score: Score, scoring: str, describer: TaskDescriber) -> Case:
    epoch, cause = EPOCH.search(score.task_id), score.cause(scoring)
    found = score.scorings.get(EXACT, score.scorings[scoring]).wrong_arguments
    wrong = found if cause and isinstance(found, tuple) else ()
    places, circumstances = describer.about(score)
    return Case(
        score.task_id,
        score.session_id,
        (score.session_id, int(epoch[1]) if epoch else 0),
        cause.mistake if cause else None,
        cause.why if cause else None,
        frozenset(f"{tool}.{_root(path)}" for tool, path in wrong),
        places,
        circumstances,
        cause is None and score.cause(EXACT) is not None,
    )


def _root(path: str) -> str:
    """The parameter that a path of an argument begins with."""
    found = _FIRST_ROOT.match(path)
    return found[0] if found else path


def about_task(index: int, tasks: Sequence[Task]) -> About:
    """Of a task of a session; without tasks only its position is known."""
    position = ("position", str(index + 1))
    if not 0 <= index < len(tasks):
        return frozenset({position}), frozenset({ANY})
    task = tasks[index]
    tools = [call for call in task.calls if call.is_tool]
    asks = any(call.name == ASK for call in task.calls)
    places: set[Place] = {position, ("kind", task.type.kind)}
    if index:  # the first task's reference is its position
        places.add(("reference", task.reference.value))
    if task.shape:
        places.add(("shape", task.shape.value))
    for call in tools:
        places.add(("tool", call.name))
        places.update(("parameter", f"{call.name}.{name}") for name in call.arguments)
    facts = {ANY: True, "tools": bool(tools), "asks": asks, "no_calls": not tools and not asks}
    facts["several_steps"] = len(tools) + asks > 1
    return frozenset(places), frozenset(name for name, holds in facts.items() if holds)
