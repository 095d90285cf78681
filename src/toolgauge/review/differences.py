"""What several opinions of a session say differently: part by part, without what follows from other parts by itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import UNSET, Struct, UnsetType

from toolgauge.data.session import ASK, FINAL, Call, Session
from toolgauge.review.events import Part, Place


class Difference(Struct, frozen=True, omit_defaults=True):
    """A part of which not all say the same. said: by each, in their order; unset where somebody has no such part."""

    place: Place
    said: list[object | UnsetType]


def parts(session: Session) -> dict[Place, object]:
    """What people decide about in a session, in its order. Where values come from follows from it, and is not there."""
    return dict(_parts(session))


def differences(sessions: Sequence[Session]) -> list[Difference]:
    """The parts of which not all of these versions of a session say the same, in the order of the dialogue."""
    said = [parts(one) for one in sessions]
    places = sorted({place for one in said for place in one}, key=_order)
    rows = ((place, [one.get(place, UNSET) for one in said]) for place in places)
    return [Difference(place, row) for place, row in rows if any(one != row[0] for one in row)]


_PARTS = tuple(Part)


def _order(place: Place) -> tuple[int, int, int, str]:
    task, call = place.task, place.call
    return -1 if task is None else task, -1 if call is None else call, _PARTS.index(place.part), place.path


def _parts(session: Session) -> Iterator[tuple[Place, object]]:
    yield Place(path="clock"), session.clock
    yield Place(path="tools"), session.original_tools
    for task in session.tasks:
        yield Place(Part.UTTERANCE, task.index), task.utterance
        yield Place(Part.TYPE, task.index), task.type
        yield Place(Part.REFERENCE, task.index), task.reference
        for call in task.calls:
            for part, value in _call(call):
                yield Place(part, task.index, call.index), value


def _call(call: Call) -> Iterator[tuple[Part, object]]:
    yield Part.CALL, call.name
    yield Part.DEPENDENCIES, list(call.after)
    if call.is_tool:
        yield Part.ARGUMENTS, call.arguments
    yield {ASK: Part.QUESTION, FINAL: Part.REPLY}.get(call.name, Part.RESULT), call.observation
    if call.user_input is not None:
        yield Part.ANSWER, call.user_input
    if call.optional or call.acceptance is not None or call.facts or call.unservable:
        yield Part.SESSION, [call.acceptance, call.optional, call.facts, call.unservable]
