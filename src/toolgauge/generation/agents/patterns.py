"""Worked examples of how people go on in a dialogue: the few-shot examples of later tasks.

A file of examples is JSON lines. Each line is an object with all of these keys:

| key | content |
|---|---|
| `id` | unique in the file |
| `pattern`, `group` | one of the 22 of `PATTERNS`, with its group; or a pattern and a group of your own |
| `subtype` | `partial_information`, `coreference` or `long_range` |
| `kinds` | which kinds of tasks it is an example of: `single`, `multi`, `clarify`, `chat` |
| `earlier` | what was said before, oldest first: objects with `task` and `reply` |
| `task` | what the user says next |
| `meaning` | what it means, in full |
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum, auto
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path

from msgspec import Struct

from toolgauge.data.lines import read_lines
from toolgauge.data.record import DataLine, shown
from toolgauge.data.session import KINDS, Reference, TaskType
from toolgauge.errors import DataError

SUBTYPES = (Reference.PARTIAL_INFORMATION, Reference.COREFERENCE, Reference.LONG_RANGE)
"""How a later task can lean on the dialogue."""


class Again(Enum):
    """How a pattern has the task before done again: as it was, or also for several things at once."""

    AS_BEFORE = auto()
    FOR_SEVERAL = auto()


class FollowupPattern(Struct, frozen=True):
    """One way to go on, and what it needs.

    group: what the user leans on; subtype: how. after_calls, after_chat: the kinds that the new task can be where the
    one it leans on (the last; of long_range an earlier one) needed tools, or was talk. items: that the list in the last
    reply must hold; needs_long: that reply must be long enough to be shortened. again: the last task is done again;
    shapes: of several calls, if not all.
    """

    group: str
    subtype: Reference
    after_calls: tuple[str, ...] = ()
    after_chat: tuple[str, ...] = ()
    items: int = 0
    needs_long: bool = False
    again: Again | None = None
    shapes: tuple[str, ...] = ()


_PARTIAL, _COREFERENCE, _LONG = SUBTYPES
_CALLS, _CHAT = ("single", "multi"), ("chat",)
_UNCLEAR = (*_CALLS, "clarify")
_ANY = (*_UNCLEAR, "chat")
_ONCE, _SEVERAL = Again.AS_BEFORE, Again.FOR_SEVERAL

PATTERNS: dict[str, FollowupPattern] = {
    "ordinal_from_front": FollowupPattern("reply", _COREFERENCE, _ANY, _CHAT, items=2),
    "ordinal_from_back": FollowupPattern("reply", _COREFERENCE, _ANY, _CHAT, items=3),
    "which_of_them": FollowupPattern(
        "reply", _COREFERENCE, (*_CALLS, "chat"), _CHAT, items=2, shapes=(TaskType.PARALLEL_TOOLS,)
    ),
    "abbreviation": FollowupPattern("reply", _COREFERENCE, _ANY, _CHAT),
    "description": FollowupPattern("reply", _COREFERENCE, _ANY, _CHAT),
    "personal_pronoun": FollowupPattern("pronoun", _COREFERENCE, _ANY, _ANY),
    "demonstrative_pronoun": FollowupPattern("pronoun", _COREFERENCE, _ANY, _ANY),
    "omit_subject": FollowupPattern("omission", _PARTIAL, (*_CALLS, "chat"), (*_CALLS, "chat")),
    "omit_attribute": FollowupPattern("omission", _PARTIAL, _CALLS, again=_SEVERAL),
    "omit_modifier": FollowupPattern("omission", _PARTIAL, _CALLS, again=_SEVERAL),
    "omit_several": FollowupPattern("omission", _PARTIAL, _UNCLEAR, again=_SEVERAL),
    "add_subject": FollowupPattern("addition", _PARTIAL, _UNCLEAR, again=_SEVERAL),
    "add_modifier": FollowupPattern("addition", _PARTIAL, _CALLS, again=_ONCE),
    "correct_a_part": FollowupPattern("change", _PARTIAL, _CALLS, again=_ONCE),
    "repeat_with_change": FollowupPattern("change", _PARTIAL, _UNCLEAR, again=_SEVERAL),
    "more": FollowupPattern("follow_up", _PARTIAL, ("single",), _CHAT),
    "more_detail": FollowupPattern("follow_up", _PARTIAL, (*_CALLS, "chat"), _CHAT, shapes=(TaskType.PARALLEL_TOOLS,)),
    "shorter": FollowupPattern("follow_up", _PARTIAL, _CHAT, _CHAT, needs_long=True),
    "an_example": FollowupPattern("follow_up", _PARTIAL, (), _CHAT),
    "go_on": FollowupPattern("follow_up", _PARTIAL, _UNCLEAR, _ANY),
    "neighbouring_topic": FollowupPattern("topic", _PARTIAL, _ANY, _ANY),
    "earlier_topic": FollowupPattern("topic", _LONG, _ANY, _ANY),
}
"""The 22 patterns of the papers' user agents."""


class ExampleTurn(Struct, frozen=True):
    """What a user wanted and what came back."""

    task: str
    reply: str


class WorkedExample(Struct, frozen=True):
    """One worked example. subtype: a `Reference`; kinds: of the tasks that it suits; meaning: the task in full."""

    id: str
    pattern: str
    group: str
    subtype: Reference
    kinds: tuple[str, ...]
    earlier: tuple[ExampleTurn, ...]
    task: str
    meaning: str


@cache
def bundled_patterns(language: str) -> tuple[WorkedExample, ...]:
    """The examples that come with the package, "en" or "zh"."""
    with as_file(files("toolgauge.generation.prompts") / f"patterns.{language}.jsonl") as path:
        return read_patterns(path)


def read_patterns(path: Path | str) -> tuple[WorkedExample, ...]:
    """The examples of a file; raises DataError (file, line, JSON path) at the first thing that cannot be used."""
    return tuple(map(_example, records_with_ids(path, "example")))


def records_with_ids(path: Path | str, noun: str) -> Iterator[DataLine]:
    """The lines of a file, each an object with an `id` of its own. Raises DataError for another, and without any line.

    noun: what a line is.
    """
    lines: dict[str, int] = {}
    for number, value in read_lines(path):
        record = DataLine(path, number, value)
        name = text_of(record, "id")
        if name in lines:
            raise record.error(f"duplicate id {shown(name)}, first used in line {lines[name]}", "id")
        lines[name] = number
        yield record
    if not lines:
        raise DataError(f"no {noun} found", path)


def example_of(examples: Iterable[WorkedExample], wanted: str | None) -> WorkedExample | None:
    """The example with an id."""
    return next((example for example in examples if example.id == wanted), None)


def _example(record: DataLine) -> WorkedExample:
    pattern, group = text_of(record, "pattern"), text_of(record, "group")
    subtype = _one_of(record, "subtype", text_of(record, "subtype"), [one.value for one in SUBTYPES])
    known = PATTERNS.get(pattern)
    if known and (known.group, known.subtype) != (group, subtype):
        raise record.error(
            f"pattern {pattern} belongs to group {known.group} and subtype {known.subtype}",
            "pattern",
        )
    kinds = [_one_of(record, f"kinds[{place}]", kind, KINDS) for place, kind in enumerate(record.texts("kinds"))]
    if not kinds:
        raise record.error("must name at least one task type", "kinds")
    earlier = _turns(record, fewest=2 if subtype == _LONG else 1)
    name, task, meaning = (text_of(record, key) for key in ("id", "task", "meaning"))
    return WorkedExample(name, pattern, group, Reference(subtype), tuple(kinds), earlier, task, meaning)


def _turns(record: DataLine, fewest: int) -> tuple[ExampleTurn, ...]:
    turns = []
    for place, value in enumerate(record.take(record.value, "earlier", list)):
        where = f"earlier[{place}]"
        if type(value) is not dict:
            raise record.error("must be an object with `task` and `reply`", where)
        turns.append(ExampleTurn(record.take(value, "task", str, where), record.take(value, "reply", str, where)))
    if len(turns) < fewest:
        raise record.error(f"too few earlier turns: at least {fewest} needed", "earlier")
    return tuple(turns)


def text_of(record: DataLine, key: str) -> str:
    """A field of a line that is a text and says something."""
    text = record.take(record.value, key, str).strip()
    if not text:
        raise record.error("must not be empty", key)
    return text


def _one_of(record: DataLine, key: str, value: str, known: Iterable[str]) -> str:
    if value not in known:
        raise record.error(f"must be one of {', '.join(known)}, not {shown(value)}", key)
    return value
