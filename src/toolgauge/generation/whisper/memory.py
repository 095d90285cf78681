"""What stands in a dialogue: calls of earlier tasks and what can be an argument again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from toolgauge.data.tools.play import as_text, follow
from toolgauge.generation.dialogue import Entry, Speaker
from toolgauge.generation.pseudo import NAMES
from toolgauge.generation.whisper.material import Stage
from toolgauge.generation.whisper.plans import Fact, PastCall, TaskPlan

_ID = re.compile(r"[A-Za-z]+-?\d{2,}[A-Za-z]*")


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


def facts_of(
    stage: Stage, calls: Sequence[PastCall], plans: Sequence[TaskPlan | None], entries: Sequence[Entry] = ()
) -> list[Fact]:
    """What the dialogue offers as arguments, in the order in which it came up.

    plans: of each task, None for those that nobody here planned (of a reopened dialogue); what was mentioned in
    passing in these is found in the user's words among the entries.
    """
    found = [*_said(stage, calls), *_found(stage, calls)]
    busy = {call.task for call in calls}
    for entry in entries:
        if entry.speaker is Speaker.USER and entry.task not in busy and plans[entry.task] is None:
            found += _heard(stage, entry)
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


def _heard(stage: Stage, entry: Entry) -> Iterator[Fact]:
    """Values of the tools' parameters in somebody's words."""
    seen = set()
    for tool in stage.tools:
        for name in stage.required(tool):
            if stage.nature(tool, name) not in ("one", "day", "text"):
                continue
            for spoken in stage.values(tool, name):
                for words in _mentions(entry.text, spoken.words):
                    value = spoken.value if words == spoken.words else words
                    if (name, words) not in seen and stage.fits(tool, name, value):
                        seen.add((name, words))
                        yield Fact(name, value, words, entry.task)


def _mentions(text: str, words: str) -> list[str]:
    """Where a value stands in a text; of an id also others of the same make, which are drawn when examples run out."""
    if not _ID.fullmatch(words):
        return [words] if words in text else []
    pattern = re.sub(r"\d", r"\\d", re.escape(words))
    return re.findall(rf"(?<![A-Za-z0-9]){pattern}(?![A-Za-z0-9])", text)
