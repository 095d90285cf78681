"""The plan of a task that a reviewer began, read from its record: scripted agents go on as it went on before.

Values follow what was edited: one that had come from a result is read from the result there is now, and one that the
user names in other words is the value of these words.
"""

from __future__ import annotations

from toolgauge.annotation.grounding.values import leaves
from toolgauge.data.session import ASK, Call, Task
from toolgauge.demo.fixture import Fixture, SpokenValue
from toolgauge.demo.plans import FromResult, PlannedCall, TaskPlan
from toolgauge.demo.templates import as_text, follow
from toolgauge.generation.pseudo import asked_for
from toolgauge.generation.resume import decisions_of


def reopened_plan(task: Task, fixture: Fixture) -> TaskPlan:
    """What is done in a task: its calls in their steps, what the user was asked for, the reply to talk."""
    calls: list[PlannedCall] = []
    steps: list[tuple[int, ...]] = []
    numbers: dict[int, int] = {}
    for decision in decisions_of(task):
        known = [call for call in decision if call.name in fixture.tools]
        numbers |= {call.index: len(calls) + place for place, call in enumerate(known)}
        steps += [tuple(numbers[call.index] for call in known)] if known else []
        for call in known:
            links = {
                name: link
                for name in call.arguments
                if (link := _link(task, fixture, numbers, decision[0].index, call, name)) is not None
            }
            given = {
                name: _spoken(task, fixture, call.name, name, value)
                for name, value in call.arguments.items()
                if name not in links
            }
            calls.append(PlannedCall(call.name, given, links))
    asked = [pair for call in task.calls if call.name == ASK for pair in asked_for(call.arguments)]
    missing = asked[0][1] if asked and calls and asked[0][0] == calls[0].tool else []
    reply = "" if calls else str(task.calls[-1].observation)
    return TaskPlan(
        task.type.kind, task.utterance, tuple(calls), tuple(steps), tuple(missing), reply=reply, tool_known=False
    )


def _spoken(task: Task, fixture: Fixture, tool: str, name: str, value: object) -> SpokenValue:
    """A value, or the one of the same parameter that the user names instead."""
    spoken = fixture.spoken(tool, name, value)
    if spoken.words in task.utterance or name not in fixture.templates[tool].parameters:
        return spoken
    return next((one for one in fixture.values(tool, name) if one.words in task.utterance), spoken)


def _link(
    task: Task, fixture: Fixture, numbers: dict[int, int], before: int, call: Call, name: str
) -> FromResult | None:
    """Where in a result an argument stood that the user did not say. before: the position of the first later call."""
    value = call.arguments[name]
    if as_text(value) in task.utterance:
        return None
    for other in task.calls[:before]:
        if other.index in numbers:
            ways = [link.path for link in fixture.linked(call.name).get(name, ()) if link.tool == other.name]
            found = [path for path, part in leaves(other.observation) if path and part == value]
            for path in (*(path for path in ways if _stands(other, path, value)), *found):
                return FromResult(numbers[other.index], path)
    return None


def _stands(call: Call, path: str, value: object) -> bool:
    try:
        return follow(call.observation, path) == value
    except KeyError:
        return False
