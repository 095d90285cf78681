"""What stands in a dialogue: calls of earlier tasks and what can be an argument again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from toolgauge.data.tools.play import as_text, follow
from toolgauge.generation.dialogue import Entry, Speaker
from toolgauge.generation.pseudo import NAMES
from toolgauge.generation.whisper.material import Stage
from toolgauge.generation.whisper.plans import Fact, PastCall, TaskPlan


def past_calls(entries: Iterable[Entry]) -> list[PastCall]:
    """Every call that stands, with its result, in order."""
    calls: list[PastCall] = []
    waiting: list[tuple[str, dict[str, object]]] = []
    for entry in entries:
        if not entry.accepted:
            continue
        if entry.speaker is Speaker.PLANNER and entry.decision:
            waiting = [(one.name, one.arguments) for one in entry.decision.actions if one.name not in NAMES]
        elif entry.speaker is Speaker.TOOL:
            for (tool, arguments), observation in zip(waiting, entry.observations, strict=False):
                calls.append(PastCall(tool, arguments, observation.response, entry.task))
    return calls


def facts_of(stage: Stage, calls: Sequence[PastCall], plans: Sequence[TaskPlan | None]) -> list[Fact]:
    """What the dialogue offers as arguments, in the order in which it came up."""
    found = [*_said(stage, calls), *_found(stage, calls)]
    for task, plan in enumerate(plans):
        if plan and plan.seed:
            found.append(Fact(plan.seed.parameter, plan.seed.spoken.value, plan.seed.spoken.words, task))
    fitting = [fact for fact in found if not fact.tool or stage.fits(fact.tool, fact.parameter, fact.value)]
    return sorted(fitting, key=lambda fact: fact.task)


def _said(stage: Stage, calls: Sequence[PastCall]) -> Iterator[Fact]:
    """Arguments of earlier calls, for every tool with a parameter of that name."""
    for call in calls:
        for name, value in call.arguments.items() if call.tool in stage.tools else ():
            spoken = stage.spoken(call.tool, name, value)
            for tool in stage.tools:
                if name in stage.required(tool):
                    yield Fact(name, value, spoken.words, call.task, tool)


def _found(stage: Stage, calls: Sequence[PastCall]) -> Iterator[Fact]:
    """What results give to the tools that are linked to them."""
    for call in calls:
        for tool in stage.tools:
            for name, ways in stage.linked(tool).items():
                for link in ways:
                    if link.tool != call.tool:
                        continue
                    try:
                        value = follow(call.response, link.path)
                    except KeyError:
                        continue
                    listed = "[" in link.path
                    yield Fact(name, value, as_text(value), call.task, tool, listed, said=False)
