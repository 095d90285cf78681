"""Scored tasks as error analysis sees them: the mistake, and every dimension in which it could concentrate."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct

from toolgauge.data.acebench import AceDataset, AceEntry
from toolgauge.data.session import ASK, Dataset, Task
from toolgauge.judge.ace.verdict import AceError
from toolgauge.judge.mistakes import ARGUMENT_MISTAKES, Mistake
from toolgauge.judge.verdict import Score, Verdict

UNCLASSIFIED = "unclassified"
"""In place of the mistake of a failed task that has none."""
ANY = "any"
"""The circumstance that holds for every task."""

Place = tuple[str, str]
"""A dimension ("kind", "position", "reference", "shape", "tool", "parameter", of ACEBench "group" and "category" too)
and a name in it."""

EPOCH = re.compile(r"#([0-9]{1,9})\Z")
"""The end of a task id from the second epoch on."""
_FIRST_ROOT = re.compile(r"[^.\[]+")


class Case(Struct, frozen=True):
    """A scored task. unit: one pass through its session, which is what a near miss is counted in.

    mistake: None where it is right; wrong: the parameters ("tool.parameter") that were found wrong; places: where it
    stands; circumstances: what a mistake may need to be possible at all ("tools", "asks", ...).
    """

    task_id: str
    session_id: str
    unit: tuple[str, int]
    mistake: str | None
    detail: str
    wrong: frozenset[str]
    places: frozenset[Place]
    circumstances: frozenset[str]


_NEEDS: dict[str, str] = {
    Mistake.NEEDLESS_TOOL: "no_calls",
    Mistake.MISSED_CLARIFICATION: "asks",
    Mistake.REFUSAL: "tools",
    Mistake.EARLY_TERMINATION: "several_steps",
    Mistake.ORDER_VIOLATION: "several_steps",
    Mistake.WRONG_TOOL: "tools",
    Mistake.REDUNDANT_CALL: "tools",
    **dict.fromkeys(ARGUMENT_MISTAKES, "tools"),
    AceError.DETECTION: "special",
    AceError.CORRECTION: "special",
    AceError.CLASS_NUMBER: "agent",
    AceError.CLASS_ATTRIBUTES: "agent",
}


def needed(mistake: str) -> str:
    """The circumstance without which a mistake cannot happen: a chat task cannot miss a clarification."""
    return _NEEDS.get(mistake, ANY)


def cases_of(dataset: Dataset | AceDataset | None, scores: Sequence[Score], reading: str) -> list[Case]:
    """The tasks that have a verdict in a reading, in the order of the scores; of two scores of a task the later counts.

    Without a data set only the position in the session is known of a task.
    """
    about = _describer(dataset)
    latest = {score.task_id: score for score in scores}
    return [_case(score, score.readings[reading], about) for score in latest.values() if reading in score.readings]


About = Callable[[Score], tuple[frozenset[Place], frozenset[str]]]


def _describer(dataset: Dataset | AceDataset | None) -> About:
    if isinstance(dataset, AceDataset):
        entries = dataset.by_id
        return lambda score: _about_entry(entries.get(EPOCH.sub("", score.task_id)))
    if dataset is None:
        return lambda score: (frozenset({("position", str(score.task_index + 1))}), frozenset({ANY}))
    tasks = {session.id: session.tasks for session in dataset.sessions}
    return lambda score: _about_task(score.task_index, tasks.get(score.session_id, ()))


def _case(score: Score, verdict: Verdict, about: About) -> Case:
    epoch = EPOCH.search(score.task_id)
    wrong = verdict.wrong_arguments if isinstance(verdict.wrong_arguments, tuple) else ()
    places, circumstances = about(score)
    return Case(
        score.task_id,
        score.session_id,
        (score.session_id, int(epoch[1]) if epoch else 0),
        None if verdict.correct else verdict.mistake or UNCLASSIFIED,
        verdict.detail or "",
        frozenset(f"{tool}.{_root(path)}" for tool, path in wrong),
        places,
        circumstances,
    )


def _root(path: str) -> str:
    """The parameter that a path of an argument begins with."""
    found = _FIRST_ROOT.match(path)
    return found[0] if found else path


def _about_task(index: int, tasks: Sequence[Task]) -> tuple[frozenset[Place], frozenset[str]]:
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


def _about_entry(entry: AceEntry | None) -> tuple[frozenset[Place], frozenset[str]]:
    if entry is None:
        return frozenset(), frozenset({ANY})
    places: set[Place] = {("group", entry.kind.group), ("category", entry.category)}
    if entry.turn is not None:
        places.add(("position", str(entry.turn + 1)))
    if entry.kind.group == "normal":
        names = {function.name for function in entry.functions}
        for key, arguments in _calls(entry):
            name = key if key in names else key.rpartition("_")[0]  # repeated calls are numbered
            places.add(("tool", name))
            if isinstance(arguments, dict):
                places.update(("parameter", f"{name}.{parameter}") for parameter in arguments)
    return frozenset(places), frozenset({ANY, entry.kind.group})


def _calls(entry: AceEntry) -> list[tuple[str, Any]]:
    answer = entry.answers[0] if entry.answers else None
    return [(str(key), arguments) for key, arguments in answer.items()] if isinstance(answer, dict) else []
