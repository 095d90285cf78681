"""Filters judge a dialogue while it is made: every entry before it stands, every task when it is closed.

An entry is judged in the dialogue that it would make: behind the entries that stand, with the shortest end that closes
the task. What filters find there about this very entry is what speaks against it. Tasks that were judged before are
taken as they were annotated then.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence

import msgspec
from msgspec.structs import replace

from toolgauge.annotation.dialogue import (
    CHECKERS,
    Action,
    CheckerFinding,
    Decision,
    Dialogue,
    Entry,
    Observation,
    Speaker,
)
from toolgauge.annotation.graph import Unfinished, annotate, context_of
from toolgauge.data.session import ASK, FINAL, Session
from toolgauge.generation.agents.reading import Unreadable
from toolgauge.generation.filters import FILTERS
from toolgauge.generation.prompts import texts
from toolgauge.generation.state import DialogueState, Rejected
from toolgauge.generation.validators.planner import PARAMETER, WORDS

Evidence = dict[str, object]

_OK = 200
_ANSWER = Decision(True, "", "", (Action(FINAL, {"answer_type": "chat"}),))
CLOSED = ("path", "multi_turn")
"""Filters that judge only tasks which are closed."""
WORDS_SAID = ("language", "length", "clean_text")
"""Filters that look at single messages; those of a first message and of a decision are all."""


class Unfit(Unreadable):
    """Words that a filter holds back. code: its name; values: the evidence."""

    def said(self, language: str) -> str:
        return objection(self.code, self.values, language)


def annotated(state: DialogueState, entries: Sequence[Entry] = (), verify: bool = True) -> tuple[Session, Dialogue]:
    """The dialogue so far with these entries behind it and its task closed, as a session; to filters all tasks before
    that one are `earlier`, which they do not judge. verify: see `annotate`.

    Raises Rejected where turns do not follow each other.
    """
    whole = _closed([*state.entries, *entries])
    dialogue = replace(state.dialogue(), entries=tuple(whole), earlier=state.task)
    context = state.context.reread(state.task) if state.context else context_of(dialogue)
    try:
        if state.annotated is None and state.task:
            state.annotated = annotate(state.dialogue().first(state.task))
        session = annotate(dialogue, state.annotated, context, verify)
    except Unfinished as error:
        raise Rejected("unfinished", str(error)) from error
    state.context = context
    return session, dialogue


def _closed(entries: list[Entry]) -> list[Entry]:
    """The entries with what is missing to close their task: results, replies, a last decision and the answer."""
    while (following := _following(entries)) is not None:
        entries.append(following)
    return entries


def _following(entries: Sequence[Entry]) -> Entry | None:
    """What has to follow at the least; None where the task is closed."""
    last = next(entry for entry in reversed(entries) if entry.accepted and entry.speaker not in CHECKERS)
    decision = next((one.decision for one in reversed(entries) if one.decision and one.accepted), _ANSWER)
    match last.speaker, decision.actions[0].name:
        case Speaker.AGENT, name:
            return Entry(Speaker.USER, "?", last.task) if name == ASK else None
        case Speaker.PLANNER, name:
            if name in (ASK, FINAL):
                return Entry(Speaker.AGENT, "!", last.task)
            empty = tuple(Observation(_OK, None) for _ in decision.actions)
            return Entry(Speaker.TOOL, "", last.task, observations=empty)
        case _:
            return Entry(Speaker.PLANNER, "", last.task, decision=_ANSWER)


def objections(
    state: DialogueState, entries: Sequence[Entry], filters: Collection[str]
) -> Iterator[tuple[str, Evidence]]:
    """(filter, evidence) of what speaks against entries that would come next, by those filters that are on."""
    session, dialogue = annotated(state, entries, verify=False)
    standing = state.standing
    first, made = len(state.dialogue().kept), _actions(standing)
    dialogue = replace(dialogue, judged=first)
    places = {"entry": range(first, first + len(entries)), "call": range(made, made + _actions(entries))}
    asked = WORDS_SAID if standing and not places["call"] else FILTERS
    for name in (one for one in FILTERS if one in filters and one in asked and one not in CLOSED):
        for found in FILTERS[name](session, dialogue).counted:
            where = next((part for part in places if part in found), None)
            if found[where] in places[where] if where else not standing:
                yield name, found


def _actions(entries: Sequence[Entry]) -> int:
    return sum(len(entry.decision.actions) for entry in entries if entry.decision)


def findings_on(state: DialogueState, entry: Entry, filters: Collection[str]) -> tuple[CheckerFinding, ...]:
    """The objections to a try of the planner or the tools, in the words in which it is told; as a rule each has the
    name by which a rejection for it is counted."""
    found: dict[object, CheckerFinding] = {}
    for name, evidence in objections(state, [entry], filters):
        field, place = WORDS if "entry" in evidence else PARAMETER, (evidence.get("call"), evidence.get("path"))
        found.setdefault(place, CheckerFinding(f"gate:{name}", field, objection(name, evidence, state.language)))
    return tuple(found.values())


def require_fitting(state: DialogueState, speaker: Speaker, text: str, filters: Collection[str]) -> None:
    """Raise Unfit for words of the user or the assistant, said now, that a filter would hold back."""
    for name, evidence in objections(state, [Entry(speaker, text, state.task)], filters):
        raise Unfit(name, **evidence)


def fitting(state: DialogueState, proposed: Sequence[str], filters: Collection[str]) -> list[str]:
    """Those proposals for a task that filters let pass. Raises Unfit where there is none."""
    found, refused = [], None
    for text in proposed:
        try:
            require_fitting(state, Speaker.USER, text, filters)
            found.append(text)
        except Unfit as error:
            refused = error
    if refused and not found:
        raise refused
    return found


def objection(gate: str, evidence: Evidence, language: str) -> str:
    """What is told to the agent whom the evidence of a filter is about."""
    said = texts("objections", language)
    variant = next((key for part in evidence if (key := f"{gate}_{part}") in said), gate)
    values = evidence | {"path": evidence.get("path") or "arguments"}
    return said[variant].format_map(defaultdict(str, values))


def encoded(*evidence: Evidence) -> str:
    return msgspec.json.encode(evidence).decode()
