"""How a later task leans on the dialogue, found in what it leaves out and in where that stands.

The labels are the papers': partial_information (parts of the request are missing and stand before), coreference (a
pronoun, an ordinal, a short form or a description stands for something said before) and long_range (what is needed
stands in a task before the previous one, and not in the previous one). The user agent is told which one to write; what
it wrote may be another. Only clear evidence corrects a label; in doubt the one that was drawn stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from itertools import takewhile

from msgspec import Struct

from toolgauge.annotation.grounding.composed import COMPOSED
from toolgauge.annotation.grounding.knowledge import KNOWLEDGE
from toolgauge.annotation.grounding.values import alike, folded, leaves, quote_of, words
from toolgauge.annotation.leaning import LONGEST, Lean, content_words, cues_in, reaches_back
from toolgauge.annotation.task_text import text_of
from toolgauge.data.session import Reference, Task
from toolgauge.languages import HAN_CHARACTERS

BY_CHANCE = 20
"""Smaller numbers stand in a dialogue by chance."""
_SHORTENED = 3
"""Characters of a Chinese short form."""
_NAME = re.compile(f"[{HAN_CHARACTERS}]{{6,30}}")
_PUNCTUATION = re.compile(r"[，。！？；：,!?;:\s]")
_ITEM = re.compile(r"^(?:the|which) |^there\b|第|那|最|前|后", re.IGNORECASE)
"""Words that pick something out: where a value stands before only, they stand for it, wherever that is."""
_FIRST = re.compile(r"beginning|start|first|original|initial|一开始|最开始|刚开始|最初|开头|最早|第一", re.IGNORECASE)
"""Of the words that go back those that mean the first task."""
_DEFINITE = re.compile(r"\b(?:the|that|this) ((?:[\w'-]{2,30} ){0,2}[\w'-]{2,30})", re.IGNORECASE)


class Why(StrEnum):
    """What evidence is about: a cue of the message, a word or a value that stands before, words that go back."""

    POINTS = "points"
    LEAVES_OUT = "leaves_out"
    WORD = "word"
    VALUE = "value"
    REACHES_BACK = "reaches_back"


class ReferenceEvidence(Struct, frozen=True, omit_defaults=True):
    """quote: the words of the message, or the value; task: where the last thing that it needs stands, from 0."""

    why: Why
    quote: str
    task: int | None = None


class VerifiedReference(Struct, frozen=True, omit_defaults=True):
    """The label of a task (from 0), the one that was drawn for it, and what speaks for the label."""

    task: int
    label: Reference
    drawn: Reference
    evidence: list[ReferenceEvidence] = []


class NeededValue(Struct, frozen=True):
    """A value of a call that nothing in its own task says. tasks: the earlier ones where it stands, from 0."""

    call: int
    path: str
    value: str | int | float
    tasks: frozenset[int]


def reference_of(task: Task, before: Sequence[Task], language: str, drawn: Reference) -> VerifiedReference:
    """The label of a later task, whose calls have their sources. before: all tasks before it."""
    read = _Reading(task, before, language)
    found = read.label()
    if found is None or (drawn is Reference.LONG_RANGE and not read.leans_near):
        found = found if found is Reference.LONG_RANGE else drawn
    return VerifiedReference(task.index, found, drawn, list(read.evidence(found)))


def found_reference(
    task: Task, before: Sequence[Task], language: str
) -> tuple[Reference | None, list[ReferenceEvidence]]:
    """What the evidence says by itself, None in doubt; and the evidence."""
    read = _Reading(task, before, language)
    label = read.label()
    return label, list(read.evidence(label))


def needed_values(task: Task, before: Sequence[Task]) -> Iterator[NeededValue]:
    """The key values of a task's calls that have their only source in earlier tasks."""
    texts = {one.index: text_of(one) for one in before}
    for call in task.calls:
        if not call.is_tool:
            continue
        own = text_of(task, call.index)
        for path, value in leaves(call.arguments):
            if isinstance(value, bool) or not isinstance(value, str | int | float) or _is_chance(value):
                continue
            sources = call.sources.get(path, [])
            said = {str(value), *(str(one["quote"]) for one in sources if one.get("quote"))}
            if not sources or _is_own(sources, task.index) or any(quote_of(text, own) for text in said):
                continue
            tasks = {index for index, text in texts.items() if any(quote_of(one, text) for one in said)}
            tasks |= {one["task"] for one in sources if one.get("task") in texts}
            if tasks:
                yield NeededValue(call.index, path, value, frozenset(tasks))


def _is_chance(value: str | int | float) -> bool:
    return abs(value) < BY_CHANCE if isinstance(value, int | float) else len(folded(value)) < 2


def _is_own(sources: Sequence[Mapping[str, object]], task: int) -> bool:
    """Is one of the sources in the task itself, or no place at all? A text put together has none of its own."""
    if any(one.get("task") == task or one.get("from") in (KNOWLEDGE, COMPOSED) for one in sources):
        return True
    return any(str(one.get("reading", "")).startswith("put together") for one in sources)


class _Reading:
    """A later task beside what stands before it."""

    def __init__(self, task: Task, before: Sequence[Task], language: str) -> None:
        self.task, self.before, self.language = task, before, language
        self.values = list(needed_values(task, before))
        said = cues_in(task.utterance, language)
        cues = [cue for cue in said if cue.sure or (self.values and _ITEM.search(cue.quote))]
        self.may_point = any(cue.lean is Lean.POINTS and not _ITEM.search(cue.quote) for cue in said)
        self.points = next((cue for cue in cues if cue.lean is Lean.POINTS), None)
        missing = (Lean.LEAVES_OUT, Lean.FRAGMENT) if self.values or self.names_values_only else (Lean.LEAVES_OUT,)
        self.leaves = next((cue for cue in cues if cue.lean in missing), None)
        self.marker = reaches_back(task.utterance, language) if task.index > 1 else None

    def label(self) -> Reference | None:
        """What is sure; None in doubt: between near and far, between two cues, and where nothing shows it."""
        if self.is_far:
            return Reference.LONG_RANGE
        if self.far_values or self.marker or (self.points and self.leaves):
            return None
        if self.points:
            return Reference.COREFERENCE
        if self.leaves:
            return Reference.PARTIAL_INFORMATION
        if self.values and self.short_form:
            return Reference.COREFERENCE
        return None

    def evidence(self, label: Reference | None) -> Iterator[ReferenceEvidence]:
        if self.marker:
            yield ReferenceEvidence(Why.REACHES_BACK, self.marker)
        if self.points:
            yield ReferenceEvidence(Why.POINTS, self.points.quote)
        if self.leaves:
            yield ReferenceEvidence(Why.LEAVES_OUT, self.leaves.quote)
        if label is Reference.COREFERENCE and not self.points and self.short_form:
            yield ReferenceEvidence(Why.WORD, self.short_form)
        if label is Reference.LONG_RANGE and not self.far_values and (word := self.far_word(self.named)):
            yield word
        for one in self.values:
            yield ReferenceEvidence(Why.VALUE, str(one.value), max(one.tasks))

    @property
    def names_values_only(self) -> bool:
        """Does the message say nothing of what is to be done: only values, or something that takes no tool?"""
        given = [str(value) for call in self.task.calls if call.is_tool for _, value in leaves(call.arguments)]
        known = {word for text in given for word in words(text)}
        content = content_words(self.task.utterance, self.language)
        return not given or all(any(alike(word, other) for other in known) for word in content)

    @property
    def near_values(self) -> list[NeededValue]:
        return [one for one in self.values if self.task.index - 1 in one.tasks]

    @property
    def far_values(self) -> list[NeededValue]:
        """Those that stand before the previous task only."""
        return [one for one in self.values if self.task.index - 1 not in one.tasks]

    @property
    def is_far(self) -> bool:
        """Does what it needs stand before the previous task only? Values show it, or what is named beside words that
        go back."""
        if self.marker and _FIRST.search(self.marker) and not self.near_values:
            return True
        goes_back = self.task.index > 1 and self.far_word(self.named) is not None
        if self.far_values:
            return bool(self.marker) or goes_back or not (self.near_values or self.leaves or self.may_point)
        return goes_back and not self.near_values

    @property
    def named(self) -> str:
        """What the message goes back to: all that it names where its words say so, else what they point at."""
        return self.task.utterance if self.marker else self.points.head if self.points else ""

    @property
    def leans_near(self) -> bool:
        """Does something that it needs stand in the previous task? A pronoun alone may stand for anything."""
        return bool(self.near_values) or self.task.index == 1

    def far_word(self, named: str) -> ReferenceEvidence | None:
        """A word that stands in a task before the previous one, while none stands in the previous one."""
        content = content_words(named, self.language)
        for one in reversed(self.before):
            known = set(words(text_of(one)))
            if word := next((word for word in content if any(alike(word, other) for other in known)), None):
                return ReferenceEvidence(Why.WORD, word, one.index) if one.index < self.task.index - 1 else None
        return None

    @cached_property
    def short_form(self) -> str | None:
        """Words that stand for a needed value by a part of its name: "the Rotterdam study", 附二院."""
        places = {max(one.tasks) for one in self.values}
        texts = [text_of(one) for one in self.before if one.index in places]
        if self.language == "zh":
            return next((short for text in texts if (short := _abbreviated(self.task.utterance, text))), None)
        for text in texts:
            known = set(words(text))
            for found in _DEFINITE.finditer(self.task.utterance[:LONGEST]):
                named = list(takewhile(lambda word: content_words(word, "en"), found[1].split()))
                if named and all(any(_same(word.casefold(), one) for one in known) for word in named):
                    return " ".join(["the", *named])
        return None


def _same(one: str, other: str) -> bool:
    return alike(one, other) or one.removesuffix("s") == other.removesuffix("s")


def _abbreviated(message: str, text: str) -> str | None:
    """The beginning of a clause that takes some characters of a longer name, in their order."""
    names = _NAME.findall(text)
    for clause in _PUNCTUATION.split(message[:LONGEST]):
        short = clause[:_SHORTENED]
        for name in names if len(short) == _SHORTENED else ():
            left = iter(name)
            if short not in name and all(character in left for character in short):
                return short
    return None
