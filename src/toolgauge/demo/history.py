"""What was said and found in a dialogue: calls of earlier tasks, and values that can be arguments again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from toolgauge.annotation.dialogue import Entry, Speaker
from toolgauge.demo.fixture import Fixture
from toolgauge.demo.plans import KnownValue, PastCall, TaskPlan
from toolgauge.demo.templates import as_text, follow
from toolgauge.generation.pseudo import NAMES

_ID = re.compile(r"[A-Za-z]+-?\d{2,}[A-Za-z]*")


def past_calls(entries: Iterable[Entry]) -> list[PastCall]:
    """Every accepted call with its result, in order."""
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
    fixture: Fixture, calls: Sequence[PastCall], plans: Sequence[TaskPlan | None], entries: Sequence[Entry] = ()
) -> list[KnownValue]:
    """What the dialogue offers as arguments, in the order in which it came up.

    plans: of each task, None for those that were given or begun by a reviewer; what was mentioned in
    passing in these is found in the user's words among the entries.
    """
    found = [*_said(fixture, calls), *_found(fixture, calls)]
    busy = {call.task for call in calls}
    for entry in entries:
        if entry.speaker is Speaker.USER and entry.task not in busy and plans[entry.task] is None:
            found += _mentioned(fixture, entry)
    for task, plan in enumerate(plans):
        if plan and plan.seed:
            found.append(KnownValue(plan.seed.parameter, plan.seed.spoken.value, plan.seed.spoken.words, task))
    fitting = [fact for fact in found if not fact.tool or fixture.fits(fact.tool, fact.parameter, fact.value)]
    return sorted(fitting, key=lambda fact: fact.task)


def _said(fixture: Fixture, calls: Sequence[PastCall]) -> Iterator[KnownValue]:
    """Arguments of earlier calls, for every tool with a parameter of that name."""
    for call in calls:
        for name, value in call.arguments.items() if call.tool in fixture.tools else ():
            spoken = fixture.spoken(call.tool, name, value)
            for tool in fixture.tools:
                if name in fixture.required(tool):
                    yield KnownValue(name, value, spoken.words, call.task, tool)


def _found(fixture: Fixture, calls: Sequence[PastCall]) -> Iterator[KnownValue]:
    for call in calls:
        for tool in fixture.tools:
            for name, ways in fixture.linked(tool).items():
                for link in ways:
                    if link.tool != call.tool:
                        continue
                    try:
                        value = follow(call.response, link.path)
                    except KeyError:
                        continue
                    listed = "[" in link.path
                    yield KnownValue(name, value, as_text(value), call.task, tool, listed, said=False)


def _mentioned(fixture: Fixture, entry: Entry) -> Iterator[KnownValue]:
    """Values of the tools' parameters that a user's words mention."""
    seen = set()
    for tool in fixture.tools:
        for name in fixture.required(tool):
            if fixture.nature(tool, name) not in ("one", "day", "text"):
                continue
            for spoken in fixture.values(tool, name):
                for words in _mentions(entry.text, spoken.words):
                    value = spoken.value if words == spoken.words else words
                    if (name, words) not in seen and fixture.fits(tool, name, value):
                        seen.add((name, words))
                        yield KnownValue(name, value, words, entry.task)


def _mentions(text: str, words: str) -> list[str]:
    """Where a value stands in a text; of an id also others of the same make, which are drawn when examples run out."""
    if not _ID.fullmatch(words):
        return [words] if words in text else []
    pattern = re.sub(r"\d", r"\\d", re.escape(words))
    return re.findall(rf"(?<![A-Za-z0-9]){pattern}(?![A-Za-z0-9])", text)
