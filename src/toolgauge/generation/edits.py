"""Where a session was edited: up to where it stands when it is made again from there.

A session is a row of parts: of each task the utterance, each call, what answers it. Parts that the original does not
have were edited. The session stands up to the last of the edited parts that follow one another; everything behind them
is made again. An edit there is refused, for it would be lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher

import msgspec
from msgspec import Struct

from toolgauge.annotation.edges import EVIDENCE
from toolgauge.data.annotation_fields import written_annotations
from toolgauge.data.record import shown
from toolgauge.data.session import ASK, FINAL, Call, Session
from toolgauge.errors import UsageError
from toolgauge.generation.resume import decisions_of
from toolgauge.generation.setup import Part, ReplayPoint
from toolgauge.locale import _, named_field

MOST_COMPARED = 2_000
"""Parts from the first to the last edit of a session; between more of them no edits are looked for."""


class _Row(Struct, frozen=True):
    """A part of a session. point: of everything that is said at once; call: its position in the task; content: the same
    for what says the same; is_empty: a result that is not there."""

    point: ReplayPoint
    call: int | None
    content: bytes
    is_empty: bool = False


def replay_point(original: Session, edited: Session) -> ReplayPoint | None:
    """Up to where an edited session stands; None where nothing was edited but annotations.

    Raises UsageError where the tools or the clock were edited, or nothing but `messages`, and where an edit would be
    lost, being behind the place from which everything is made again.
    """
    _require_same_setting(original, edited)
    rows = list(_rows(edited))
    changed = _changed(list(_rows(original)), rows, edited.id)
    edits = _with_decisions(row.point for row in changed)
    if not edits:
        _require_same_messages(original, edited)
        return None
    points = list(dict.fromkeys(row.point for row in rows))
    places = [number for number, point in enumerate(points) if point in edits]
    together = [place for number, place in enumerate(places) if place == places[0] + number]
    last = points[together[-1]]
    if len(together) < len(places):
        raise UsageError(
            _(
                "{session} was edited up to {first} and again at {second}, but it is made again from one place on. Say "
                "with {replay_from} up to where it stands",
                session=shown(edited.id),
                first=str(last),
                second=str(points[places[-1]]),
                replay_from=named_field("replay_from"),
            )
        )
    own = edited.tasks[last.task].calls
    calls = {row.call for row in changed if row.point.task == last.task and row.point.part is Part.CALL}
    anew = [call.index for call in own if call.index in calls and _is_stale(call, original, last.task)]
    return msgspec.structs.replace(last, anew=tuple(anew))


def _require_same_setting(original: Session, edited: Session) -> None:
    """Raise UsageError where the tools or the clock were edited."""
    for field, before, after in (
        ("tools", original.original_tools, edited.original_tools),
        ("env_info", original.clock, edited.clock),
    ):
        if before != after:
            raise UsageError(
                _(
                    "{session}: {field} is another one than in {original}, and everything said may depend on it; say "
                    "with {replay_from} up to where the session stands",
                    session=shown(edited.id),
                    field=field,
                    original=named_field("original"),
                    replay_from=named_field("replay_from"),
                )
            )


def _rows(session: Session) -> Iterator[_Row]:
    """The parts of a session, in the order in which they are said."""
    for task in session.tasks:
        yield _Row(ReplayPoint(task.index), None, _content(Part.UTTERANCE, task.utterance))
        for decision in decisions_of(task):
            for call in decision:
                content = _content(Part.CALL, call.name, call.arguments)
                yield _Row(ReplayPoint(task.index, decision[0].index, Part.CALL), call.index, content)
                for part, said in answers(call):
                    point = ReplayPoint(task.index, decision[0].index, part)
                    yield _Row(point, call.index, _content(part, said), said is None)


def answers(call: Call) -> list[tuple[Part, object]]:
    """What follows a call."""
    if call.name == ASK:
        return [(Part.QUESTION, call.observation), (Part.ANSWER, call.user_input)]
    return [(Part.REPLY if call.name == FINAL else Part.RESULT, call.observation)]


def _content(*parts: object) -> bytes:
    return msgspec.json.encode(parts, order="sorted")


def _changed(before: list[_Row], after: list[_Row], session: str) -> list[_Row]:
    """The rows of a session that an earlier version does not have, and those before which something was taken away.

    Raises UsageError where they lie too far apart to be compared.
    """
    old, new = [row.content for row in before], [row.content for row in after]
    begin = next((n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    end = 0
    while end < min(len(old), len(new)) - begin and old[-1 - end] == new[-1 - end]:
        end += 1
    if max(len(old), len(new)) - begin - end > MOST_COMPARED:
        raise UsageError(
            _(
                "{session}: too much differs from {original} to tell what was edited; say with {replay_from} up to "
                "where the session stands",
                session=shown(session),
                original=named_field("original"),
                replay_from=named_field("replay_from"),
            )
        )
    matcher = SequenceMatcher(None, old[begin : len(old) - end], new[begin : len(new) - end], autojunk=False)
    places: list[int] = []
    for tag, _i, _j, first, stop in matcher.get_opcodes():
        if tag != "equal":
            places += range(begin + first, begin + (stop if stop > first else first + 1))
    return [after[place] for place in places if place < len(after) and not after[place].is_empty]


def _with_decisions(points: Iterable[ReplayPoint]) -> set[ReplayPoint]:
    """Edited parts, and the decisions that they answer: who edits an answer has read what it answers."""
    edits: set[ReplayPoint] = set()
    for point in points:
        edits.add(point)
        if point.call is not None:
            edits.add(msgspec.structs.replace(point, part=Part.CALL))
        if point.part is Part.ANSWER:
            edits.add(msgspec.structs.replace(point, part=Part.QUESTION))
    return edits


def _is_stale(call: Call, original: Session, task: int) -> bool:
    """Was a call edited without its annotation?"""
    said = _annotation(call)
    calls = original.tasks[task].calls if task < len(original.tasks) else ()
    return not (call.sources or call.acceptance) or any(said == _annotation(one) for one in calls[call.index :][:1])


def _annotation(call: Call) -> list[object]:
    return [call.after, call.sources, written_annotations(call), call.extra.get(EVIDENCE)]


def _require_same_messages(original: Session, edited: Session) -> None:
    """Raise UsageError where the plain messages were edited and nothing that they were made from."""
    for before, after in zip(original.tasks, edited.tasks, strict=False):
        if before.dialogue != after.dialogue:
            raise UsageError(
                _(
                    "{session}: only `messages` were edited, which are made from `tasks` and `answer_list`; edit these",
                    session=shown(edited.id),
                )
            )
