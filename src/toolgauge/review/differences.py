"""What differs between two versions of a session, part by part, in the words in which people read it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from itertools import islice

from msgspec import Struct

from toolgauge.data.record import parse_pointer
from toolgauge.data.session import ASK, FINAL, Call, Session, Task
from toolgauge.review.events import Change, Part, Place
from toolgauge.review.warnings import place_of

MOST_PLACES = 8
_FOLLOWING = ("argument_sources", "dependency_evidence", "messages", "origin")
"""Fields that only follow from others."""


class Difference(Struct, frozen=True):
    """A part that differs. place: in the later version, or the earlier one where it is gone. old, new: what stood and
    stands there; None where there was or is nothing. tool: of the call."""

    place: Place
    old: object
    new: object
    tool: str = ""


def places(changes: Iterable[Change]) -> list[Place]:
    """The parts that changes of a record concern, each once."""
    paths = (parse_pointer(change.pointer) for change in changes)
    found = (
        place_of("".join(f"[{step}]" if str(step).isdecimal() else f".{step}" for step in steps)[1:])
        for steps in paths
        if not any(str(step).endswith(_FOLLOWING) for step in steps)
    )
    return list(islice(dict.fromkeys(found), MOST_PLACES))


def differences(old: Session, new: Session) -> Iterator[Difference]:
    """In the order of the later version."""
    if old.clock != new.clock:
        yield Difference(Place(), old.clock, new.clock)
    for before, after in zip(old.tasks, new.tasks, strict=False):
        yield from _of_task(before, after)
    common = min(len(old.tasks), len(new.tasks))
    for task in old.tasks[common:]:
        yield Difference(Place(Part.UTTERANCE, task.index), task.utterance, None)
    for task in new.tasks[common:]:
        yield Difference(Place(Part.UTTERANCE, task.index), None, task.utterance)


def _of_task(old: Task, new: Task) -> Iterator[Difference]:
    for part, was, now in (
        (Part.UTTERANCE, old.utterance, new.utterance),
        (Part.TYPE, old.type, new.type),
        (Part.REFERENCE, old.reference, new.reference),
    ):
        if was != now:
            yield Difference(Place(part, new.index), was, now)
    pairs = list(_paired(old.calls, new.calls))
    positions = {before.index: after.index for before, after in pairs if before and after}
    for before, after in pairs:
        if before and after:
            yield from _of_call(new.index, before, after, positions)
        elif after:
            yield Difference(Place(Part.CALL, new.index, after.index), None, after.arguments, after.name)
        elif before:
            yield Difference(Place(Part.CALL, new.index, before.index), before.arguments, None, before.name)


def _paired(old: tuple[Call, ...], new: tuple[Call, ...]) -> Iterator[tuple[Call | None, Call | None]]:
    """The calls of two versions of a task beside each other: by position where there are as many, else by what they
    are."""
    if len(old) == len(new):
        yield from zip(old, new, strict=True)
        return
    old_texts, new_texts = ([f"{call.name} {call.arguments!r}" for call in calls] for calls in (old, new))
    for kind, begun, ended, started, stopped in SequenceMatcher(
        None, old_texts, new_texts, autojunk=False
    ).get_opcodes():
        before, after = old[begun:ended], new[started:stopped]
        if (kind == "replace" and len(before) == len(after)) or kind == "equal":
            yield from zip(before, after, strict=True)
        else:
            yield from ((call, None) for call in before)
            yield from ((None, call) for call in after)


def _of_call(task: int, old: Call, new: Call, positions: dict[int, int]) -> Iterator[Difference]:
    """positions: where the calls of the earlier version stand now."""

    def at(part: Part, path: str = "") -> Place:
        return Place(part, task, new.index, path)

    if old.name != new.name:
        yield Difference(at(Part.CALL), old.name, new.name, new.name)
    if new.is_tool:
        for name in dict.fromkeys((*old.arguments, *new.arguments)):
            before, after = old.arguments.get(name), new.arguments.get(name)
            if before != after or (name in old.arguments) != (name in new.arguments):
                yield Difference(at(Part.ARGUMENTS, name), before, after, new.name)
    if old.observation != new.observation:
        part = {FINAL: Part.REPLY, ASK: Part.QUESTION}.get(new.name, Part.RESULT)
        yield Difference(at(part), old.observation, new.observation, new.name)
    if old.user_input != new.user_input:
        yield Difference(at(Part.ANSWER), old.user_input, new.user_input, new.name)
    if new.name != FINAL and sorted(positions.get(node, -1) for node in old.after) != sorted(new.after):
        yield Difference(at(Part.DEPENDENCIES), list(old.after), list(new.after), new.name)
