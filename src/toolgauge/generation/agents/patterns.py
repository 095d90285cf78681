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

from collections.abc import Iterable
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from toolgauge.data.lines import read_lines
from toolgauge.data.record import DataLine, shown
from toolgauge.data.session import KINDS, Reference
from toolgauge.errors import DataError
from toolgauge.locale import _

SUBTYPES = (Reference.PARTIAL_INFORMATION, Reference.COREFERENCE, Reference.LONG_RANGE)
"""How a later task can lean on the dialogue."""


class FollowupPattern(NamedTuple):
    """group: what the user leans on; subtype: how; needs_list: the last reply must hold a list of things."""

    group: str
    subtype: Reference
    needs_list: bool = False


_PARTIAL, _COREFERENCE, _LONG = SUBTYPES

PATTERNS: dict[str, FollowupPattern] = {
    "ordinal_from_front": FollowupPattern("reply", _COREFERENCE, needs_list=True),
    "ordinal_from_back": FollowupPattern("reply", _COREFERENCE, needs_list=True),
    "which_of_them": FollowupPattern("reply", _COREFERENCE, needs_list=True),
    "abbreviation": FollowupPattern("reply", _COREFERENCE),
    "description": FollowupPattern("reply", _COREFERENCE),
    "personal_pronoun": FollowupPattern("pronoun", _COREFERENCE),
    "demonstrative_pronoun": FollowupPattern("pronoun", _COREFERENCE),
    "omit_subject": FollowupPattern("omission", _PARTIAL),
    "omit_attribute": FollowupPattern("omission", _PARTIAL),
    "omit_modifier": FollowupPattern("omission", _PARTIAL),
    "omit_several": FollowupPattern("omission", _PARTIAL),
    "add_subject": FollowupPattern("addition", _PARTIAL),
    "add_modifier": FollowupPattern("addition", _PARTIAL),
    "correct_a_part": FollowupPattern("change", _PARTIAL),
    "repeat_with_change": FollowupPattern("change", _PARTIAL),
    "more": FollowupPattern("follow_up", _PARTIAL),
    "more_detail": FollowupPattern("follow_up", _PARTIAL),
    "shorter": FollowupPattern("follow_up", _PARTIAL),
    "an_example": FollowupPattern("follow_up", _PARTIAL),
    "go_on": FollowupPattern("follow_up", _PARTIAL),
    "neighbouring_topic": FollowupPattern("topic", _PARTIAL),
    "earlier_topic": FollowupPattern("topic", _LONG),
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
    lines: dict[str, int] = {}
    examples = []
    for number, value in read_lines(path):
        record = DataLine(path, number, value)
        example = _example(record)
        if example.id in lines:
            raise record.error(
                _("{id} is the id of the example in line {line} already", id=shown(example.id), line=lines[example.id]),
                "id",
            )
        lines[example.id] = number
        examples.append(example)
    if not examples:
        raise DataError(_("holds no example"), path)
    return tuple(examples)


def example_of(examples: Iterable[WorkedExample], wanted: str | None) -> WorkedExample | None:
    """The example with an id."""
    return next((example for example in examples if example.id == wanted), None)


def _example(record: DataLine) -> WorkedExample:
    pattern, group = _words(record, "pattern"), _words(record, "group")
    subtype = _one_of(record, "subtype", _words(record, "subtype"), [one.value for one in SUBTYPES])
    known = PATTERNS.get(pattern)
    if known and (known.group, known.subtype) != (group, subtype):
        raise record.error(
            _(
                "the pattern {pattern} has group {group} and subtype {subtype}",
                pattern=pattern,
                group=known.group,
                subtype=known.subtype,
            ),
            "pattern",
        )
    kinds = [_one_of(record, f"kinds[{place}]", kind, KINDS) for place, kind in enumerate(record.texts("kinds"))]
    if not kinds:
        raise record.error(_("must name at least one kind"), "kinds")
    earlier = _turns(record, fewest=2 if subtype == _LONG else 1)
    task, meaning = _words(record, "task"), _words(record, "meaning")
    return WorkedExample(_words(record, "id"), pattern, group, Reference(subtype), tuple(kinds), earlier, task, meaning)


def _turns(record: DataLine, fewest: int) -> tuple[ExampleTurn, ...]:
    turns = []
    for place, value in enumerate(record.take(record.value, "earlier", list)):
        where = f"earlier[{place}]"
        if type(value) is not dict:
            raise record.error(_("must be an object with `task` and `reply`"), where)
        turns.append(ExampleTurn(record.take(value, "task", str, where), record.take(value, "reply", str, where)))
    if len(turns) < fewest:
        raise record.error(_("must hold at least {fewest} of what was said before", fewest=fewest), "earlier")
    return tuple(turns)


def _words(record: DataLine, key: str) -> str:
    text = record.take(record.value, key, str).strip()
    if not text:
        raise record.error(_("must not be empty"), key)
    return text


def _one_of(record: DataLine, key: str, value: str, known: Iterable[str]) -> str:
    if value not in known:
        raise record.error(_("must be one of {known}, not {value}", known=list(known), value=shown(value)), key)
    return value
